import { afterEach, beforeEach, expect, test } from 'vitest';
import { launchOptions } from '../support/electron/around.ts';
import {
  app,
  BaseWindow,
  BrowserWindow,
  Menu,
  nativeImage,
  powerMonitor,
  screen,
  session,
  Tray,
  utilityProcess,
} from '../support/electron-double.ts';

// Rules of Electron that the double enforces, so that the other tests would catch code that breaks them.

beforeEach(() => {
  app.becomeUnready();
});

afterEach(() => {
  app.becomeReady();
  delete launchOptions.tray;
  Tray.current?.destroy();
});

test.each([
  ['a window', () => new BrowserWindow()],
  ['a window without a page', () => new BaseWindow()],
  ['a tray', () => new Tray(nativeImage.createFromPath('x'))],
  ['the session', () => session.defaultSession],
  ['the screens', () => screen.getAllDisplays()],
  ['the power events', () => powerMonitor.on('resume', () => undefined)],
  ['a utility process', () => utilityProcess.fork('/nowhere.cjs', [], { stdio: ['ignore', 'pipe', 'pipe'] })],
])('before Chromium is ready, %s is an error', (_name, use) => {
  expect(use).toThrow(/before|when app is ready/);
  app.becomeReady();
  expect(use).not.toThrow();
});

test('the sandbox can’t be enabled once Chromium is ready', () => {
  expect(() => app.enableSandbox()).not.toThrow();
  app.becomeReady();
  expect(() => app.enableSandbox()).toThrow('before app is ready');
});

test('a role provides its items, and an empty submenu replaces them', () => {
  const { template } = Menu.buildFromTemplate([{ role: 'editMenu' }, { role: 'viewMenu', submenu: [] }]);
  expect(template[0]?.submenu).toContainEqual({ role: 'copy' });
  expect(template[1]?.submenu).toEqual([]);
  expect(() => Menu.buildFromTemplate([{ click: () => undefined }])).toThrow('label, role or type');
});

test('a tray may be created and never appear, or not be created', () => {
  app.becomeReady();
  launchOptions.tray = 'hidden';
  new Tray(nativeImage.createFromPath('x')).destroy();
  expect(Tray.current).toBeUndefined();
  launchOptions.tray = 'refused';
  expect(() => new Tray(nativeImage.createFromPath('x'))).toThrow('no tray');
});

test('a closed window is destroyed, and a window with a prevented close stays', async () => {
  app.becomeReady();
  const window = new BrowserWindow();
  const events: string[] = [];
  window.on('closed', () => events.push('closed'));
  window.once('close', (event) => event.preventDefault());
  expect(await window.closeNow()).toBe(false);
  expect(await window.closeNow()).toBe(true);
  expect([events, window.isDestroyed()]).toEqual([['closed'], true]);
});
