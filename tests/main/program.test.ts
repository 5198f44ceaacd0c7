import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import config from '../../electron-builder.config.ts';
import { pageAddress } from '../../src/main/page-window.ts';
import { portableFile, programFile, startAgain } from '../../src/main/program-file.ts';
import { readConfig } from '../../src/server/config.ts';
import { app } from '../support/electron-double.ts';
import { eventually } from '../support/eventually.ts';
import { makeTempDirectory } from '../support/temp.ts';

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

test('an installed program that a portable one started is not mistaken for it', () => {
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

test('a restart keeps the switches, without the link and what was meant for the first start alone', () => {
  const argv = ['/opt/dot-mi', '--user-data-dir=/d', '--hidden', '--trust-root', '--', 'cashu:x'];
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'linux' }, argv: { value: argv } }));
  const relaunch = vi.spyOn(app, 'relaunch');
  startAgain(readConfig('/data', {}));
  expect(relaunch.mock.calls).toEqual([[{ execPath: '/tmp/unpacked/dot-mi', args: ['--user-data-dir=/d'] }]]);
});

test('an AppImage is restarted by its file, once the data folder is free', async () => {
  const directory = await makeTempDirectory();
  const file = join(directory, 'dot-mi.AppImage');
  const started = join(directory, 'started');
  await writeFile(file, `#!/bin/sh\necho "$@" > '${started}.part' && mv '${started}.part' '${started}'\n`, {
    mode: 0o755,
  });
  vi.stubGlobal(
    'process',
    Object.create(process, {
      platform: { value: 'linux' },
      argv: { value: ['/tmp/unpacked/dot-mi', '--flag'] },
    }),
  );
  const relaunch = vi.spyOn(app, 'relaunch').mockClear();
  const release = vi.spyOn(app, 'releaseSingleInstanceLock').mockImplementation(() => undefined);
  startAgain(readConfig('/data', { APPIMAGE: file, APPDIR: '/tmp/unpacked' }));
  vi.unstubAllGlobals();
  await eventually(async () => expect(await readFile(started, 'utf8')).toBe('--flag\n'));
  expect([release.mock.calls.length, relaunch.mock.calls.length]).toEqual([1, 0]);
});

test("switches for a debugger are removed before the program does anything else, and then Windows gets the installer's ids", async () => {
  const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
  const lines = (await read('src/main/index.ts')).split('\n').map((line) => line.trim());
  const code = lines.filter((line) => !/^(import |\/\/|$)/.test(line));
  const [, clsid] = /"Software\\Classes\\CLSID\\(.*)"/.exec(await read('packaging/installer.nsh')) ?? [];
  expect(code.slice(0, 4)).toEqual([
    'refuseDebugging(app);',
    "if (process.platform === 'win32') {",
    `app.setAppUserModelId('${config.appId}');`,
    `app.setToastActivatorCLSID('${clsid}');`,
  ]);
});

test('the portable program unpacks into a folder of its own at each launch, so that a link deletes nothing of the running one', async () => {
  // Any other value makes electron-builder define a folder for the build, which its script removes at each launch.
  expect(config.portable?.unpackDirName).toBe(true);
  const target = await readFile(
    new URL('../../node_modules/app-builder-lib/out/targets/nsis/NsisTarget.js', import.meta.url),
    'utf8',
  );
  expect(target).toMatch(
    /typeof unpackDirName === "string" \|\| !unpackDirName\) \{\s+defines\.UNPACK_DIR_NAME/,
  );
});
