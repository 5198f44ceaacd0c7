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

test('no window is made before the guards stand, and then the one that was asked for', () => {
  const pageWindow = create();
  pageWindow.show();
  pageWindow.follow('http://127.0.0.1:8000', '1.2.3');
  pageWindow.show();
  expect(BrowserWindow.made).toEqual([]);
  pageWindow.allow();
  pageWindow.show();
  expect(BrowserWindow.made.map(({ url }) => url)).toEqual(['http://127.0.0.1:8000']);
});

test('a window that nobody asked for is not made', () => {
  const pageWindow = create();
  pageWindow.follow('http://127.0.0.1:8000', '1.2.3');
  pageWindow.allow();
  expect(BrowserWindow.made).toEqual([]);
  pageWindow.show();
  expect(BrowserWindow.made).toHaveLength(1);
});
