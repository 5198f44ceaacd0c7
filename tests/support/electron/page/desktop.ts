import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import type { OpenDialogOptions } from 'electron';
import { COMPILE_CACHE } from '../../compile-cache.ts';
import { NO_OUTSIDE } from '../../no-outside.ts';
import {
  LAUNCH_OPTIONS_VARIABLE,
  type LaunchOptions,
  type MadeWindow,
  type RecordedCall,
  type SessionFacts,
} from '../launch-options.ts';
import { createPeer, type Peer } from '../wire.ts';
import { type ShownWindow, showWindow } from './shown-window.ts';

const MAIN = fileURLToPath(new URL('../../../../out/main/index.cjs', import.meta.url));
/** Programs of the desktop, such as the one that knows about trays. */
const DESKTOP_PROGRAMS = fileURLToPath(new URL('../bin', import.meta.url));
const REGISTER = fileURLToPath(new URL('../register.ts', import.meta.url));

/** How to start the shell. */
export interface Launch {
  /** The data directory, which contains the user-data folder. */
  directory: string;
  environment?: Readonly<Record<string, string>>;
  launchOptions?: Partial<LaunchOptions>;
  argv?: readonly string[];
  uid?: number;
}

/** A person's answer in a message box. */
export interface BoxAnswer {
  response: number;
  checkboxChecked: boolean;
}

/** Gives a person's answer once they are asked. */
export type Answerer = () => Promise<BoxAnswer>;

/** The built shell, running on the double. */
export interface Desktop {
  readonly userData: string;
  /** All calls outside the windows. */
  readonly recordedCalls: RecordedCall[];
  /** The targets that were opened outside the program. */
  opened(): string[];
  /** The messages of dialogs so far. */
  said(): string[];
  /** The smaller texts of dialogs so far. */
  details(): string[];
  /** Waits for the first window, and for its page to start. */
  window(): Promise<ShownWindow>;
  /** Waits for the first window's page. */
  page(): Promise<Page>;
  /** The state of a window, by its number. */
  state(id?: number): Record<string, boolean>;
  /** Answers the next message boxes in order, and then repeats the last answer. */
  answer(...answers: (BoxAnswer | Answerer)[]): void;
  /** The directory to choose in the next chooser; null cancels it. A promise keeps it open. */
  choose(directory: string | null | Promise<string | null>): void;
  /** What the session allows a page at `url`. */
  session(permission: string, url?: string): Promise<SessionFacts>;
  shell: Peer;
  stderr(): string;
  exited: Promise<number | null>;
  /** Quits as a person would, and waits for the end. */
  quit(): Promise<number | null>;
  kill(): Promise<void>;
  /** Sends a signal, as a system or a terminal does. */
  signal(name: 'SIGTERM' | 'SIGINT'): void;
}

const spawnShell = (
  { directory, environment, launchOptions, argv = [], uid }: Launch,
  userData: string,
): ChildProcess =>
  spawn(process.execPath, ['--import', REGISTER, MAIN, ...argv], {
    cwd: directory,
    env: {
      PATH: [DESKTOP_PROGRAMS, process.env.PATH].join(delimiter),
      DOUBLE_HAS_TRAY: String(launchOptions?.tray === undefined),
      HOME: directory,
      PORT: '0',
      ...COMPILE_CACHE,
      ...NO_OUTSIDE,
      ...environment,
      [LAUNCH_OPTIONS_VARIABLE]: JSON.stringify({
        userData,
        appData: join(directory, 'config'),
        ...launchOptions,
      }),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    serialization: 'advanced',
    ...(uid === undefined ? {} : { uid }),
  });

/** Starts the built shell on the double, with pages in `browser`. Calls `onPage` before each page loads. */
export const startDesktop = async (
  browser: Browser,
  launch: Launch,
  onPage: (page: Page) => void = () => undefined,
): Promise<Desktop> => {
  const userData = launch.launchOptions?.userData ?? join(launch.directory, 'user-data');
  if (launch.uid === undefined) await mkdir(userData, { recursive: true });
  const child = spawnShell(launch, userData);
  const shell = createPeer(
    (message) => child.connected && child.send(message),
    (hear) => child.on('message', hear),
  );
  const recordedCalls: RecordedCall[] = [];
  const states = new Map<number, Record<string, boolean>>();
  const windows = new Map<number, Promise<ShownWindow>>();
  const contexts: BrowserContext[] = [];
  const first = Promise.withResolvers<ShownWindow>();
  first.promise.catch(() => undefined);
  let err = '';
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  // Nobody reads it, and a full pipe would stop the shell.
  child.stdout?.resume();
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve)).then(async (code) => {
    first.reject(new Error(`the shell ended with ${code}: ${err}`));
    await Promise.all(contexts.map((context) => context.close().catch(() => undefined)));
    return code;
  });

  // One context, because the storage of the default session outlives a window.
  let context: Promise<BrowserContext> | undefined;
  const openContext = async () => {
    const opened = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    contexts.push(opened);
    return opened;
  };
  shell.on('recorded-call', (call: RecordedCall) => void recordedCalls.push(call));
  shell.on('state', (id: number, state: Record<string, boolean>) => void states.set(id, state));
  shell.on('window', (made: MadeWindow) => {
    context ??= openContext();
    const shown = context.then((opened) => showWindow(opened, made, shell, onPage));
    windows.set(made.id, shown);
    shown.catch(first.reject);
  });
  const windowOf = async (id: number) => {
    const shown = await windows.get(id);
    if (!shown) throw new Error(`no window ${id}`);
    return shown;
  };
  shell.on('load', async (id: number, url: string) => {
    const shown = await windowOf(id);
    await shown.load(url);
    first.resolve(shown);
  });
  shell.on('crash', async (id: number) => (await windowOf(id)).crash());
  shell.on('reload', async (id: number) => (await windowOf(id)).reload());
  shell.on('send', async (id: number, channel: string, args: unknown[]) =>
    (await windowOf(id)).send(channel, args),
  );
  shell.on('close', async (id: number) => (await windowOf(id)).close());
  let answers: (BoxAnswer | Answerer)[] = [];
  shell.on('message-box', () => {
    const [next = { response: 0, checkboxChecked: false }, ...rest] = answers;
    if (rest.length > 0) answers = rest;
    return typeof next === 'function' ? next() : next;
  });
  let next: string | null | Promise<string | null> = null;
  shell.on('open-dialog', async (options: OpenDialogOptions) => {
    recordedCalls.push({ kind: 'chooser', options });
    const chosen = await next;
    return { canceled: chosen === null, filePaths: chosen === null ? [] : [chosen] };
  });

  return {
    userData,
    recordedCalls,
    opened: () => recordedCalls.flatMap((call) => (call.kind === 'opened' ? [call.target] : [])),
    said: () => recordedCalls.flatMap((call) => (call.kind === 'dialog' ? [call.message] : [])),
    details: () => recordedCalls.flatMap((call) => (call.kind === 'dialog' ? [call.detail] : [])),
    window: () => first.promise,
    page: async () => (await first.promise).page(),
    state: (id = 1) => states.get(id) ?? {},
    answer: (...next) => {
      answers = next;
    },
    choose: (directory) => {
      next = directory;
    },
    session: async (permission, url = 'http://127.0.0.1:1/') =>
      (await shell.ask('session', permission, url)) as SessionFacts,
    shell,
    stderr: () => err,
    exited,
    quit: async () => {
      shell.tell('quit');
      return exited;
    },
    signal: (name) => void child.kill(name),
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
};
