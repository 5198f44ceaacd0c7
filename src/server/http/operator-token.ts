import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeAtomically } from '../platform/atomic-write.ts';
import { NotPrivateError, readPrivateFile, securePrivateDirectory } from '../platform/private-files.ts';
import { StartError } from './http-server.ts';

const TOKEN = /^[0-9a-f]{64}$/;

/** The other files of a wallet directory that hold secrets: words and databases, with their copies and journals. */
const SECRET_FILE = /^(seed|wallet-|dev\.sqlite)/;

const loadOrMake = async (walletDirectory: string): Promise<string> => {
  await securePrivateDirectory(walletDirectory, (name) => SECRET_FILE.test(name));
  const path = join(walletDirectory, 'operator-token');
  const existing = await readPrivateFile(path);
  // SECURITY: a token that another user could have written may be known to them.
  if (existing && !existing.wasWritableByOthers && TOKEN.test(existing.text.trim()))
    return existing.text.trim();

  const token = randomBytes(32).toString('hex');
  // Also replaces a damaged file.
  await writeAtomically(path, Buffer.from(`${token}\n`), { mode: 0o600 });
  return token;
};

/**
 * The operator token of a wallet directory: 256 random bits in hex, made at the first start in `operator-token`.
 *
 * Who can read the file can take the money out. So it must be a regular file of our own with mode 0600, in a directory of our own
 * with mode 0700. Wider modes are tightened. Throws {@link StartError} for a link or for what belongs to another user.
 */
export const loadOperatorToken = async (walletDirectory: string): Promise<string> => {
  try {
    return await loadOrMake(walletDirectory);
  } catch (error) {
    if (error instanceof NotPrivateError) throw new StartError(`dot-mi did not start: ${error.message}`);
    throw error;
  }
};
