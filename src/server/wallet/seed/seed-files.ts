import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupWords } from '../../../shared/api/wallet.ts';
import { isNotFound } from '../../platform/app-error.ts';
import { writeAtomically } from '../../platform/atomic-write.ts';
import { DatabaseUnavailableError } from '../store/sqlite.ts';
import { type OpenedSeal, type SeedVault, VaultUnavailableError } from './seed-vault.ts';

/**
 * The files with backup words: `seed-<fingerprint>` as text, or `seed-<fingerprint>.sealed` from a vault. Mode 0600.
 */
export interface SeedFiles {
  /** Writes words and returns their fingerprint. Sets aside a file with that name but different content. */
  write(mnemonic: string): Promise<string>;
  /**
   * Returns a fingerprint's words, or undefined if their file is missing, damaged or contains other words.
   *
   * Throws {@link DatabaseUnavailableError} if they're sealed and the vault can't open them, and {@link
   * VaultUnavailableError} if it may open them later.
   */
  read(fingerprint: string): Promise<string | undefined>;
  /** Like `read`, but undefined for sealed words that the vault can't open. Writes nothing. */
  peek(fingerprint: string): Promise<string | undefined>;
  /** Returns the fingerprints that have a file, readable or not. */
  list(): Promise<string[]>;
  /** Returns how a fingerprint's words are protected on disk. */
  protection(fingerprint: string): Promise<BackupWords['protection']>;
  /** Seals the words that an earlier start wrote as text. Does nothing without a vault. */
  sealAll(): Promise<void>;
}

const PLAIN_NAME = /^seed-([0-9a-f]{12})$/;
const SEED_NAME = /^seed-([0-9a-f]{12})(?:\.sealed)?$/;

/** Normalizes words: lowercase, single spaces. */
export const normalizeMnemonic = (mnemonic: string): string =>
  mnemonic.normalize('NFKD').trim().toLowerCase().split(/\s+/).join(' ');

/** Identifies words without revealing them. */
export const seedIdOf = (mnemonic: string): string =>
  createHash('sha256')
    .update(`dot-mi seed ${normalizeMnemonic(mnemonic)}`)
    .digest('hex')
    .slice(0, 12);

const readIfPresent = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** Creates the seed files of a wallet directory. */
export const createSeedFiles = (walletDirectory: string, vault: SeedVault | undefined): SeedFiles => {
  const plainPath = (fingerprint: string) => join(walletDirectory, `seed-${fingerprint}`);
  const sealedPath = (fingerprint: string) => `${plainPath(fingerprint)}.sealed`;

  /** Returns whether the text file's name is taken, by words or anything else. */
  const hasPlain = (fingerprint: string): Promise<boolean> =>
    readIfPresent(plainPath(fingerprint)).then(
      (bytes) => bytes !== undefined,
      () => true,
    );

  /** Reads a text file's words, if they match its name. */
  const readPlain = async (fingerprint: string): Promise<string | undefined> => {
    const bytes = await readIfPresent(plainPath(fingerprint)).catch(() => undefined);
    const mnemonic = bytes && normalizeMnemonic(bytes.toString('utf8'));
    return mnemonic !== undefined && seedIdOf(mnemonic) === fingerprint ? mnemonic : undefined;
  };

  const readSealed = (fingerprint: string): Promise<Buffer | undefined> =>
    readIfPresent(sealedPath(fingerprint)).catch(() => undefined);

  /** Opens words, if they match the fingerprint. Throws {@link VaultUnavailableError}. */
  const openBytes = async (
    fingerprint: string,
    sealed: Uint8Array | undefined,
    opener: SeedVault,
  ): Promise<OpenedSeal | undefined> => {
    const opened =
      sealed &&
      (await opener.open(sealed).catch((error: unknown) => {
        if (error instanceof VaultUnavailableError) throw error;
        return undefined;
      }));
    return opened && seedIdOf(opened.text) === fingerprint ? opened : undefined;
  };

  /** Seals words to disk. Returns whether they can be opened again. */
  const seal = async (fingerprint: string, mnemonic: string, sealer: SeedVault): Promise<boolean> => {
    try {
      const sealed = await sealer.seal(mnemonic);
      // Never replace a sealed file that still opens with one that doesn't.
      if (!(await openBytes(fingerprint, sealed, sealer))) return false;
      await writeAtomically(sealedPath(fingerprint), sealed, { mode: 0o600 });
      // Delete the text only once the sealed words are really on disk.
      return (await openBytes(fingerprint, await readSealed(fingerprint), sealer)) !== undefined;
    } catch {
      // The keychain is locked, or the operator refused its prompt.
      return false;
    }
  };

  const sealedError = (fingerprint: string): DatabaseUnavailableError => {
    const path = plainPath(fingerprint);
    return new DatabaseUnavailableError(
      vault
        ? `this computer’s keychain can’t open the backup words in ${path}.sealed. Nothing is lost. Unlock the keychain and start again, or write the backup words into ${path}`
        : `the backup words in ${path}.sealed are sealed with this computer’s keychain, which only the desktop app can open. Nothing is lost. Unlock the keychain and start the desktop app, or write the backup words into ${path}`,
    );
  };

  /** A damaged file may contain another wallet's words, so it's never overwritten. */
  const setDamagedAside = async (fingerprint: string) => {
    const path = plainPath(fingerprint);
    if ((await readPlain(fingerprint)) === undefined && (await hasPlain(fingerprint)))
      await rename(path, `${path}.damaged-${Date.now()}`);
  };

  return {
    async write(text) {
      const mnemonic = normalizeMnemonic(text);
      const fingerprint = seedIdOf(mnemonic);
      await setDamagedAside(fingerprint);
      if (!vault || !(await seal(fingerprint, mnemonic, vault)))
        await writeAtomically(plainPath(fingerprint), Buffer.from(`${mnemonic}\n`), { mode: 0o600 });
      return fingerprint;
    },

    async read(fingerprint) {
      // Read the text first. The operator writes the words there if the vault no longer opens.
      const plain = await readPlain(fingerprint);
      if (plain !== undefined) return plain;
      const sealed = await readSealed(fingerprint);
      if (sealed === undefined) return undefined;
      const opened = vault && (await openBytes(fingerprint, sealed, vault));
      if (!opened) throw sealedError(fingerprint);
      // If this fails, the old file still opens and the next start retries.
      if (opened.isOutdated) await seal(fingerprint, opened.text, vault);
      return opened.text;
    },

    async peek(fingerprint) {
      const plain = await readPlain(fingerprint);
      if (plain !== undefined || !vault) return plain;
      const sealed = await readSealed(fingerprint);
      return (await openBytes(fingerprint, sealed, vault).catch(() => undefined))?.text;
    },

    async list() {
      const fingerprints = (await readdir(walletDirectory)).map((name) => SEED_NAME.exec(name)?.[1]);
      return [...new Set(fingerprints.filter((each) => each !== undefined))].sort();
    },

    protection: async (fingerprint) => ((await hasPlain(fingerprint)) ? 'file' : 'keychain'),

    async sealAll() {
      if (!vault) return;
      for (const name of await readdir(walletDirectory)) {
        const fingerprint = PLAIN_NAME.exec(name)?.[1];
        const mnemonic = fingerprint && (await readPlain(fingerprint));
        if (fingerprint && mnemonic && (await seal(fingerprint, mnemonic, vault)))
          await rm(plainPath(fingerprint), { force: true });
      }
    },
  };
};
