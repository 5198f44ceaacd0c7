import { lstatSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, sep } from 'node:path';
import { isAgentId, type LinkKind } from '../../shared/api/names.ts';
import { AppError, isNotFound, systemCode } from './app-error.ts';
import { type DirectoryHandle, openDirectory, openOrMake, withDirectory } from './directory-handle.ts';

/** A dot-mi root's paths. Nothing is opened or created here. */
export interface Root {
  /** Absolute path as configured, with symlinks unresolved. */
  readonly path: string;
  readonly agents: string;
  readonly trash: string;
  /** Returns a kind's shared directory. */
  shared(kind: LinkKind): string;
  /** Returns the path for an agent with this id, even if the agent doesn't exist. */
  agent(id: string): string;
}

/** The root that dot-mi manages. */
export interface ManagedRoot extends Root {
  /** Identifies the root to clients, and its budgets, keys, services and drafts: 32 hex digits. It moves with the root. */
  readonly id: string;
}

/** Creates the paths of a root. */
export const createRoot = (path: string): Root => ({
  path,
  agents: join(path, 'agents'),
  trash: join(path, '.trash'),
  shared: (kind) => join(path, 'shared', kind),
  agent: (id) => join(path, 'agents', id),
});

/** Returns whether two resolved paths are the same place. Windows ignores case. */
export const isSamePath = (a: string, b: string): boolean =>
  process.platform === 'win32' ? a.toLowerCase() === b.toLowerCase() : a === b;

/** Returns whether a resolved path is `parent` or below it. */
export const isInside = (parent: string, path: string): boolean => {
  const way = relative(parent, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
};

/** Returns the error for a missing root. The window then offers to choose another. */
export const rootUnavailable = (cause?: unknown): AppError =>
  new AppError(
    'root_unavailable',
    'The dot-mi root is missing or is not a directory. Restore it, or choose another root.',
    {},
    cause,
  );

/** Resolves the root's symlinks. Throws `root_unavailable`. */
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
 * Runs `use` with the open root, so that no directory below it can be swapped for a link meanwhile. Throws
 * `root_unavailable`.
 */
export const withRoot = async <T>(root: Root, use: (directory: DirectoryHandle) => Promise<T>): Promise<T> =>
  withDirectory(openDirectory(await resolveRoot(root)), use);

const agentsNotADirectory = (): AppError =>
  new AppError(
    'root_unavailable',
    '"agents" in the root is not a regular directory. Move it somewhere else or replace it with a directory.',
  );

/** Opens `agents` in the open root. Throws ENOENT, or `root_unavailable` if it isn't a directory. */
const openAgents = (directory: DirectoryHandle): Promise<DirectoryHandle> =>
  directory.open('agents').catch((error: unknown) => {
    throw isNotFound(error) && systemCode(error) !== 'ENOENT' ? agentsNotADirectory() : error;
  });

/** Runs `use` with the open `agents`. Throws `root_unavailable` if it isn't the root's own directory. */
export const withAgents = <T>(root: Root, use: (agents: DirectoryHandle) => Promise<T>): Promise<T> =>
  withRoot(root, (directory) => {
    const opening = openAgents(directory).catch((error: unknown) => {
      throw isNotFound(error) ? rootUnavailable(error) : error;
    });
    return withDirectory(opening, use);
  });

/**
 * Counts a root's agents. Null if it isn't a root, or doesn't have its own agents directory. Throws the system's
 * errors.
 */
export const countAgents = (root: Root): Promise<number | null> =>
  withAgents(root, async (agents) => {
    const entries = await agents.list();
    return entries.filter((entry) => entry.isDirectory() && isAgentId(entry.name)).length;
  }).catch((error: unknown) => {
    if (error instanceof AppError) return null;
    throw error;
  });

/** Like {@link withAgents}, but creates `agents` in the open root if it's missing. */
export const withNewAgents = async <T>(
  directory: DirectoryHandle,
  use: (agents: DirectoryHandle) => Promise<T>,
): Promise<T> => {
  // SECURITY: a symlink there would move a restored agent out of the root.
  const opening = openOrMake(directory, 'agents').catch((error: unknown) => {
    throw isNotFound(error) ? agentsNotADirectory() : error;
  });
  return withDirectory(opening, use);
};

/** Returns whether an agent's path is taken, even by a broken link. Throws `root_unavailable`. */
export const isAgentIdTaken = (root: Root, id: string): Promise<boolean> =>
  withRoot(root, async (directory) => {
    const agents = await openAgents(directory).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
    return agents ? withDirectory(agents, (opened) => opened.has(id)) : false;
  });

/** Throws `root_unavailable` if `agents` exists and isn't a directory. Blocks. */
export const requireAgentsFolder = (root: Root): void => {
  const place = lstatSync(root.agents, { throwIfNoEntry: false });
  // SECURITY: agents in a linked directory are outside the root, and no other route would find them either.
  if (place && !place.isDirectory()) throw agentsNotADirectory();
};
