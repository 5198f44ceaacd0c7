import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';

const stretch = promisify(pbkdf2);

/**
 * The 64 bytes that words stand for (BIP-39, "From mnemonic to seed"), without a passphrase. The words are not checked.
 *
 * The same as `mnemonicToSeed` of `@scure/bip39`, a test holds them together, by the system's code: the library's takes a tenth of a
 * second of the first receive after each start.
 */
export const mnemonicSeed = (mnemonic: string): Promise<Uint8Array> =>
  stretch(mnemonic.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512');
