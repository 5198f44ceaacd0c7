import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { requireAgent } from '../server/platform/agent-directory.ts';
import { AppError, isNotFound } from '../server/platform/app-error.ts';
import { createRoot } from '../server/platform/root.ts';
import type { AgentPath, OpenableFile } from '../shared/desktop-bridge.ts';

const ANY_EXECUTE_BIT = 0o111;

/**
 * The path of an agent, or of one entry of its directory.
 * Throws a sentence if the agent isn't a real directory in the root, and `root_unavailable`.
 */
export const agentPath = async (rootPath: string, { agent, file, entry }: AgentPath): Promise<string> => {
  const root = createRoot(rootPath);
  // SECURITY: an agent that is a link, or a linked folder of agents, would point out of the root.
  await requireAgent(root, agent).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'agent_not_found')
      throw new Error(`The root has no agent named “${agent}”.`);
    throw error;
  });
  return join(root.agent(agent), file ?? entry ?? '');
};

/** The path of a file that only an editor will open. Throws a sentence if the system could run the file. */
export const textFilePath = async (
  rootPath: string,
  place: OpenableFile,
  platform: NodeJS.Platform = process.platform,
): Promise<string> => {
  const path = await agentPath(rootPath, place);
  const name = 'file' in place ? place.file : place.entry;
  const stats = await lstat(path).catch((error: unknown) => {
    if (isNotFound(error)) throw new Error(`${name} of ${place.agent} no longer exists.`);
    throw error;
  });
  // SECURITY: a link could point to a program, which opening would start.
  if (!stats.isFile()) throw new Error(`${name} of ${place.agent} is not a regular file.`);
  // SECURITY: macOS runs a file without an extension in the Terminal when its mode says that it is a program.
  if (platform === 'darwin' && (stats.mode & ANY_EXECUTE_BIT) !== 0)
    throw new Error(
      `macOS would run ${name} as a program. Remove its execute permission (chmod -x), then open it again.`,
    );
  return path;
};
