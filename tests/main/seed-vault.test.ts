import { beforeEach, expect, test, vi } from 'vitest';
import { openSeedVault } from '../../src/main/seed-vault.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { VaultUnavailableError } from '../../src/server/wallet/seed/seed-vault.ts';
import { safeStorage } from '../support/electron-double.ts';

const WORDS = 'abandon abandon about';
const logged: string[] = [];
const open = () => openSeedVault(createLogger('info', { write: (line) => logged.push(line) }));

const openThere = async () => {
  const vault = await open();
  if (!vault) throw new Error('there is a keychain');
  return vault;
};

beforeEach(() => {
  Object.assign(safeStorage, {
    isAvailable: true,
    backend: 'gnome_libsecret',
    prefix: 'v11',
    isRotated: false,
  });
  logged.length = 0;
});

test('the keychain opens what it sealed, and says when its key has changed', async () => {
  const vault = await openThere();
  const sealed = await vault.seal(WORDS);
  expect(await vault.open(sealed)).toEqual({ text: WORDS, isOutdated: false });
  safeStorage.isRotated = true;
  expect(await vault.open(sealed)).toEqual({ text: WORDS, isOutdated: true });
});

test('a system without a keychain has no vault, which the log says', async () => {
  safeStorage.isAvailable = false;
  expect(await open()).toBeUndefined();
  expect(logged.join()).toContain('no keychain');
});

test("Chromium's own password doesn’t count as a keyring, neither by choice nor when no keyring responds", async ({
  skip,
}) => {
  skip(process.platform !== 'linux', 'only Linux has keyrings to choose from');
  safeStorage.backend = 'basic_text';
  expect(await open()).toBeUndefined();
  safeStorage.backend = 'gnome_libsecret';
  safeStorage.prefix = 'v10';
  await expect((await openThere()).seal(WORDS)).rejects.toThrow('no keyring responded');
});

test('a keychain that is locked for now is distinguished from one that does not open the words', async () => {
  const vault = await openThere();
  const sealed = await vault.seal(WORDS);
  const decrypt = vi.spyOn(safeStorage, 'decryptStringAsync');
  // Electron's own sentences.
  decrypt.mockRejectedValueOnce(
    new Error('safeStorage.decryptStringAsync is temporarily unavailable. Please try again.'),
  );
  await expect(vault.open(sealed)).rejects.toThrow(VaultUnavailableError);
  decrypt.mockRejectedValueOnce(
    new Error('Error while decrypting the ciphertext provided to safeStorage.decryptStringAsync.'),
  );
  await expect(vault.open(sealed)).rejects.not.toThrow(VaultUnavailableError);
});
