import { app, safeStorage } from 'electron';
import type { Logger } from '../server/platform/logger.ts';
import type { SeedVault } from '../server/wallet/seed-vault.ts';

/** Whether the system keeps a key that only this person's programs get. */
const hasKeychain = async (): Promise<boolean> => {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return false;
  // SECURITY: without a keyring Chromium uses a password that is in its sources; that hides nothing.
  return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text';
};

/** The keychain of the system as a {@link SeedVault}; undefined where there is none, which the log says. */
export const openSeedVault = async (logger: Logger): Promise<SeedVault | undefined> => {
  // Before that Linux does not know its keyring.
  await app.whenReady();
  if (!(await hasKeychain())) {
    logger.warn(
      {},
      "this system has no keychain; the wallet's words are protected by their file's mode alone",
    );
    return undefined;
  }
  return {
    seal: (text) => safeStorage.encryptStringAsync(text),
    open: async (sealed) => (await safeStorage.decryptStringAsync(Buffer.from(sealed))).result,
  };
};
