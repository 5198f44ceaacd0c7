import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';

const TOKEN = /^[0-9a-f]{64}$/;

const readToken = async (path: string) => {
  try {
    const token = (await readFile(path, 'utf8')).trim();
    return TOKEN.test(token) ? token : undefined;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/**
 * The operator token of a wallet directory: 256 random bits in hex, made at the first start in `operator-token`.
 *
 * The file has mode 0600 and its directory 0700: who can read it can take the money out.
 */
export const loadOperatorToken = async (walletDirectory: string): Promise<string> => {
  const path = join(walletDirectory, 'operator-token');
  const existing = await readToken(path);
  if (existing) return existing;

  await mkdir(walletDirectory, { recursive: true, mode: 0o700 });
  const token = randomBytes(32).toString('hex');
  // Also replaces a damaged file.
  await writeAtomically(path, Buffer.from(`${token}\n`), { mode: 0o600 });
  return token;
};
