import { app } from 'electron';
import type { Logger } from '../server/platform/logger.ts';
import { closeWithTimeout } from './close-with-timeout.ts';
import { linkIn, linkOf } from './deep-link.ts';

/** What happens to the program from outside, and how it ends. */
export interface LifecycleHost {
  /** Shows the window, or opens one. */
  show(): void;
  addLink(link: string): void;
  /** Ends the server; a receive under way is finished or can be recovered. */
  close(): Promise<void>;
  logger: Logger;
}

/** Whether the program is about to end. */
export interface Lifecycle {
  isQuitting(): boolean;
  /** A person stays on a page with unsaved text: the quit that closed it is over. */
  stay(): void;
}

/** Follows the life of the program: other launches, links, the last window, the end. Call before the program is ready. */
export const followLifecycle = ({ show, addLink, close, logger }: LifecycleHost): Lifecycle => {
  let isQuitting = false;
  let isClosed = false;

  const open = (link: string | undefined) => {
    if (link !== undefined) addLink(link);
  };

  open(linkIn(process.argv));
  app.on('second-instance', (_event, argv, _directory, secondInstanceData) => {
    // Its command line as it came may have another order, and switches of Chromium's in it (Electron, `second-instance`).
    open(linkOf(secondInstanceData) ?? linkIn(argv));
    show();
  });
  app.on('open-url', (event, url) => {
    event.preventDefault();
    addLink(url);
    show();
  });
  app.on('activate', show);
  app.on('window-all-closed', () => app.quit());
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
