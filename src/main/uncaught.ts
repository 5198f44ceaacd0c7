import type { Logger } from '../server/platform/logger.ts';
import { closeWithTimeout } from './close-with-timeout.ts';
import { endWith } from './failure.ts';

/** The server to end after an uncaught error, and the log to write. */
interface UncaughtHost {
  logger: Logger;
  logDirectory: string;
  /** Ends the server. A running receive is finished or can be recovered. */
  close(): Promise<void>;
}

/** SECURITY: leaves out the message, which may quote a token or the backup words. The place is what helps. */
const placeOf = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^ {4}at /.test(line));
  return { type: error.name, ...code, frames: frames.map((line) => line.trim()) };
};

/** A failing log would be the next uncaught error, and must not delay the end. */
const quietly = async (task: () => unknown): Promise<void> => {
  try {
    await task();
  } catch {
    // Nobody is left to report to.
  }
};

/**
 * Ends the program after an uncaught error or rejection: its state may be anything, and the wallet is made
 * for an end at any moment. The log says where, the server ends in order, the person is informed, and the
 * process ends with 1.
 */
export const endOnUncaught = (
  { logger, logDirectory, close }: UncaughtHost,
  source: Pick<NodeJS.EventEmitter, 'on'> = process,
): void => {
  let isEnding = false;
  const end = async (origin: string, error: unknown): Promise<void> => {
    const isFirst = !isEnding;
    isEnding = true;
    await quietly(() => logger.error({ origin, error: placeOf(error) }, 'uncaught error'));
    if (!isFirst) return;
    await quietly(() => closeWithTimeout(close, logger));
    await endWith(
      'dot-mi has to quit',
      `dot-mi hit an unexpected error. Your wallet and your files are safe. Start dot-mi again. Find the details in the log, in ${logDirectory}`,
    );
  };
  // Electron itself would show a dialog with the message, and continue.
  source.on('uncaughtException', (error: unknown) => void end('exception', error));
  source.on('unhandledRejection', (reason: unknown) => void end('rejection', reason));
};
