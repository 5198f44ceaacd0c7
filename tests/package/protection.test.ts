import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NtExecutable, NtExecutableResource } from 'resedit';
import { describe, expect, inject, it } from 'vitest';
import { hashAsarHeader } from '../support/package/asar.ts';
import { readFuses } from '../support/package/fuses.ts';
import { makeTempDirectory } from '../support/temp.ts';

const { linux, mac, windows } = inject('packages');

const BINARIES = {
  Linux: join(linux, 'dot-mi'),
  macOS: join(mac, 'Contents', 'Frameworks', 'Electron Framework.framework', 'Electron Framework'),
  Windows: join(windows, 'dot-mi.exe'),
};

describe('the program of another kind', () => {
  it.each(Object.entries(BINARIES))(
    'is not to be made of it on %s: the fuses are set',
    async (_system, binary) => {
      // fuses.ts takes what has .app in its path for a bundle.
      const copy = join(await makeTempDirectory(), 'binary');
      await copyFile(binary, copy);
      expect(await readFuses(copy)).toEqual({
        RunAsNode: false,
        EnableCookieEncryption: true,
        EnableNodeOptionsEnvironmentVariable: false,
        EnableNodeCliInspectArguments: false,
        EnableEmbeddedAsarIntegrityValidation: true,
        OnlyLoadAppFromAsar: true,
        LoadBrowserProcessSpecificV8Snapshot: false,
        GrantFileProtocolExtraPrivileges: false,
      });
    },
  );

  it('is not to be put in the archive on macOS: the property list names its hash', async () => {
    const plist = await readFile(join(mac, 'Contents', 'Info.plist'), 'utf8');
    const hash = await hashAsarHeader(join(mac, 'Contents', 'Resources', 'app.asar'));
    expect(plist.replace(/>\s+</g, '><')).toContain(
      `<key>ElectronAsarIntegrity</key><dict><key>Resources/app.asar</key><dict><key>algorithm</key><string>SHA256</string><key>hash</key><string>${hash}</string></dict></dict>`,
    );
  });

  it('is not to be put in the archive on Windows: the executable names its hash', async () => {
    const executable = NtExecutable.from(await readFile(BINARIES.Windows));
    const entry = NtExecutableResource.from(executable).entries.find(({ type }) => type === 'INTEGRITY');
    expect(entry?.id).toBe('ELECTRONASAR');
    expect(JSON.parse(Buffer.from(entry?.bin ?? new ArrayBuffer()).toString('utf8'))).toEqual([
      {
        file: 'resources\\app.asar',
        alg: 'SHA256',
        value: await hashAsarHeader(join(windows, 'resources', 'app.asar')),
      },
    ]);
  });
});
