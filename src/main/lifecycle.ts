import { app } from 'electron';
import type { Logger } from '../server/platform/logger.ts';
import { closeWithTimeout } from './close-with-timeout.ts';
import { linkIn, linkOf } from './deep-link.ts';

/** The program's actions on events from outside. */
export interface LifecycleHost {
  /** Shows the window, or opens one. */
  show(): void;
  /** Whether there has been a window with the page. */
  hasOpened(): boolean;
  addLink(link: string): void;
  /** Ends the server. A running receive is finished or can be recovered. */
  close(): Promise<void>;
  logger: Logger;
}

/** Whether the program is about to end. */
export interface Lifecycle {
  isQuitting(): boolean;
  /** The person stays on a page with unsaved text, so the quit that would close it is cancelled. */
  stay(): void;
}

/**
 * Follows launches, links, the last window and the end of the program. Call it before the program is ready.
 */
export const followLifecycle = ({ show, hasOpened, addLink, close, logger }: LifecycleHost): Lifecycle => {
  let isQuitting = false;
  let isClosed = false;

  const open = (link: string | undefined) => {
    if (link !== undefined) addLink(link);
  };

  open(linkIn(process.argv));
  app.on('second-instance', (_event, argv, _directory, secondInstanceData) => {
    // The other launch's argv may be reordered and have Chromium's switches (Electron, `second-instance`).
    open(linkOf(secondInstanceData) ?? linkIn(argv));
    show();
  });
  app.on('open-url', (event, url) => {
    event.preventDefault();
    addLink(url);
    show();
  });
  app.on('activate', show);
  app.on('window-all-closed', () => {
    // A question at the start has a window of its own, which closes before there is another.
    if (hasOpened()) app.quit();
  });
  app.on('before-quit', () => {
    isQuitting = true;
  });
  app.on('will-quit', (event) => {
    if (isClosed) return;
    event.preventDefault();
    void closeWithTimeout(close, logger).then(() => {
      isClosed = true;
      app.quit();
    });
  });

  return {
    isQuitting: () => isQuitting,
    stay: () => {
      isQuitting = false;
    },
  };
};
