import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Display, IpcMain, IpcMainInvokeEvent } from 'electron';
import { launchOptions, report, test } from './around.ts';
import type { SessionFacts } from './launch-options.ts';
import { needsReady } from './ready.ts';
import { contentsOf } from './window.ts';

export const shell = {
  openExternal: async (target: string) => report({ kind: 'opened', target }),
  openPath: async (target: string) => {
    if (launchOptions.openProblem !== undefined) return launchOptions.openProblem;
    report({ kind: 'opened', target });
    return '';
  },
  showItemInFolder: (target: string) => report({ kind: 'opened', target }),
};

export const clipboard = {
  writeText: async (text: string) => report({ kind: 'copied', text }),
};

const keyOf = (secret: string) => createHash('sha256').update(secret).digest();

const needsKeychain = () => needsReady('safeStorage cannot be used before app is ready');

/** Real encryption, with the keychain's key from the launch options. */
export const safeStorage = {
  async isAsyncEncryptionAvailable() {
    needsKeychain();
    return launchOptions.keychain !== undefined;
  },
  getSelectedStorageBackend: () => launchOptions.keyring ?? 'gnome_libsecret',
  async encryptStringAsync(text: string): Promise<Buffer> {
    needsKeychain();
    const iv = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', keyOf(launchOptions.keychain ?? ''), iv);
    return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  },
  async decryptStringAsync(sealed: Buffer) {
    needsKeychain();
    if (launchOptions.isKeychainLocked)
      throw new Error('safeStorage.decryptStringAsync is temporarily unavailable. Please try again.');
    const decipher = createDecipheriv(
      'aes-256-gcm',
      keyOf(launchOptions.keychain ?? ''),
      sealed.subarray(0, 12),
    );
    decipher.setAuthTag(sealed.subarray(-16));
    const result = Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]).toString(
      'utf8',
    );
    return { result, shouldReEncrypt: false };
  },
};

const WORK_AREAS = [{ x: 0, y: 0, width: 1920, height: 1080 }];

export const screen = {
  getAllDisplays(): Display[] {
    needsReady("The 'screen' module can't be used before the app 'ready' event");
    return WORK_AREAS.map((workArea) => ({ workArea }) as Display);
  },
};

/** The system's theme is light. */
class NativeTheme extends EventEmitter {
  themeSource: 'system' | 'light' | 'dark' = 'system';

  get shouldUseDarkColors(): boolean {
    return this.themeSource === 'dark';
  }
}
export const nativeTheme = new NativeTheme();

export const powerMonitor = new EventEmitter();
powerMonitor.on('newListener', () => needsReady('powerMonitor cannot be used before app is ready'));
test.on('power', (name: string) => powerMonitor.emit(name));

type RequestHandler = (
  contents: unknown,
  permission: string,
  callback: (allowed: boolean) => void,
  details: { requestingUrl: string },
) => void;

/** Electron allows what no handler denies. */
class Session {
  #request: RequestHandler = (_contents, _permission, callback) => callback(true);
  #check: (contents: unknown, permission: string, requestingOrigin: string) => boolean = () => true;
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

  async facts(permission: string, url: string): Promise<SessionFacts> {
    return {
      permissionRequest: await new Promise((resolve) =>
        this.#request({}, permission, resolve, { requestingUrl: url }),
      ),
      // Electron's own types say that the origin may end with a slash.
      permissionCheck: this.#check({}, permission, `${URL.parse(url)?.origin}/`),
      device: this.#device({}),
      spellChecker: this.#spellChecker,
    };
  }
}

const defaultSession = new Session();

export const session = {
  get defaultSession() {
    needsReady('Session can only be received when app is ready');
    return defaultSession;
  },
};
test.on('session', (permission: string, url: string) => defaultSession.facts(permission, url));

type IpcHandler = Parameters<IpcMain['handle']>[1];
const handlers = new Map<string, IpcHandler>();

export const ipcMain = Object.assign(new EventEmitter(), {
  handle: (channel: string, handler: IpcHandler) => void handlers.set(channel, handler),
});
test.on('invoke', (id: number, frame: { url: string; isTop: boolean }, channel: string, args: unknown[]) => {
  const handler = handlers.get(channel);
  if (!handler) throw new Error(`No handler registered for '${channel}'`);
  const senderFrame = { url: frame.url, parent: frame.isTop ? null : {} };
  return handler({ sender: contentsOf(id), senderFrame } as object as IpcMainInvokeEvent, ...args);
});
test.on('channels', () => [...handlers.keys()]);
