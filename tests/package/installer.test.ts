import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { runMacro, valueAt } from '../support/package/nsis.ts';
import { makeTempDirectory } from '../support/temp.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packaging = (...path: string[]) => join(root, 'packaging', ...path);

const DIRECTORY = 'C:\\Users\\me\\AppData\\Local\\Programs\\dot-mi';
const DEFINES = {
  APP_EXECUTABLE_FILENAME: 'dot-mi.exe',
  APP_ID: 'dot-mi.desktop',
  PRODUCT_NAME: 'dot-mi',
};

describe('cashu: links on Windows', () => {
  const OURS = `"${DIRECTORY}\\dot-mi.exe" -- "%1"`;
  /** As Electron writes it, when the program claims them itself. */
  const OURS_BY_ELECTRON = `"${DIRECTORY}\\dot-mi.exe" "--" "%1"`;
  const OTHERS = '"C:\\Program Files\\Wallet\\wallet.exe" "%1"';
  const command = (root: string) => valueAt(root, 'Software\\Classes\\cashu\\shell\\open\\command');

  const registryAfter = async (
    macro: string,
    before: Record<string, string>,
    shellContext: 'HKCU' | 'HKLM' = 'HKCU',
  ) => {
    const registry = new Map(Object.entries(before).map(([root, line]) => [command(root), line]));
    runMacro(await readFile(packaging('installer.nsh'), 'utf8'), macro, {
      registry,
      shellContext,
      directory: DIRECTORY,
      defines: DEFINES,
    });
    return registry;
  };

  it.each(['HKCU', 'HKLM'] as const)('open dot-mi if no program has them, installed to %s', async (root) => {
    const registry = await registryAfter('customInstall', {}, root);
    expect(registry.get(command(root))).toBe(OURS);
    // Without it Windows takes the class for a kind of file.
    expect(registry.has(valueAt(root, 'Software\\Classes\\cashu', 'URL Protocol'))).toBe(true);
    expect([...registry.keys()].every((place) => place.startsWith(root.toLowerCase()))).toBe(true);
  });

  it.each([OURS, OURS_BY_ELECTRON, OURS.toUpperCase()])(
    'are written again if they are its own: %s',
    async (line) => {
      expect((await registryAfter('customInstall', { HKCU: line })).get(command('HKCU'))).toBe(OURS);
    },
  );

  it.each([OTHERS, `"${DIRECTORY}\\dot-mi.exe.evil" "%1"`, `"${DIRECTORY} of another\\dot-mi.exe" "%1"`])(
    'stay with another program that has them, for this user or for all: %s',
    async (line) => {
      for (const root of ['HKCU', 'HKLM'])
        expect([...(await registryAfter('customInstall', { [root]: line }))]).toEqual([
          [command(root), line],
        ]);
    },
  );

  it.each([OURS, OURS_BY_ELECTRON])('are released by the uninstaller: %s', async (line) => {
    expect([...(await registryAfter('customUnInstall', { HKCU: line }))]).toEqual([]);
    expect([...(await registryAfter('customUnInstall', { HKCU: line, HKLM: line }, 'HKLM'))]).toEqual([]);
  });

  it('are left by the uninstaller to another program that has claimed them since', async () => {
    const registry = await registryAfter('customUnInstall', { HKCU: OTHERS, HKLM: OURS }, 'HKLM');
    expect([...registry]).toEqual([[command('HKCU'), OTHERS]]);
  });
});

describe('the start at login on Windows', () => {
  const RUN = 'Software\\Microsoft\\Windows\\CurrentVersion\\Run';
  const CHOICE = 'Software\\Microsoft\\Windows\\CurrentVersion\\Explorer\\StartupApproved\\Run';
  /** Electron names the value after the program's id. */
  const line = valueAt('HKCU', RUN, 'dot-mi.desktop');
  const choice = valueAt('HKCU', CHOICE, 'dot-mi.desktop');
  const QUOTED = `"${DIRECTORY}\\dot-mi.exe" --hidden`;
  const BARE = `${DIRECTORY}\\dot-mi.exe --hidden`;

  const registryAfter = async (command: string, isUpdated = false) => {
    const registry = new Map([
      [line, command],
      [choice, '02'],
    ]);
    runMacro(await readFile(packaging('installer.nsh'), 'utf8'), 'customUnInstall', {
      registry,
      shellContext: 'HKCU',
      directory: DIRECTORY,
      isUpdated,
      defines: DEFINES,
    });
    return registry;
  };

  it.each([QUOTED, BARE])('is removed by the uninstaller: %s', async (command) => {
    expect([...(await registryAfter(command))]).toEqual([]);
  });

  it('is kept by an update, which runs the uninstaller too', async () => {
    expect((await registryAfter(QUOTED, true)).get(line)).toBe(QUOTED);
  });

  it.each(['"D:\\dot-mi-0.1.0-win-x64-portable.exe" --hidden', `"${DIRECTORY}\\dot-mi.exe.evil" --hidden`])(
    'is kept if another program has it, such as the portable one: %s',
    async (command) => {
      const registry = await registryAfter(command);
      expect([registry.get(line), registry.get(choice)]).toEqual([command, '02']);
    },
  );
});

describe('the notifications of Windows', () => {
  const KEY = 'Software\\Classes\\CLSID\\{5D500DE7-0A78-4693-A980-B06FF7BC391B}';
  const server = valueAt('HKCU', `${KEY}\\LocalServer32`);

  const uninstall = async (program: string, shellContext: 'HKCU' | 'HKLM', isUpdated = false) => {
    const registry = new Map([
      [valueAt('HKCU', KEY), 'Electron Notification Activator'],
      [server, program],
    ]);
    const startMenu = new Map([
      ['current' as const, ['dot-mi.lnk', 'other.lnk']],
      ['all' as const, ['dot-mi.lnk']],
    ]);
    runMacro(await readFile(packaging('installer.nsh'), 'utf8'), 'customUnInstall', {
      registry,
      startMenu,
      shellContext,
      directory: DIRECTORY,
      isUpdated,
      defines: DEFINES,
    });
    return [registry.size, startMenu.get('current'), startMenu.get('all')];
  };

  it.each(['HKCU', 'HKLM'] as const)(
    'leave neither key nor link of this person, installed to %s',
    async (root) => {
      expect(await uninstall(`${DIRECTORY}\\dot-mi.exe`, root)).toEqual([0, ['other.lnk'], ['dot-mi.lnk']]);
    },
  );

  it('stay for an update, and for another copy of the program', async () => {
    const kept = [2, ['dot-mi.lnk', 'other.lnk'], ['dot-mi.lnk']];
    expect(await uninstall(`${DIRECTORY}\\dot-mi.exe`, 'HKCU', true)).toEqual(kept);
    expect(await uninstall('D:\\dot-mi\\dot-mi.exe', 'HKCU')).toEqual(kept);
  });
});

describe('the installer of Windows', () => {
  it('compiles with our own script in it', async ({ skip }) => {
    skip(spawnSync('makensis', ['-version']).error !== undefined, 'there is no makensis');
    const directory = await makeTempDirectory();
    const script = join(directory, 'installer.nsi');
    await writeFile(
      script,
      [
        '!include "LogicLib.nsh"',
        '!define APP_EXECUTABLE_FILENAME "dot-mi.exe"',
        '!define APP_ID "dot-mi.desktop"',
        '!define PRODUCT_NAME "dot-mi"',
        // A variable of electron-builder's script.
        'Var installMode',
        // As electron-builder's script has it: a condition of LogicLib.
        // biome-ignore lint/suspicious/noTemplateCurlyInString: NSIS's own placeholders
        '!macro _isUpdated _a _b _t _f\nStrCmp "$R9" "true" `${_t}` `${_f}`\n!macroend',
        '!define isUpdated `"" isUpdated ""`',
        `!include "${packaging('installer.nsh')}"`,
        `OutFile "${join(directory, 'installer.exe')}"`,
        'InstallDir "C:\\dot-mi"',
        'Section\nStrCpy $installMode "all"\n!insertmacro customInstall\nSectionEnd',
        'Section "un.all"\nStrCpy $installMode "all"\n!insertmacro customUnInstall\nSectionEnd',
        'Section\nWriteUninstaller "$INSTDIR\\u.exe"\nSectionEnd',
      ].join('\n'),
    );
    const { status, stdout } = spawnSync('makensis', ['-WX', '-V2', script], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});
