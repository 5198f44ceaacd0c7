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
  let crashedAtMs = Number.NEGATIVE_INFINITY;

  const ask = async (message: string, wait: string): Promise<void> => {
    const { response } = await dialog.showMessageBox(window, {
      type: 'error',
      message,
      detail: 'The API goes on. What you typed is kept, and offered when the page is back.',
      buttons: ['Load again', wait],
      defaultId: 0,
      cancelId: 1,
    });
    if (response === 0 && !window.isDestroyed()) window.webContents.reload();
  };

  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    logger.error({ reason, exitCode }, 'the process of the page is gone');
    // `killed` is no order of ours: a system without memory ends a page so.
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    const isAgain = now() - crashedAtMs < AGAIN_MS;
    crashedAtMs = now();
    if (isAgain) void ask('The page crashed again.', 'Leave it');
    else window.webContents.reload();
  });
  window.on('unresponsive', () => {
    logger.warn({}, 'the page does not answer');
    void ask('The page does not answer.', 'Wait');
  });
};
