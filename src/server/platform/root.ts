import { lstat, realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import type { LinkKind } from '../../shared/api/names.ts';
import { AppError, isNotFound } from './app-error.ts';
import { type DirectoryHandle, openDirectory, withDirectory } from './directory-handle.ts';

/** The dot-mi root and the places in it. Paths only: nothing is opened or made here. */
export interface Root {
  /** Absolute path as configured; symlinks in it are not resolved. */
  readonly path: string;
  readonly agents: string;
  readonly trash: string;
  /** Where a shared kind lives. */
  shared(kind: LinkKind): string;
  /** Where an agent of this id would be. */
  agent(id: string): string;
}

/** Names the places of a root. */
export const createRoot = (path: string): Root => ({
  path,
  agents: join(path, 'agents'),
  trash: join(path, '.trash'),
  shared: (kind) => join(path, 'shared', kind),
  agent: (id) => join(path, 'agents', id),
});

/** Whether two resolved paths are the same place; Windows does not tell case apart. */
export const isSamePath = (a: string, b: string): boolean =>
  process.platform === 'win32' ? a.toLowerCase() === b.toLowerCase() : a === b;

/** Whether a resolved path is `parent` or below it. */
export const isInside = (parent: string, path: string): boolean => {
  const way = relative(parent, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
};

/** Says that the root is gone; the window then offers to choose another. */
export const rootUnavailable = (cause?: unknown): AppError =>
  new AppError(
    'root_unavailable',
    'The dot-mi root is missing or is not a directory. Restore it, or choose another root.',
    {},
    cause,
  );

/** The root with its symlinks resolved. Throws `root_unavailable`. */
export const resolveRoot = async (root: Root): Promise<string> => {
  try {
    const [path, stats] = await Promise.all([realpath(root.path), stat(root.path)]);
    if (stats.isDirectory()) return path;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw rootUnavailable(error);
  }
  throw rootUnavailable();
};

/**
 * Opens the root for as long as `use` takes, so that no directory below it can be swapped for a link meanwhile.
 * Throws `root_unavailable`.
 */
export const withRoot = async <T>(root: Root, use: (directory: DirectoryHandle) => Promise<T>): Promise<T> =>
  withDirectory(openDirectory(await resolveRoot(root)), use);

/** Opens `agents` of the root. Throws `root_unavailable` when it isn't a directory of the root's own. */
export const withAgents = <T>(root: Root, use: (agents: DirectoryHandle) => Promise<T>): Promise<T> =>
  withRoot(root, (directory) => {
    const opening = directory.open('agents').catch((error: unknown) => {
      throw isNotFound(error) ? rootUnavailable(error) : error;
    });
    return withDirectory(opening, use);
  });

/** Says that there is no such agent. */
export const agentNotFound = (id: string): AppError =>
  new AppError('agent_not_found', `There is no agent "${id}". GET /api/agents lists the agents.`);

/**
 * Makes sure that an agent is a real directory of its own in the root, and returns the resolved root.
 *
 * SECURITY: one comparison refuses a symlinked agent, a symlinked `agents` folder and, where names do not tell case
 * apart, an id in another case: each resolves to another path than `<root>/agents/<id>`.
 * Throws `agent_not_found`, `root_unavailable`.
 */
export const requireAgent = async (root: Root, id: string): Promise<string> => {
  try {
    const [realRoot, realAgent, stats] = await Promise.all([
      realpath(root.path),
      realpath(root.agent(id)),
      lstat(root.agent(id)),
    ]);
    if (stats.isDirectory() && isSamePath(realAgent, join(realRoot, 'agents', id))) return realRoot;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await resolveRoot(root);
  }
  throw agentNotFound(id);
};

/** Whether anything at all stands at a path, a dangling symlink included. */
export const isOccupied = async (path: string): Promise<boolean> => {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
};
