import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createJsonStore } from '../../platform/json-store.ts';
import { createKeyedLock } from '../../platform/keyed-lock.ts';

const FILE_NAME = 'seeds.json';

const fingerprint = z.string().regex(/^[0-9a-f]{12}$/);

const contents = z.object({
  /** The seed of wallets that are opened for the first time. */
  seed: fingerprint,
  /** The seed of each wallet, by the name of its database. */
  wallets: z.record(z.string(), z.object({ mint: z.string(), seed: fingerprint })),
  /** When the operator last proved to have the words of a seed. */
  backedUp: z.record(fingerprint, z.iso.datetime()).optional(),
});

/** The contents of `seeds.json`: fingerprints, never words. */
type SeedIndexContents = z.infer<typeof contents>;

const store = createJsonStore(contents);

/** Maps each wallet of a directory to its seed. Derived data: a database's own record wins. */
export interface SeedIndex {
  /** Undefined if there is no file. A damaged one is set aside and counts as missing. */
  read(): Promise<SeedIndexContents | undefined>;
  /** Records the seed of a wallet. Never rejects, since the next start repairs what is missing. */
  record(databaseName: string, mint: string, seed: string): Promise<void>;
  /** Records that the operator has the words of a seed, since an ISO date. */
  recordBackup(seed: string, backedUpAt: string): Promise<void>;
}

// Wallets of several mints share one file, and each reads it before it writes it.
const lock = createKeyedLock();

/** Creates the index of a wallet directory. */
export const createSeedIndex = (walletDirectory: string): SeedIndex => {
  const path = join(walletDirectory, FILE_NAME);

  const read = async (): Promise<SeedIndexContents | undefined> => {
    try {
      return await store.read(path);
    } catch {
      await rename(path, `${path}.damaged-${Date.now()}`).catch(() => undefined);
      return undefined;
    }
  };

  const write = (index: SeedIndexContents) => store.write(path, index);

  const record = async (databaseName: string, mint: string, seed: string): Promise<void> => {
    const before = await read();
    const entry = before?.wallets[databaseName];
    if (before && entry?.seed === seed && entry.mint === mint) return;
    // If this wallet used the seed of new wallets, new wallets get its new seed too.
    const forNew = before && before.seed !== entry?.seed ? before.seed : seed;
    await write({
      ...before,
      seed: forNew,
      wallets: { ...before?.wallets, [databaseName]: { mint, seed } },
    });
  };

  const recordBackup = async (seed: string, backedUpAt: string): Promise<void> => {
    const before = await read();
    const backedUp = { ...before?.backedUp, [seed]: backedUpAt };
    await write({ seed, wallets: {}, ...before, backedUp });
  };

  return {
    read: () => lock.run(path, read),
    record: (databaseName, mint, seed) =>
      lock.run(path, () => record(databaseName, mint, seed)).catch(() => undefined),
    recordBackup: (seed, backedUpAt) => lock.run(path, () => recordBackup(seed, backedUpAt)),
  };
};
