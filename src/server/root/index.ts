import { checkRoot, setUpRoot } from '../../shared/api/root.ts';
import type { Base, Feature } from '../feature.ts';
import { STARTER_TEMPLATE } from '../locations.ts';
import { createRootService, type RootDeps } from './root.service.ts';

/** Dependencies of {@link createRootSetup}. */
type RootFeatureDeps = Pick<Base, 'config' | 'root' | 'linkSystem'> & Pick<RootDeps, 'trust'>;

/** Creates the routes that look at a folder, or set it up, before it becomes the root. */
export const createRootSetup = ({ config, ...deps }: RootFeatureDeps): Feature => {
  const { check, setUp } = createRootService({
    ...deps,
    homeDirectory: config.homeDirectory,
    template: STARTER_TEMPLATE,
  });
  return {
    routes(bind) {
      bind(checkRoot, ({ query }) => check(query.path));
      bind(setUpRoot, ({ body }) => setUp(body.path));
    },
  };
};
