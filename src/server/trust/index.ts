import { join } from 'node:path';
import { getRootTrust, trustRoot, withdrawRootTrust } from '../../shared/api/trust.ts';
import type { Base, Feature } from '../feature.ts';
import { STARTER_TEMPLATE } from '../locations.ts';
import { createRootTrust, type TrustService } from './root-trust.ts';
import { createTrustStore } from './trust-store.ts';

/** Dependencies of {@link createTrust}. */
type TrustFeatureDeps = Pick<Base, 'config' | 'root' | 'publish' | 'clock' | 'logger'>;

/** Creates the trust in the root, kept in `data/trusted-roots.json`. */
export const createTrust = ({
  config,
  root,
  publish,
  clock,
  logger,
}: TrustFeatureDeps): Feature & Omit<TrustService, 'start'> => {
  const trust = createRootTrust({
    root,
    store: createTrustStore(join(config.dataDirectory, 'data', 'trusted-roots.json'), logger),
    starterRootPath: config.starterRootPath,
    starterTemplate: STARTER_TEMPLATE,
    clock,
    logger,
  });
  const announced = async <T>(change: Promise<T>): Promise<T> => {
    const changed = await change;
    publish({ name: 'settings', data: {} });
    return changed;
  };
  let checked: Promise<void> | undefined;
  return {
    ...trust,
    routes(bind) {
      bind(getRootTrust, () => trust.read());
      bind(trustRoot, ({ body }) => announced(trust.trust(body.sha256)));
      bind(withdrawRootTrust, () => announced(trust.withdraw()));
    },
    start() {
      checked = trust.start();
    },
    close: async () => checked,
  };
};
