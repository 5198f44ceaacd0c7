import { type BrowserWindow, type ContextMenuParams, Menu, type MenuItemConstructorOptions } from 'electron';
import type { Logger } from '../server/platform/logger.ts';
import { surviveCrashes } from './crash.ts';
import { webOriginOf } from './web-origin.ts';
import { openWindow, showWindow, type WindowHost } from './window.ts';

type Item = MenuItemConstructorOptions;

/** What a right-click offers at a place of the page: roles alone, which run no code of ours. Empty where there is nothing to do. */
const itemsFor = ({ isEditable, selectionText, editFlags }: ContextMenuParams): Item[] => {
  if (!isEditable) return selectionText.trim() === '' ? [] : [{ role: 'copy', enabled: editFlags.canCopy }];
  return [
    { role: 'cut', enabled: editFlags.canCut },
    { role: 'copy', enabled: editFlags.canCopy },
    { role: 'paste', enabled: editFlags.canPaste },
    { type: 'separator' },
    { role: 'selectAll', enabled: editFlags.canSelectAll },
  ];
};

/** Gives the text fields of a window, and text that is selected, the menu of a right-click; Electron has none by itself. */
const offerContextMenu = (window: BrowserWindow, origin: () => string): void => {
  window.webContents.on('context-menu', (_event, params) => {
    // SECURITY: a frame of another page gets no way to the clipboard.
    if (webOriginOf(params.frameURL || params.pageURL) !== origin()) return;
    const items = itemsFor(params);
    // By the keyboard too it opens where the text is, not where the mouse was left.
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window, x: params.x, y: params.y });
  });
};

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
