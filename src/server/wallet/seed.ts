import type { BackupWords } from '../../shared/api/wallet.ts';
import { createSeedFiles, isPlain, normalizeMnemonic } from './seed-files.ts';
import type { SeedVault } from './seed-vault.ts';
import type { WalletStore } from './wallet-store.ts';

/** The words that bring the wallet's sats back (BIP-39, NUT-13). */
export interface Seed {
  mnemonic(): string;
  /** What keeps the words on the disk. */
  protection(): BackupWords['protection'];
  /** Writes other words beside the old ones, which stay. */
  prepare(mnemonic: string): Promise<PreparedSeed>;
}

/** Words that are on the disk and take the place of the old ones in two steps. */
export interface PreparedSeed {
  /** In the transaction that writes what they brought back. */
  record(): void;
  /** After it. */
  use(): void;
}

const FACT = 'seed';

// The list of words is loaded when it is needed, which is nearly never.
const bip39 = async () => {
  const [{ generateMnemonic, validateMnemonic }, { wordlist }] = await Promise.all([
    import('@scure/bip39'),
    import('@scure/bip39/wordlists/english.js'),
  ]);
  return {
    generate: () => generateMnemonic(wordlist, 128),
    isValid: (mnemonic: string) => validateMnemonic(mnemonic, wordlist),
  };
};

/** The words in their one form, or undefined when they are none (a wrong word, a wrong order). */
export const parseMnemonic = async (text: string): Promise<string | undefined> => {
  const mnemonic = normalizeMnemonic(text);
  return (await bip39()).isValid(mnemonic) ? mnemonic : undefined;
};

/**
 * The seed of a wallet: made at the first start, 12 words in a file of its own (mode 0600) beside the database, so that one of the
 * two is left when the other is damaged. The database says by a fingerprint which file is its seed, so that a restore changes
 * both in one step. With a vault the file is sealed, and those that earlier starts wrote as text are.
 *
 * Throws `DatabaseUnavailableError` when the file that the database names is not there, holds other words or cannot be opened.
 */
export const openSeed = async (
  walletDirectory: string,
  store: Pick<WalletStore, 'fact' | 'setFact'>,
  vault?: SeedVault,
): Promise<Seed> => {
  const files = createSeedFiles(walletDirectory, vault);

  let fingerprint = store.fact(FACT);
  let words: string;
  if (fingerprint === undefined) {
    words = (await bip39()).generate();
    fingerprint = await files.write(words);
    store.setFact(FACT, fingerprint);
  } else {
    words = await files.read(fingerprint);
  }
  await files.sealAll();

  const protectionOf = async (name: string): Promise<BackupWords['protection']> =>
    (await isPlain(walletDirectory, name)) ? 'file' : 'keychain';
  let protection = await protectionOf(fingerprint);

  return {
    mnemonic: () => words,
    protection: () => protection,
    async prepare(mnemonic) {
      const prepared = await files.write(mnemonic);
      const preparedProtection = await protectionOf(prepared);
      return {
        record: () => store.setFact(FACT, prepared),
        use() {
          words = mnemonic;
          protection = preparedProtection;
        },
      };
    },
  };
};
