import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLoginItem, isLoginStart } from '../../src/main/login-item.ts';
import { app } from '../support/electron-double.ts';
import { makeTempDirectory } from '../support/temp.ts';

const entryPath = () => join(app.paths.appData ?? '', 'autostart/dot-mi.desktop');

beforeEach(async () => {
  app.isPackaged = true;
  app.loginItem = undefined;
  app.keepsLoginItem = true;
  app.isTurnedOff = false;
  app.wasOpenedAtLogin = false;
  app.paths.appData = await makeTempDirectory();
});

afterEach(() => {
  vi.unstubAllGlobals();
});

const onPlatform = (platform: NodeJS.Platform, argv = process.argv) =>
  vi.stubGlobal('process', Object.create(process, { platform: { value: platform }, argv: { value: argv } }));

/** The arguments that a desktop makes of the key Exec: the escapes of the file first, then the quotes as a shell has them. */
const readExec = (entry: string): string[] => {
  const [, value = ''] = /^Exec=(.*)$/m.exec(entry) ?? [];
  const escapes: Record<string, string> = { s: ' ', n: '\n', t: '\t', r: '\r', '\\': '\\' };
  const line = value.replaceAll(/\\(.)/g, (_all, character: string) => {
    const meant = escapes[character];
    if (meant === undefined) throw new Error(`no escape of a desktop entry: \\${character}`);
    return meant;
  });
  const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  return stdout
    .split('\0')
    .slice(0, -1)
    .map((argument) => argument.replaceAll('%%', '%'));
};

const SPECIAL = ['"', '`', '$HOME', '\\', '\\\\', '%', '%u', "'", ' ', '\t', '\n', ';', '\\n', '$(id)'];

test.for([
  ...SPECIAL.map((special) => [special, `/home/me/a${special}b/dot-mi.AppImage`]),
  ['all of them', `/home/me/${SPECIAL.join('')}/dot-mi.AppImage`],
])('on Linux it starts the program hidden, whatever is in its path: %j', ([, program = ''], { skip }) => {
  skip(process.platform !== 'linux', 'the paths are those of Linux');
  createLoginItem(program).set(true);
  const entry = readFileSync(entryPath(), 'utf8');
  expect(readExec(entry)).toEqual([program, '--hidden']);
  expect(entry.trimEnd().split('\n')).toHaveLength(5);
});

test('on Linux it is a desktop entry that is created and removed', ({ skip }) => {
  skip(process.platform !== 'linux', 'the paths are those of Linux');
  const item = createLoginItem('/home/me/My "Apps"/dot-mi 100%.AppImage');
  expect(item.isOn()).toBe(false);
  item.set(true);
  expect(item.isOn()).toBe(true);
  // Word for word, as the specification has it.
  expect(readFileSync(entryPath(), 'utf8')).toContain(
    String.raw`Exec="/home/me/My \\"Apps\\"/dot-mi 100%%.AppImage" --hidden`,
  );
  item.set(false);
  item.set(false);
  expect(item.isOn()).toBe(false);
});

test('the desktop entry follows the specification', ({ skip }) => {
  const { error } = spawnSync('desktop-file-validate', ['--version']);
  skip(error !== undefined, 'there is no desktop-file-validate');
  onPlatform('linux');
  createLoginItem(`/home/me/${SPECIAL.join('')}/dot-mi.AppImage`).set(true);
  const { status, stdout, stderr } = spawnSync('desktop-file-validate', [entryPath()], {
    encoding: 'utf8',
  });
  expect({ status, output: stdout + stderr }).toEqual({ status: 0, output: '' });
});

test('on Windows it names the file that the operator has, in quotes, hidden, and is on only for that file', () => {
  onPlatform('win32');
  const item = createLoginItem('D:\\My Tools\\dot-mi-portable.exe');
  item.set(true);
  expect(app.loginItem).toEqual({
    openAtLogin: true,
    path: '"D:\\My Tools\\dot-mi-portable.exe"',
    args: ['--hidden'],
  });
  expect(item.isOn()).toBe(true);
  expect(createLoginItem('D:\\Elsewhere\\dot-mi-portable.exe').isOn()).toBe(false);
  item.set(false);
  expect(item.isOn()).toBe(false);
});

test('on macOS the system starts the program itself, and the setting turns that on and off', () => {
  onPlatform('darwin');
  const item = createLoginItem('/Applications/dot-mi.app/Contents/MacOS/dot-mi');
  expect(item.isOn()).toBe(false);
  item.set(true);
  expect(item.isOn()).toBe(true);
  // No desktop entry there, which nobody would read.
  expect(existsSync(entryPath())).toBe(false);
  item.set(false);
  expect(item.isOn()).toBe(false);
});

test('a start at login that macOS doesn’t accept is reported, with the place to turn it on', () => {
  onPlatform('darwin');
  app.keepsLoginItem = false;
  const item = createLoginItem('/Applications/dot-mi.app/Contents/MacOS/dot-mi');
  expect(() => item.set(true)).toThrow(
    'macOS didn’t turn this on. Turn dot-mi on in System Settings › General › Login Items.',
  );
});

test('on Windows it is off if the person turned it off in the Task Manager', () => {
  onPlatform('win32');
  const item = createLoginItem('C:\\dot-mi.exe');
  item.set(true);
  app.isTurnedOff = true;
  expect(item.isOn()).toBe(false);
});

test('on macOS the system says whether a start is one at login, and elsewhere the system is not asked', () => {
  app.wasOpenedAtLogin = true;
  onPlatform('darwin', ['dot-mi']);
  expect(isLoginStart()).toBe(true);
  app.wasOpenedAtLogin = false;
  expect(isLoginStart()).toBe(false);
  app.wasOpenedAtLogin = true;
  onPlatform('win32', ['dot-mi']);
  expect(isLoginStart()).toBe(false);
});

test('a start at login says so by its switch, which a link cannot bring', () => {
  onPlatform('linux', ['dot-mi', '--hidden']);
  expect(isLoginStart()).toBe(true);
  onPlatform('linux', ['dot-mi', '--', 'cashu:x', '--hidden']);
  expect(isLoginStart()).toBe(false);
});

test('a program from the sources cannot start at login, and says so', () => {
  app.isPackaged = false;
  expect(() => createLoginItem('/opt/dot-mi/dot-mi').set(true)).toThrow(
    'Only the installed program can start at login.',
  );
});
