import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { PAGE_KEY_DAYS } from '../../shared/api/page-keys.ts';
import type { Clock } from '../platform/clock.ts';
import { createJsonStore } from '../platform/json-store.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import { createRareWarning, type Logger } from '../platform/logger.ts';
import { createRecentRead } from '../platform/recent-read.ts';

/** The limit for browsers that stay signed in. Beyond it, the least recently used one is dropped. */
const MAX_KEYS = 100;

/** SECURITY: keys expire, because a program that once had this port can leave a service worker that uses them. */
const KEY_LASTS_MS = PAGE_KEY_DAYS * 24 * 60 * 60 * 1000;

const keptSchema = z.object({
  id: z.string(),
  name: z.string(),
  origin: z.string(),
  publicKey: z.object({ kty: z.literal('EC'), crv: z.literal('P-256'), x: z.string(), y: z.string() }),
  createdAt: z.string(),
  lastUsedAt: z.string().nullable(),
});
const store = createJsonStore(z.object({ keys: z.array(keptSchema) }));

/** A page key, with the public key that verifies its signatures. */
export type KeptPageKey = z.infer<typeof keptSchema>;

/** Stores the public keys of browsers that stay signed in. */
interface PageKeyStore {
  list(): Promise<KeptPageKey[]>;
  /** Returns a key. For an unknown id, it asks memory, which is at most a second older than the file. */
  find(id: string): Promise<KeptPageKey | undefined>;
  add(key: Omit<KeptPageKey, 'id' | 'lastUsedAt'>): Promise<KeptPageKey>;
  markUsed(id: string, at: string): Promise<void>;
  /** Returns whether the key existed. */
  remove(id: string): Promise<boolean>;
}

const lastSeen = ({ createdAt, lastUsedAt }: KeptPageKey) => lastUsedAt ?? createdAt;

/**
 * Stores page keys in the wallet directory's `page-keys.json`, mode 0600, because anyone who can write it can sign
 * in. An unreadable file signs everyone out, and the next key replaces it. Keys expire.
 */
export const createPageKeyStore = (
  walletDirectory: string,
  { clock, logger }: { clock: Pick<Clock, 'now'>; logger: Pick<Logger, 'warn'> },
): PageKeyStore => {
  const path = join(walletDirectory, 'page-keys.json');
  const lock = createKeyedLock();
  const warn = createRareWarning(logger, clock);

  const read = async (): Promise<KeptPageKey[]> => {
    try {
      // SECURITY: if others can write the file, another user could have added a key.
      const { keys } = (await store.read(path)) ?? { keys: [] };
      return keys.filter(({ createdAt }) => Date.parse(createdAt) + KEY_LASTS_MS > clock.now());
    } catch (error) {
      warn({ err: error }, 'page-keys.json can’t be read, so every browser has to sign in again');
      return [];
    }
  };

  const change = <T>(make: (keys: KeptPageKey[]) => { keys: KeptPageKey[]; result: T }): Promise<T> =>
    lock.run(path, async () => {
      const before = await read();
      const { keys, result } = make(before);
      if (keys !== before) await store.write(path, { keys });
      recent.set(keys);
      return result;
    });

  const list = () => lock.run(path, read);
  const find = (keys: readonly KeptPageKey[], id: string) => keys.find((key) => key.id === id);
  const recent = createRecentRead(list, clock);

  return {
    list,

    // SECURITY: anyone can send unknown ids, which must not cost a read each.
    find: async (id) => (find(await recent.get(), id) ? find(await list(), id) : undefined),

    add: (key) =>
      change((before) => {
        const added = { ...key, id: randomUUID(), lastUsedAt: null };
        const newestFirst = [...before, added].sort((a, b) => (lastSeen(a) < lastSeen(b) ? 1 : -1));
        return { keys: newestFirst.slice(0, MAX_KEYS), result: added };
      }),

    markUsed: (id, at) =>
      change((before) => ({
        keys: before.map((key) => (key.id === id ? { ...key, lastUsedAt: at } : key)),
        result: undefined,
      })),

    remove: (id) =>
      change((before) => {
        const keys = before.filter((key) => key.id !== id);
        const isThere = keys.length < before.length;
        return { keys: isThere ? keys : before, result: isThere };
      }),
  };
};
