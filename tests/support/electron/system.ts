import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { existsSync } from 'node:fs';
import type { MenuItemConstructorOptions } from 'electron';
import { orders, report, test } from './around.ts';
import type { SessionFacts } from './launch-options.ts';

interface MessageBox {
  message: string;
  detail?: string;
  buttons?: string[];
  checkboxLabel?: string;
}

const boxOf = (args: unknown[]): MessageBox => args.at(-1) as MessageBox;
const textsOf = ({ message, detail = '', buttons = [], checkboxLabel }: MessageBox) => ({
  message,
  detail,
  buttons: [...buttons, ...(checkboxLabel === undefined ? [] : [checkboxLabel])],
});

export const dialog = {
  async showMessageBox(...args: unknown[]) {
    report({ kind: 'dialog', ...textsOf(boxOf(args)) });
    return test.ask('message-box', textsOf(boxOf(args)));
  },
  /** Blocks the main process, and with it the API, until a person answers. */
  showMessageBoxSync(): never {
    throw new Error('a blocking dialog stops the API: use showMessageBox');
  },
  showErrorBox: (title: string, content: string) => {
    report({ kind: 'error-box', title, content });
    process.stderr.write(`${title}\n${content}\n`);
  },
  showOpenDialog: (options: unknown) => test.ask('open-dialog', options),
};

export const shell = {
  openExternal: async (target: string) => report({ kind: 'opened', target }),
  openPath: async (target: string) => {
    report({ kind: 'opened', target });
    return '';
  },
  showItemInFolder: (target: string) => report({ kind: 'opened', target }),
};

const keyOf = (secret: string) => createHash('sha256').update(secret).digest();

/** Real encryption, with the keychain's key from the launch options. */
export const safeStorage = {
  isAsyncEncryptionAvailable: async () => orders.keychain !== undefined,
  getSelectedStorageBackend: () => orders.keyring ?? 'gnome_libsecret',
  async encryptStringAsync(text: string): Promise<Buffer> {
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', keyOf(orders.keychain ?? ''), iv);
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  },
  async decryptStringAsync(sealed: Buffer) {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(orders.keychain ?? ''), sealed.subarray(0, 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const result = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString(
      'utf8',
    );
    return { result, shouldReEncrypt: false };
  },
};

type Item = MenuItemConstructorOptions;

const findItem = (items: readonly Item[], path: readonly string[]): Item | undefined => {
  const [label, ...rest] = path;
  const item = items.find((candidate) => candidate.label === label);
  return rest.length === 0 ? item : findItem((item?.submenu as Item[] | undefined) ?? [], rest);
};

export class Menu {
  static current: Menu | null = null;
  readonly template: Item[];

  constructor(template: Item[] = []) {
    this.template = template;
  }

  static buildFromTemplate(template: Item[]): Menu {
    return new Menu(template);
  }

  popup(): void {
    report({ kind: 'context-menu', items: this.template.map(({ role, type }) => role ?? type ?? '') });
  }

  static setApplicationMenu(menu: Menu | null): void {
    Menu.current = menu;
  }
}

const click = (menu: Menu | null | undefined, path: readonly string[]) => {
  const item = findItem(menu?.template ?? [], path);
  if (!item?.click) throw new Error(`no menu item ${path.join(' > ')}`);
  (item.click as () => void)();
};
test.on('menu', (...path: string[]) => click(Menu.current, path));

interface Image {
  isEmpty(): boolean;
}

export const nativeImage = {
  createFromPath: (path: string): Image => ({ isEmpty: () => !existsSync(path) }),
};

export class Tray extends EventEmitter {
  static current: Tray | undefined;
  menu: Menu | undefined;
  tip = '';

  constructor(image: Image) {
    super();
    Tray.current = this;
    report({ kind: 'tray', isThere: true, hasImage: !image.isEmpty() });
  }

  setToolTip(tip: string): void {
    this.tip = tip;
  }

  setContextMenu(menu: Menu): void {
    this.menu = menu;
  }

  destroy(): void {
    Tray.current = undefined;
    report({ kind: 'tray', isThere: false, hasImage: false });
  }
}
test.on('tray', (label: string) => click(Tray.current?.menu, [label]));
test.on('tray-click', () => Tray.current?.emit('click'));
test.on('tray-tip', () => Tray.current?.tip);

export const screen = {
  getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1080 } }],
};

export const powerMonitor = new EventEmitter();
test.on('power', (name: string) => powerMonitor.emit(name));

type RequestHandler = (contents: unknown, permission: string, callback: (allowed: boolean) => void) => void;

/** Electron allows what no handler denies. */
class Session {
  #request: RequestHandler = (_contents, _permission, callback) => callback(true);
  #check: (contents: unknown, permission: string) => boolean = () => true;
  #device: (details: unknown) => boolean = () => false;
  #spellChecker = true;

  setPermissionRequestHandler(handler: RequestHandler): void {
    this.#request = handler;
  }

  setPermissionCheckHandler(handler: typeof this.check): void {
    this.#check = handler;
  }

  get check() {
    return this.#check;
  }

  setDevicePermissionHandler(handler: (details: unknown) => boolean): void {
    this.#device = handler;
  }

  setSpellCheckerEnabled(enabled: boolean): void {
    this.#spellChecker = enabled;
  }

  async facts(permission: string): Promise<SessionFacts> {
    return {
      permissionRequest: await new Promise((resolve) => this.#request({}, permission, resolve)),
      permissionCheck: this.#check({}, permission),
      device: this.#device({}),
      spellChecker: this.#spellChecker,
    };
  }
}

export const session = { defaultSession: new Session() };
test.on('session', (permission: string) => session.defaultSession.facts(permission));

type IpcHandler = (event: unknown, ...args: unknown[]) => unknown;
const handlers = new Map<string, IpcHandler>();

export const ipcMain = Object.assign(new EventEmitter(), {
  handle: (channel: string, handler: IpcHandler) => void handlers.set(channel, handler),
});
test.on('invoke', (frame: { url: string; isTop: boolean }, channel: string, args: unknown[]) => {
  const handler = handlers.get(channel);
  if (!handler) throw new Error(`No handler registered for '${channel}'`);
  const senderFrame = { url: frame.url, parent: frame.isTop ? null : {} };
  return handler({ senderFrame }, ...args);
});
test.on('channels', () => [...handlers.keys()]);
