import { app, safeStorage } from 'electron';
import type { Logger } from '../server/platform/logger.ts';
import { type SeedVault, VaultUnavailableError } from '../server/wallet/index.ts';

/** Returns whether the system has a keychain that only this person's programs can use. */
const hasKeychain = async (): Promise<boolean> => {
  if (!(await safeStorage.isAsyncEncryptionAvailable())) return false;
  // SECURITY: without a keyring, Chromium uses a password hard-coded in its source, which protects nothing.
  return process.platform !== 'linux' || safeStorage.getSelectedStorageBackend() !== 'basic_text';
};

/** SECURITY: Chromium's prefix for text sealed with its hard-coded password, such as when no keyring responds. */
const SEALED_WITH_PASSWORD = 'v10';

/** Electron's error message for a keychain that is locked or not available yet (electron_api_safe_storage.cc). */
const TEMPORARY = /temporarily unavailable/i;

/** Returns the system's keychain as a {@link SeedVault}. Undefined, with a line in the log, if there is none. */
export const openSeedVault = async (logger: Logger): Promise<SeedVault | undefined> => {
  // Electron detects the Linux keyring only once the app is ready.
  await app.whenReady();
  if (!(await hasKeychain())) {
    logger.warn(
      {},
      'this system has no keychain, so only file permissions protect the wallet’s backup words',
    );
    return undefined;
  }
  return {
    async seal(text) {
      const sealed = await safeStorage.encryptStringAsync(text);
      if (process.platform === 'linux' && sealed.subarray(0, 3).toString() === SEALED_WITH_PASSWORD)
        throw new Error('no keyring responded');
      return sealed;
    },
    async open(sealed) {
      const { result, shouldReEncrypt } = await safeStorage
        .decryptStringAsync(Buffer.from(sealed))
        .catch((error: unknown) => {
          throw error instanceof Error && TEMPORARY.test(error.message)
            ? new VaultUnavailableError('the keychain is locked', { cause: error })
            : error;
        });
      return { text: result, isOutdated: shouldReEncrypt };
    },
  };
};
