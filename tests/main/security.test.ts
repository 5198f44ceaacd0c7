import { EventEmitter } from 'node:events';
import { chmod, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandLine, Session, WebContents } from 'electron';
import { beforeEach, expect, test } from 'vitest';
import { answerBridge, hasFileManager, openFolder, textFilePath } from '../../src/main/bridge.ts';
import { denyPermissions, keepOnOrigin, refuseDebugging } from '../../src/main/security.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { BRIDGE_CHANNELS } from '../../src/shared/desktop-bridge.ts';
import { launchOptions } from '../support/electron/around.ts';
import { copied, handlers, opened, shell } from '../support/electron-double.ts';
import { eventually } from '../support/eventually.ts';
import { makeRoot, plant } from '../support/root.ts';
import { makeTempDirectory } from '../support/temp.ts';

const ORIGIN = 'http://127.0.0.1:8000';

class Contents extends EventEmitter {
  openHandler: (details: { url: string }) => { action: string } = () => ({ action: 'allow' });

  setWindowOpenHandler(handler: (details: { url: string }) => { action: string }): void {
    this.openHandler = handler;
  }
}

const logged: string[] = [];
const logger = createLogger('info', { write: (line) => logged.push(line) });

const guarded = () => {
  const contents = new Contents();
  keepOnOrigin(contents as object as WebContents, { origin: () => ORIGIN, logger });
  return contents;
};

const isPrevented = (contents: Contents, event: string, url: string) => {
  let prevented = false;
  contents.emit(event, { url, preventDefault: () => (prevented = true) });
  return prevented;
};

beforeEach(() => {
  opened.length = 0;
  logged.length = 0;
});

test.each(['will-navigate', 'will-redirect'])('%s stays on our origin', (event) => {
  const contents = guarded();
  expect(isPrevented(contents, event, `${ORIGIN}/agents/scout`)).toBe(false);
  for (const url of [
    'http://127.0.0.1:8001/',
    'http://127.0.0.1:8000.evil.example/',
    'http://127.0.0.1:8000@evil.example/',
    'https://127.0.0.1:8000/',
    'http://localhost:8000/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    `blob:${ORIGIN}/0f7c3b0e-1b2c-4d5e-8f90-a1b2c3d4e5f6`,
    `filesystem:${ORIGIN}/temporary/x`,
    'smb://host/share',
    'not a url',
  ]) {
    expect([url, isPrevented(contents, event, url)]).toEqual([url, true]);
  }
});

test('only http and https open in the browser', () => {
  const contents = guarded();
  for (const url of [
    'https://example.com/',
    'http://example.com/',
    'smb://host/share',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'vscode://x',
  ]) {
    expect(contents.openHandler({ url }).action).toBe('deny');
  }
  expect(opened).toEqual(['https://example.com/', 'http://example.com/']);
});

test('a window of our own origin is denied and not opened anywhere', () => {
  expect(guarded().openHandler({ url: `${ORIGIN}/agents` }).action).toBe('deny');
  expect(opened).toEqual([]);
});

test('a frame shows only our origin, which blob: and about: pages are not', () => {
  const contents = guarded();
  for (const url of ['http://127.0.0.1:8001/', `blob:${ORIGIN}/x`, 'about:blank'])
    expect([url, isPrevented(contents, 'will-frame-navigate', url)]).toEqual([url, true]);
  expect(isPrevented(contents, 'will-frame-navigate', `${ORIGIN}/x`)).toBe(false);
});

test('a page that no browser opens is logged by its host alone', async () => {
  shell.fault = new Error('no browser: https://example.com/#token=cashuBsecret');
  try {
    guarded().openHandler({ url: 'https://example.com/#token=cashuBsecret' });
    await eventually(() => expect(logged).toHaveLength(1));
  } finally {
    shell.fault = undefined;
  }
  expect(logged[0]).toContain('"host":"example.com"');
  expect(logged[0]).not.toContain('secret');
});

test('no webview is attached', () => {
  expect(isPrevented(guarded(), 'will-attach-webview', '')).toBe(true);
});

test('every permission is denied, except that our own page may copy text', () => {
  const given: Record<string, (...args: unknown[]) => unknown> = {};
  const session = new Proxy(
    {},
    {
      get: (_target, name) => (handler: (...args: unknown[]) => unknown) => {
        given[String(name)] = handler;
      },
    },
  );
  denyPermissions(session as Session, () => ORIGIN);
  const answersOf = (permission: string, origin: string) => {
    const answers: unknown[] = [];
    given.setPermissionRequestHandler?.({}, permission, (allowed: unknown) => answers.push(allowed), {
      requestingUrl: `${origin}/wallet`,
    });
    answers.push(given.setPermissionCheckHandler?.({}, permission, `${origin}/`));
    return answers;
  };
  expect(answersOf('clipboard-sanitized-write', ORIGIN)).toEqual([true, true]);
  for (const origin of ['http://127.0.0.1:9000', `${ORIGIN}.evil.example`, 'null'])
    expect(answersOf('clipboard-sanitized-write', origin)).toEqual([false, false]);
  for (const permission of ['notifications', 'clipboard-read', 'media'])
    expect(answersOf(permission, ORIGIN)).toEqual([false, false]);
  expect(given.setDevicePermissionHandler?.({})).toBe(false);
});

test('an installed program removes the switches that let a debugger in, and one from the sources keeps them', () => {
  const removed: string[] = [];
  const commandLine = { removeSwitch: (name: string) => removed.push(name) } as unknown as CommandLine;
  refuseDebugging({ isPackaged: false, commandLine });
  expect(removed).toEqual([]);
  refuseDebugging({ isPackaged: true, commandLine });
  expect(removed).toEqual(['remote-debugging-port', 'remote-debugging-pipe']);
});

const PREFERENCES = {
  closeToTray: false,
  startAtLogin: false,
  checkForUpdates: false,
  notifications: {
    payments: true,
    attention: true,
    mint: true,
    budgets: true,
    sales: true,
    waiting: true,
    done: true,
    updates: true,
  },
};
const OUR_FRAME = { url: `${ORIGIN}/agents`, parent: null };

test('a folder that no program opens is copied, and the person gets to know', async () => {
  launchOptions.openProblem = 'Failed to open path';
  copied.length = 0;
  try {
    await expect(openFolder('/data/logs')).rejects.toThrow(
      'No program on this computer can open /data/logs. dot-mi copied the path, so you can paste it elsewhere.',
    );
  } finally {
    launchOptions.openProblem = undefined;
  }
  expect(copied).toEqual(['/data/logs']);
});

const bridgeOver = async (hasManager = true) => {
  const root = await makeRoot();
  answerBridge({
    origin: () => ORIGIN,
    pageToken: () => 'the-token',
    rootPath: () => root,
    dataDirectory: () => root,
    logDirectory: root,
    preferences: { read: () => PREFERENCES, write: () => undefined, wantsNotification: () => true },
    readLimits: async () => ({}),
    setTheme: () => undefined,
    restart: () => undefined,
    explainLosses: () => undefined,
    takeLink: () => null,
    hasFileManager: async () => hasManager,
    updates: { state: () => ({ kind: 'none' }), answer: () => undefined },
    runAgent: async (agent) => ({ kind: 'opened', warnings: [agent] }),
  });
  return root;
};

test('only our own top frame can use the bridge', async () => {
  await bridgeOver();
  const ask = (senderFrame: unknown) => handlers.get(BRIDGE_CHANNELS.pageToken)?.({ senderFrame });
  expect(ask(OUR_FRAME)).toBe('the-token');
  for (const frame of [
    null,
    { url: 'http://127.0.0.1:9000/', parent: null },
    { url: `${ORIGIN}.evil.example/`, parent: null },
    { url: `blob:${ORIGIN}/x`, parent: null },
    { url: `${ORIGIN}/`, parent: {} },
  ]) {
    expect(() => ask(frame)).toThrow();
    for (const handler of handlers.values()) expect(() => handler({ senderFrame: frame })).toThrow();
  }
});

test('where there is no file manager, the path is copied, and the page hears it', async ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux lacks one');
  const root = await bridgeOver(false);
  launchOptions.openProblem = 'No application';
  copied.length = 0;
  try {
    const asked = handlers.get(BRIDGE_CHANNELS.reveal)?.(
      { senderFrame: OUR_FRAME },
      { agent: 'scout', file: 'SYSTEM.md' },
    );
    await expect(asked).rejects.toThrow(
      `No program on this computer can open ${join(root, 'agents/scout')}.`,
    );
  } finally {
    launchOptions.openProblem = undefined;
  }
  expect(copied).toEqual([join(root, 'agents/scout')]);
  const bin = await makeTempDirectory();
  expect(await hasFileManager(bin, 'linux')).toBe(false);
  await plant(bin, { 'xdg-mime': { script: '#!/bin/sh\n' } });
  expect(await hasFileManager(bin, 'linux')).toBe(false);
  await plant(bin, {
    'xdg-mime': {
      script: '#!/bin/sh\necho "$*" | grep -q "query default inode/directory" && echo nautilus.desktop\n',
    },
  });
  expect(await hasFileManager(`relative:${bin}:/usr/bin:/bin`, 'linux')).toBe(true);
  expect(await hasFileManager('', 'darwin')).toBe(true);
});

test('the page names agents and files of the root, and nothing else can be shown or opened', async () => {
  const root = await bridgeOver();
  const ask = async (channel: string, input: unknown) =>
    handlers.get(channel)?.({ senderFrame: OUR_FRAME }, input);
  await ask(BRIDGE_CHANNELS.reveal, { agent: 'scout' });
  await ask(BRIDGE_CHANNELS.openInEditor, { agent: 'scout', file: 'SYSTEM.md' });
  await plant(root, {
    'agents/scout/settings.json': '{}',
    'agents/scout/auth.json': '{}',
    'agents/scout/x.sh': '',
  });
  await ask(BRIDGE_CHANNELS.openInEditor, { agent: 'scout', entry: 'settings.json' });
  await ask(BRIDGE_CHANNELS.reveal, { agent: 'scout', entry: '.env' });
  await ask(BRIDGE_CHANNELS.reveal, { agent: 'scout', entry: 'x.sh' });
  const paths = ['', 'SYSTEM.md', 'settings.json', '.env', 'x.sh'];
  expect(opened).toEqual(paths.map((name) => join(root, 'agents/scout', name)));
  // What the name promises leads elsewhere: the file, and the agent.
  await plant(root, { 'outside/SYSTEM.md': 'x' });
  await symlink('/bin/sh', join(root, 'agents/scout/AGENT.md'));
  await symlink(join(root, 'outside'), join(root, 'agents/linked'));
  for (const input of [
    undefined,
    { agent: '../..', file: 'SYSTEM.md' },
    { agent: 'scout', file: '../../setup.sh' },
    { agent: 'scout', file: 'banner.txt' },
    { agent: 'scout', entry: 'banner.txt' },
    { agent: 'scout', entry: 'auth.json' },
    { agent: 'scout', entry: 'x.sh' },
    { agent: 'scout', entry: '../../agents/scout/settings.json' },
    { agent: 'scout', entry: '..' },
    { agent: 'scout', file: 'SYSTEM.md', entry: 'settings.json' },
    { agent: 'scout', file: 'AGENT.md' },
    { agent: 'linked', file: 'SYSTEM.md' },
    { agent: 'nobody', file: 'SYSTEM.md' },
    { agent: 'scout', file: 'SYSTEM.md', path: '/etc/passwd' },
    { agent: 'scout' },
  ]) {
    await expect(ask(BRIDGE_CHANNELS.openInEditor, input)).rejects.toThrow();
  }
  for (const entry of ['..', '.', '', 'a/b', '../x', 'a\\b'])
    await expect(ask(BRIDGE_CHANNELS.reveal, { agent: 'scout', entry })).rejects.toThrow();
  for (const agent of ['linked', 'nobody'])
    await expect(ask(BRIDGE_CHANNELS.reveal, { agent })).rejects.toThrow(
      `The root has no agent named “${agent}”`,
    );
  expect(opened).toHaveLength(5);
});

test('files that macOS would run instead of opening are refused there, with advice', async ({ skip }) => {
  skip(process.platform === 'win32', 'Windows has no modes');
  const root = await makeRoot();
  const place = { agent: 'scout', file: 'pi-args' } as const;
  const path = join(root, 'agents/scout/pi-args');
  expect(await textFilePath(root, place, 'darwin')).toBe(path);
  await chmod(path, 0o744);
  await expect(textFilePath(root, place, 'darwin')).rejects.toThrow(
    /didn’t open pi-args, because macOS would run it.*chmod -x/,
  );
  // Elsewhere the mode starts nothing; on some disks every file has it.
  expect(await textFilePath(root, place, 'linux')).toBe(path);
});
