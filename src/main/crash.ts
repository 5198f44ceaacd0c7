import type { BrowserWindow } from 'electron';
import type { Logger } from '../server/platform/logger.ts';
import { ask } from './dialogs.ts';

/** A second crash this soon doesn't cause another reload. */
const AGAIN_MS = 30_000;

/**
 * Reloads the page when its process is gone. The page's storage keeps typed text and offers it again. If the
 * page crashes again at once or stops responding, the person decides.
 */
export const surviveCrashes = (
  window: BrowserWindow,
  logger: Logger,
  now: () => number = () => Date.now(),
): void => {
  const { webContents } = window;
  let crashedAtMs = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  /** We end the process ourselves, so its end isn't a crash. */
  let isEnding = false;

  /** Whether the person wants to reload the page; false while a question is already open. */
  const wantsAgain = async (message: string, wait: string): Promise<boolean> => {
    if (isAsking) return false;
    isAsking = true;
    try {
      const { response } = await ask(window, {
        type: 'error',
        message,
        detail: 'The API keeps running. dot-mi kept what you typed and shows it again after the reload.',
        buttons: ['Reload page', wait],
        defaultId: 0,
        cancelId: 1,
      });
      return response === 0 && !window.isDestroyed();
    } finally {
      isAsking = false;
    }
  };

  const askAfterCrash = async (): Promise<void> => {
    if (await wantsAgain('The page crashed again.', 'Not now')) webContents.reload();
  };

  const askHanging = async (): Promise<void> => {
    if (!(await wantsAgain('The page isn’t responding.', 'Wait'))) {
      // It crashed again while the question was open, and waiting would never end.
      if (!window.isDestroyed() && webContents.isCrashed()) await askAfterCrash();
      return;
    }
    // A reload would wait for the hanging page, so end it first. It may have crashed in the meantime.
    isEnding = !webContents.isCrashed();
    if (isEnding) webContents.forcefullyCrashRenderer();
    webContents.reload();
  };

  webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (isEnding) {
      isEnding = false;
      logger.info({ reason }, 'ended a page that stopped responding');
      return;
    }
    logger.error({ reason, exitCode }, 'the page process ended');
    // `killed` isn't our doing: a system without memory ends a page this way.
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    const isAgain = now() - crashedAtMs < AGAIN_MS;
    crashedAtMs = now();
    if (isAgain) void askAfterCrash();
    else webContents.reload();
  });
  // If the system didn't report the end of the process, the next crash counts again.
  webContents.on('did-finish-load', () => {
    isEnding = false;
  });
  // Not the window's event: it also fires 5 s after a close that the page refused.
  webContents.on('unresponsive', () => {
    logger.warn({}, 'the page stopped responding');
    void askHanging();
  });
};
