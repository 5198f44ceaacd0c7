import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { isNotFound } from './app-error.ts';
import { isDirectoryThere } from './list-directory.ts';
import { agentNotFound, isSamePath, type Root, rootUnavailable } from './root.ts';

/** As `requireAgent` of root.ts, blocking, for a thread. Throws `agent_not_found`, `root_unavailable`. */
export const requireAgentSync = (root: Root, id: string): string => {
  try {
    const realRoot = realpathSync.native(root.path);
    const isDirectory = lstatSync(root.agent(id)).isDirectory();
    // SECURITY: a symlinked agent, a symlinked `agents` and an id in another case resolve to other paths.
    if (isDirectory && isSamePath(realpathSync.native(root.agent(id)), join(realRoot, 'agents', id)))
      return realRoot;
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (!isDirectoryThere(root.path)) throw rootUnavailable(error);
  }
  throw agentNotFound(id);
};
