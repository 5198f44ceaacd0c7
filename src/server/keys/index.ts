import { createKey, deleteKey, getOwnKey, listKeys } from '../../shared/api/keys.ts';
import type { Base, Feature } from '../feature.ts';
import { openKeyStore } from './key-store.ts';
import { createKeysService, type KeysDeps, type KeysService } from './keys.service.ts';

type KeysFeatureDeps = Pick<Base, 'config' | 'root' | 'requireAgent' | 'publish' | 'clock' | 'logger'> &
  Pick<KeysDeps, 'spentToday'>;

interface KeysFeature extends Feature, Pick<KeysService, 'find' | 'lookUp' | 'hasKey'> {
  /** Creates a key as the route does. */
  readonly create: KeysService['create'];
  /** Returns whether a key exists and wasn't revoked. */
  exists(id: string): boolean;
  /** Returns the SHA-256 of each agent key, in hex. */
  hashes(): readonly string[];
  /** Revokes all of an agent's keys in the managed root. Resolves once the change is on disk. */
  revokeKeysOf(agent: string): Promise<void>;
}

/** Opens the agent keys in a wallet directory. */
export const createKeys = async ({
  config,
  root,
  requireAgent,
  publish,
  spentToday,
  clock,
  logger,
}: KeysFeatureDeps): Promise<KeysFeature> => {
  const announce = () => publish({ name: 'keys', data: {} });
  const store = await openKeyStore(config.walletDirectory, { clock, logger, onUsesWritten: announce });
  const keys = createKeysService({ store, rootId: root.id, requireAgent, spentToday, clock });
  const create: KeysService['create'] = async (key) => {
    const created = await keys.create(key);
    announce();
    return created;
  };
  return {
    create,
    exists: store.has,
    routes(bind) {
      bind(listKeys, () => keys.list());
      bind(getOwnKey, async (_, caller) => ({
        key: caller.kind === 'agent' ? await keys.describe(caller.key.id) : null,
      }));
      bind(createKey, ({ body }) => create(body));
      bind(deleteKey, async ({ params }) => {
        await keys.remove(params.keyId);
        announce();
        return { ok: true as const };
      });
    },
    find: keys.find,
    lookUp: keys.lookUp,
    hasKey: keys.hasKey,
    hashes: () => store.list().map(({ hash }) => hash),
    async revokeKeysOf(agent) {
      if ((await keys.removeOfAgent(agent)) > 0) announce();
    },
    close: store.close,
  };
};
