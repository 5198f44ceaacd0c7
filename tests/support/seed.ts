import { cp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../src/server/platform/clock.ts';
import { openSeed } from '../../src/server/wallet/seed/seed.ts';
import type { SeedVault } from '../../src/server/wallet/seed/seed-vault.ts';
import { openWalletDatabase } from '../../src/server/wallet/store/wallet-store.ts';
import { makeTempDirectory } from './temp.ts';

/** Valid words that no wallet of a test generates. */
export const WORDS = `${'abandon '.repeat(11)}about`;
/** Other words of that kind. */
export const OTHER_WORDS = `${'zoo '.repeat(11)}wrong`;

/** The mint of the wallet `name`. */
export const urlOf = (name: string) => `https://${name}.invalid`;
/** The file name of its database. Each has its own here, so that one can be lost. */
export const databaseOf = (name: string) => `wallet-${name}.sqlite`;

/** Opens the seed of the wallet `name` with its real database. */
export const openAt = async (directory: string, name: string, vault?: SeedVault) => {
  const database = await openWalletDatabase(join(directory, databaseOf(name)), systemClock);
  const store = { ...database.ofMint(urlOf(name)), close: database.close };
  onTestFinished(() => store.close());
  try {
    const seed = await openSeed({
      walletDirectory: directory,
      mintUrl: urlOf(name),
      store,
      ...(vault ? { vault } : {}),
    });
    return Object.assign(seed, { store });
  } catch (error) {
    store.close();
    throw error;
  }
};

/** The words after one start. */
export const wordsAt = async (directory: string, name: string, vault?: SeedVault) => {
  const seed = await openAt(directory, name, vault);
  seed.store.close();
  return seed.mnemonic();
};

/** The files of a directory whose names match, by default those with words. */
export const filesOf = async (directory: string, pattern = /^seed-/) =>
  (await readdir(directory)).filter((name) => pattern.test(name)).sort();

/** The content of `seeds.json`. */
export const indexOf = async (directory: string) =>
  JSON.parse(await readFile(join(directory, 'seeds.json'), 'utf8')) as {
    version: number;
    seed: string;
    wallets: Record<string, { mint: string; seed: string }>;
  };

/** A directory as the previous version left it: separate words for each mint, and no index. */
export const makeOldDirectory = async (names: string[]) => {
  const directory = await makeTempDirectory();
  const words: Record<string, string | undefined> = {};
  for (const name of names) {
    const single = await makeTempDirectory();
    words[name] = await wordsAt(single, name);
    await rm(join(single, 'seeds.json'));
    await cp(single, directory, { recursive: true });
  }
  return { directory, words };
};

/** A vault that seals by prefix: the bytes of another vault don't open. */
export const createVault = (key: string): SeedVault => ({
  seal: async (text) => Buffer.from(`${key}${Buffer.from(text).toString('base64')}`),
  async open(sealed) {
    const bytes = Buffer.from(sealed).toString();
    if (!bytes.startsWith(key)) throw new Error('sealed with another key');
    return { text: Buffer.from(bytes.slice(key.length), 'base64').toString(), isOutdated: false };
  },
});
