import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeAtomically } from './atomic-write.ts';
import { readPrivateFile } from './private-files.ts';

const SECRET = /^[0-9a-f]{64}$/;

/** Replaces a secret file with a new secret: 256 random bits in hex, mode 0600. Returns the secret. */
export const makeSecret = async (path: string): Promise<string> => {
  const secret = randomBytes(32).toString('hex');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeAtomically(path, Buffer.from(`${secret}\n`), { mode: 0o600 });
  return secret;
};

/**
 * Reads a secret file, or creates it. A damaged file is replaced. Throws `NotPrivateError` for a link, or for another
 * user's file.
 */
export const readOrMakeSecret = async (path: string): Promise<string> => {
  const existing = await readPrivateFile(path);
  const secret = existing?.text.trim();
  // SECURITY: another user may know a secret that others could have written.
  if (secret !== undefined && !existing?.wasWritableByOthers && SECRET.test(secret)) return secret;
  return makeSecret(path);
};
