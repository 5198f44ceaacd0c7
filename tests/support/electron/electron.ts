// The double of `electron`: the parts that the shell uses, with pages in a real Chromium at the other end of
// the wire (page/). It knows nothing of our shell. Missing parts throw, like a missing import or function.
import type * as Electron from 'electron';
import { app } from './app.ts';
import { dialog } from './dialogs.ts';
import { Menu, nativeImage, Tray } from './menus.ts';
import { Notification } from './notifications.ts';
import {
  clipboard,
  ipcMain,
  nativeTheme,
  powerMonitor,
  safeStorage,
  screen,
  session,
  shell,
} from './system.ts';
import { utilityProcess } from './utility-process.ts';
import { BaseWindow, BrowserWindow, onContentsMade } from './window.ts';

onContentsMade((contents) => app.emit('web-contents-created', {}, contents));

type WindowParts =
  | 'id'
  | 'show'
  | 'hide'
  | 'focus'
  | 'minimize'
  | 'restore'
  | 'maximize'
  | 'isMinimized'
  | 'isMaximized'
  | 'isVisible'
  | 'isFocused'
  | 'flashFrame'
  | 'isDestroyed'
  | 'getNormalBounds'
  | 'setMenu'
  | 'close'
  | 'destroy';

type ContentsParts =
  | 'setWindowOpenHandler'
  | 'loadURL'
  | 'getURL'
  | 'reload'
  | 'isCrashed'
  | 'forcefullyCrashRenderer'
  | 'send'
  | 'getZoomLevel'
  | 'setZoomLevel';

/** What the double promises, in Electron's own types. */
interface Parts {
  app: Pick<
    Electron.App,
    | 'name'
    | 'isPackaged'
    | 'isReady'
    | 'whenReady'
    | 'getVersion'
    | 'setBadgeCount'
    | 'enableSandbox'
    | 'requestSingleInstanceLock'
    | 'releaseSingleInstanceLock'
    | 'relaunch'
    | 'getApplicationNameForProtocol'
    | 'setAsDefaultProtocolClient'
    | 'getLoginItemSettings'
    | 'setLoginItemSettings'
    | 'quit'
    | 'setAboutPanelOptions'
    | 'exit'
  > & {
    commandLine: Pick<Electron.CommandLine, 'hasSwitch' | 'removeSwitch'>;
    getPath(name: Parameters<Electron.App['getPath']>[0]): string;
  };
  clipboard: Pick<Electron.Clipboard, 'writeText'>;
  dialog: Pick<
    Electron.Dialog,
    | 'showMessageBox'
    | 'showMessageBoxSync'
    | 'showOpenDialog'
    | 'showOpenDialogSync'
    | 'showSaveDialogSync'
    | 'showErrorBox'
  >;
  shell: Pick<Electron.Shell, 'openExternal' | 'openPath' | 'showItemInFolder'>;
  safeStorage: Pick<
    Electron.SafeStorage,
    'isAsyncEncryptionAvailable' | 'getSelectedStorageBackend' | 'encryptStringAsync' | 'decryptStringAsync'
  >;
  screen: Pick<Electron.Screen, 'getAllDisplays'>;
  nativeTheme: Pick<Electron.NativeTheme, 'shouldUseDarkColors' | 'themeSource'>;
  nativeImage: { createFromPath(path: string): Pick<Electron.NativeImage, 'isEmpty'> };
  Notification: {
    new (options?: Electron.NotificationConstructorOptions): Pick<Electron.Notification, 'show' | 'close'>;
  } & Pick<typeof Electron.Notification, 'isSupported'>;
  BaseWindow: new (options?: Electron.BaseWindowConstructorOptions) => Pick<Electron.BaseWindow, WindowParts>;
  BrowserWindow: new (
    options?: Electron.BrowserWindowConstructorOptions,
  ) => Pick<Electron.BrowserWindow, WindowParts> & {
    webContents: Pick<Electron.WebContents, ContentsParts>;
  };
  Menu: {
    buildFromTemplate(template: Electron.MenuItemConstructorOptions[]): {
      popup(options?: Electron.PopupOptions): void;
    };
  };
  ipcMain: Pick<Electron.IpcMain, 'handle'>;
  utilityProcess: {
    fork(
      ...args: Parameters<typeof Electron.utilityProcess.fork>
    ): Pick<Electron.UtilityProcess, 'stdout' | 'stderr' | 'pid' | 'postMessage'>;
  };
}

/** As `import electron from 'electron'` sees it. */
const electron = {
  app,
  BaseWindow,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
} satisfies Parts & Record<string, unknown>;

export {
  app,
  BaseWindow,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  Menu,
  Notification,
  nativeImage,
  nativeTheme,
  powerMonitor,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
  utilityProcess,
};
export default electron;
