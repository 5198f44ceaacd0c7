import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomically } from '../platform/atomic-write.ts';
import { DatabaseUnavailableError } from './sqlite.ts';
import type { WalletStore } from './wallet-store.ts';

/** The words that bring the wallet's sats back (BIP-39, NUT-13). */
export interface Seed {
  mnemonic(): string;
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

const normalize = (mnemonic: string): string =>
  mnemonic.normalize('NFKD').trim().toLowerCase().split(/\s+/).join(' ');

/** Names words without telling them. */
const fingerprintOf = (mnemonic: string): string =>
  createHash('sha256').update(`dot-mi seed ${mnemonic}`).digest('hex').slice(0, 12);

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
  const mnemonic = normalize(text);
  return (await bip39()).isValid(mnemonic) ? mnemonic : undefined;
};

/**
 * The seed of a wallet: made at the first start, 12 words in a file of its own (mode 0600) beside the database, so that one of the
 * two is left when the other is damaged. The database says by a fingerprint which file is its seed, so that a restore changes
 * both in one step.
 *
 * Throws {@link DatabaseUnavailableError} when the file that the database names is not there or holds other words.
 */
export const openSeed = async (walletDirectory: string, store: WalletStore): Promise<Seed> => {
  const pathOf = (fingerprint: string) => join(walletDirectory, `seed-${fingerprint}`);

  const write = async (mnemonic: string): Promise<string> => {
    const fingerprint = fingerprintOf(mnemonic);
    await writeAtomically(pathOf(fingerprint), Buffer.from(`${mnemonic}\n`), { mode: 0o600 });
    return fingerprint;
  };

  const read = async (fingerprint: string): Promise<string> => {
    const text = await readFile(pathOf(fingerprint), 'utf8').catch(() => '');
    const mnemonic = normalize(text);
    if (fingerprintOf(mnemonic) !== fingerprint) {
      throw new DatabaseUnavailableError(
        `the wallet's seed file ${pathOf(fingerprint)} is missing, damaged or not readable; put it back, or write the wallet's words into it`,
      );
    }
    return mnemonic;
  };

  let fingerprint = store.fact(FACT);
  let words: string;
  if (fingerprint === undefined) {
    words = (await bip39()).generate();
    fingerprint = await write(words);
    store.setFact(FACT, fingerprint);
  } else {
    words = await read(fingerprint);
  }

  return {
    mnemonic: () => words,
    async prepare(mnemonic) {
      const prepared = await write(mnemonic);
      return {
        record: () => store.setFact(FACT, prepared),
        use() {
          words = mnemonic;
        },
      };
    },
  };
};
