/**
 * The local file systems of Linux, by the type that `statfs` returns: ext, XFS, Btrfs, tmpfs, F2FS, bcachefs, ZFS
 * and overlays. Other computers change a network share without an event here.
 */
const LOCAL_FILE_SYSTEMS = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0xf2f52010, 0xca451a4e, 0x2fc12fc1, 0x794c7630,
]);

/** Whether a file system of Linux is local, by the type that `statfs` returns. */
export const isLocalFileSystem = (type: number): boolean => LOCAL_FILE_SYSTEMS.has(type);
