import {
  app,
  type BrowserWindow,
  type ContextMenuParams,
  Menu,
  type MenuItemConstructorOptions,
} from 'electron';
import packageJson from '../../package.json' with { type: 'json' };
import type { Logger } from '../server/platform/logger.ts';
import { BRIDGE_EVENTS, type Loss, type PageView, pathOfView } from '../shared/desktop-bridge.ts';
import { ask } from './dialogs.ts';
import { parseWebUrl, webOriginOf } from './security.ts';
import { openWindow, showWindow, type WindowHost } from './window.ts';

/** After a second crash within this time, the page isn't reloaded automatically. */
const CRASH_AGAIN_MS = 30_000;

/**
 * Reloads the page when its process is gone. The page stores typed text and offers it again. If the page
 * crashes again at once or stops responding, the person decides.
 */
export const surviveCrashes = (
  window: BrowserWindow,
  logger: Logger,
  now: () => number = () => Date.now(),
): void => {
  const { webContents } = window;
  let crashedAtMs = Number.NEGATIVE_INFINITY;
  let isAsking = false;
  /** True while we end the process ourselves, which isn't a crash. */
  let isEnding = false;

  /** Returns whether the person wants to reload the page. False while a question is already open. */
  const wantsAgain = async (message: string, wait: string): Promise<boolean> => {
    if (isAsking) return false;
    isAsking = true;
    try {
      const { response } = await ask(window, {
        type: 'error',
        message,
        detail:
          'The API keeps running. dot-mi kept your unsaved text, but not a token that you haven’t received yet.',
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
      // If the page crashed again while the question was open, waiting would never end.
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
    // We didn't cause this `killed`. A system that runs out of memory ends pages this way.
    if (reason === 'clean-exit' || window.isDestroyed()) return;
    const isAgain = now() - crashedAtMs < CRASH_AGAIN_MS;
    crashedAtMs = now();
    if (isAgain) void askAfterCrash();
    else webContents.reload();
  });
  // The system may not have reported that we ended the process. Either way, handle the next crash.
  webContents.on('did-finish-load', () => {
    isEnding = false;
  });
  // Don't use BrowserWindow's event, which also fires 5 s after a close that the page refused.
  webContents.on('unresponsive', () => {
    logger.warn({}, 'the page stopped responding');
    void askHanging();
  });
};

type Item = MenuItemConstructorOptions;

/**
 * Returns the items of a right-click menu: only roles, which run none of our code. Empty if there is nothing to do.
 */
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

/** Adds a right-click menu to text fields and selected text, because Electron has none. */
const offerContextMenu = (window: BrowserWindow, origin: () => string): void => {
  window.webContents.on('context-menu', (_event, params) => {
    // SECURITY: a frame of another page gets no access to the clipboard.
    if (webOriginOf(params.frameURL || params.pageURL) !== origin()) return;
    const items = itemsFor(params);
    // Without a position, a menu opened from the keyboard would appear at the pointer, not at the text.
    if (items.length > 0) Menu.buildFromTemplate(items).popup({ window, x: params.x, y: params.y });
  });
};

/** Returns the page's address: our own server, or Vite's in development. */
export const pageAddress = (serverUrl: string, devPageUrl: string | undefined): string =>
  // SECURITY: the page gets the operator token, so no variable can redirect an installed app's window.
  app.isPackaged ? serverUrl : (devPageUrl ?? serverUrl);

/** The app's only window, open or not. */
interface PageWindow {
  /** Brings the window to the front. If there is none, opens one as soon as allowed. */
  show(): void;
  /** Brings the window to the front with this view of the page. */
  showView(view: PageView): void;
  /** Returns whether the window has focus and, if a view is given, shows that view. */
  isLookedAt(view?: PageView): boolean;
  /** Allows the window to open, still empty. Call it once Chromium is ready and denies page permissions. */
  allowOpening(): void;
  /** Allows the window to load its page. Call it once the bridge is ready. */
  allowLoading(): void;
  /** Sets the page's address. An open window loads the new address and stays on its view. */
  follow(url: string): void;
  /** Returns the page's origin, or an empty string before the server runs. */
  origin(): string;
  /** Returns whether a window was ever opened, even if it's closed by now. */
  hasOpened(): boolean;
  /** Resolves with the window once it's shown for the first time. */
  readonly firstShown: Promise<BrowserWindow>;
  /** Resolves once a window has loaded its page for the first time. */
  readonly firstLoaded: Promise<void>;
  /** Shows how many agents wait for a person: on the app's icon, and by the taskbar if another one does. */
  countWaiting(count: number): void;
  /** Notes what leaving the page loses, for the question. */
  explainLosses(losses: readonly Loss[]): void;
  /** Sends a message to the page if it exists. */
  send(channel: string, ...args: string[]): void;
}

/** The parts of the app that the window needs. */
interface PageWindowHost extends Pick<WindowHost, 'settings' | 'hidesOnClose' | 'isQuitting' | 'onStay'> {
  onOpen(window: BrowserWindow): void;
  logger: Logger;
}

/** Creates the window when it's first shown, and again after it was closed. */
export const createPageWindow = ({ logger, onOpen, ...host }: PageWindowHost): PageWindow => {
  let url: string | undefined;
  let window: BrowserWindow | undefined;
  let mayOpen = false;
  let mayLoad = false;
  let isWanted = false;
  let losses: readonly Loss[] = [];
  let waiting = 0;
  /** The view that an empty window loads first. */
  let firstPath = '/';
  const firstShown = Promise.withResolvers<BrowserWindow>();
  const firstLoaded = Promise.withResolvers<void>();
  const opened = () => (window && !window.isDestroyed() ? window : undefined);
  const onFailure = (error: unknown) => logger.error({ err: error }, 'a window action failed');

  const origin = () => (url === undefined ? '' : new URL(url).origin);

  /** Returns the URL of the window's view, at the server's address. */
  const viewUrl = (): string => {
    const shown = parseWebUrl(opened()?.webContents.getURL() ?? '');
    return url === undefined ? '' : new URL(shown?.pathname ?? firstPath, url).href;
  };

  // SECURITY: a second launch, a link or the Dock can request the window before a page's guards are set.
  const load = () => {
    if (url !== undefined && mayLoad) opened()?.webContents.loadURL(viewUrl()).catch(onFailure);
  };

  const show = (path = '/') => {
    const open = opened();
    if (open) return showWindow(open);
    firstPath = path;
    isWanted = true;
    if (!mayOpen) return;
    window = openWindow({
      ...host,
      version: packageJson.version,
      pageUrl: viewUrl,
      losses: () => losses,
      onFailure,
    });
    firstShown.resolve(window);
    window.webContents.on('did-finish-load', () => {
      if (hasPage()) firstLoaded.resolve();
    });
    offerContextMenu(window, origin);
    surviveCrashes(window, logger);
    // The taskbar would flash on after a person looked.
    window.on('focus', () => window?.flashFrame(false));
    onOpen(window);
    load();
  };

  const hasPage = () => parseWebUrl(opened()?.webContents.getURL() ?? '') !== undefined;
  const send = (channel: string, ...args: string[]) => {
    if (hasPage()) opened()?.webContents.send(channel, ...args);
  };

  return {
    show: () => show(),
    showView(view) {
      // A window without its page loads the view. Any other may have unsaved text, so its page decides.
      if (hasPage()) send(BRIDGE_EVENTS.view, view);
      else firstPath = pathOfView(view) ?? '/';
      show(pathOfView(view));
    },
    isLookedAt(view) {
      const open = opened();
      if (!open?.isFocused()) return false;
      if (view === undefined) return true;
      const [shown, wanted] = [URL.parse(open.webContents.getURL())?.pathname, pathOfView(view)];
      // An agent's page has a section in its path.
      return shown === wanted || (wanted !== '/' && shown?.startsWith(`${wanted}/`) === true);
    },
    allowOpening() {
      mayOpen = true;
      if (isWanted) show(firstPath);
    },
    allowLoading() {
      mayLoad = true;
      load();
    },
    follow(next) {
      if (url === next) return;
      url = next;
      load();
    },
    origin,
    hasOpened: () => window !== undefined,
    firstShown: firstShown.promise,
    firstLoaded: firstLoaded.promise,
    countWaiting(count) {
      // Windows has no badge, and Linux only in some docks.
      app.setBadgeCount(count);
      const open = opened();
      const isMore = count > waiting;
      waiting = count;
      // macOS would bounce the icon until a person looks.
      if (process.platform === 'darwin' || !open) return;
      if (count === 0) open.flashFrame(false);
      else if (isMore && !open.isFocused()) open.flashFrame(true);
    },
    explainLosses(next) {
      losses = next;
    },
    send,
  };
};
