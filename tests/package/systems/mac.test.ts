import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { hashAsarHeader } from '../../support/package/asar.ts';
import { FUSES, readFusesOfCopy } from '../../support/package/fuses.ts';
import { installerNames } from '../../support/package/installer-names.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { mac, macZip = '' } = inject('otherPackages');
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

  it('a Mac updates itself from a zip that has the program at its top level, and symlinks as symlinks', async ({
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

  it('the hardened runtime allows what V8 needs, and nothing else', async () => {
    const entitlements = await readFile(packaging('entitlements.mac.plist'), 'utf8');
    expect(entitlements.match(/<key>.*<\/key>/g)).toEqual(['<key>com.apple.security.cs.allow-jit</key>']);
  });

  it('it can’t be turned into another program, because the fuses are set', async () => {
    const binary = join(mac, 'Contents', 'Frameworks', 'Electron Framework.framework', 'Electron Framework');
    expect(await readFusesOfCopy(binary)).toEqual(FUSES);
  });

  it('its archive can’t be replaced, because the property list names its hash', async () => {
    const plist = await readPlist();
    const hash = await hashAsarHeader(join(mac, 'Contents', 'Resources', 'app.asar'));
    expect(plist).toContain(
      `<key>ElectronAsarIntegrity</key><dict><key>Resources/app.asar</key><dict><key>algorithm</key><string>SHA256</string><key>hash</key><string>${hash}</string></dict></dict>`,
    );
  });

  it('the zip has the name that the release expects', async ({ skip }) => {
    skip(macZip === '', 'no zip was made: there is no zip or no unzip');
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(installerNames(version)).toContain(basename(macZip));
  });
});
