import { isWrittenFile } from '../shared/api/names.ts';
import { removeLeftoverCopies } from './agents/copy-agent.ts';
import { removeLeftoverTemps } from './platform/atomic-write.ts';
import { withDirectory } from './platform/directory-handle.ts';
import type { Logger } from './platform/logger.ts';
import { type Root, withAgents } from './platform/root.ts';
import type { TrashService } from './trash/trash.service.ts';

/** How long after startup the first run begins. Startup doesn't wait for it. */
const FIRST_RUN_MS = 2_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes partial copies of agents that a crash left, and temp files in all agents. */
const sweepAgents = (root: Root, signal: AbortSignal): Promise<void> =>
  withAgents(root, async (agents) => {
    await removeLeftoverCopies(agents);
    for (const { name } of await agents.list()) {
      if (signal.aborted) return;
      // An unreadable directory isn't an agent, or needs a person's attention.
      await withDirectory(agents.open(name), (agent) => removeLeftoverTemps(agent, isWrittenFile)).catch(
        () => undefined,
      );
    }
  });

/**
 * Cleans the root shortly after startup and then daily: temp files, partial copies after a crash, and old trash
 * items.
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
      // Every route reports a missing root, and there's nothing to clean until it's back.
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
