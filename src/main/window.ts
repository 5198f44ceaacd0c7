import { fileURLToPath } from 'node:url';
import { BrowserWindow, dialog, screen, type WebPreferences } from 'electron';
import type { Settings, WindowBounds } from './settings.ts';

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
  webviewTag: false,
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

/** Electron asks nothing itself when a page has unsaved text: the window would just not close. */
const confirmLeave = (window: BrowserWindow): boolean =>
  dialog.showMessageBoxSync(window, {
    type: 'question',
    message: 'Close with unsaved changes?',
    detail: 'What you typed and did not save will be lost.',
    buttons: ['Stay', 'Close'],
    defaultId: 0,
    cancelId: 0,
  }) === 1;

/** Opens the window on the page at `url`; it shows itself once there is something to see. */
export const openWindow = (
  url: string,
  version: string,
  settings: Pick<Settings, 'windowBounds' | 'setWindowBounds'>,
): BrowserWindow => {
  const bounds = settings.windowBounds();
  const window = new BrowserWindow({
    ...DEFAULT_SIZE,
    ...(bounds && isOnAScreen(bounds) ? bounds : {}),
    ...MIN_SIZE,
    show: false,
    title: 'dot-mi',
    webPreferences: webPreferencesFor(version),
  });
  window.webContents.on('will-prevent-unload', (event) => {
    if (confirmLeave(window)) event.preventDefault();
  });
  window.once('ready-to-show', () => window.show());
  window.on('close', () => settings.setWindowBounds(window.getNormalBounds()));
  void window.loadURL(url);
  return window;
};
