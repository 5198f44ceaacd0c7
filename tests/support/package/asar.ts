import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { extractAll, listPackage } from '@electron/asar';

/** The files of an asar, without its directories. Paths have slashes and start at its top. */
export const listAsar = (path: string): string[] => {
  const entries = listPackage(path, { isPack: false }).map((entry) => entry.replaceAll('\\', '/').slice(1));
  const directories = new Set(entries.map((entry) => entry.split('/').slice(0, -1).join('/')));
  return entries.filter((entry) => !directories.has(entry)).sort();
};

/** Extracts an asar into a directory, without the files that are unpacked next to it. */
export const layOutAsar = async (path: string, directory: string): Promise<void> => {
  extractAll(path, directory);
  await rm(join(directory, 'resources'), { recursive: true });
};

const SIZES_BYTES = 16;
const HEADER_LENGTH_AT = 12;

/** The SHA-256 of an asar's header, in hex. Electron compares it before it reads anything from the asar. */
export const hashAsarHeader = async (path: string): Promise<string> => {
  const content = await readFile(path);
  const header = content.subarray(SIZES_BYTES, SIZES_BYTES + content.readUInt32LE(HEADER_LENGTH_AT));
  return createHash('sha256').update(header).digest('hex');
};
