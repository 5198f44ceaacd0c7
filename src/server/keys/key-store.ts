import { createHash } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { KEY_SCOPES } from '../../shared/api/key-scopes.ts';
import type { Clock } from '../platform/clock.ts';
import { createJsonStore } from '../platform/json-store.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import type { Logger } from '../platform/logger.ts';

/** The longest wait before a key's use is written. A crash loses unwritten uses. */
const WRITE_USES_AFTER_MS = 60_000;

const storedSchema = z.object({
  id: z.string(),
  label: z.string(),
  /** SHA-256 of the key, in hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  agent: z.object({ id: z.string(), rootId: z.string() }).nullable(),
  scopes: z.array(z.enum(KEY_SCOPES)).min(1),
  satsPerDay: z.int().positive().nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
});
const store = createJsonStore(z.object({ keys: z.array(storedSchema) }));

/** An agent key as stored. Times are in ISO 8601. */
export type StoredKey = z.infer<typeof storedSchema>;

/** Stores agent keys, only as hashes. */
export interface KeyStore {
  /** Returns the keys, oldest first. */
  list(): readonly StoredKey[];
  /** Finds a key by its text. */
  find(key: string): StoredKey | undefined;
  /** Returns whether the key with this id still exists. */
  has(id: string): boolean;
  /** Returns whether the key with this hash still exists. */
  hasHash(hash: string): boolean;
  /** Resolves once the key is on disk. */
  add(key: StoredKey): Promise<void>;
  /** Resolves to how many keys it removed, once the removal is on disk. */
  remove(isRemoved: (key: StoredKey) => boolean): Promise<number>;
  /** Records a use. Uses are written within a minute, in batches. */
  markUsed(id: string): void;
  /** Writes the uses that haven't been written yet. */
  close(): Promise<void>;
}

/** Returns a key's SHA-256, in hex. Keys have 256 random bits, so a slow hash would add nothing. */
export const hashOfKey = (key: string): string => createHash('sha256').update(key).digest('hex');

const FILE_NAME = 'agent-keys.json';

const read = async (path: string, clock: Clock, logger: Pick<Logger, 'warn'>): Promise<StoredKey[]> => {
  try {
    // SECURITY: if others can write the file, another user could have added a key.
    return (await store.read(path))?.keys ?? [];
  } catch (error) {
    const setAside = `${path}.damaged-${clock.now()}`;
    await rename(path, setAside).catch(() => undefined);
    logger.warn({ err: error, setAside }, 'agent-keys.json can’t be used, so no agent key works anymore');
    return [];
  }
};

/**
 * Opens the agent keys in the wallet directory's `agent-keys.json`, mode 0600, because anyone who can write it can
 * spend. An unreadable file is set aside, and none of its keys work.
 *
 * Calls `onUsesWritten` after writing uses.
 */
export const openKeyStore = async (
  walletDirectory: string,
  { clock, logger, onUsesWritten }: { clock: Clock; logger: Pick<Logger, 'warn'>; onUsesWritten(): void },
): Promise<KeyStore> => {
  const path = join(walletDirectory, FILE_NAME);
  const lock = createKeyedLock();
  let keys: readonly StoredKey[] = await read(path, clock, logger);
  // SECURITY: look up hashes, because the duration of a hash lookup reveals nothing about stored keys.
  let byHash = new Map<string, StoredKey>();
  /** Uses that haven't been written yet, by key id. */
  let uses = new Map<string, string>();
  let cancelTimer: (() => void) | undefined;

  const set = (next: readonly StoredKey[]) => {
    keys = next;
    byHash = new Map(next.map((key) => [key.hash, key]));
  };
  set(keys);

  const withUses = (stored: readonly StoredKey[]) =>
    stored.map((key) => ({ ...key, lastUsedAt: uses.get(key.id) ?? key.lastUsedAt }));

  /** Writes changed keys. Callers see them only once they're on disk. */
  const write = (change: (stored: readonly StoredKey[]) => readonly StoredKey[]): Promise<void> =>
    lock.run(path, async () => {
      const next = change(withUses(keys));
      await store.write(path, { keys: [...next] });
      set(next);
    });

  const writeUses = async () => {
    cancelTimer?.();
    cancelTimer = undefined;
    if (uses.size === 0) return;
    const written = uses;
    try {
      await write((stored) => stored);
      uses = new Map([...uses].filter(([id, at]) => written.get(id) !== at));
      onUsesWritten();
    } catch (error) {
      logger.warn({ err: error }, 'the last use of agent keys could not be written');
    }
  };

  return {
    list: () => withUses(keys),
    find: (key) => byHash.get(hashOfKey(key)),
    has: (id) => keys.some((key) => key.id === id),
    hasHash: (hash) => byHash.has(hash),
    add: (key) => write((stored) => [...stored, key]),
    async remove(isRemoved) {
      if (!keys.some(isRemoved)) return 0;
      let removed = 0;
      await write((stored) => {
        const rest = stored.filter((key) => !isRemoved(key));
        removed = stored.length - rest.length;
        return rest;
      });
      return removed;
    },
    markUsed(id) {
      uses.set(id, new Date(clock.now()).toISOString());
      cancelTimer ??= clock.after(WRITE_USES_AFTER_MS, () => void writeUses());
    },
    close: writeUses,
  };
};
