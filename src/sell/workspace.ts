import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, mkdtemp, open, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isInsideWorkspace, type RunCommand, workspaceName } from '../shared/run-command.ts';

/** The working directory of one run. */
export interface Workspace {
  /** The path for a process that starts in it. It's valid until the workspace is closed. */
  readonly path: string;
  /** Removes the workspace if it's temporary. Never throws. */
  close(): Promise<void>;
}

const PRIVATE = 0o700;

interface Opened {
  /** The path of its entries, and for a process that starts in it. */
  readonly path: string;
  readonly handle: FileHandle | undefined;
}

/**
 * Opens a directory. On Linux, its path is that of the open descriptor, so nobody can swap it for another directory.
 * Throws ENOTDIR or ELOOP for anything else, even a link to a directory.
 */
const openDirectory = async (path: string): Promise<Opened> => {
  if (process.platform === 'win32') {
    if (!(await lstat(path)).isDirectory()) throw new Error(`${path} is not a directory`);
    return { path, handle: undefined };
  }
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const isOpenPath = process.platform === 'linux' && existsSync('/proc/self/fd');
  return { path: isOpenPath ? `/proc/self/fd/${handle.fd}` : path, handle };
};

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** Creates a dated directory that nobody else uses, and returns its name. */
const makeDated = async (parent: string): Promise<string> => {
  const date = workspaceName(new Date());
  for (let number = 1; ; number++) {
    const name = number === 1 ? date : `${date}-${number}`;
    try {
      // Not recursive, so that another run's directory is never used.
      await mkdir(join(parent, name), PRIVATE);
      return name;
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
};

/**
 * Creates and opens a dated workspace in `<root>/workspaces/<agent>`.
 *
 * SECURITY: another user of a shared root could swap a directory for a link. Then pi would run elsewhere and send the
 * AGENTS.md of that place to its model, so no link is followed.
 */
const openDated = async (parent: string): Promise<Opened> => {
  const opened: Opened[] = [await openDirectory(await realpath(dirname(dirname(parent))))];
  const last = () => opened[opened.length - 1]?.path ?? '';
  try {
    for (const name of [basename(dirname(parent)), basename(parent)]) {
      await mkdir(join(last(), name)).catch((error: unknown) => {
        if (!isTaken(error)) throw error;
      });
      opened.push(await openDirectory(join(last(), name)));
    }
    return await openDirectory(join(last(), await makeDated(last())));
  } finally {
    await Promise.all(opened.map(({ handle }) => handle?.close()));
  }
};

/**
 * Creates the workspace of a run: next to the run command's own if it has one, which is kept as with setup.sh, or else a
 * temporary one in `temporaryDirectory`.
 */
export const openWorkspace = async (
  { cwd, directories }: Pick<RunCommand, 'cwd' | 'directories'>,
  temporaryDirectory: string,
): Promise<Workspace> => {
  const { path, handle } =
    cwd === null
      ? // mkdtemp makes it private.
        { path: await mkdtemp(join(await realpath(temporaryDirectory), 'dot-mi-sell-')), handle: undefined }
      : await openDated(dirname(cwd));
  const close = async () => {
    await handle?.close();
    // An agent may have created a directory that can't be removed. It stays private.
    if (cwd === null) await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  };
  try {
    for (const directory of directories.filter(isInsideWorkspace))
      await mkdir(join(path, directory), { recursive: true, mode: PRIVATE });
    return { path, close };
  } catch (error) {
    await close();
    throw error;
  }
};
