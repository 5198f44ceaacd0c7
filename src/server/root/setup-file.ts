import { createHash } from 'node:crypto';
import { type FileHandle, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SHOWN_SCRIPT_BYTES } from '../../shared/api/root.ts';
import { AppError, isNotFound } from '../platform/app-error.ts';
import { isOpenToOthers } from '../platform/open-to-others.ts';
import { isUnopenable, openUnlinked } from '../platform/regular-file.ts';

/** The scripts that can create agents. The first one that exists is used. */
const SCRIPT_NAMES = ['dotpi', 'setup.sh'] as const;
/** Large enough for compiled scripts. An endless file must not be read forever. */
const MAX_SCRIPT_BYTES = 64 * 1024 * 1024;

/** A root's setup script at the time it was read. */
export interface SetupFile {
  name: (typeof SCRIPT_NAMES)[number];
  /** Its path in the resolved root, even if it's a link. */
  path: string;
  sha256: string;
  size: number;
  /** Its first {@link SHOWN_SCRIPT_BYTES}, or null if they aren't UTF-8 text. */
  text: string | null;
  truncated: boolean;
  /** True if another user of this computer could replace or change it. */
  isShared: boolean;
}

const unusable = (name: string, why: string) =>
  new AppError('setup_script_failed', `${name} ${why}, so dot-mi can’t run it. Replace or remove it.`, {
    exitCode: null,
    stderr: '',
  });

const notAFile = (name: string) => unusable(name, 'is not a regular file');

const toText = (bytes: Uint8Array, isWhole: boolean): string | null => {
  // The cut may split a character.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    const text = decoder.decode(bytes, { stream: !isWhole });
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
};

const readHandle = async (name: SetupFile['name'], handle: FileHandle) => {
  if (!(await handle.stat()).isFile()) throw notAFile(name);
  const hash = createHash('sha256');
  const shown: Buffer[] = [];
  let size = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false })) {
    const bytes: Buffer = chunk;
    if (size < SHOWN_SCRIPT_BYTES) shown.push(bytes.subarray(0, SHOWN_SCRIPT_BYTES - size));
    hash.update(bytes);
    size += bytes.length;
    if (size > MAX_SCRIPT_BYTES) throw unusable(name, 'is larger than the limit of 64 MiB');
  }
  const truncated = size > SHOWN_SCRIPT_BYTES;
  const text = toText(Buffer.concat(shown), !truncated);
  return { sha256: hash.digest('hex'), size, text, truncated };
};

const readFile = async (root: string, name: SetupFile['name']): Promise<SetupFile> => {
  const path = join(root, name);
  // The script may be a link to anywhere, because the operator sees its target.
  const real = await realpath(path);
  const handle = await openUnlinked(real).catch((error: unknown) => {
    throw isUnopenable(error) ? notAFile(name) : error;
  });
  try {
    const looks = await Promise.all([handle.stat(), stat(dirname(real)), stat(root)]);
    return { name, path, isShared: looks.some(isOpenToOthers), ...(await readHandle(name, handle)) };
  } finally {
    await handle.close();
  }
};

/** Reads a root's current setup script, or returns undefined if it has none. Throws `setup_script_failed`. */
export const findSetupFile = async (root: string): Promise<SetupFile | undefined> => {
  for (const name of SCRIPT_NAMES) {
    try {
      return await readFile(root, name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return undefined;
};
