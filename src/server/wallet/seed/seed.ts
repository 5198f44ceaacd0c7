import type { BackupWords } from '../../../shared/api/wallet.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import { createSeedFiles, normalizeMnemonic, type SeedFiles, seedIdOf } from './seed-files.ts';
import { createSeedIndex, entryOf, type SeedIndex } from './seed-index.ts';
import type { SeedVault } from './seed-vault.ts';

/** A wallet's backup words, which restore its sats (BIP-39, NUT-13). */
export interface Seed {
  /** Returns the words, or undefined while their file is missing. */
  mnemonic(): string | undefined;
  /** True if the words were generated at this start, so no mint can have signed anything for them. */
  readonly isNew: boolean;
  /** Returns how the words are protected on disk. */
  protection(): BackupWords['protection'];
  /** When the operator last proved that they have the words, as an ISO date. Undefined if they never did. */
  backedUpAt(): string | undefined;
  /** Records that the operator has the words, as of an ISO date. */
  confirmBackup(at: string): Promise<void>;
  /** Returns other words in the directory, never the current ones, with their mint (null if unknown). Reads files. */
  others(): Promise<BackupWords['others']>;
  /**
   * Returns whether these are the missing words, or the current ones, by fingerprint. While it's unknown which of
   * several seeds the wallet uses, the words of any of them count.
   */
  isOwn(mnemonic: string): boolean;
  /** Restores the missing words. Throws unless {@link Seed.isOwn}. */
  putBack(mnemonic: string): Promise<void>;
  /** Generates new words for a wallet whose words are missing. The caller's transaction records them. */
  generate(): Promise<PreparedSeed>;
  /** Writes other words in addition to the old ones, which stay. */
  prepare(mnemonic: string): Promise<PreparedSeed>;
  /**
   * Resolves when the background writes of {@link PreparedSeed.use} are on disk. Never rejects. Await it when the
   * wallet closes.
   */
  written(): Promise<void>;
}

/** Words that are on disk and replace the current ones in two steps. */
export interface PreparedSeed {
  mnemonic: string;
  /** Call in the transaction that adopts the words. */
  record(): void;
  /** Call after that transaction. */
  use(): void;
}

interface SeedOptions {
  walletDirectory: string;
  mintUrl: string;
  store: Pick<WalletStore, 'metadata'>;
  vault?: SeedVault | undefined;
}

const SEED_KEY = 'seed';

// Imported on demand because the word list is large and rarely needed.
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

/** Returns normalized words, or undefined if a word or the checksum is wrong. */
export const parseMnemonic = async (text: string): Promise<string | undefined> => {
  const mnemonic = normalizeMnemonic(text);
  return (await bip39()).isValid(mnemonic) ? mnemonic : undefined;
};

/**
 * Finds the seed of a wallet whose database doesn't name one: its fingerprint, or the candidates. No candidates means
 * a first start.
 */
const findSeed = async (
  mintUrl: string,
  index: SeedIndex,
  files: SeedFiles,
): Promise<{ fingerprint: string } | { candidates: string[] }> => {
  const recorded = await index.read();
  const named = recorded && (entryOf(recorded, mintUrl)?.seed ?? recorded.seed);
  if (named !== undefined) return { fingerprint: named };
  const candidates = await files.list();
  const [only] = candidates;
  return only !== undefined && candidates.length === 1 ? { fingerprint: only } : { candidates };
};

/**
 * Opens a wallet's seed: 12 words in their own file (mode 0600). The words and the database survive damage to each
 * other. All wallets in a directory share one seed. Wallets that have their own from an earlier version keep it.
 *
 * The database names its seed by fingerprint, so that a restore changes both in one transaction. A database without
 * one uses the directory's seed. The wallet generates new words only if the directory has no seed at all. A vault
 * seals the words, even those that an earlier start wrote as text.
 *
 * Throws `DatabaseUnavailableError` if the words are sealed and the vault can't open them, and
 * `VaultUnavailableError` if it may open them later.
 */
export const openSeed = async ({ walletDirectory, mintUrl, store, vault }: SeedOptions): Promise<Seed> => {
  const files = createSeedFiles(walletDirectory, vault);
  const index = createSeedIndex(walletDirectory);

  let fingerprint: string | undefined;
  let candidates: string[] = [];
  let words: string | undefined;
  let protection: BackupWords['protection'] = 'file';
  let isNew = false;
  /** When the operator confirmed each seed's words, by fingerprint. */
  const confirmedAt = new Map<string, string>();
  let indexed = Promise.resolve();

  const setCurrent = (mnemonic: string, as: { protection: BackupWords['protection']; isNew: boolean }) => {
    words = mnemonic;
    fingerprint = seedIdOf(mnemonic);
    candidates = [];
    ({ protection, isNew } = as);
  };
  const recordFact = (value: string) => {
    if (store.metadata.get(SEED_KEY) !== value) store.metadata.set(SEED_KEY, value);
  };

  const open = async () => {
    const named = store.metadata.get(SEED_KEY);
    const found = named === undefined ? await findSeed(mintUrl, index, files) : { fingerprint: named };
    if ('candidates' in found && found.candidates.length > 0) {
      candidates = found.candidates;
      return;
    }
    if ('fingerprint' in found) {
      fingerprint = found.fingerprint;
      words = await files.read(fingerprint);
    } else {
      words = (await bip39()).generate();
      fingerprint = await files.write(words);
      isNew = true;
    }
    recordFact(fingerprint);
    await index.record(mintUrl, fingerprint);
  };

  const prepare = async (mnemonic: string, preparedIsNew: boolean): Promise<PreparedSeed> => {
    const prepared = await files.write(mnemonic);
    const preparedProtection = await files.protection(prepared);
    return {
      mnemonic,
      record: () => recordFact(prepared),
      use() {
        setCurrent(mnemonic, { protection: preparedProtection, isNew: preparedIsNew });
        // Not awaited: the next start repairs the index from the database.
        indexed = index.record(mintUrl, prepared);
      },
    };
  };

  const isOwn = (mnemonic: string): boolean => {
    const given = seedIdOf(mnemonic);
    return given === fingerprint || candidates.includes(given);
  };

  const confirmBackup = async (at: string): Promise<void> => {
    if (fingerprint === undefined) throw new Error('only known words can be confirmed');
    await index.recordBackup(fingerprint, at);
    confirmedAt.set(fingerprint, at);
  };

  await open();
  await files.sealAll();
  for (const [seed, at] of Object.entries((await index.read())?.backedUp ?? {})) confirmedAt.set(seed, at);
  if (words !== undefined && fingerprint !== undefined) protection = await files.protection(fingerprint);

  return {
    mnemonic: () => words,
    get isNew() {
      return isNew;
    },
    protection: () => protection,
    backedUpAt: () => (fingerprint === undefined ? undefined : confirmedAt.get(fingerprint)),
    confirmBackup,

    async others() {
      const recorded = Object.values((await index.read())?.wallets ?? {});
      const others: BackupWords['others'] = [];
      for (const other of await files.list()) {
        const mnemonic = other === fingerprint ? undefined : await files.peek(other);
        if (mnemonic === undefined) continue;
        const mints = recorded.filter(({ seed }) => seed === other).map(({ mint }) => mint);
        for (const mint of mints.length > 0 ? mints : [null]) others.push({ mint, mnemonic });
      }
      return others;
    },

    isOwn,

    async putBack(text) {
      if (!isOwn(text)) throw new Error('these words belong to another wallet, so they were not restored');
      const mnemonic = normalizeMnemonic(text);
      const written = await files.write(mnemonic);
      recordFact(written);
      setCurrent(mnemonic, { protection: await files.protection(written), isNew: false });
      await index.record(mintUrl, written);
    },

    generate: async () => prepare((await bip39()).generate(), true),
    prepare: (mnemonic) => prepare(normalizeMnemonic(mnemonic), false),
    written: () => indexed,
  };
};
