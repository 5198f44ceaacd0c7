import { fileURLToPath } from 'node:url';
import { BrowserWindow, dialog, screen, type WebContents, type WebPreferences } from 'electron';
import type { Settings } from './settings.ts';
import type { WindowBounds } from './settings-schema.ts';

const DEFAULT_SIZE = { width: 1280, height: 800 };
const MIN_SIZE = { minWidth: 800, minHeight: 600 };

/** The preferences for every window of ours. */
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
  // SECURITY: other programs can read arguments, so the operator token goes through the bridge.
  additionalArguments: [`--dot-mi-version=${version}`],
});

/** A screen may have disappeared since the window was closed. */
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
 * The words for leaving a page with unsaved text. Typed text in files is kept for every page of its address,
 * and in settings only for this window. A token isn't kept. This code doesn't know which of them there are.
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

/** Electron doesn't ask about unsaved text: the window would just not close, or not load. */
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
 * Gives each page that loads the zoom of the one before it, and the first one `first`. Chromium keeps zoom
 * per origin while it runs, but a random free port is another origin at each start.
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

/** The parts of the program that the window needs. */
export interface WindowHost {
  version: string;
  settings: Pick<Settings, 'read' | 'write'>;
  /** Whether closing only hides the window. Called when a person closes it. */
  hidesOnClose(): boolean;
  /** The person stays on a page with unsaved text, so a running quit ends. */
  onStay(): void;
  onFailure(error: unknown): void;
}

/** Brings a window to the front, wherever it is. */
export const showWindow = (window: BrowserWindow): void => {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
};

/** Opens the window with the page at `url`. It appears once there is something to see. */
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
      // A full or read-only disk must not keep the window open.
      onFailure(error);
    }
  };

  let isClosing = false;
  webContents.on('will-prevent-unload', (event) => {
    // The window may be in the tray while the program quits.
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
