import { beforeEach, expect, test } from 'vitest';
import { createPageWindow } from '../../src/main/page-window.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import { BrowserWindow, Menu } from '../support/electron-double.ts';

const ORIGIN = 'http://127.0.0.1:8000';
const ALL = { canCut: true, canCopy: true, canPaste: true, canSelectAll: true };

beforeEach(() => {
  Menu.popups.length = 0;
  BrowserWindow.made.length = 0;
});

/** What a right-click in the window of the program opens. */
const rightClick = (place: Record<string, unknown>) => {
  const pageWindow = createPageWindow({
    settings: { read: () => undefined, write: () => undefined },
    hidesOnClose: () => false,
    isQuitting: () => false,
    onStay: () => undefined,
    onOpen: () => undefined,
    logger: createLogger('silent'),
  });
  pageWindow.follow(`${ORIGIN}/`);
  pageWindow.allowOpening();
  pageWindow.allowLoading();
  pageWindow.show();
  BrowserWindow.made[0]?.webContents.emit(
    'context-menu',
    {},
    {
      x: 30,
      y: 40,
      pageURL: `${ORIGIN}/wallet`,
      frameURL: '',
      isEditable: false,
      selectionText: '',
      editFlags: ALL,
      ...place,
    },
  );
  return Menu.popups;
};

test('a text field offers to cut, copy, paste and select all, by roles alone', () => {
  const items = [
    { role: 'cut', enabled: true },
    { role: 'copy', enabled: true },
    { role: 'paste', enabled: true },
    { type: 'separator' },
    { role: 'selectAll', enabled: true },
  ];
  expect(rightClick({ isEditable: true })).toEqual([{ items, x: 30, y: 40 }]);
});

test('commands that a field can’t do now are disabled', () => {
  const editFlags = { canCut: false, canCopy: false, canPaste: true, canSelectAll: false };
  const [menu] = rightClick({ isEditable: true, editFlags });
  expect(menu?.items).toEqual([
    { role: 'cut', enabled: false },
    { role: 'copy', enabled: false },
    { role: 'paste', enabled: true },
    { type: 'separator' },
    { role: 'selectAll', enabled: false },
  ]);
});

test('selected text can be copied, and any other place has no menu', () => {
  expect(rightClick({ selectionText: ' \n' })).toEqual([]);
  expect(rightClick({ selectionText: 'a word' })).toMatchObject([
    { items: [{ role: 'copy', enabled: true }] },
  ]);
});

test.each([
  ['frame', { frameURL: 'http://127.0.0.1:9/' }],
  ['page', { pageURL: 'https://evil.example/' }],
])('a foreign %s has no menu', (_kind, where) => {
  expect(rightClick({ isEditable: true, selectionText: 'a word', ...where })).toEqual([]);
});
