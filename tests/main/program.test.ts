import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pageAddress } from '../../src/main/page-window.ts';
import { portableFile, programFile } from '../../src/main/program-file.ts';
import { readConfig } from '../../src/server/config.ts';
import { app } from '../support/electron-double.ts';

beforeEach(() => {
  app.paths.exe = '/tmp/unpacked/dot-mi';
  app.paths.temp = '/tmp';
  app.isPackaged = true;
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test.each([
  ['linux', { APPIMAGE: '/home/me/dot-mi.AppImage', APPDIR: '/tmp/unpacked' }, '/home/me/dot-mi.AppImage'],
  ['win32', { PORTABLE_EXECUTABLE_FILE: 'D:\\dot-mi.exe' }, 'D:\\dot-mi.exe'],
  ['linux', {}, '/tmp/unpacked/dot-mi'],
  ['win32', {}, '/tmp/unpacked/dot-mi'],
  // Of another program, which started a terminal that started us.
  ['linux', { APPIMAGE: '/home/me/editor.AppImage', APPDIR: '/tmp/.mount_editor' }, '/tmp/unpacked/dot-mi'],
  // Each means something on its own system only.
  ['linux', { PORTABLE_EXECUTABLE_FILE: 'D:\\dot-mi.exe' }, '/tmp/unpacked/dot-mi'],
  ['win32', { APPIMAGE: '/home/me/dot-mi.AppImage' }, '/tmp/unpacked/dot-mi'],
])('on %s, started with %j, the program is the file %s', (platform, environment, file) => {
  vi.stubGlobal('process', Object.create(process, { platform: { value: platform } }));
  expect(programFile(readConfig('/data', environment))).toBe(file);
});

test('an installed program that a portable one started is not taken for it', () => {
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'win32' } }));
  const config = readConfig('/data', { PORTABLE_EXECUTABLE_FILE: 'D:\\other.exe' });
  expect(portableFile(config)).toBe('D:\\other.exe');
  app.paths.exe = '/programs/dot-mi/dot-mi.exe';
  expect([portableFile(config), programFile(config)]).toEqual([undefined, app.paths.exe]);
});

test('the window of an installed program shows the page of its own server, whatever the environment says', () => {
  const { devPageUrl } = readConfig('/data', { ELECTRON_RENDERER_URL: 'http://127.0.0.1:5173' });
  expect(pageAddress('http://127.0.0.1:8000', devPageUrl)).toBe('http://127.0.0.1:8000');
  app.isPackaged = false;
  expect(pageAddress('http://127.0.0.1:8000', devPageUrl)).toBe('http://127.0.0.1:5173');
  expect(pageAddress('http://127.0.0.1:8000', undefined)).toBe('http://127.0.0.1:8000');
});
