import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The names that a main process may import from Electron (`lib/browser/api/module-list.ts` in its source). */
const EXPORTS = [
  'app',
  'autoUpdater',
  'BaseWindow',
  'BrowserView',
  'BrowserWindow',
  'clipboard',
  'ClipboardItem',
  'contentTracing',
  'crashReporter',
  'desktopCapturer',
  'dialog',
  'globalShortcut',
  'ImageView',
  'inAppPurchase',
  'ipcMain',
  'Menu',
  'MenuItem',
  'MessageChannelMain',
  'nativeImage',
  'nativeTheme',
  'net',
  'netLog',
  'Notification',
  'powerMonitor',
  'powerSaveBlocker',
  'protocol',
  'pushNotifications',
  'safeStorage',
  'screen',
  'ServiceWorkerMain',
  'session',
  'sharedTexture',
  'ShareMenu',
  'shell',
  'systemPreferences',
  'TouchBar',
  'Tray',
  'utilityProcess',
  'View',
  'webContents',
  'WebContentsView',
  'webFrameMain',
];

/** Ends the program at its first call of Electron, and prints that call. */
const SOURCE = `
const untilCalled = (path) => new Proxy(function () {}, {
  get: (_target, key) => (typeof key === 'symbol' ? undefined : untilCalled(path + '.' + key)),
  apply: () => end(path),
  construct: () => end('new ' + path),
});
const end = (path) => {
  process.stdout.write('first call of Electron: ' + path);
  process.exit(0);
};
${EXPORTS.map((name) => `export const ${name} = untilCalled('${name}');`).join('\n')}
export default untilCalled('electron');
`;

/** Puts a module `electron` where programs under `directory` find it. */
export const putElectronStub = async (directory: string): Promise<void> => {
  const place = join(directory, 'node_modules', 'electron');
  await mkdir(place, { recursive: true });
  await writeFile(join(place, 'package.json'), JSON.stringify({ type: 'module', exports: './index.js' }));
  await writeFile(join(place, 'index.js'), SOURCE);
};
