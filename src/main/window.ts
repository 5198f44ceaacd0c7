import { fileURLToPath } from 'node:url';
import { BrowserWindow, dialog, screen, type WebContents, type WebPreferences } from 'electron';
import type { Settings } from './settings.ts';
import type { WindowBounds } from './settings-schema.ts';

const DEFAULT_SIZE = { width: 1280, height: 800 };
const MIN_SIZE = { minWidth: 800, minHeight: 600 };

/** The preferences every window of ours is made with. */
export const webPreferencesFor = (version: string): WebPreferences => ({
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
  // SECURITY: other programs can read it; the operator token goes through the bridge.
  additionalArguments: [`--dot-mi-version=${version}`],
});

/** A screen may have gone since the window was closed. */
const isOnAScreen = ({ x, y, width, height }: WindowBounds) =>
  screen
    .getAllDisplays()
    .some(
      ({ workArea }) =>
        x < workArea.x + workArea.width &&
        x + width > workArea.x &&
        y < workArea.y + workArea.height &&
        y + height > workArea.y,
    );

/**
 * The words for leaving a page with unsaved text. What is typed in files is kept for every page of its address, what is
 * typed in settings for this window alone, and a token is kept nowhere; here nobody knows which of them there is.
 */
const LEAVING = {
  close: {
    message: 'Close with unsaved changes?',
    detail:
      'dot-mi offers unsaved text in files when it opens at this address again. Unsaved settings and tokens you haven’t received are lost.',
    buttons: ['Stay', 'Close'],
  },
  load: {
    message: 'Reload the page with unsaved changes?',
    detail:
      'Unsaved text comes back when the page reloads at this address. A token you haven’t received is lost.',
    buttons: ['Stay', 'Reload'],
  },
} as const;

/** Electron asks nothing itself when a page has unsaved text: the window would just not close, or not load. */
const confirmLeave = (window: BrowserWindow, why: keyof typeof LEAVING): boolean => {
  const { message, detail, buttons } = LEAVING[why];
  return (
    dialog.showMessageBoxSync(window, {
      type: 'question',
      message,
      detail,
      buttons: [...buttons],
      defaultId: 0,
      cancelId: 0,
    }) === 1
  );
};

/**
 * Gives each page that loads the zoom of the one before it, the first one `first`. Chromium keeps it for an origin while it
 * runs, and a port that was free by chance is another origin at each start.
 */
const keepZoom = (webContents: WebContents, first: number | undefined): void => {
  let level = first;
  let isLoaded = false;
  // Electron tells of no zoom by keyboard or menu. Of a page that never came there is none to keep.
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

/** What the window needs of the program around it. */
export interface WindowHost {
  version: string;
  settings: Pick<Settings, 'read' | 'write'>;
  /** Asked when a person closes the window: whether it is only to be hidden. */
  hidesOnClose(): boolean;
  /** A person wants to stay on a page with unsaved text; a quit under way ends. */
  onStay(): void;
  onFailure(error: unknown): void;
}

/** Brings a window to the front, wherever it is. */
export const showWindow = (window: BrowserWindow): void => {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
};

/** Opens the window on the page at `url`; it shows itself once there is something to see. */
export const openWindow = (
  url: string,
  { version, settings, hidesOnClose, onStay, onFailure }: WindowHost,
): BrowserWindow => {
  const { bounds, isMaximized, zoomLevel } = settings.read('window') ?? {};
  const window = new BrowserWindow({
    ...DEFAULT_SIZE,
    ...(bounds && isOnAScreen(bounds) ? bounds : {}),
    ...MIN_SIZE,
    show: false,
    title: 'dot-mi',
    webPreferences: webPreferencesFor(version),
  });
  const { webContents } = window;

  const remember = () => {
    try {
      settings.write('window', {
        bounds: window.getNormalBounds(),
        isMaximized: window.isMaximized(),
        zoomLevel: webContents.getZoomLevel(),
      });
    } catch (error) {
      // A disk that is full or cannot be written must not keep the window open.
      onFailure(error);
    }
  };

  let isClosing = false;
  webContents.on('will-prevent-unload', (event) => {
    // It may be in the tray while the program quits.
    showWindow(window);
    if (confirmLeave(window, isClosing ? 'close' : 'load')) event.preventDefault();
    else {
      isClosing = false;
      onStay();
    }
  });
  keepZoom(webContents, zoomLevel);
  window.once('ready-to-show', () => {
    if (isMaximized) window.maximize();
    window.show();
  });
  window.on('close', (event) => {
    remember();
    // Before the page is asked.
    isClosing = !hidesOnClose();
    if (isClosing) return;
    event.preventDefault();
    window.hide();
  });
  webContents.loadURL(url).catch(onFailure);
  return window;
};
