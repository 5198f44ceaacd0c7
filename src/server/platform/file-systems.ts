import { lstatSync, statfsSync, statSync } from 'node:fs';

/**
 * The local file systems of Linux, by the type that `statfs` returns: ext, XFS, Btrfs, tmpfs, F2FS, bcachefs, ZFS
 * and overlays. Other computers change a network share without an event here.
 */
const LOCAL_FILE_SYSTEMS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0xca451a4e, 0x2fc12fc1, 0x794c7630,
]);

/** Whether a file system of Linux is local, by the type that `statfs` returns. */
export const isLocalFileSystem = (type: number): boolean => LOCAL_FILE_SYSTEMS.has(type);

/** Whether a path is on a local file system of Linux. Throws if it isn't there. */
export const isLocal = (path: string): boolean => isLocalFileSystem(statfsSync(path).type);

/** The device of a directory that is no link; undefined if there is none. */
export const deviceOf = (path: string): number | undefined => {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() ? stats.dev : undefined;
  } catch {
    return undefined;
  }
};

/** A directory's device and inode, which say whether it is still the same one. */
export const identityOf = (path: string): string | undefined => {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() ? `${stats.dev}:${stats.ino}` : undefined;
};
