import { join } from 'node:path';
import { checkRoot, getRootTrust, setUpRoot, trustRoot, withdrawRootTrust } from '../../shared/api/root.ts';
import type { Base, Feature } from '../feature.ts';
import { STARTER_TEMPLATE } from '../locations.ts';
import { rootOverlap } from '../platform/own-data.ts';
import { createRootService } from './root.service.ts';
import type { RootIdentities } from './root-identity.ts';
import { createRootTrust, type TrustService } from './root-trust.ts';
import { createTrustStore } from './trust-store.ts';

type RootFeatureDeps = Pick<Base, 'config' | 'root' | 'publish' | 'clock' | 'logger' | 'linkSystem'> & {
  readonly identities: RootIdentities;
};

/**
 * Creates the routes that inspect or set up a directory before it becomes the root, and the store of trusted roots
 * in `data/trusted-roots.json`.
 */
export const createRootFeature = ({
  config,
  root,
  identities,
  publish,
  clock,
  logger,
  linkSystem,
}: RootFeatureDeps): Feature & { readonly trust: TrustService } => {
  const trust = createRootTrust({
    root,
    identities,
    store: createTrustStore(join(config.dataDirectory, 'data', 'trusted-roots.json'), logger),
    starterRootPath: config.starterRootPath,
    starterTemplate: STARTER_TEMPLATE,
    clock,
    logger,
  });
  const { check, setUp } = createRootService({
    root,
    homeDirectory: config.homeDirectory,
    template: STARTER_TEMPLATE,
    trust,
    linkSystem,
    overlapOf: (path) => rootOverlap(path, config),
  });
  const announced = async <T>(change: Promise<T>): Promise<T> => {
    const changed = await change;
    publish({ name: 'settings', data: {} });
    return changed;
  };
  let checked: Promise<void> | undefined;
  return {
    routes(bind) {
      bind(checkRoot, ({ query }) => check(query.path));
      bind(setUpRoot, ({ body }) => setUp(body.path));
      bind(getRootTrust, () => trust.read());
      bind(trustRoot, ({ body }) => announced(trust.trust(body.sha256)));
      bind(withdrawRootTrust, () => announced(trust.withdraw()));
    },
    trust,
    start() {
      checked = trust.start();
    },
    close: async () => checked,
  };
};
