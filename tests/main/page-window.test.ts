import { beforeEach, expect, test } from 'vitest';
import { createPageWindow } from '../../src/main/page-window.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { BrowserWindow } from '../support/electron-double.ts';

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

test('no window is created before the guards are installed, and then the requested one is', () => {
  const pageWindow = create();
  pageWindow.show();
  pageWindow.follow('http://127.0.0.1:8000', '1.2.3');
  pageWindow.show();
  expect(BrowserWindow.made).toEqual([]);
  pageWindow.allow();
  pageWindow.show();
  expect(BrowserWindow.made.map(({ url }) => url)).toEqual(['http://127.0.0.1:8000']);
});

test('a window that nobody asked for is not created', () => {
  const pageWindow = create();
  pageWindow.follow('http://127.0.0.1:8000', '1.2.3');
  pageWindow.allow();
  expect(BrowserWindow.made).toEqual([]);
  pageWindow.show();
  expect(BrowserWindow.made).toHaveLength(1);
});

test('a view opens in a new window by its address, and in an open one by a message to the page', () => {
  const sent: unknown[][] = [];
  const pageWindow = create();
  pageWindow.follow('http://127.0.0.1:8000', '1.2.3');
  pageWindow.allow();
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
  pageWindow.follow('http://127.0.0.1:8000', '1.2.3');
  pageWindow.allow();
  expect(pageWindow.isLookedAt()).toBe(false);
  pageWindow.showView('wallet');
  const window = BrowserWindow.made[0];
  expect(pageWindow.isLookedAt('wallet')).toBe(false);
  window?.focus();
  expect([pageWindow.isLookedAt('wallet'), pageWindow.isLookedAt()]).toEqual([true, true]);
  // The page went there without loading.
  window?.webContents.follow('http://127.0.0.1:8000/settings');
  expect([pageWindow.isLookedAt('wallet'), pageWindow.isLookedAt()]).toEqual([false, true]);
  window?.minimize();
  expect(pageWindow.isLookedAt()).toBe(false);
});
