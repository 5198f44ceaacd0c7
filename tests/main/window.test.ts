import { existsSync } from 'node:fs';
import type { BrowserWindow as ElectronWindow } from 'electron';
import { expect, test, vi } from 'vitest';
import { surviveCrashes } from '../../src/main/page-window.ts';
import type { WindowState } from '../../src/main/settings.ts';
import { openWindow } from '../../src/main/window.ts';
import { createLogger } from '../../src/server/platform/logger.ts';
import type { Loss } from '../../src/shared/desktop-bridge.ts';
import { launchOptions } from '../support/electron/around.ts';
import { app, BrowserWindow, dialog, nativeTheme } from '../support/electron-double.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const open = (state: WindowState = {}, hidesOnClose = false) => {
  const saved: unknown[] = [];
  let stays = 0;
  let isQuitting = false;
  let losses: readonly Loss[] = ['token'];
  let pageUrl = 'http://127.0.0.1:8000';
  openWindow({
    version: '1.2.3',
    settings: { read: () => state as never, write: (_key, now) => saved.push(now) },
    hidesOnClose: () => hidesOnClose,
    pageUrl: () => pageUrl,
    isQuitting: () => isQuitting,
    losses: () => losses,
    onStay: () => {
      stays += 1;
    },
    onFailure: (error) => {
      throw error;
    },
  });
  const window = BrowserWindow.made.at(-1);
  if (!window) throw new Error('no window was made');
  void window.webContents.loadURL(pageUrl);
  return {
    window,
    saved,
    stays: () => stays,
    quitting: () => {
      isQuitting = true;
    },
    lose: (next: readonly Loss[]) => {
      losses = next;
    },
    moveTo: (url: string) => {
      pageUrl = url;
    },
  };
};

const settle = () => new Promise(setImmediate);

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

test.each(['did-finish-load', 'did-fail-load', 'time'])(
  'in the dark theme it is shown once it is painted, at the first of two events or after two seconds: %s',
  (event) => {
    vi.useFakeTimers();
    nativeTheme.themeSource = 'dark';
    try {
      const { window } = open({ isMaximized: true });
      let shows = 0;
      window.on('show', () => {
        shows += 1;
      });
      expect([window.shown, window.options.backgroundColor]).toEqual([false, '#1a1816']);
      if (event === 'time') vi.advanceTimersByTime(2_000);
      else window.webContents.emit(event);
      expect([window.shown, window.maximized]).toEqual([true, true]);
      window.webContents.emit('did-finish-load');
      vi.advanceTimersByTime(10_000);
      expect(shows).toBe(1);
    } finally {
      nativeTheme.themeSource = 'system';
      vi.useRealTimers();
    }
  },
);

test('in the light theme it is shown at once, without waiting for ready-to-show, which may never fire', () => {
  const { window } = open();
  expect([window.shown, window.maximized, window.options.backgroundColor]).toEqual([true, false, '#fffefd']);
  expect(open({ isMaximized: true }).window.maximized).toBe(true);
});

test('on Linux a window with a frame opens where it was, and remembers where a person moved it', () => {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'linux' } }));
  launchOptions.frame = { left: 1, top: 20 };
  try {
    const bounds = { x: 200, y: 60, width: 900, height: 700 };
    const { window, saved } = open({ bounds });
    window.focus();
    isPrevented(window, 'close');
    window.moveBy(100, 50);
    isPrevented(window, 'close');
    expect(saved).toMatchObject([{ bounds }, { bounds: { ...bounds, x: 300, y: 110 } }]);
  } finally {
    launchOptions.frame = undefined;
    vi.unstubAllGlobals();
  }
});

test('on Linux a window has the icon of the program', () => {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'linux' } }));
  const { icon } = open().window.options;
  vi.unstubAllGlobals();
  expect(existsSync(String(icon))).toBe(true);
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'win32' } }));
  expect(open().window.options).not.toHaveProperty('icon');
  vi.unstubAllGlobals();
});

const wantsToStay = (window: BrowserWindow) => !isPrevented(window.webContents, 'will-prevent-unload');

test('a token that isn’t received keeps the window open until the operator agrees to close it, without blocking', async () => {
  const { window, stays } = open();
  const answer = Promise.withResolvers<number>();
  dialog.answerTo = () => answer.promise;
  isPrevented(window, 'close');
  // The page stays while the question is open, and is asked about once.
  expect([wantsToStay(window), wantsToStay(window)]).toEqual([true, true]);
  expect(dialog.said.splice(0)).toEqual(['Close and lose a token?']);
  answer.resolve(1);
  await settle();
  expect([window.closes, stays()]).toEqual([1, 0]);
  // Preventing the page's wish to stay is what lets the window close.
  expect(wantsToStay(window)).toBe(false);
  dialog.answerTo = () => dialog.answer;
});

test('staying keeps the page open and cancels a quit', async () => {
  const { window, stays } = open();
  dialog.answer = 0;
  isPrevented(window, 'close');
  expect(wantsToStay(window)).toBe(true);
  await settle();
  expect([window.closes, stays()]).toEqual([0, 1]);
  expect(wantsToStay(window)).toBe(true);
  await settle();
});

test('after a refused close there is no further question, and the page stays', async () => {
  vi.useFakeTimers();
  try {
    const { window } = open();
    surviveCrashes(window as object as ElectronWindow, createLogger('silent'));
    let reports = 0;
    window.on('unresponsive', () => {
      reports += 1;
    });
    window.isUnsaved = true;
    dialog.answer = 0;
    dialog.said.length = 0;
    window.close();
    // The double waits this long before it reports the window as unresponsive, after a close that the page refused.
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    expect(reports).toBe(1);
    expect(dialog.said).toEqual(['Close and lose a token?']);
    expect([window.webContents.asked, window.isDestroyed()]).toEqual([[], false]);
    dialog.answer = 1;
    window.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(window.isDestroyed()).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

test('a quit that asked first continues after a yes', async () => {
  const { window, quitting } = open();
  app.quits = 0;
  quitting();
  dialog.answer = 1;
  isPrevented(window, 'close');
  expect(wantsToStay(window)).toBe(true);
  await settle();
  expect([app.quits, window.closes, wantsToStay(window)]).toEqual([1, 0, false]);
});

test('a reload that asked first happens after a yes, at the address where the server is now', async () => {
  const { window, moveTo } = open();
  dialog.answer = 1;
  expect(wantsToStay(window)).toBe(true);
  await settle();
  expect([window.webContents.asked, window.url]).toEqual([['reload'], 'http://127.0.0.1:8000']);
  window.webContents.emit('did-start-navigation', { isMainFrame: true, isSameDocument: false });
  moveTo('http://127.0.0.1:9000');
  expect(wantsToStay(window)).toBe(true);
  await settle();
  expect(window.url).toBe('http://127.0.0.1:9000');
});

test('the question says what will happen: the window closes, or the page reloads', async () => {
  const { window } = open();
  dialog.said.length = 0;
  dialog.details.length = 0;
  dialog.answer = 0;
  wantsToStay(window);
  await settle();
  isPrevented(window, 'close');
  wantsToStay(window);
  await settle();
  // They stayed; the next one isn’t a close.
  wantsToStay(window);
  await settle();
  expect(dialog.said).toEqual([
    'Reload and lose a token?',
    'Close and lose a token?',
    'Reload and lose a token?',
  ]);
  expect(dialog.details.slice(0, 2)).toEqual([
    expect.stringMatching(
      /If you reload the page, you lose the token\. dot-mi keeps your unsaved text in files\.$/,
    ),
    expect.stringMatching(
      /If you close the window, you lose the token\. dot-mi keeps your unsaved text in files\.$/,
    ),
  ]);
});

test('the question names what would be lost, and says that text is kept only where it is', async () => {
  const { window, lose } = open();
  dialog.said.length = 0;
  dialog.details.length = 0;
  dialog.answer = 0;
  for (const losses of [['text'], ['drafts'], ['token', 'drafts']] satisfies Loss[][]) {
    lose(losses);
    isPrevented(window, 'close');
    wantsToStay(window);
    await settle();
  }
  expect(dialog.said).toEqual(['Close and lose text?', 'Close and lose text?', 'Close and lose a token?']);
  expect(dialog.details).toEqual([
    'The token field on the wallet page has text that isn’t a whole token. If you close the window, you lose the text in that field. dot-mi keeps your unsaved text in files.',
    'dot-mi couldn’t keep your unsaved text, for example because the disk is full. Save or copy it first. If you close the window, you lose your unsaved text.',
    'The wallet page has a token that you haven’t received yet. dot-mi couldn’t keep your unsaved text, for example because the disk is full. Save or copy it first. If you close the window, you lose the token and your unsaved text.',
  ]);
});

test('it opens where it was, unless that screen is disconnected, and remembers place, size and zoom', () => {
  const there = { x: 2000, y: 100, width: 1000, height: 700 };
  const { window, saved } = open({ bounds: there, isMaximized: true, zoomLevel: 1.5 });
  expect(window.options).toMatchObject(there);
  window.webContents.emit('did-finish-load');
  expect(isPrevented(window, 'close')).toBe(false);
  expect(saved).toEqual([{ bounds: there, isMaximized: true, zoomLevel: 1.5 }]);

  // One pixel of a corner is on the screen, or the frame is above it, so nobody could move the window.
  for (const lost of [
    { x: 3199, y: 1023 },
    { x: 3199, y: 100 },
    { x: -999, y: 100 },
    { x: 100, y: 1050 },
    { x: 100, y: -600 },
  ])
    expect(open({ bounds: { ...lost, width: 1000, height: 700 } }).window.options).not.toHaveProperty('x');
  const gone = open({ bounds: { x: 5000, y: 100, width: 1000, height: 700 } }).window;
  expect(gone.options).toMatchObject({ width: 1280, height: 800 });
  expect(gone.options).not.toHaveProperty('x');
});

test('a page that reloads, or another one, keeps the zoom that the operator has set since', () => {
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

test('with a tray that can reopen it, closing hides it', () => {
  const { window } = open({}, true);
  expect(isPrevented(window, 'close')).toBe(true);
  expect(window.shown).toBe(false);
});
