import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isNotFound } from './app-error.ts';
import { type DirectoryHandle, withDirectory } from './directory-handle.ts';
import { isDirectoryThere } from './list-directory.ts';
import { isSamePath, type Root, resolveRoot, rootUnavailable, withAgents } from './root.ts';

/** The error for a missing agent. */
export const agentNotFound = (id: string): AppError =>
  new AppError('agent_not_found', `There is no agent "${id}".`).withHint({
    route: 'GET /api/agents',
    text: 'GET /api/agents lists the agents.',
  });

/**
 * Returns whether an agent is its own real directory in the root.
 *
 * SECURITY: one comparison refuses a symlinked agent, a symlinked `agents` directory and, where names ignore case, an
 * id in another case. Each resolves to a path other than `<root>/agents/<id>`.
 */
const isOwnDirectory = (id: string, realRoot: string, realAgent: string, stats: Stats): boolean =>
  stats.isDirectory() && isSamePath(realAgent, join(realRoot, 'agents', id));

/**
 * Verifies that an agent is its own real directory in the root, and returns the resolved root. Throws
 * `agent_not_found` and `root_unavailable`.
 */
export const requireAgent = async (root: Root, id: string): Promise<string> => {
  const path = root.agent(id);
  try {
    const [realRoot, realAgent, stats] = await Promise.all([
      realpath(root.path),
      realpath(path),
      lstat(path),
    ]);
    if (isOwnDirectory(id, realRoot, realAgent, stats)) return realRoot;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await resolveRoot(root);
  }
  throw agentNotFound(id);
};

/** Like {@link requireAgent}, but blocks. */
export const requireAgentSync = (root: Root, id: string): string => {
  const path = root.agent(id);
  try {
    const realRoot = realpathSync.native(root.path);
    if (isOwnDirectory(id, realRoot, realpathSync.native(path), lstatSync(path))) return realRoot;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (!isDirectoryThere(root.path)) throw rootUnavailable(error);
  }
  throw agentNotFound(id);
};

/**
 * Runs `use` with an agent's open directory. Every change inside an agent uses it, so that swapping a directory can't
 * redirect the change.
 *
 * Throws `agent_not_found` and `root_unavailable`.
 */
export const withAgent = async <T>(
  root: Root,
  id: string,
  use: (agent: DirectoryHandle) => Promise<T>,
): Promise<T> => {
  await requireAgent(root, id);
  return withAgents(root, (agents) => {
    const opening = agents.open(id).catch((error: unknown) => {
      throw isNotFound(error) ? agentNotFound(id) : error;
    });
    return withDirectory(opening, use);
  });
};
