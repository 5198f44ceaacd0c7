import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { parse } from 'yaml';
import { UPDATE_FEED_URL } from '../support/package/build-packages.ts';
import { installerNames } from '../support/package/installer-names.ts';
import { runMacro, valueAt } from '../support/package/nsis.ts';
import { makeTempDirectory } from '../support/temp.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { linux, linuxOutput, deb, mac, macZip = '', windows } = inject('packages');
const packaging = (...path: string[]) => join(root, 'packaging', ...path);

describe('on macOS', () => {
  const readPlist = async () =>
    (await readFile(join(mac, 'Contents', 'Info.plist'), 'utf8')).replace(/>\s+</g, '><');

  it('cashu: links open dot-mi', async () => {
    expect(await readPlist()).toContain(
      '<key>CFBundleURLTypes</key><array><dict><key>CFBundleTypeRole</key><string>Viewer</string><key>CFBundleURLName</key><string>Cashu token</string><key>CFBundleURLSchemes</key><array><string>cashu</string></array></dict></array>',
    );
  });

  it('it is dot-mi, by name, identifier and icon', async () => {
    const plist = await readPlist();
    expect(plist).toContain('<key>CFBundleIdentifier</key><string>dot-mi.desktop</string>');
    expect(plist).toContain('<key>CFBundleDisplayName</key><string>dot-mi</string>');
    expect(await readFile(join(mac, 'Contents', 'Resources', 'icon.icns'))).toEqual(
      await readFile(packaging('icons', 'icon.icns')),
    );
  });

  it('a Mac updates itself from a zip that has the program at its top, and links as links', async ({
    skip,
  }) => {
    skip(macZip === '', 'no zip was made: there is no zip or no unzip');
    const { stdout } = spawnSync('unzip', ['-Z', '-l', macZip], { encoding: 'utf8' });
    const lines = stdout.split('\n').filter((line) => /^[-dl][-rwx]{9} /.test(line));
    expect(lines.filter((line) => !/ dot-mi\.app\//.test(line))).toEqual([]);
    expect(lines.some((line) => / dot-mi\.app\/Contents\/Resources\/app\.asar$/.test(line))).toBe(true);
    expect(lines.find((line) => line.endsWith('Versions/Current'))).toMatch(/^l/);
    const feed = parse(await readFile(join(dirname(macZip), 'latest-mac.yml'), 'utf8'));
    expect(feed.files).toEqual([
      {
        url: basename(macZip),
        sha512: createHash('sha512')
          .update(await readFile(macZip))
          .digest('base64'),
        size: (await stat(macZip)).size,
      },
    ]);
  });

  it('the hardened runtime lets through what V8 needs, and nothing else', async () => {
    const entitlements = await readFile(packaging('entitlements.mac.plist'), 'utf8');
    expect(entitlements.match(/<key>.*<\/key>/g)).toEqual(['<key>com.apple.security.cs.allow-jit</key>']);
  });
});

describe('on Windows', () => {
  const readResources = async () =>
    NtExecutableResource.from(NtExecutable.from(await readFile(join(windows, 'dot-mi.exe')))).entries;

  it('it is dot-mi, by name, version and icon', async () => {
    const entries = await readResources();
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const [info] = Resource.VersionInfo.fromEntries(entries);
    const [language] = info?.getAllLanguagesForStringValues() ?? [];
    expect(language && info?.getStringValues(language)).toMatchObject({
      ProductName: 'dot-mi',
      FileDescription: 'dot-mi',
      FileVersion: version,
    });
    const [group] = Resource.IconGroupEntry.fromEntries(entries);
    const { icons } = Data.IconFile.from(await readFile(packaging('icons', 'icon.ico')));
    // 0 stands for 256.
    expect(group?.icons.map(({ width }) => width || 256)).toEqual(icons.map(({ width }) => width || 256));
  });
});

describe('cashu: links on Windows', () => {
  const DIRECTORY = 'C:\\Users\\me\\AppData\\Local\\Programs\\dot-mi';
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
      defines: { APP_EXECUTABLE_FILENAME: 'dot-mi.exe' },
    });
    return registry;
  };

  it.each(['HKCU', 'HKLM'] as const)('open dot-mi where nobody has them, installed to %s', async (root) => {
    const registry = await registryAfter('customInstall', {}, root);
    expect(registry.get(command(root))).toBe(OURS);
    // Without it Windows takes the class for a kind of file.
    expect(registry.has(valueAt(root, 'Software\\Classes\\cashu', 'URL Protocol'))).toBe(true);
    expect([...registry.keys()].every((place) => place.startsWith(root.toLowerCase()))).toBe(true);
  });

  it.each([OURS, OURS_BY_ELECTRON, OURS.toUpperCase()])(
    'are written anew where they are its own: %s',
    async (line) => {
      expect((await registryAfter('customInstall', { HKCU: line })).get(command('HKCU'))).toBe(OURS);
    },
  );

  it.each([OTHERS, `"${DIRECTORY}\\dot-mi.exe.evil" "%1"`, `"${DIRECTORY} of another\\dot-mi.exe" "%1"`])(
    'stay with another program that has them, for this person or for all: %s',
    async (line) => {
      for (const root of ['HKCU', 'HKLM'])
        expect([...(await registryAfter('customInstall', { [root]: line }))]).toEqual([
          [command(root), line],
        ]);
    },
  );

  it.each([OURS, OURS_BY_ELECTRON])('are given back by the uninstaller: %s', async (line) => {
    expect([...(await registryAfter('customUnInstall', { HKCU: line }))]).toEqual([]);
    expect([...(await registryAfter('customUnInstall', { HKCU: line, HKLM: line }, 'HKLM'))]).toEqual([]);
  });

  it('are left by the uninstaller to another program that took them since', async () => {
    const registry = await registryAfter('customUnInstall', { HKCU: OTHERS, HKLM: OURS }, 'HKLM');
    expect([...registry]).toEqual([[command('HKCU'), OTHERS]]);
  });
});

describe('the installer of Windows', () => {
  it('compiles with what is ours in it', async ({ skip }) => {
    skip(spawnSync('makensis', ['-version']).error !== undefined, 'there is no makensis');
    const directory = await makeTempDirectory();
    const script = join(directory, 'installer.nsi');
    await writeFile(
      script,
      [
        '!include "LogicLib.nsh"',
        '!define APP_EXECUTABLE_FILENAME "dot-mi.exe"',
        `!include "${packaging('installer.nsh')}"`,
        `OutFile "${join(directory, 'installer.exe')}"`,
        'InstallDir "C:\\dot-mi"',
        'Section\n!insertmacro customInstall\nSectionEnd',
        'Section "un.all"\n!insertmacro customUnInstall\nSectionEnd',
        'Section\nWriteUninstaller "$INSTDIR\\u.exe"\nSectionEnd',
      ].join('\n'),
    );
    const { status, stdout } = spawnSync('makensis', ['-WX', '-V2', script], { encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
  });
});

/** What the machine lacks for a file that is not there. */
const NEEDED = { deb: 'dpkg-deb', rpm: 'rpmbuild', appImage: 'mksquashfs', macZip: 'zip or unzip' } as const;

describe('the name of the file', () => {
  it.for(['deb', 'rpm', 'appImage', 'macZip'] as const)(
    'is the one that the release takes: %s',
    async (kind, { skip }) => {
      const file = inject('packages')[kind] ?? '';
      skip(file === '', `none was made: there is no ${NEEDED[kind]}`);
      const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
      expect(installerNames(version)).toContain(basename(file));
    },
  );
});

describe('updates', () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it('are asked for where the release said', async () => {
    expect(parse(await readFile(join(linux, 'resources', 'app-update.yml'), 'utf8'))).toMatchObject({
      provider: 'generic',
      url: UPDATE_FEED_URL,
    });
  });

  it.each(['', undefined])('are asked for nowhere by a package that was told no feed (%j)', async (feed) => {
    vi.stubEnv('UPDATE_FEED_URL', feed);
    vi.resetModules();
    const { default: config } = await import('../../electron-builder.config.ts');
    // Undefined would not do: electron-builder then looks for one by itself.
    expect(config.publish).toBeNull();
  });

  it.each([
    'http://updates.example/dot-mi',
    'http://127.0.0.1:8080/',
    'file:///tmp',
    'updates.example',
    'HTTPS',
  ])('are not asked for at a feed without https (%s): nothing is packed', async (feed) => {
    vi.stubEnv('UPDATE_FEED_URL', feed);
    vi.resetModules();
    await expect(import('../../electron-builder.config.ts')).rejects.toThrow(
      'UPDATE_FEED_URL must be an https URL',
    );
  });

  it('come with a feed that names each file by size and hash', async ({ skip }) => {
    skip(deb === undefined, 'no .deb was made: there is no dpkg-deb');
    const feed = parse(await readFile(join(linuxOutput, 'latest-linux.yml'), 'utf8'));
    const { size } = await stat(deb ?? '');
    expect(feed.files).toContainEqual({
      url: expect.stringMatching(/\.deb$/),
      sha512: createHash('sha512')
        .update(await readFile(deb ?? ''))
        .digest('base64'),
      size,
    });
  });
});
