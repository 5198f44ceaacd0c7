import { fileURLToPath } from 'node:url';
import { app, BrowserWindow, nativeTheme, screen, type WebContents, type WebPreferences } from 'electron';
import type { Loss } from '../shared/desktop-bridge.ts';
import { ask, canvasColor, windowIcon } from './dialogs.ts';
import type { DesktopSettings, WindowBounds } from './settings.ts';

const LEAVING = {
  close: { verb: 'Close', act: 'close the window' },
  load: { verb: 'Reload', act: 'reload the page' },
} as const;

const LOST: Record<Loss, { readonly why: string; readonly what: string }> = {
  token: { why: 'The wallet page has a token that you haven’t received yet.', what: 'the token' },
  text: {
    why: 'The token field on the wallet page has text that isn’t a whole token.',
    what: 'the text in that field',
  },
  drafts: {
    why: 'dot-mi couldn’t keep your unsaved text, for example because the disk is full. Save or copy it first.',
    what: 'your unsaved text',
  },
};

/** The question before leaving a page with what is stored nowhere else. A page that gives no reason holds a token. */
const leaveQuestion = (why: keyof typeof LEAVING, given: readonly Loss[]) => {
  const losses: readonly Loss[] = given.length === 0 ? ['token'] : given;
  const { verb, act } = LEAVING[why];
  const keeps = losses.includes('drafts') ? '' : ' dot-mi keeps your unsaved text in files.';
  return {
    message: `${verb} and lose ${losses.includes('token') ? 'a token' : 'text'}?`,
    detail: `${losses.map((loss) => LOST[loss].why).join(' ')} If you ${act}, you lose ${losses.map((loss) => LOST[loss].what).join(' and ')}.${keeps}`,
    buttons: ['Stay', verb],
  };
};

/** The parts of the app that the question needs. */
interface LeaveHost {
  /** Returns the page's current URL, which changes when the server moves to another port. */
  pageUrl(): string;
  isQuitting(): boolean;
  /** Returns what the page said that leaving it loses. */
  losses(): readonly Loss[];
  /** Called if the person stays on a page with a token that wasn't received, which cancels a quit. */
  onStay(): void;
  onFailure(error: unknown): void;
}

/** The question before a window closes or loads another page. */
interface LeaveQuestion {
  /** Sets whether the next question is about closing the window. */
  closing(isClosing: boolean): void;
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '');

/**
 * Asks before someone leaves a page with a token that wasn't received. Otherwise, Electron would silently do nothing.
 *
 * The page stays while the question is open, because only a blocking dialog could respond within the event, and it
 * would stop the API too. After a yes, the window closes or loads again without another question.
 */
const askBeforeLeaving = (window: BrowserWindow, show: () => void, host: LeaveHost): LeaveQuestion => {
  const { webContents } = window;
  let isClosing = false;
  let isAsking = false;
  let mayLeave = false;

  const wantsToLeave = async (why: keyof typeof LEAVING): Promise<boolean> => {
    const { response } = await ask(window, {
      type: 'question',
      ...leaveQuestion(why, host.losses()),
      defaultId: 0,
      cancelId: 0,
    });
    return response === 1;
  };

  const loadAgain = async (): Promise<void> => {
    const url = host.pageUrl();
    if (originOf(webContents.getURL()) === originOf(url)) webContents.reload();
    else await webContents.loadURL(url);
  };

  const askAndLeave = async (): Promise<void> => {
    const why = isClosing ? 'close' : 'load';
    const wasQuitting = host.isQuitting();
    // The window may be in the tray while the app quits.
    show();
    if (!(await wantsToLeave(why))) {
      isClosing = false;
      host.onStay();
      return;
    }
    if (window.isDestroyed()) return;
    mayLeave = true;
    if (why === 'load') await loadAgain();
    else if (wasQuitting) app.quit();
    else window.close();
  };

  webContents.on('will-prevent-unload', (event) => {
    if (mayLeave) {
      event.preventDefault();
      return;
    }
    if (isAsking) return;
    isAsking = true;
    askAndLeave()
      .catch(host.onFailure)
      .finally(() => {
        isAsking = false;
      });
  });
  webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (isMainFrame && !isSameDocument) mayLeave = false;
  });

  return {
    closing(now) {
      isClosing = now;
      if (!now) mayLeave = false;
    },
  };
};

const DEFAULT_SIZE = { width: 1280, height: 800 };
const MIN_SIZE = { minWidth: 800, minHeight: 600 };

/** Returns the preferences for all our windows. */
const webPreferencesFor = (version: string): WebPreferences => ({
  preload: fileURLToPath(new URL('../preload/index.cjs', import.meta.url)),
  contextIsolation: true,
  sandbox: true,
  nodeIntegration: false,
  nodeIntegrationInWorker: false,
  nodeIntegrationInSubFrames: false,
  webSecurity: true,
  allowRunningInsecureContent: false,
  experimentalFeatures: false,
  webviewTag: false,
  navigateOnDragDrop: false,
  spellcheck: false,
  // SECURITY: other programs can read arguments, so the operator token goes through the bridge.
  additionalArguments: [`--dot-mi-version=${version}`],
});

/** How much of a window's top must be on a screen, so that a person can find it and move it. */
const VISIBLE_PX = 100;

/**
 * Returns whether a person can reach a window with saved bounds. Its screen may have been unplugged or have become smaller
 * since the window was closed.
 */
const isOnAScreen = ({ x, y, width }: WindowBounds) =>
  screen.getAllDisplays().some(({ workArea }) => {
    const left = Math.max(x, workArea.x);
    const right = Math.min(x + width, workArea.x + workArea.width);
    const isTopVisible = y > workArea.y - VISIBLE_PX / 2 && y < workArea.y + workArea.height - VISIBLE_PX;
    return right - left >= VISIBLE_PX && isTopVisible;
  });

/**
 * Gives each new page the previous page's zoom, and the first page the zoom `first`. Chromium keeps zoom per origin
 * while it runs, but a random free port makes a new origin at each start.
 */
const keepZoom = (webContents: WebContents, first: number | undefined): void => {
  let level = first;
  let isLoaded = false;
  // Electron doesn't report zoom by keyboard or menu. A page that never loaded has no zoom to keep.
  webContents.on('did-start-navigation', ({ isMainFrame, isSameDocument }) => {
    if (!isMainFrame || isSameDocument) return;
    if (isLoaded) level = webContents.getZoomLevel();
    isLoaded = false;
  });
  webContents.on('did-finish-load', () => {
    isLoaded = true;
    if (level !== undefined) webContents.setZoomLevel(level);
  });
};

/**
 * Measures the frame that a window manager put around the window. On Linux, the frame is placed at the requested
 * position, but the content's position is reported, so the window would move a bit at each start.
 */
const measureFrame = (window: BrowserWindow): { readonly left: number; readonly top: number } => {
  const frame = { left: 0, top: 0 };
  if (process.platform !== 'linux') return frame;
  const requested = window.getNormalBounds();
  const measure = () => {
    const { x, y } = window.getNormalBounds();
    Object.assign(frame, { left: x - requested.x, top: y - requested.y });
  };
  window.on('move', measure);
  // A person can move the window only once it has focus, so stop measuring then.
  window.once('focus', () => window.removeListener('move', measure));
  return frame;
};

/** The parts of the app that the window needs. */
export interface WindowHost extends LeaveHost {
  version: string;
  settings: Pick<DesktopSettings, 'read' | 'write'>;
  /** Returns whether closing only hides the window. Called when a person closes it. */
  hidesOnClose(): boolean;
}

/** Brings a window to the front, even if it's minimized or hidden. */
export const showWindow = (window: BrowserWindow): void => {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
};

/** The longest time that a dark window waits for its first paint. */
const FIRST_PAINT_TIMEOUT_MS = 2_000;

/**
 * Calls `show` once: in the light theme immediately, so that the window appears sooner. Systems draw an
 * unpainted window in a light color, so in the dark theme Chromium paints an empty page first.
 */
const showWhenPainted = (window: BrowserWindow, show: () => void): void => {
  if (!nativeTheme.shouldUseDarkColors) {
    show();
    return;
  }
  const { webContents } = window;
  const once = () => {
    webContents.removeListener('did-finish-load', once);
    webContents.removeListener('did-fail-load', once);
    clearTimeout(timer);
    if (!window.isDestroyed()) show();
  };
  // Don't wait for `ready-to-show`, which never fires for a hidden window on some Wayland desktops (electron#48859).
  const timer = setTimeout(once, FIRST_PAINT_TIMEOUT_MS);
  webContents.on('did-finish-load', once);
  webContents.on('did-fail-load', once);
  // Fails if the real page loads first.
  webContents.loadURL('about:blank').catch(() => undefined);
};

/** Opens an empty window. */
export const openWindow = ({ version, settings, hidesOnClose, ...host }: WindowHost): BrowserWindow => {
  const { bounds, isMaximized, zoomLevel } = settings.read('window') ?? {};
  const window = new BrowserWindow({
    ...DEFAULT_SIZE,
    ...(bounds && isOnAScreen(bounds) ? bounds : {}),
    ...MIN_SIZE,
    ...windowIcon(),
    show: false,
    title: 'dot-mi',
    // Chromium's default is white.
    backgroundColor: canvasColor(),
    webPreferences: webPreferencesFor(version),
  });
  const { webContents } = window;
  const frame = measureFrame(window);

  const remember = () => {
    const { x, y, width, height } = window.getNormalBounds();
    try {
      settings.write('window', {
        bounds: { x: x - frame.left, y: y - frame.top, width, height },
        isMaximized: window.isMaximized(),
        zoomLevel: webContents.getZoomLevel(),
      });
    } catch (error) {
      // A full or read-only disk must not keep the window open.
      host.onFailure(error);
    }
  };

  const leaving = askBeforeLeaving(window, () => showWindow(window), host);
  keepZoom(webContents, zoomLevel);
  window.on('close', (event) => {
    remember();
    // Must run before the page can ask about leaving.
    const isClosing = !hidesOnClose();
    leaving.closing(isClosing);
    if (isClosing) return;
    event.preventDefault();
    window.hide();
  });
  showWhenPainted(window, () => {
    if (isMaximized) window.maximize();
    window.show();
  });
  return window;
};
