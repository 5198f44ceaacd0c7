import { constants, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from './app-error.ts';
import { createLink, type LinkSystem, type NewLink } from './create-link.ts';
import { type DirectoryHandle, withDirectory } from './directory-handle.ts';

const CHUNK_BYTES = 256 * 1024;

/** SECURITY: a set-id bit on a copy that we own would give our rights to anyone who runs it. */
const permissionsOf = ({ mode }: Pick<Stats, 'mode'>) => mode & 0o777;

/** Where a copy goes, and the system that creates its links. */
export interface CopyPlace {
  /** The copy's final absolute path. */
  path: string;
  linkSystem: LinkSystem;
}

const inside = ({ path, linkSystem }: CopyPlace, name: string): CopyPlace => ({
  path: join(path, name),
  linkSystem,
});

/** Returns the type of a link's target, which only Windows needs to create the link. */
const targetTypeOf = async (path: string, { platform }: LinkSystem): Promise<NewLink['target']> => {
  if (platform !== 'win32') return 'unknown';
  const stats = await stat(path).catch(() => undefined);
  return stats ? (stats.isDirectory() ? 'dir' : 'file') : 'unknown';
};

const copyLink = async (
  name: string,
  from: DirectoryHandle,
  to: DirectoryHandle,
  { path, linkSystem }: CopyPlace,
): Promise<void> => {
  const text = await from.readlink(name);
  const target = await from.at(name, (linkPath) => targetTypeOf(linkPath, linkSystem));
  await createLink({ text, directory: to, name, target, finalPath: path }, linkSystem);
};

const copyBytes = async (source: FileHandle, copy: FileHandle): Promise<void> => {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (;;) {
    const { bytesRead } = await source.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return;
    await copy.writeFile(buffer.subarray(0, bytesRead));
  }
};

/** Copies a file with its permissions and flushes it to disk. Skips anything else. Throws EEXIST. */
export const copyFile = async (name: string, from: DirectoryHandle, to: DirectoryHandle): Promise<void> => {
  const source = await from.openFile(name);
  try {
    const stats = await source.stat();
    if (!stats.isFile()) return;
    const copy = await to.openFile(name, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      await copyBytes(source, copy);
      await copy.chmod(permissionsOf(stats));
      await copy.sync();
    } finally {
      await copy.close();
    }
  } finally {
    await source.close();
  }
};

const copyEntry = async (
  item: Dirent,
  from: DirectoryHandle,
  to: DirectoryHandle,
  place: CopyPlace,
): Promise<void> => {
  const { name } = item;
  try {
    if (item.isSymbolicLink()) await copyLink(name, from, to, place);
    else if (item.isDirectory())
      await withDirectory(from.open(name), (source) => copyTree(source, to, name, place));
    else if (item.isFile()) await copyFile(name, from, to);
  } catch (error) {
    // The entry was removed or replaced in the meantime, so skip it.
    const isGone = ['ENOENT', 'ELOOP', 'EINVAL', 'ENOTDIR'].includes(systemCode(error) ?? '');
    if (!isGone || (await to.has(name))) throw error;
  }
};

/**
 * Copies the content of `source` to another open directory, except top-level entries that match `isLeftOut`. Returns
 * the names of skipped entries.
 *
 * Files keep their bytes and permissions. Symlinks keep their text and aren't followed, or become junctions ({@link
 * createLink}). Pipes, sockets, devices and set-id bits are skipped.
 */
export const copyInto = async (
  source: DirectoryHandle,
  copy: DirectoryHandle,
  place: CopyPlace,
  isLeftOut: (entry: string) => boolean = () => false,
): Promise<string[]> => {
  const leftOut: string[] = [];
  for (const item of await source.list()) {
    if (isLeftOut(item.name)) leftOut.push(item.name);
    else await copyEntry(item, source, copy, inside(place, item.name));
  }
  await copy.sync();
  return leftOut;
};

/** Creates the directory `name` in `to` and copies `source` into it with {@link copyInto}. Throws EEXIST. */
export const copyTree = async (
  source: DirectoryHandle,
  to: DirectoryHandle,
  name: string,
  place: CopyPlace,
  isLeftOut?: (entry: string) => boolean,
): Promise<string[]> => {
  await to.mkdir(name, 0o700);
  return withDirectory(to.open(name), async (copy) => {
    const leftOut = await copyInto(source, copy, place, isLeftOut);
    // This comes after the content, because nothing can be written to a read-only directory.
    await copy.chmod(permissionsOf(source));
    return leftOut;
  });
};
