// The double of Electron for tests that import parts of the shell. The rules are those of electron/, which also runs the
// built shell. Here the other end is this file: it records the calls, and a test gives a person's answers.
import type { BrowserWindowConstructorOptions } from 'electron';
import { app as electronApp } from './electron/app.ts';
import { inProcess } from './electron/around.ts';
import { dialog as electronDialog } from './electron/dialogs.ts';
import type { RecordedCall } from './electron/launch-options.ts';
import { Menu as ElectronMenu } from './electron/menus.ts';
import { becomeReady, becomeUnready, whenReady } from './electron/ready.ts';
import {
  type ipcMain as electronIpcMain,
  safeStorage as electronSafeStorage,
  screen as electronScreen,
  shell as electronShell,
} from './electron/system.ts';
import { BrowserWindow as ElectronWindow, type WebContents } from './electron/window.ts';

export { nativeImage, Tray } from './electron/menus.ts';
export { Notification } from './electron/notifications.ts';
export { becomeReady, becomeUnready } from './electron/ready.ts';
export { clipboard, nativeTheme, powerMonitor, session } from './electron/system.ts';
export { utilityProcess } from './electron/utility-process.ts';
export { BaseWindow } from './electron/window.ts';

becomeReady();

/** Everything that was passed to the operating system. */
export const opened: string[] = [];
/** The texts that were copied. */
export const copied: string[] = [];
/** The notifications that were shown, and those that the program removed. */
export const notified: Extract<RecordedCall, { kind: 'notification' | 'notification-closed' }>[] = [];
inProcess.on('recorded-call', (call: RecordedCall) => {
  if (call.kind === 'opened') opened.push(call.target);
  if (call.kind === 'copied') copied.push(call.text);
  if (call.kind === 'notification' || call.kind === 'notification-closed') notified.push(call);
});

export const shell = {
  ...electronShell,
  /** The system's error instead of opening a web page. */
  fault: undefined as Error | undefined,
  openExternal: async (url: string): Promise<void> => {
    if (shell.fault) throw shell.fault;
    return electronShell.openExternal(url);
  },
};

/** The handlers of IPC channels. */
export const handlers = new Map<string, (event: unknown, ...args: unknown[]) => unknown>();
export const ipcMain = {
  handle: (channel: string, handler: Parameters<typeof electronIpcMain.handle>[1]): void => {
    handlers.set(channel, handler as (event: unknown, ...args: unknown[]) => unknown);
  },
};

/**
 * The button that a person presses in a question, and the texts so far. `answerTo` can answer by question.
 * `chosen` is the folder that a person chooses; null cancels.
 */
export const dialog = Object.assign(electronDialog, {
  answer: 0,
  said: [] as string[],
  details: [] as string[],
  answerTo: (_message: string): number | Promise<number> => dialog.answer,
  chosen: null as string | null,
  /** The options of the last folder chooser. */
  chooser: {} as Record<string, unknown>,
});
inProcess.on('message-box', async ({ message, detail }: { message: string; detail: string }) => {
  dialog.said.push(message);
  dialog.details.push(detail);
  return { response: await dialog.answerTo(message), checkboxChecked: false };
});
inProcess.on('open-dialog', (options: Record<string, unknown>) => {
  dialog.chooser = options;
  return { canceled: dialog.chosen === null, filePaths: dialog.chosen === null ? [] : [dialog.chosen] };
});

/** The program, what it said to the system about itself, how often it was asked to quit, and its exit codes. */
export const app = Object.assign(electronApp, {
  quits: 0,
  quit: (): void => {
    app.quits += 1;
  },
  exits: [] as number[],
  exit: (code = 0): void => {
    app.exits.push(code);
  },
  whenReady,
  /** Before and after Chromium is ready. */
  becomeReady,
  becomeUnready,
  isPackaged: false as boolean,
  paths: {} as Record<string, string>,
  /** The program that opens links, by scheme. */
  handlers: {} as Record<string, string>,
  claims: [] as unknown[][],
  loginItem: undefined as { openAtLogin: boolean; path?: string; args?: string[] } | undefined,
  getPath: (name: string): string => app.paths[name] ?? `/nowhere/${name}`,
  getApplicationNameForProtocol: (url = ''): string => app.handlers[url.replace('://', '')] ?? '',
  setAsDefaultProtocolClient: (...claim: unknown[]): boolean => app.claims.push(claim) > 0,
  wasOpenedAtLogin: false,
  /** Whether the system does what it is asked: macOS may wait for the person, who may also turn it off on Windows. */
  keepsLoginItem: true,
  isTurnedOff: false,
  /**
   * As on Windows, the answer is about exactly the kept line. Only macOS says how the program was started.
   */
  getLoginItemSettings: (asked: { path?: string; args?: string[] } = {}) => {
    const openAtLogin =
      app.loginItem?.openAtLogin === true &&
      app.loginItem.path === asked.path &&
      app.loginItem.args?.join() === asked.args?.join();
    return {
      openAtLogin,
      wasOpenedAtLogin: app.wasOpenedAtLogin,
      status: openAtLogin ? ('enabled' as const) : ('not-registered' as const),
      executableWillLaunchAtLogin: openAtLogin && !app.isTurnedOff,
      launchItems: [],
    };
  },
  setLoginItemSettings: (item: { openAtLogin?: boolean; path?: string; args?: string[] }): void => {
    if (!app.keepsLoginItem) return;
    app.loginItem = { openAtLogin: false, ...item };
  },
});

/** A keychain that marks what it sealed. `prefix` is Chromium's; `isRotated` means that it has a new key. */
export const safeStorage = {
  ...electronSafeStorage,
  isAvailable: true,
  backend: 'gnome_libsecret',
  prefix: 'v11',
  isRotated: false,
  isAsyncEncryptionAvailable: async (): Promise<boolean> => safeStorage.isAvailable,
  getSelectedStorageBackend: (): string => safeStorage.backend,
  encryptStringAsync: async (text: string): Promise<Buffer> =>
    Buffer.from(`${safeStorage.prefix}${Buffer.from(text).toString('base64')}`),
  decryptStringAsync: async (sealed: Buffer): Promise<{ result: string; shouldReEncrypt: boolean }> => ({
    result: Buffer.from(sealed.subarray(3).toString(), 'base64').toString(),
    shouldReEncrypt: safeStorage.isRotated,
  }),
};

/** A popup that opened in a window: its items and position. */
interface Popup {
  items: unknown;
  x: number;
  y: number;
}

/** The menus that opened in a window. */
export const Menu = Object.assign(ElectronMenu, { popups: [] as Popup[] });
inProcess.on('popup', (popup: Popup) => void Menu.popups.push(popup));

/** Two screens side by side. */
export const screen = {
  getAllDisplays: () => [
    ...electronScreen.getAllDisplays(),
    { workArea: { x: 1920, y: 0, width: 1280, height: 1024 } },
  ],
};

/** The requests to a window's page, in order. */
type Asked = WebContents & { asked: string[]; crashed: boolean };

/** Every window that was created, with its options. Its page isn't there; a test speaks for it. */
export class BrowserWindow extends ElectronWindow {
  static made: BrowserWindow[] = [];
  declare readonly webContents: Asked;
  readonly options: BrowserWindowConstructorOptions;
  closes = 0;
  /** Whether the page has unsaved text, which it asks about before it closes. */
  isUnsaved = false;

  constructor(options: BrowserWindowConstructorOptions = {}) {
    super(options);
    this.options = options;
    Object.assign(this.webContents, {
      asked: [],
      crashed: false,
      isCrashed: () => this.webContents.crashed,
    });
    BrowserWindow.made.push(this);
  }

  get shown(): boolean {
    return this.isVisible();
  }

  get maximized(): boolean {
    return this.isMaximized();
  }

  get url(): string {
    return this.webContents.getURL();
  }

  override close(): void {
    this.closes += 1;
    super.close();
  }
}

const madeWindow = (id: number) => BrowserWindow.made.find((window) => window.id === id);
inProcess.on('reload', (id: number) => madeWindow(id)?.webContents.asked.push('reload'));
inProcess.on('crash', (id: number) => madeWindow(id)?.webContents.asked.push('end'));
inProcess.on('close', async (id: number) => {
  const window = madeWindow(id);
  if (!window?.isUnsaved) return true;
  return inProcess.ask('ask', id, 'will-prevent-unload', {});
});
