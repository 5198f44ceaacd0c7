// Stand-ins for the parts of `electron` that the shell's unit tests use. Electron isn't ours, and its binary
// isn't everywhere. Each stand-in only records its calls.
import { EventEmitter } from 'node:events';

/** Everything that was passed to the operating system. */
export const opened: string[] = [];
export const shell = {
  /** The system's error instead of opening a web page. */
  fault: undefined as Error | undefined,
  openExternal: async (url: string): Promise<void> => {
    if (shell.fault) throw shell.fault;
    opened.push(url);
  },
  openPath: async (path: string): Promise<string> => {
    opened.push(path);
    return '';
  },
  showItemInFolder: (path: string): void => {
    opened.push(path);
  },
};

/** The handlers of IPC channels. */
export const handlers = new Map<string, (event: unknown, ...args: unknown[]) => unknown>();
export const ipcMain = {
  handle: (channel: string, handler: (event: unknown, ...args: unknown[]) => unknown): void => {
    handlers.set(channel, handler);
  },
};

/** The text of a message box. */
export interface Box {
  message: string;
  detail?: string;
}

/**
 * The button that a person presses in a question, and the texts so far. `answerTo` can answer by question.
 */
export const dialog = {
  answer: 0,
  said: [] as string[],
  details: [] as string[],
  answerTo: (_message: string): number | Promise<number> => dialog.answer,
  showMessageBox: async (...args: Box[]): Promise<{ response: number }> => {
    const { message, detail = '' } = args.at(-1) ?? { message: '' };
    dialog.said.push(message);
    dialog.details.push(detail);
    return { response: await dialog.answerTo(message) };
  },
  showErrorBox: (title: string, content: string): void => {
    dialog.said.push(`${title}: ${content}`);
  },
};

/** The program, what it told the system about itself, how often it was asked to quit, and its exit codes. */
export const app = Object.assign(new EventEmitter(), {
  quits: 0,
  quit: (): void => {
    app.quits += 1;
  },
  exits: [] as number[],
  exit: (code: number): void => {
    app.exits.push(code);
  },
  whenReady: async (): Promise<void> => undefined,
  name: 'dot-mi',
  isPackaged: false,
  paths: {} as Record<string, string>,
  /** The program that opens links, by scheme. */
  handlers: {} as Record<string, string>,
  claims: [] as unknown[][],
  loginItem: undefined as { openAtLogin: boolean; path?: string; args?: string[] } | undefined,
  getPath: (name: string): string => app.paths[name] ?? `/nowhere/${name}`,
  getVersion: (): string => '0.1.0',
  getApplicationNameForProtocol: (url: string): string => app.handlers[url.replace('://', '')] ?? '',
  setAsDefaultProtocolClient: (...claim: unknown[]): boolean => app.claims.push(claim) > 0,
  wasOpenedAtLogin: false,
  /**
   * As on Windows, the answer is about exactly the kept line. Only macOS says how the program was started.
   */
  getLoginItemSettings: (asked: { path?: string; args?: string[] } = {}) => ({
    openAtLogin:
      app.loginItem?.openAtLogin === true &&
      app.loginItem.path === asked.path &&
      app.loginItem.args?.join() === asked.args?.join(),
    wasOpenedAtLogin: app.wasOpenedAtLogin,
  }),
  setLoginItemSettings: (item: { openAtLogin: boolean; path?: string; args?: string[] }): void => {
    app.loginItem = item;
  },
});

/** A keychain that marks what it sealed. `prefix` is Chromium's; `isRotated` means that it has a new key. */
export const safeStorage = {
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

/** The menus that opened in a window: their items and position. */
export const Menu = {
  popups: [] as { items: unknown; x: number; y: number }[],
  buildFromTemplate: (items: unknown) => ({
    popup: ({ x, y }: { x: number; y: number }) => {
      Menu.popups.push({ items, x, y });
    },
  }),
  setApplicationMenu: () => undefined,
};

/** Two screens side by side. */
export const screen = {
  getAllDisplays: () => [
    { workArea: { x: 0, y: 0, width: 1920, height: 1080 } },
    { workArea: { x: 1920, y: 0, width: 1280, height: 1024 } },
  ],
};

/** Every window that was created, with its options. */
export class BrowserWindow extends EventEmitter {
  static made: BrowserWindow[] = [];
  readonly options: Record<string, unknown>;
  readonly webContents = Object.assign(new EventEmitter(), {
    /** The requests to the page, in order. */
    asked: [] as string[],
    loadURL: async (url: string): Promise<void> => {
      this.url = url;
    },
    reload: () => {
      this.webContents.asked.push('reload');
    },
    forcefullyCrashRenderer: () => {
      this.webContents.asked.push('end');
    },
    isCrashed: () => this.webContents.crashed,
    crashed: false,
    zoomLevel: 0,
    getURL: () => this.url,
    getZoomLevel: () => this.webContents.zoomLevel,
    setZoomLevel: (level: number) => {
      this.webContents.zoomLevel = level;
    },
  });
  shown = false;
  closes = 0;
  maximized = false;
  url = '';

  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    BrowserWindow.made.push(this);
  }

  show(): void {
    this.shown = true;
  }

  hide(): void {
    this.shown = false;
  }

  close(): void {
    this.closes += 1;
  }

  focus(): void {}

  maximize(): void {
    this.maximized = true;
  }

  isMaximized(): boolean {
    return this.maximized;
  }

  isMinimized(): boolean {
    return false;
  }

  isDestroyed(): boolean {
    return false;
  }

  getNormalBounds(): { x: number; y: number; width: number; height: number } {
    return { x: 1, y: 2, width: 900, height: 700 };
  }
}
