import { createPublicKey } from 'node:crypto';
import { createPageKey, deletePageKey, listPageKeys, type PageKey } from '../../shared/api/page-keys.ts';
import { isRunHost, PAGE_HOST } from '../../shared/page-host.ts';
import type { Base, Feature } from '../feature.ts';
import { AppError } from '../platform/app-error.ts';
import { createPageKeyStore, type KeptPageKey } from './page-key-store.ts';

interface PageKeysDeps extends Pick<Base, 'config' | 'publish' | 'clock' | 'logger'> {
  /**
   * Returns whether no other program can respond at an origin (`http://127.0.0.1:8000`) while this server listens.
   */
  ownsOrigin(origin: string): boolean;
}

/** The keys of browsers that stay signed in. */
interface PageKeysFeature extends Feature {
  /** Throws `page_key_not_found`. */
  find(id: string): Promise<KeptPageKey>;
  markUsed(id: string, at: string): Promise<void>;
  /** Throws `sign_in_refused` for an origin where another program can respond. */
  requireOwnOrigin(origin: string): void;
}

const keyNotFound = () =>
  new AppError(
    'page_key_not_found',
    'This browser was signed out, or its sign-in expired. Sign in with the link that dot-mi printed when it started.',
  );

const refused = (sentence: string, cause?: unknown) => new AppError('sign_in_refused', sentence, {}, cause);

/** Returns a page key without its public key. */
const shownKey = ({ id, name, origin, createdAt, lastUsedAt }: KeptPageKey): PageKey => ({
  id,
  name,
  origin,
  createdAt,
  lastUsedAt,
});

/** Creates the page keys, and the routes that sign browsers out or keep them signed in. */
export const createPageKeys = ({
  config,
  publish,
  clock,
  logger,
  ownsOrigin,
}: PageKeysDeps): PageKeysFeature => {
  const store = createPageKeyStore(config.walletDirectory, { clock, logger });
  /** Refreshes the settings, which list these browsers. */
  const announce = () => publish({ name: 'settings', data: {} });

  const requireOwnOrigin = (origin: string) => {
    // SECURITY: another program can listen at this address and pass on what a page signs for it.
    if (ownsOrigin(origin)) return;
    throw refused('You can’t stay signed in at this address, because another program could use it.');
  };

  const create = async (name: string, publicKey: KeptPageKey['publicKey'], origin: string) => {
    requireOwnOrigin(origin);
    const { hostname, port } = new URL(origin);
    if (isRunHost(hostname))
      throw refused(
        `This address stops working when dot-mi stops. To stay signed in, open http://${PAGE_HOST}:${port} and sign in there.`,
      );
    try {
      createPublicKey({ key: publicKey, format: 'jwk' });
    } catch (error) {
      throw refused('The public key is not a point on the curve P-256.', error);
    }
    const createdAt = new Date(clock.now()).toISOString();
    return shownKey(await store.add({ name, origin, publicKey, createdAt }));
  };

  return {
    routes(bind) {
      bind(listPageKeys, async () => ({ keys: (await store.list()).map(shownKey) }));
      bind(createPageKey, async ({ body }, _, originOf) => {
        const created = await create(body.name, body.publicKey, originOf());
        announce();
        return created;
      });
      bind(deletePageKey, async ({ params }) => {
        if (!(await store.remove(params.keyId))) throw keyNotFound();
        announce();
        return { ok: true as const };
      });
    },
    async find(keyId) {
      const key = await store.find(keyId);
      if (!key) throw keyNotFound();
      return key;
    },
    markUsed: store.markUsed,
    requireOwnOrigin,
  };
};
