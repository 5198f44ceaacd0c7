import { expect, test } from 'vitest';
import type { WindowState } from '../../src/main/settings-schema.ts';
import { openWindow } from '../../src/main/window.ts';
import { BrowserWindow, dialog } from '../support/electron-double.ts';

const open = (state: WindowState = {}, hidesOnClose = false) => {
  const saved: unknown[] = [];
  let stays = 0;
  openWindow('http://127.0.0.1:8000', {
    version: '1.2.3',
    settings: { read: () => state as never, write: (_key, now) => saved.push(now) },
    hidesOnClose: () => hidesOnClose,
    onStay: () => {
      stays += 1;
    },
    onFailure: (error) => {
      throw error;
    },
  });
  const window = BrowserWindow.made.at(-1);
  if (!window) throw new Error('no window was made');
  return { window, saved, stays: () => stays };
};

/** Emits an event that can be prevented; answers whether it was. */
const isPrevented = (emitter: { emit(name: string, event: unknown): boolean }, name: string) => {
  let prevented = false;
  emitter.emit(name, { preventDefault: () => (prevented = true) });
  return prevented;
};

test('the window is isolated, sandboxed and without Node', () => {
  expect(open().window.options.webPreferences).toMatchObject({
    preload: expect.stringMatching(/[\\/]preload[\\/]index\.cjs$/),
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    additionalArguments: ['--dot-mi-version=1.2.3'],
  });
});

test('it loads the page and shows itself once there is something to see', () => {
  const { window } = open();
  expect([window.url, window.shown]).toEqual(['http://127.0.0.1:8000', false]);
  window.emit('ready-to-show');
  expect([window.shown, window.maximized]).toEqual([true, false]);
});

test('unsaved text keeps the window open until a person says to close it', () => {
  const { window, stays } = open();
  const isClosed = (answer: number) => {
    dialog.answer = answer;
    // Preventing the page's wish to stay is what lets the window close.
    return isPrevented(window.webContents, 'will-prevent-unload');
  };
  expect([isClosed(0), stays(), isClosed(1), stays()]).toEqual([false, 1, true, 1]);
});

test('whoever leaves unsaved text is asked in the words of what they do: close, or load again', () => {
  const { window } = open();
  dialog.said.length = 0;
  dialog.answer = 0;
  isPrevented(window.webContents, 'will-prevent-unload');
  isPrevented(window, 'close');
  isPrevented(window.webContents, 'will-prevent-unload');
  // They stayed; the next one is no close.
  isPrevented(window.webContents, 'will-prevent-unload');
  expect(dialog.said).toEqual([
    'Reload the page with unsaved changes?',
    'Close with unsaved changes?',
    'Reload the page with unsaved changes?',
  ]);
});

test('whoever is asked is told what becomes of text typed in files and in settings', () => {
  const { window } = open();
  dialog.details.length = 0;
  isPrevented(window.webContents, 'will-prevent-unload');
  isPrevented(window, 'close');
  isPrevented(window.webContents, 'will-prevent-unload');
  expect(dialog.details).toEqual([
    expect.stringMatching(/^Unsaved text comes back .* A token you haven’t received is lost\.$/),
    expect.stringMatching(
      /^dot-mi offers unsaved text in files .* Unsaved settings and tokens you haven’t received are lost\.$/,
    ),
  ]);
});

test('it opens where it was, unless that screen is gone, and remembers place, size and zoom', () => {
  const there = { x: 2000, y: 100, width: 1000, height: 700 };
  const { window, saved } = open({ bounds: there, isMaximized: true, zoomLevel: 1.5 });
  expect(window.options).toMatchObject(there);
  window.emit('ready-to-show');
  window.webContents.emit('did-finish-load');
  expect(isPrevented(window, 'close')).toBe(false);
  expect(saved).toEqual([
    { bounds: { x: 1, y: 2, width: 900, height: 700 }, isMaximized: true, zoomLevel: 1.5 },
  ]);

  const gone = open({ bounds: { x: 5000, y: 100, width: 1000, height: 700 } }).window;
  expect(gone.options).toMatchObject({ width: 1280, height: 800 });
  expect(gone.options).not.toHaveProperty('x');
});

test('a page that loads again, or another one, keeps the zoom that a person gave it since', () => {
  const { webContents } = open({ zoomLevel: 1 }).window;
  /** `zoom` is what Chromium gives the page that loads; nothing is said when a load fails. */
  const load = (zoom: number, isLoaded = true) => {
    webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false });
    webContents.setZoomLevel(zoom);
    if (isLoaded) webContents.emit('did-finish-load');
    return webContents.getZoomLevel();
  };
  expect(load(0)).toBe(1);
  webContents.setZoomLevel(3);
  webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: true });
  webContents.setZoomLevel(2.5);
  webContents.emit('did-start-navigation', { isMainFrame: false, isSameDocument: false });
  expect([load(2.5), load(0, false), load(0)]).toEqual([2.5, 0, 2.5]);
});

test('with a tray to come back from, closing hides it', () => {
  const { window } = open({}, true);
  window.emit('ready-to-show');
  expect(isPrevented(window, 'close')).toBe(true);
  expect(window.shown).toBe(false);
});
