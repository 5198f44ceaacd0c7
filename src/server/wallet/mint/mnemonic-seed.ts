import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';

const stretch = promisify(pbkdf2);

/**
 * The 64 bytes of a mnemonic (BIP-39, "From mnemonic to seed") without a passphrase. It does not check the words.
 *
 * The same as `mnemonicToSeed` of `@scure/bip39`, which takes a tenth of a second of the first receive after each start. A test
 * compares the two.
 */
export const mnemonicSeed = (mnemonic: string): Promise<Uint8Array> =>
  stretch(mnemonic.normalize('NFKD'), 'mnemonic', 2048, 64, 'sha512');
