import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isNotFound } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { OpenedSeal, SeedVault } from './seed-vault.ts';
import { DatabaseUnavailableError } from './sqlite.ts';

/** The files that hold words: `seed-<fingerprint>` as text, `seed-<fingerprint>.sealed` by a vault. Mode 0600. */
export interface SeedFiles {
  /** Writes words and answers their fingerprint. */
  write(mnemonic: string): Promise<string>;
  /** Throws {@link DatabaseUnavailableError} when they are not there, damaged, or the vault does not open them. */
  read(fingerprint: string): Promise<string>;
  /** Seals the words that an earlier start wrote as text; without a vault nothing happens. */
  sealAll(): Promise<void>;
}

const PLAIN_NAME = /^seed-([0-9a-f]{12})$/;

/** The one form of words: lower case, single blanks. */
export const normalizeMnemonic = (mnemonic: string): string =>
  mnemonic.normalize('NFKD').trim().toLowerCase().split(/\s+/).join(' ');

/** Names words without telling them. */
const fingerprintOf = (mnemonic: string): string =>
  createHash('sha256').update(`dot-mi seed ${mnemonic}`).digest('hex').slice(0, 12);

const readIfThere = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
};

/** The files of a wallet's directory. */
export const createSeedFiles = (walletDirectory: string, vault: SeedVault | undefined): SeedFiles => {
  const plainPath = (fingerprint: string) => join(walletDirectory, `seed-${fingerprint}`);
  const sealedPath = (fingerprint: string) => `${plainPath(fingerprint)}.sealed`;

  const writePlain = (fingerprint: string, mnemonic: string) =>
    writeAtomically(plainPath(fingerprint), Buffer.from(`${mnemonic}\n`), { mode: 0o600 });

  /** The words of a text file, when it holds those of its name. */
  const readPlain = async (fingerprint: string): Promise<string | undefined> => {
    const bytes = await readIfThere(plainPath(fingerprint)).catch(() => undefined);
    const mnemonic = bytes && normalizeMnemonic(bytes.toString('utf8'));
    return mnemonic !== undefined && fingerprintOf(mnemonic) === fingerprint ? mnemonic : undefined;
  };

  /** What the vault opens, when it is the words of that name. */
  const openBytes = async (
    fingerprint: string,
    sealed: Uint8Array | undefined,
    opener: SeedVault,
  ): Promise<OpenedSeal | undefined> => {
    const opened = sealed && (await opener.open(sealed).catch(() => undefined));
    return opened && fingerprintOf(opened.text) === fingerprint ? opened : undefined;
  };

  const open = async (fingerprint: string, opener: SeedVault): Promise<OpenedSeal | undefined> =>
    openBytes(fingerprint, await readIfThere(sealedPath(fingerprint)).catch(() => undefined), opener);

  /** Whether the sealed words are on the disk and can be opened again. */
  const seal = async (fingerprint: string, mnemonic: string, sealer: SeedVault): Promise<boolean> => {
    try {
      const sealed = await sealer.seal(mnemonic);
      // An older sealed file, which still opens, must not give way to one that does not.
      if (!(await openBytes(fingerprint, sealed, sealer))) return false;
      await writeAtomically(sealedPath(fingerprint), sealed, { mode: 0o600 });
    } catch {
      // A keychain that is locked, or whose question was refused.
      return false;
    }
    // What is on the disk, not what was meant to be: only that may let the text go.
    return (await open(fingerprint, sealer)) !== undefined;
  };

  const unreadable = async (fingerprint: string): Promise<DatabaseUnavailableError> => {
    const path = plainPath(fingerprint);
    const sealed = await readIfThere(sealedPath(fingerprint)).catch(() => undefined);
    if (sealed === undefined)
      return new DatabaseUnavailableError(
        `the wallet's seed file ${path} is missing, damaged or not readable; put it back, or write the wallet's words into it`,
      );
    return new DatabaseUnavailableError(
      vault
        ? `the keychain of this computer does not open the wallet's seed ${path}.sealed; unlock it and start again, or restore from the words: write them into ${path}. Nothing is lost`
        : `the wallet's seed ${path}.sealed was sealed with the keychain of this computer, which only the desktop app can open, and only while the keychain is unlocked; unlock it and start the desktop app again, or restore from the words: write them into ${path}. Nothing is lost`,
    );
  };

  return {
    async write(mnemonic) {
      const fingerprint = fingerprintOf(mnemonic);
      if (!vault || !(await seal(fingerprint, mnemonic, vault))) await writePlain(fingerprint, mnemonic);
      return fingerprint;
    },

    async read(fingerprint) {
      // Text first: who has written the words by hand did so since the vault no longer opens.
      const plain = await readPlain(fingerprint);
      if (plain !== undefined) return plain;
      const opened = vault && (await open(fingerprint, vault));
      if (!opened) throw await unreadable(fingerprint);
      // What fails here is tried again at the next start; the old file serves until then.
      if (opened.isOutdated) await seal(fingerprint, opened.text, vault);
      return opened.text;
    },

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

/** Whether words lie on the disk as text. */
export const isPlain = (walletDirectory: string, fingerprint: string): Promise<boolean> =>
  readIfThere(join(walletDirectory, `seed-${fingerprint}`)).then(
    (bytes) => bytes !== undefined,
    () => true,
  );
