import { expect, test } from 'vitest';
import type { WindowBounds } from '../../src/main/settings.ts';
import { openWindow } from '../../src/main/window.ts';
import { BrowserWindow, dialog } from '../support/electron-double.ts';

const remembering = (bounds?: WindowBounds) => {
  const saved: WindowBounds[] = [];
  const settings = { windowBounds: () => bounds, setWindowBounds: (now: WindowBounds) => saved.push(now) };
  return { settings, saved };
};

const open = (bounds?: WindowBounds) => {
  const { settings, saved } = remembering(bounds);
  openWindow('http://127.0.0.1:8000', '1.2.3', settings);
  const window = BrowserWindow.made.at(-1);
  if (!window) throw new Error('no window was made');
  return { window, saved };
};

test('the window is isolated, sandboxed and without Node', () => {
  const { window } = open();
  expect(window.options.webPreferences).toEqual({
    preload: expect.stringMatching(/[\\/]preload[\\/]index\.cjs$/),
    contextIsolation: true,
    sandbox: true,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    webSecurity: true,
    allowRunningInsecureContent: false,
    webviewTag: false,
    additionalArguments: ['--dot-mi-version=1.2.3'],
  });
});

test('it loads the page and shows itself once there is something to see', () => {
  const { window } = open();
  expect([window.url, window.shown]).toEqual(['http://127.0.0.1:8000', false]);
  window.emit('ready-to-show');
  expect(window.shown).toBe(true);
});

test('unsaved text keeps the window open until a person says to close it', () => {
  const { window } = open();
  const isClosed = (answer: number) => {
    dialog.answer = answer;
    let prevented = false;
    window.webContents.emit('will-prevent-unload', { preventDefault: () => (prevented = true) });
    // Preventing the page's wish to stay is what lets the window close.
    return prevented;
  };
  expect([isClosed(0), isClosed(1)]).toEqual([false, true]);
});

test('it opens where it was, unless that screen is gone, and remembers where it is closed', () => {
  const there = { x: 2000, y: 100, width: 1000, height: 700 };
  expect(open(there).window.options).toMatchObject(there);
  const gone = { x: 5000, y: 100, width: 1000, height: 700 };
  expect(open(gone).window.options).toMatchObject({ width: 1280, height: 800 });
  expect(open(gone).window.options).not.toHaveProperty('x');
  const { window, saved } = open();
  window.emit('close');
  expect(saved).toEqual([{ x: 1, y: 2, width: 900, height: 700 }]);
});
