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
  /** The seed of each mint's wallet. The key is also the mint, or a database's name in older files. */
  wallets: z.record(z.string(), z.object({ mint: z.string(), seed: fingerprint })),
  /** When the operator last proved that they have a seed's words. */
  backedUp: z.record(fingerprint, z.iso.datetime()).optional(),
});

/** What `seeds.json` contains: fingerprints, never words. */
type SeedIndexContents = z.infer<typeof contents>;

const store = createJsonStore(contents);

/** Maps each mint's wallet in a directory to its seed. This is derived data, so the database's own record wins. */
export interface SeedIndex {
  /** Returns undefined if there's no file. A damaged file is set aside and counts as missing. */
  read(): Promise<SeedIndexContents | undefined>;
  /** Records a wallet's seed. Never rejects, because the next start repairs a missing record. */
  record(mint: string, seed: string): Promise<void>;
  /** Records that the operator has a seed's words, as of an ISO date. */
  recordBackup(seed: string, backedUpAt: string): Promise<void>;
}

/** Returns a mint's entry in the index. */
export const entryOf = ({ wallets }: SeedIndexContents, mint: string) =>
  wallets[mint] ?? Object.values(wallets).find((wallet) => wallet.mint === mint);

// Wallets of several mints share one file, and each reads it before writing it.
const lock = createKeyedLock();

/** Creates a wallet directory's index. */
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

  const record = async (mint: string, seed: string): Promise<void> => {
    const before = await read();
    const entry = before && entryOf(before, mint);
    if (before && entry?.seed === seed) return;
    // If this wallet used the seed of new wallets, new wallets get its new seed too.
    const forNew = before && before.seed !== entry?.seed ? before.seed : seed;
    await write({
      ...before,
      seed: forNew,
      wallets: {
        ...Object.fromEntries(Object.values(before?.wallets ?? {}).map((wallet) => [wallet.mint, wallet])),
        [mint]: { mint, seed },
      },
    });
  };

  const recordBackup = async (seed: string, backedUpAt: string): Promise<void> => {
    const before = await read();
    const backedUp = { ...before?.backedUp, [seed]: backedUpAt };
    await write({ seed, wallets: {}, ...before, backedUp });
  };

  return {
    read: () => lock.run(path, read),
    record: (mint, seed) => lock.run(path, () => record(mint, seed)).catch(() => undefined),
    recordBackup: (seed, backedUpAt) => lock.run(path, () => recordBackup(seed, backedUpAt)),
  };
};
