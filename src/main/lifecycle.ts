import { app, type BrowserWindow } from 'electron';
import type { Logger } from '../server/platform/logger.ts';
import { deepLinkOf, linkIn } from './deep-link.ts';

/** How long closing can take before the process exits anyway. The next start recovers unfinished work. */
const DEADLINE_MS = 20_000;

/** Closes the server, or gives up after a while. Logs a failure instead of rejecting. */
export const closeWithTimeout = async (
  close: () => Promise<void>,
  logger: Logger,
  deadlineMs = DEADLINE_MS,
): Promise<void> => {
  const deadline = Promise.withResolvers<false>();
  const timer = setTimeout(() => deadline.resolve(false), deadlineMs).unref();
  try {
    const isClosed = await Promise.race([close().then(() => true), deadline.promise]);
    if (!isClosed)
      logger.error({ deadlineMs }, 'the server did not stop in time, so the next start recovers its work');
  } catch (error) {
    logger.error({ err: error }, 'the server did not stop cleanly, so the next start recovers its work');
  } finally {
    clearTimeout(timer);
  }
};

/** The parts of the app that react to outside events. */
interface LifecycleHost {
  show(): void;
  /** Returns whether a window that a person can close was ever opened. */
  hasOpened(): boolean;
  addLink(link: string): void;
  /** Closes the server. A running receive either finishes or can be recovered. */
  close(): Promise<void>;
  /** Saves the links that no page consumed. Called after the server closed. */
  keepLinks(): Promise<void>;
  /** Restarts the app once this process has exited. */
  startAgain(): void;
  logger: Logger;
}

const QUIT_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Tracks whether the app is about to exit. */
interface Lifecycle {
  isQuitting(): boolean;
  /** Cancels the quit, because the person stays on a page with unsaved text. */
  stay(): void;
  /** Quits, and starts again once the process has exited. */
  restart(): void;
  /** Closes the server in time when Windows ends the session. Call it for each window. */
  followSession(window: BrowserWindow): void;
}

/** Handles launches, links, the last window and the app's exit. Call it before the app is ready. */
export const followLifecycle = ({
  show,
  hasOpened,
  addLink,
  close,
  keepLinks,
  startAgain,
  logger,
}: LifecycleHost): Lifecycle => {
  let isQuitting = false;
  /** The server's single shutdown, which begins once nothing can cancel the quit. */
  let ending: Promise<void> | undefined;
  let isEnded = false;
  let isWantedAgain = false;
  let isSessionEnding = false;

  // We hold the lock until the process exits, so only we can honor a launch during the shutdown.
  const showOrStartAgain = () => {
    if (ending) isWantedAgain = true;
    else show();
  };
  const open = (link: string | undefined) => {
    if (link !== undefined) addLink(link);
  };
  const end = async (): Promise<void> => {
    await closeWithTimeout(close, logger);
    try {
      await keepLinks();
      // Restarting would only delay the end of the session.
      if (isWantedAgain && !isSessionEnding) startAgain();
    } catch (error) {
      logger.error({ err: error }, 'a launch or a link during the shutdown was lost');
    }
    isEnded = true;
    // Electron ignores a quit during its own shutdown, and in promises that settle during it.
    await new Promise(setImmediate);
  };
  let isSignaled = false;
  const quitOnSignal = () => {
    if (!isSignaled) {
      isSignaled = true;
      app.quit();
      return;
    }
    // The first quit may wait for a person's choice. A second one doesn't.
    ending ??= end();
    void ending.then(() => app.exit(0));
  };

  open(linkIn(process.argv));
  app.on('second-instance', (_event, argv, _directory, secondInstanceData) => {
    // The other launch's argv may be reordered and contain Chromium's switches (Electron, `second-instance`).
    open(deepLinkOf(secondInstanceData) ?? linkIn(argv));
    showOrStartAgain();
  });
  app.on('open-url', (event, url) => {
    event.preventDefault();
    addLink(url);
    showOrStartAgain();
  });
  app.on('activate', showOrStartAgain);
  app.on('window-all-closed', () => {
    // A question at startup has its own window, which closes before the page's window opens.
    if (hasOpened()) app.quit();
  });
  app.on('before-quit', () => {
    isQuitting = true;
  });
  app.on('will-quit', (event) => {
    if (isEnded) return;
    event.preventDefault();
    ending ??= end();
    void ending.then(() => app.quit());
  });
  // Chromium's own handlers end the process at the second signal. Once Chromium is ready, ours replace them. One of
  // electron-store's dependencies (when-exit) sends each signal again, which would end the app while it asks.
  void app.whenReady().then(() => {
    for (const signal of QUIT_SIGNALS) process.removeAllListeners(signal).on(signal, quitOnSignal);
  });
  app.on('child-process-gone', (_event, { type, name, reason, exitCode }) => {
    if (reason !== 'clean-exit') logger.warn({ type, name, reason, exitCode }, 'a helper process ended');
  });

  return {
    isQuitting: () => isQuitting,
    stay: () => {
      isQuitting = false;
      isSignaled = false;
      isWantedAgain = false;
    },
    restart() {
      isWantedAgain = true;
      app.quit();
    },
    followSession(window) {
      window.on('query-session-end', (event) => {
        if (isEnded) return;
        logger.info({ reasons: event.reasons }, 'the Windows session is ending');
        // Windows waits for this process, but the person can end it anyway. A page with unsaved text asks first.
        event.preventDefault();
        app.quit();
      });
      window.on('session-end', () => {
        logger.warn({}, 'Windows ended the session before dot-mi stopped');
        isSessionEnding = true;
        // No question is shown from here on. If Windows ends this process first, the next start recovers its work.
        ending ??= end();
        // Electron ends this process at once unless it's already quitting (native_window_views_win.cc).
        app.quit();
      });
    },
  };
};
