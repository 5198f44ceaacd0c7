import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, renameSync, rmSync, unlinkSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LoginItemSettings, RelaunchOptions } from 'electron';
import { isShellProcess, launchOptions, preventable, report, test } from './around.ts';
import { appIsReady, becomeReady, needsUnready, whenReady } from './ready.ts';
import { allWindows, onLastWindowClosed } from './window.ts';

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The name of a file with the data of another launch, which removes it once it was heard. */
const HANDED_OVER = 'second-';
const LOOK_AGAIN_MS = 5;

/** Passes data to the program with the lock. False if that program ends before it hears it. */
const passOn = (holder: number, data: Record<string, unknown>): boolean => {
  if (!isAlive(holder)) return false;
  const path = join(launchOptions.userData, `${HANDED_OVER}${process.pid}`);
  const draft = join(launchOptions.userData, `draft-${process.pid}`);
  writeFileSync(draft, JSON.stringify(data));
  renameSync(draft, path);
  const clock = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  while (existsSync(path)) {
    if (!isAlive(holder)) {
      rmSync(path, { force: true });
      return false;
    }
    Atomics.wait(clock, 0, 0, LOOK_AGAIN_MS);
  }
  return true;
};

const readyAllowed = Promise.withResolvers<void>();
test.on('ready', () => readyAllowed.resolve());

/** The program that the system starts at login. */
interface LoginItem {
  path?: string;
  args?: string[];
}

const loginItemFile = join(launchOptions.userData, 'double-login-item.json');

/** Chromium's switches on the command line, where `--` ends them. It lets a debugger in when it becomes ready. */
const DEBUGGING = ['remote-debugging-port', 'remote-debugging-pipe'];
const end = process.argv.indexOf('--');
const switches = new Set(
  process.argv
    .slice(0, end === -1 ? undefined : end)
    .flatMap((argument) => /^--([^=]+)/.exec(argument)?.[1] ?? []),
);

/**
 * Chromium quits at the first signal, and the second one ends the process. Handlers that the program adds once Chromium
 * is ready replace these.
 */
const followSignals = (): void => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => {
      if (process.listenerCount(signal) === 0) app.quit();
    });
};

/** The parts of `app` that the shell uses. */
class App extends EventEmitter {
  readonly name = 'dot-mi';
  readonly isPackaged = launchOptions.isPackaged ?? false;
  readonly commandLine = {
    hasSwitch: (name: string): boolean => switches.has(name),
    removeSwitch: (name: string): void => void switches.delete(name),
  };
  #isStarting = false;
  #isQuitting = false;

  isReady(): boolean {
    return appIsReady();
  }

  whenReady(): Promise<void> {
    void this.#start();
    return whenReady();
  }

  async #start(): Promise<void> {
    if (this.#isStarting || !isShellProcess) return;
    this.#isStarting = true;
    if (launchOptions.isReadyLater) await readyAllowed.promise;
    else await new Promise(setImmediate);
    followSignals();
    for (const name of DEBUGGING) if (this.commandLine.hasSwitch(name)) report({ kind: 'debugging', name });
    becomeReady();
    report({ kind: 'ready' });
    this.emit('ready');
  }

  getPath(name: string): string {
    const paths: Record<string, string> = {
      home: join(launchOptions.appData, '..'),
      userData: launchOptions.userData,
      appData: launchOptions.appData,
      exe: '/opt/dot-mi/dot-mi',
    };
    const path = paths[name];
    if (path === undefined) throw new Error(`Failed to get '${name}' path`);
    return path;
  }

  getVersion(): string {
    return '0.1.0';
  }

  setAboutPanelOptions(): void {}

  enableSandbox(): void {
    needsUnready('app.enableSandbox() can only be called before app is ready');
  }

  /**
   * Like Chromium, takes a lock in the user-data folder, or passes the data to the program that has it and waits
   * until that has heard it. False then, and if the lock can't be created.
   */
  requestSingleInstanceLock(handedOver: Record<string, unknown> = {}): boolean {
    const lock = join(launchOptions.userData, 'SingletonLock');
    try {
      if (passOn(Number(readFileSync(lock, 'utf8')), handedOver)) return false;
      rmSync(lock);
    } catch {
      // There is no lock.
    }
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
    } catch (error) {
      // Another launch was faster.
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      if (isTaken) passOn(Number(readFileSync(lock, 'utf8')), handedOver);
      return false;
    }
    process.on('exit', () => this.releaseSingleInstanceLock());
    const hear = (name: string | null) => {
      if (!name?.startsWith(HANDED_OVER)) return;
      const path = join(launchOptions.userData, name);
      try {
        const data = JSON.parse(readFileSync(path, 'utf8'));
        // Chromium may reorder and extend the command line, but passes the launch's data unchanged.
        this.emit('second-instance', {}, ['dot-mi', '--allow-file-access-from-files'], '', data);
        unlinkSync(path);
      } catch {
        // Removing the file is a change too.
      }
    };
    watch(launchOptions.userData, (_type, name) => hear(name)).unref();
    return true;
  }

  releaseSingleInstanceLock(): void {
    try {
      unlinkSync(join(launchOptions.userData, 'SingletonLock'));
    } catch {
      // The folder became read-only. The next start sees that the process is gone.
    }
  }

  /** Only recorded. Electron starts the program after the end of this process. */
  relaunch({ execPath = '', args = [] }: RelaunchOptions = {}): void {
    report({ kind: 'relaunch', execPath, args });
  }

  getApplicationNameForProtocol(): string {
    return '';
  }

  setAsDefaultProtocolClient(scheme: string): boolean {
    report({ kind: 'protocol', scheme });
    return true;
  }

  /** As on Windows, the answer is about exactly the line that the system kept. */
  getLoginItemSettings({ path, args }: LoginItem = {}): LoginItemSettings {
    const kept = existsSync(loginItemFile) ? readFileSync(loginItemFile, 'utf8') : '';
    const openAtLogin = kept === JSON.stringify({ path, args });
    return {
      openAtLogin,
      wasOpenedAtLogin: false,
      status: openAtLogin ? 'enabled' : 'not-registered',
      executableWillLaunchAtLogin: openAtLogin,
      launchItems: [],
    };
  }

  setLoginItemSettings({ openAtLogin, path, args }: LoginItem & { openAtLogin?: boolean }): void {
    if (openAtLogin) writeFileSync(loginItemFile, JSON.stringify({ path, args }));
    else rmSync(loginItemFile, { force: true });
  }

  /** As documented: before-quit, every window closes or keeps the program running, will-quit, quit. */
  badge = 0;

  setBadgeCount(count = 0): boolean {
    this.badge = count;
    return true;
  }

  quit(): void {
    if (this.#isQuitting) return;
    this.#isQuitting = true;
    void this.#quit();
  }

  async #quit(): Promise<void> {
    const before = preventable();
    this.emit('before-quit', before);
    const isClosed = !before.isPrevented() && (await this.#closeAll());
    const will = preventable();
    if (isClosed) this.emit('will-quit', will);
    if (isClosed && !will.isPrevented()) this.exit(0);
    // Electron ignores another quit until the promises that settle in its handlers have run.
    await new Promise((resolve) => process.nextTick(resolve));
    this.#isQuitting = false;
  }

  async #closeAll(): Promise<boolean> {
    for (const window of allWindows()) {
      if (!(await window.closeNow())) return false;
    }
    return true;
  }

  exit(code = 0): void {
    this.emit('quit', {}, code);
    process.exit(code);
  }

  closed(): void {
    if (this.#isQuitting) return;
    if (this.listenerCount('window-all-closed') === 0) this.quit();
    else this.emit('window-all-closed');
  }
}

export const app = new App();
onLastWindowClosed(() => app.closed());

test.on('app', (name: string, ...args: unknown[]) => {
  const event = preventable();
  app.emit(name, event, ...args);
  return event.isPrevented();
});
test.on('quit', () => app.quit());
// A fault in a callback from the system, outside of any answer.
test.on('throw', (message: string) => {
  setImmediate(() => {
    throw new Error(message);
  });
});
