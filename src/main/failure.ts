import { accessSync, constants } from 'node:fs';
import { app } from 'electron';
import type { Logger } from '../server/platform/logger.ts';
import { askAlone } from './dialogs.ts';
import { closeWithTimeout } from './lifecycle.ts';

/** The longest time to wait for Chromium, which may never be ready on a broken system. */
const READY_TIMEOUT_MS = 20_000;

/** Shows a final message, also in the terminal, and exits with code 1 once it's dismissed. */
const endWith = async (message: string, detail: string): Promise<void> => {
  try {
    process.stderr.write(`${message}\n${detail}\n`);
    // Otherwise, Electron quits with code 0 when the message, its last window, closes.
    app.on('window-all-closed', () => undefined);
    // Dialogs are invisible until Chromium is ready.
    const late = new Promise((resolve) => setTimeout(resolve, READY_TIMEOUT_MS));
    await Promise.race([app.whenReady(), late]);
    if (app.isReady()) await askAlone({ type: 'error', message, detail, buttons: ['Quit'], cancelId: 0 });
  } catch {
    // The message is already in the terminal, and nothing may delay the exit.
  } finally {
    app.exit(1);
  }
};

/** Says why the program can't continue, and exits. */
export const endWithMessage = (error: unknown): Promise<void> =>
  endWith('dot-mi can’t start', error instanceof Error ? error.message : String(error));

/** Returns the reason why the data directory can't be used, as a sentence. Undefined if it can. */
export const dataFolderProblem = (): string | undefined => {
  const path = app.getPath('userData');
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch {
    return `dot-mi can’t write to the data folder ${path}. Give yourself permission to write there, then start dot-mi again.`;
  }
};

/** The server to close after an uncaught error, and the log to write. */
interface UncaughtHost {
  logger: Logger;
  logDirectory: string;
  /** Closes the server. A receive in progress finishes or can be recovered. */
  close(): Promise<void>;
}

/** SECURITY: omits the message, which may quote a token or the backup words. The location is enough to debug it. */
const placeOf = (error: unknown): Record<string, unknown> => {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {};
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^ {4}at /.test(line));
  return { type: error.name, ...code, frames: frames.map((line) => line.trim()) };
};

/** Ignores errors, because a failing log would cause the next uncaught error and delay the exit. */
const quietly = async (task: () => unknown): Promise<void> => {
  try {
    await task();
  } catch {
    // There is nowhere left to report it.
  }
};

/**
 * Exits after an uncaught error or rejection: the state is unknown, and the wallet can be stopped at any moment. The
 * log gets the location, the server closes in order, the person is informed, and the process exits with 1.
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
