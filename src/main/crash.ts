import { type BrowserWindow, dialog } from 'electron';
import type { Logger } from '../server/platform/logger.ts';

/** A second crash this soon is not answered by another reload. */
const AGAIN_MS = 30_000;

/**
 * Loads the page again when its process is gone: what was typed is kept in the page's storage and offered there. When it
 * goes again at once, or does not answer any more, the person decides.
 */
export const surviveCrashes = (
  window: BrowserWindow,
  logger: Logger,
  now: () => number = () => Date.now(),
): void => {
  const { webContents } = window;
  let crashedAtMs = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  /** The process is ended by us; that it is gone is no crash. */
  let isEnding = false;

  /** Whether the person wants the page again; false while they are asked already. */
  const wantsAgain = async (message: string, wait: string): Promise<boolean> => {
    if (isAsking) return false;
    isAsking = true;
    try {
      const { response } = await dialog.showMessageBox(window, {
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
      // It crashed again while it was asked about, and who waits would wait for ever.
      if (!window.isDestroyed() && webContents.isCrashed()) await askAfterCrash();
      return;
    }
    // A page that hangs cannot be left: a reload would wait for it too. It may have crashed while it was asked about.
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
    // `killed` is no order of ours: a system without memory ends a page so.
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    const isAgain = now() - crashedAtMs < AGAIN_MS;
    crashedAtMs = now();
    if (isAgain) void askAfterCrash();
    else webContents.reload();
  });
  // Where a system does not say that a process is gone, the next crash is one again.
  webContents.on('did-finish-load', () => {
    isEnding = false;
  });
  window.on('unresponsive', () => {
    logger.warn({}, 'the page stopped responding');
    void askHanging();
  });
};
