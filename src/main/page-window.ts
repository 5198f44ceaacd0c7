import type { BrowserWindow } from 'electron';
import type { Logger } from '../server/platform/logger.ts';
import { offerContextMenu } from './context-menu.ts';
import { surviveCrashes } from './crash.ts';
import { openWindow, showWindow, type WindowHost } from './window.ts';

/** The one window of the program, open or not. */
export interface PageWindow {
  /** Brings it to the front, or opens it: at once, or as soon as it may. */
  show(): void;
  /** From now on it may open: the guards stand, and somebody answers its bridge. */
  allow(): void;
  /** The page is here from now on; a window that is open goes along. */
  follow(url: string, version: string): void;
  /** Where the page is; the empty string before the server is there. */
  origin(): string;
  /** Says something to a page that is open; nobody else hears it. */
  send(channel: string, ...args: string[]): void;
}

/** What it needs of the program around it. */
export interface PageWindowHost extends Pick<WindowHost, 'settings' | 'hidesOnClose' | 'onStay'> {
  logger: Logger;
}

/** Makes the window when it is first shown, and again after it was closed. */
export const createPageWindow = ({ logger, ...host }: PageWindowHost): PageWindow => {
  let page: { url: string; version: string } | undefined;
  let window: BrowserWindow | undefined;
  let isAllowed = false;
  let isWanted = false;
  const opened = () => (window && !window.isDestroyed() ? window : undefined);
  const onFailure = (error: unknown) => logger.error({ err: error }, 'a window action failed');

  const origin = () => (page ? new URL(page.url).origin : '');

  const show = () => {
    const open = opened();
    if (open) return showWindow(open);
    // SECURITY: a second launch, a link or the Dock can ask for it before the guards of a page are set.
    if (!page || !isAllowed) {
      isWanted = true;
      return;
    }
    window = openWindow(page.url, { ...host, version: page.version, onFailure });
    offerContextMenu(window, origin);
    surviveCrashes(window, logger);
  };

  return {
    show,
    allow() {
      isAllowed = true;
      if (isWanted) show();
    },
    follow(url, version) {
      const isMoved = page !== undefined && page.url !== url;
      page = { url, version };
      if (isMoved) opened()?.webContents.loadURL(url).catch(onFailure);
    },
    origin,
    send: (channel, ...args) => opened()?.webContents.send(channel, ...args),
  };
};
