import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createPageWindow } from '../../src/main/page-window.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { app, BrowserWindow } from '../support/electron-double.ts';

const create = () =>
  createPageWindow({
    settings: { read: () => undefined, write: () => undefined },
    hidesOnClose: () => false,
    isQuitting: () => false,
    onStay: () => undefined,
    onOpen: () => undefined,
    logger: createLogger('silent'),
  });

beforeEach(() => {
  BrowserWindow.made.length = 0;
});

test('no window is created before permissions are denied, and no page is loaded before its guards are installed', () => {
  const pageWindow = create();
  pageWindow.show();
  expect(BrowserWindow.made).toEqual([]);
  pageWindow.allowOpening();
  const urls = () => BrowserWindow.made.map(({ url }) => url);
  expect([urls(), BrowserWindow.made[0]?.shown]).toEqual([[''], true]);
  pageWindow.follow('http://127.0.0.1:8000');
  pageWindow.show();
  expect(urls()).toEqual(['']);
  pageWindow.allowLoading();
  expect(urls()).toEqual(['http://127.0.0.1:8000/']);
});

test('a window that waits for its page loads the view that was asked for meanwhile', () => {
  const pageWindow = create();
  pageWindow.show();
  pageWindow.allowOpening();
  pageWindow.showView('wallet');
  pageWindow.follow('http://127.0.0.1:8000');
  pageWindow.allowLoading();
  expect(BrowserWindow.made.map(({ url }) => url)).toEqual(['http://127.0.0.1:8000/wallet']);
});

test('a page stays on its view when the server moves to another port', () => {
  const pageWindow = create();
  pageWindow.follow('http://127.0.0.1:8000');
  pageWindow.allowOpening();
  pageWindow.allowLoading();
  pageWindow.show();
  const window = BrowserWindow.made[0];
  window?.webContents.follow('http://127.0.0.1:8000/settings/server');
  pageWindow.follow('http://127.0.0.1:9000');
  expect(window?.url).toBe('http://127.0.0.1:9000/settings/server');
});

test('a window that nobody asked for is not created', () => {
  const pageWindow = create();
  pageWindow.follow('http://127.0.0.1:8000');
  pageWindow.allowOpening();
  pageWindow.allowLoading();
  expect(BrowserWindow.made).toEqual([]);
  pageWindow.show();
  expect(BrowserWindow.made).toHaveLength(1);
});

test('a view opens in a new window by its address, and in an open one by a message to the page', () => {
  const sent: unknown[][] = [];
  const pageWindow = create();
  pageWindow.follow('http://127.0.0.1:8000');
  pageWindow.allowOpening();
  pageWindow.allowLoading();
  pageWindow.showView('wallet');
  const window = BrowserWindow.made[0];
  expect(window?.url).toBe('http://127.0.0.1:8000/wallet');
  if (window) window.webContents.send = (...message) => sent.push(message);
  window?.hide();
  pageWindow.showView('wallet');
  expect([BrowserWindow.made.length, window?.shown, sent]).toEqual([1, true, [['dot-mi:view', 'wallet']]]);
});

test('a view counts as looked at while the window has the focus and the page is loaded', () => {
  const pageWindow = create();
  pageWindow.follow('http://127.0.0.1:8000');
  pageWindow.allowOpening();
  pageWindow.allowLoading();
  expect(pageWindow.isLookedAt()).toBe(false);
  pageWindow.showView('wallet');
  const window = BrowserWindow.made[0];
  expect(pageWindow.isLookedAt('wallet')).toBe(false);
  window?.focus();
  expect([pageWindow.isLookedAt('wallet'), pageWindow.isLookedAt()]).toEqual([true, true]);
  // The page went there without loading.
  window?.webContents.follow('http://127.0.0.1:8000/settings');
  expect([pageWindow.isLookedAt('wallet'), pageWindow.isLookedAt()]).toEqual([false, true]);
  window?.webContents.follow('http://127.0.0.1:8000/agents/scout/sessions');
  expect([pageWindow.isLookedAt('agent:scout'), pageWindow.isLookedAt('agent:sco')]).toEqual([true, false]);
  window?.minimize();
  expect(pageWindow.isLookedAt()).toBe(false);
});

test('the icon counts the agents that wait, and the taskbar flashes for another one until a person looks', () => {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'linux' } }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const pageWindow = create();
  pageWindow.countWaiting(1);
  pageWindow.allowOpening();
  pageWindow.show();
  const window = BrowserWindow.made[0];
  const flashesAt = (count: number) => {
    pageWindow.countWaiting(count);
    return [app.badge, window?.flashes];
  };
  window?.focus();
  expect(flashesAt(2)).toEqual([2, false]);
  window?.minimize();
  expect([flashesAt(3), flashesAt(2)]).toEqual([
    [3, true],
    [2, true],
  ]);
  window?.focus();
  expect(window?.flashes).toBe(false);
  window?.minimize();
  expect([flashesAt(1), flashesAt(2), flashesAt(0)]).toEqual([
    [1, false],
    [2, true],
    [0, false],
  ]);
});
