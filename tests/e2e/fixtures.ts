import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test as base, expect, type Page } from '@playwright/test';
import { COMPILE_CACHE } from '../support/compile-cache.ts';
import { NO_OUTSIDE } from '../support/no-outside.ts';
import { PATH_WITHOUT_PI } from '../support/pi-program.ts';
import { plant, SMALL_ROOT, type Tree } from '../support/plant.ts';
import { attachLog } from './attach-log.ts';

export { expect };

const HEADLESS = fileURLToPath(new URL('../../out/main/headless.cjs', import.meta.url));

/** The built server, as `npm start` runs it where no window can open. */
export interface Served {
  /** Without a slash at the end. */
  url: string;
  /** The list of agents with the page's token, at 127.0.0.1: Node can't resolve the printed name everywhere. */
  pageUrl: string;
  /** The same for another path of the page. */
  pageAt(path: string): string;
  /** The same as it was printed for a person. Its host name is another one at each start. */
  printedUrl: string;
  /** The origin of the page that stays the same. */
  steadyOrigin: string;
  root: string;
  /** Where its data is, and where relative paths count from. */
  directory: string;
  /** A path below the agents of the root. */
  agent(path: string): string;
  /** Kills it at once, as a crash or a power cut does. */
  kill(): Promise<void>;
  /** Starts it again on the port it had; the token in its addresses is then another. */
  startAgain(environment?: Record<string, string>): Promise<void>;
}

const OUR_HOSTS = /^(127\.0\.0\.1|([0-9a-f]{16}\.)?dot-mi\.localhost)$/;

interface Options {
  /** Planted over the small root. */
  tree: Tree;
  environment: Record<string, string>;
  /** Changed in the window before; the environment must leave them alone. */
  settings: Record<string, unknown>;
  /** Whether the person who started the server has trusted its root. */
  trusted: boolean;
  /** Whether the person opens each page of the server with the printed token. */
  signedIn: boolean;
}

const firstLines = (child: ChildProcess) =>
  new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('root')) resolve(text);
    });
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}; was it built?`)));
  });

/** Puts the newest printed link over the address of an open page, as a person does after a restart. */
export const signInAgain = (page: Page, { pageUrl }: Served): Promise<void> =>
  page.evaluate((hash) => {
    location.hash = hash;
  }, new URL(pageUrl).hash);

/** Shows or hides a tab, as choosing another one does. Without a window, the browser shows all of them. */
export const showTab = (page: Page, isShown: boolean): Promise<void> =>
  page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    },
    isShown ? 'visible' : 'hidden',
  );

/** A test with a server and a root of its own. Fails when the page logs an error or asks for another host. */
export const test = base.extend<Options & { served: Served }>({
  tree: [{}, { option: true }],
  environment: [{}, { option: true }],
  settings: [{}, { option: true }],
  trusted: [true, { option: true }],
  signedIn: [false, { option: true }],

  served: async ({ tree, environment, settings, trusted }, use, testInfo) => {
    const directory = await realpath(await mkdtemp(join(tmpdir(), 'dot-mi-e2e-')));
    const root = join(directory, 'root');
    await plant(root, { ...SMALL_ROOT, ...tree });
    await mkdir(join(directory, 'data'));
    await writeFile(join(directory, 'data/settings.json'), JSON.stringify(settings));
    const start = (more: Record<string, string> = {}) =>
      spawn(process.execPath, [HEADLESS, ...(trusted ? ['--trust-root'] : [])], {
        cwd: directory,
        env: {
          PATH: PATH_WITHOUT_PI,
          HOME: directory,
          PORT: '0',
          DOT_MI_ROOT: root,
          ...COMPILE_CACHE,
          ...NO_OUTSIDE,
          ...environment,
          ...more,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    let log = '';
    const keepLog = (from: ChildProcess) => {
      for (const stream of [from.stdout, from.stderr])
        stream?.on('data', (chunk) => {
          log += chunk;
        });
      return from;
    };
    let child = keepLog(start());
    const kill = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    };
    try {
      const printedUrl = () => /page {2}(\S+)/.exec(lines)?.[1] ?? '';
      let lines = await firstLines(child);
      const { port } = new URL(printedUrl());
      const url = `http://127.0.0.1:${port}`;
      const startAgain = async (changed: Record<string, string> = {}) => {
        child = keepLog(start({ PORT: port, ...changed }));
        lines = await firstLines(child);
      };
      const agent = (path: string) => join(root, 'agents', path);
      await use({
        url,
        root,
        directory,
        agent,
        kill,
        startAgain,
        get pageUrl() {
          const printed = new URL(printedUrl());
          return `http://127.0.0.1:${printed.port}/agents${printed.hash}`;
        },
        pageAt: (path) => `${url}${path}${new URL(printedUrl()).hash}`,
        steadyOrigin: `http://dot-mi.localhost:${port}`,
        get printedUrl() {
          return printedUrl();
        },
      });
    } finally {
      await kill();
      await attachLog(testInfo, 'server', log);
      await rm(directory, { recursive: true, force: true });
    }
  },

  // Of all pages of a test, not of the first one alone.
  context: async ({ context }, use) => {
    const problems: string[] = [];
    context.on('console', (message) => {
      // A refused request is an answer of the API; the page says what it means.
      const isAnswer = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isAnswer) problems.push(message.text());
    });
    context.on('weberror', (error) => problems.push(String(error.error())));
    context.on('request', (request) => {
      const { hostname, protocol } = new URL(request.url());
      if (protocol !== 'data:' && !OUR_HOSTS.test(hostname)) problems.push(`asked ${request.url()}`);
    });
    await use(context);
    expect(problems).toEqual([]);
  },

  page: async ({ page, served, signedIn }, use) => {
    if (signedIn) {
      const goto = page.goto.bind(page);
      page.goto = (url, options) => {
        const isBare = url.startsWith(served.url) && !url.includes('#');
        return goto(isBare ? `${url}${new URL(served.pageUrl).hash}` : url, options);
      };
    }
    await use(page);
  },
});
