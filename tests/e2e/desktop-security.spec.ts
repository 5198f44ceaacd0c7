import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { BRIDGE_CHANNELS, BRIDGE_NAME } from '../../src/shared/desktop-bridge.ts';
import { showWindow } from '../support/electron/page/shown-window.ts';
import { plant } from '../support/plant.ts';
import { test as base, expect, expectAgents } from './desktop-fixtures.ts';
import { openSettings } from './settings-page.ts';

/** A link of the page to somewhere, as a text with markup that slipped through would be, and a click on it. */
const clickLink = async (page: Page, href: string, target = '') => {
  await page.evaluate(
    ([to, where]) => {
      const link = document.createElement('a');
      link.href = to ?? '';
      link.target = where ?? '';
      link.textContent = 'elsewhere';
      document.body.append(link);
      link.click();
      link.remove();
    },
    [href, target],
  );
};

/** Another server of this machine, and what was asked of it; `/to?<url>` sends the asker there. */
interface Other {
  url: string;
  asked: string[];
}

const test = base.extend<{ other: Other }>({
  other: async ({ browserName: _ }, use) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const { pathname, search } = new URL(String(request.url), 'http://other');
      asked.push(pathname);
      if (pathname === '/to') response.writeHead(302, { Location: search.slice(1) }).end();
      else response.setHeader('Content-Type', 'text/html').end('<title>Other</title>');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    await use({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked });
    server.closeAllConnections();
    server.close();
  },
});

test('the window is isolated, sandboxed and without Node, and the session grants no permission', async ({
  desktop,
}) => {
  const window = await desktop.window();
  const { webPreferences, ...options } = window.made.options;
  expect(webPreferences).toEqual({
    preload: expect.stringMatching(/[\\/]out[\\/]preload[\\/]index\.cjs$/),
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    spellcheck: false,
    additionalArguments: [expect.stringMatching(/^--dot-mi-version=\d+\.\d+\.\d+$/)],
  });
  expect(options).toMatchObject({ show: false, minWidth: 800, minHeight: 600 });
  for (const permission of ['geolocation', 'media', 'clipboard-read', 'notifications', 'openExternal', 'hid'])
    expect(await desktop.session(permission)).toEqual({
      permissionRequest: false,
      permissionCheck: false,
      device: false,
      spellChecker: false,
    });
});

test('a page token reaches the page over the bridge, and nothing else of Electron does', async ({
  desktop,
  page,
}) => {
  const token = await page.evaluate(() => sessionStorage.getItem('dot-mi.token'));
  expect(token).toMatch(/^dmp_[0-9a-f]{64}$/);
  const { made } = await desktop.window();
  expect(JSON.stringify(made)).not.toContain(token);
  expect(page.url()).not.toContain(token);
  expect(desktop.stderr()).not.toContain(token);

  const seen = await page.evaluate(() => {
    const bridge = window.dotMiDesktop;
    return {
      names: Object.keys(bridge).sort(),
      kinds: [...new Set(Object.values(bridge).map((value) => typeof value))].sort(),
      isFrozen: Object.isFrozen(bridge),
      globals: ['require', 'process', 'module', 'ipcRenderer', 'electron'].filter((name) => name in window),
      ipc: Object.keys(window).filter((name) => name.startsWith('ipc')),
    };
  });
  expect(seen).toEqual({
    names: [
      'answerUpdate',
      'chooseFolder',
      'explainLosses',
      'onCommand',
      'onLink',
      'onOpenRoot',
      'onUpdate',
      'onView',
      'openDataFolder',
      'openInEditor',
      'openLogs',
      'pageToken',
      'readLimits',
      'readPreferences',
      'readUpdate',
      'restart',
      'reveal',
      'runInTerminal',
      'setTheme',
      'takeLink',
      'version',
      'writePreferences',
    ],
    kinds: ['function', 'string'],
    isFrozen: true,
    globals: [],
    ipc: [],
  });
});

test('no link navigates the window elsewhere: web pages open in the browser, and other schemes don’t open at all', async ({
  desktop,
  page,
  other,
  problems,
}) => {
  const here = page.url();
  await clickLink(page, other.url);
  await expect.poll(() => desktop.opened()).toEqual([other.url]);
  await clickLink(page, 'smb://host/share');
  await clickLink(page, 'vscode://file/etc/passwd');
  await clickLink(page, 'file:///etc/passwd');
  await clickLink(page, 'javascript:document.title="ran"');
  await clickLink(page, 'data:text/html,<title>data</title>');
  // Another origin that only looks like ours.
  await clickLink(page, here.replace('127.0.0.1', 'localhost'));
  await expect.poll(() => desktop.opened()).toHaveLength(2);
  expect(desktop.opened()[1]).toContain('http://localhost:');

  expect(page.url()).toBe(here);
  expect(await page.title()).not.toMatch(/ran|data|Other/);
  await expectAgents(page);
  expect(other.asked).toEqual([]);
  // Chromium says itself which of them it never began, the CSP which one it stopped.
  problems.splice(
    0,
    problems.length,
    ...problems.filter((text) => !/file:|javascript|data:|launch/i.test(text)),
  );
});

test('no window opens, neither by script nor by a link, and web pages go to the browser', async ({
  desktop,
  page,
  other,
}) => {
  await page.evaluate((url) => void window.open(url), other.url);
  await expect.poll(() => desktop.opened()).toEqual([other.url]);
  await clickLink(page, `${new URL(page.url()).origin}/settings`, '_blank');
  await page.evaluate(() => void window.open('about:blank'));
  await expect.poll(() => page.context().pages()).toHaveLength(1);
  expect(desktop.opened()).toEqual([other.url]);
});

test('no frame of another page and no webview is shown, and a frame gets no bridge', async ({
  desktop,
  page,
  other,
  problems,
}) => {
  const inFrames = await page.evaluate(async (url) => {
    const view = document.createElement('webview');
    view.setAttribute('src', url);
    document.body.append(view);
    const frames = [url, 'about:blank'].map((src) => {
      const frame = document.createElement('iframe');
      frame.src = src;
      // What is refused is an empty page, and that comes too.
      const loaded = new Promise((resolve) => frame.addEventListener('load', () => resolve(frame)));
      document.body.append(frame);
      return loaded as Promise<HTMLIFrameElement>;
    });
    return (await Promise.all(frames)).map((frame) => {
      try {
        return frame.contentWindow !== null && 'dotMiDesktop' in frame.contentWindow;
      } catch {
        return 'another origin';
      }
    });
  }, other.url);
  expect(inFrames).not.toContain(true);
  // A window without the tag makes none; one that did would be told not to.
  expect(await desktop.shell.ask('ask', 1, 'will-attach-webview', {})).toBe(true);
  expect(other.asked).toEqual([]);
  expect(desktop.opened()).toEqual([]);
  problems.splice(0, problems.length, ...problems.filter((text) => !/frame|Framing/i.test(text)));
});

test('a server can’t redirect the window elsewhere, and the browser opens that page instead', async ({
  desktop,
  other,
}) => {
  const elsewhere = `${other.url}elsewhere`;
  // As if the program itself had gone there: no link is in the way.
  await expect((await desktop.window()).load(`${other.url}to?${elsewhere}`)).rejects.toThrow('ERR_ABORTED');
  expect(other.asked).toEqual(['/to']);
  expect(desktop.opened()).toEqual([elsewhere]);
});

test('a foreign page in the window has the bridge and gets nothing over it', async ({
  desktop,
  page,
  other,
}) => {
  // As if every guard had failed.
  await (await desktop.window()).load(other.url);
  const answers = await page.evaluate(async () => {
    const bridge = window.dotMiDesktop as object as Record<string, (input?: unknown) => Promise<unknown>>;
    const names = Object.keys(bridge).filter((name) => name !== 'version' && !name.startsWith('on'));
    const said = names.map((name) =>
      bridge[name]?.({ agent: 'scout', file: 'SYSTEM.md' }).then(
        (value) => [name, value],
        (error: Error) => [name, error.message],
      ),
    );
    return Promise.all(said);
  });
  expect(answers).toHaveLength(Object.keys(BRIDGE_CHANNELS).length);
  for (const [, message] of answers as [string, string][]) expect(message).toBe('not for this frame');
  expect(desktop.opened()).toEqual([]);
});

test('every message from the page over the bridge is checked before anything is done', async ({
  desktop,
  page,
}) => {
  const outcomes = await page.evaluate(async () => {
    const bridge = window.dotMiDesktop as object as Record<string, (input?: unknown) => Promise<unknown>>;
    const notifications = {
      payments: true,
      attention: true,
      mint: true,
      budgets: true,
      sales: true,
      waiting: true,
      done: true,
      updates: true,
    };
    const preferences = { closeToTray: true, startAtLogin: false, checkForUpdates: false, notifications };
    const attempts: [string, unknown][] = [
      ['reveal', { agent: '../..' }],
      ['reveal', { agent: 'scout', path: '/etc' }],
      ['openInEditor', { agent: 'scout', file: '../../setup.sh' }],
      ['openInEditor', { agent: 'scout' }],
      ['writePreferences', { closeToTray: 'yes' }],
      ['writePreferences', { ...preferences, notifications: { payments: true } }],
      ['writePreferences', { ...preferences, more: 1 }],
      ['answerUpdate', 'quit'],
      ['reveal', { agent: 'scout', file: () => 'SYSTEM.md' }],
      ['runInTerminal', '../../scout'],
      ['runInTerminal', { agent: 'scout' }],
      ['explainLosses', ['everything']],
    ];
    return Promise.all(
      attempts.map(async ([name, input]) => {
        try {
          return await bridge[name]?.(input);
        } catch {
          return 'refused';
        }
      }),
    );
  });
  expect(outcomes).toEqual(Array(12).fill('refused'));
  expect(desktop.opened()).toEqual([]);
});

test('copying works, and Chromium denies the page the permissions that the session denies', async ({
  place,
}) => {
  // A shell of its own: what the tests before do to the shared window leaves Chromium deaf to the mouse there.
  const desktop = await place.launch();
  const page = await desktop.page();
  await expectAgents(page);
  await openSettings(page, 'About');
  await page.getByRole('button', { name: 'Copy path: Wallet' }).click();
  await openSettings(page, 'Pricing');
  const field = page.getByRole('textbox', { name: 'Price interval' });
  await field.fill('');
  await field.press('ControlOrMeta+v');
  await expect(field).toHaveValue(/wallet$/);
  const editFlags = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true };
  const at = { pageURL: page.url(), frameURL: '', isEditable: true, selectionText: '', editFlags };
  await desktop.shell.ask('contents', 1, 'context-menu', at);
  expect(desktop.recordedCalls).toContainEqual({
    kind: 'context-menu',
    items: ['cut', 'copy', 'paste', 'separator', 'selectAll'],
  });

  const states = await page.evaluate(async () => {
    const names = ['geolocation', 'notifications', 'clipboard-read', 'camera', 'midi'] as const;
    return Promise.all(
      names.map(async (name) => (await navigator.permissions.query({ name: name as PermissionName })).state),
    );
  });
  expect(states).toEqual(Array(5).fill('denied'));
  const denied = await page.evaluate(
    () =>
      new Promise((resolve) => {
        navigator.geolocation.getCurrentPosition(
          () => resolve('a place'),
          ({ code }) => resolve(code),
        );
      }),
  );
  expect(denied).toBe(1);
});

test('the bridge of the test double copies like the real one: no prototype, no field of an error, no shared object', async ({
  browser,
  place,
  other,
}) => {
  // A preload that hands over all that could be shared, and keeps hold of it.
  const preload = `
    const { contextBridge } = require('electron');
    class Purse { sats = 1; pay() {} look = () => kept.inner.sats; }
    const kept = { inner: { sats: 1 }, list: [{ sats: 1 }] };
    const failure = () => Object.assign(new TypeError('not today'), { code: 'E_SECRET' });
    contextBridge.exposeInMainWorld('handed', {
      kept,
      keep: () => kept,
      purse: new Purse(),
      error: failure(),
      fail: () => { throw failure(); },
      failLater: () => Promise.reject(failure()),
      call: (hear) => hear(kept) === kept,
      sats: () => [kept.inner.sats, kept.list[0].sats],
    });`;
  await plant(place.directory, { 'preload.cjs': preload });
  const webPreferences = {
    preload: join(place.directory, 'preload.cjs'),
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
  };
  const context = await browser.newContext();
  try {
    const silent = { ask: async () => ({}), tell: () => undefined, on: () => undefined };
    const window = await showWindow(context, { id: 1, options: { webPreferences } }, silent, () => undefined);
    await window.load(other.url);
    const seen = await window.page().evaluate(async () => {
      interface Kept {
        inner: { sats: number };
        list: { sats: number }[];
      }
      interface Handed {
        kept: Kept;
        keep: () => Kept;
        purse: { sats: number; look: () => number };
        error: Error;
        fail: () => void;
        failLater: () => Promise<void>;
        call: (hear: (given: Kept) => Kept) => boolean;
        sats: () => number[];
      }
      const { kept, keep, purse, error, fail, failLater, call, sats }: Handed = Reflect.get(window, 'handed');
      const lookAt = (value: unknown) =>
        value instanceof Error && [value.constructor.name, value.message, 'code' in value];
      const thrown = (() => {
        try {
          fail();
        } catch (failure) {
          return lookAt(failure);
        }
      })();
      const returned = keep();
      returned.inner.sats = 99;
      for (const each of returned.list) each.sats = 99;
      return {
        purse: [purse.constructor === Object, Object.keys(purse).sort(), purse.look()],
        errors: [lookAt(error), thrown, await failLater().catch(lookAt)],
        isFunctionOfThisWorld: keep instanceof Function && !String(keep).includes('kept'),
        isFrozen: Object.isFrozen(kept) && Object.isFrozen(kept.inner) && Object.isFrozen(kept.list[0]),
        isSame: [returned === keep(), returned === kept],
        isGivenBack: call((given) => {
          given.inner.sats = 99;
          return given;
        }),
        sats: sats(),
      };
    });
    const error = ['Error', 'not today', false];
    expect(seen).toEqual({
      purse: [true, ['look', 'sats'], 1],
      errors: [error, error, error],
      isFunctionOfThisWorld: true,
      isFrozen: true,
      isSame: [false, false],
      isGivenBack: false,
      sats: [1, 1],
    });
  } finally {
    await context.close();
  }
});

test('a link can’t make the program trust the root, and a switch does', async ({ place }) => {
  // It starts the program twice.
  test.slow();
  await writeFile(join(place.root, 'setup.sh'), '#!/bin/sh\n', { mode: 0o755 });
  const trustOf = async (argv: string[]) => {
    const desktop = await place.launch({ argv });
    const page = await desktop.page();
    await page.waitForLoadState();
    const { trusted } = await page.evaluate(async (bridge) => {
      const authorization = `Bearer ${await window[bridge].pageToken()}`;
      return (await fetch('/api/root/trust', { headers: { authorization } })).json();
    }, BRIDGE_NAME);
    await desktop.quit();
    return trusted;
  };
  expect(await trustOf(['--', '--trust-root'])).toBe(false);
  expect(await trustOf(['--trust-root'])).toBe(true);
});

test('an installed program lets no debugger in', async ({ place }) => {
  test.slow();
  const argv = ['--remote-debugging-port=9222', '--remote-debugging-pipe'];
  const debuggers = async (isPackaged: boolean) => {
    const desktop = await place.launch({ argv, launchOptions: { isPackaged } });
    await expectAgents(await desktop.page());
    const found = desktop.recordedCalls.flatMap((call) => (call.kind === 'debugging' ? [call.name] : []));
    await desktop.quit();
    return found;
  };
  expect(await debuggers(true)).toEqual([]);
  expect(await debuggers(false)).toEqual(['remote-debugging-port', 'remote-debugging-pipe']);
});
