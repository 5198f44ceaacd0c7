import { readdir } from 'node:fs/promises';
import { removeLeftoverCopies } from './agents/copy-agent.ts';
import { isEditableFile } from './files/files.service.ts';
import { isNotFound } from './platform/app-error.ts';
import { removeLeftoverTemps } from './platform/atomic-write.ts';
import type { Logger } from './platform/logger.ts';
import { type Root, requireAgent, withAgents } from './platform/root.ts';
import type { TrashService } from './trash/trash.service.ts';

/** Startup doesn't wait for this work. */
const FIRST_RUN_MS = 2_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes the half copies of agents that a crash left, and the temp files in all agents. */
const sweepAgents = async (root: Root, signal: AbortSignal) => {
  const ids = await readdir(root.agents).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  if (!ids) return;
  await withAgents(root, removeLeftoverCopies);
  for (const id of ids) {
    if (signal.aborted) return;
    // SECURITY: nothing is removed through a linked agent.
    const isAgent = await requireAgent(root, id).then(
      () => true,
      () => false,
    );
    if (isAgent) await removeLeftoverTemps(root.agent(id), isEditableFile).catch(() => undefined);
  }
};

/**
 * Cleans the root shortly after startup and then daily: temp files and half copies of a crash, and trash
 * entries that are too old.
 */
export const startHousekeeping = (
  root: Root,
  trash: TrashService,
  signal: AbortSignal,
  logger: Logger,
): void => {
  const run = async () => {
    try {
      await trash.purge();
      await sweepAgents(root, signal);
    } catch (error) {
      // Every route reports a missing root, and there is nothing to clean meanwhile.
      logger.debug({ err: error }, 'housekeeping failed');
    }
  };
  const first = setTimeout(run, FIRST_RUN_MS).unref();
  const daily = setInterval(run, DAY_MS).unref();
  signal.addEventListener('abort', () => {
    clearTimeout(first);
    clearInterval(daily);
  });
};
