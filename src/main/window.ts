import { fileURLToPath } from 'node:url';
import { BrowserWindow, screen, type WebContents, type WebPreferences } from 'electron';
import { canvasColor } from './dialogs.ts';
import { askBeforeLeaving, type LeaveHost } from './leave-question.ts';
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
export interface WindowHost extends LeaveHost {
  version: string;
  settings: Pick<Settings, 'read' | 'write'>;
  /** Whether closing only hides the window. Called when a person closes it. */
  hidesOnClose(): boolean;
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
  { version, settings, hidesOnClose, ...host }: WindowHost,
): BrowserWindow => {
  const { bounds, isMaximized, zoomLevel } = settings.read('window') ?? {};
  const window = new BrowserWindow({
    ...DEFAULT_SIZE,
    ...(bounds && isOnAScreen(bounds) ? bounds : {}),
    ...MIN_SIZE,
    show: false,
    title: 'dot-mi',
    // Chromium's own is white.
    backgroundColor: canvasColor(),
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
      host.onFailure(error);
    }
  };

  const leaving = askBeforeLeaving(window, () => showWindow(window), host);
  keepZoom(webContents, zoomLevel);
  window.once('ready-to-show', () => {
    if (isMaximized) window.maximize();
    window.show();
  });
  window.on('close', (event) => {
    remember();
    // Before the page is asked.
    const isClosing = !hidesOnClose();
    leaving.closing(isClosing);
    if (isClosing) return;
    event.preventDefault();
    window.hide();
  });
  webContents.loadURL(url).catch(host.onFailure);
  return window;
};
