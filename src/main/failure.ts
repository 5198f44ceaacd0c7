import { accessSync, constants } from 'node:fs';
import { app } from 'electron';
import type { Logger } from '../server/platform/logger.ts';
import { askAlone } from './dialogs.ts';
import { closeWithTimeout } from './lifecycle.ts';

/** The longest time to wait for Chromium, which may never be ready on a broken system. */
const READY_TIMEOUT_MS = 20_000;

/** Shows a last message, in the terminal too, and ends the program with 1 once a person has read it. */
const endWith = async (message: string, detail: string): Promise<void> => {
  try {
    process.stderr.write(`${message}\n${detail}\n`);
    // Otherwise Electron quits with 0 when the message closes, as its last window.
    app.on('window-all-closed', () => undefined);
    // Before Chromium is ready, no dialog can be seen.
    const late = new Promise((resolve) => setTimeout(resolve, READY_TIMEOUT_MS));
    await Promise.race([app.whenReady(), late]);
    if (app.isReady()) await askAlone({ type: 'error', message, detail, buttons: ['Quit'], cancelId: 0 });
  } catch {
    // The terminal has the message. Nothing may delay the end.
  } finally {
    app.exit(1);
  }
};

/** Says why the program can't continue, and ends it. */
export const endWithMessage = (error: unknown): Promise<void> =>
  endWith('dot-mi can’t start', error instanceof Error ? error.message : String(error));

/** The reason why the data folder can't be used, as a sentence; undefined when it can. */
export const dataFolderProblem = (): string | undefined => {
  const path = app.getPath('userData');
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return `dot-mi can’t write to the data folder ${path}. Give yourself permission to write there, then start dot-mi again.`;
  }
};

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
