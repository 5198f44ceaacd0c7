import { spawnSync } from 'node:child_process';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { APPIMAGE_RUNTIME } from '../support/package/build-packages.ts';
import { skipAll } from '../support/skip-all.ts';
import { makeTempDirectory } from '../support/temp.ts';

const { appImage = '', linux } = inject('packages');

describe('the AppImage', () => {
  skipAll(appImage === '' ? 'no AppImage was made: there is no mksquashfs' : undefined);
  const unpack = async () => {
    const directory = join(await makeTempDirectory(), 'AppDir');
    const offset = String(APPIMAGE_RUNTIME.length);
    const { status, stderr } = spawnSync(
      'unsquashfs',
      ['-quiet', '-no-progress', '-no-xattrs', '-offset', offset, '-dest', directory, appImage],
      { encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return directory;
  };

  it('is one file that starts with its runtime, and is executable', async () => {
    const file = await open(appImage);
    try {
      const { buffer } = await file.read(Buffer.alloc(APPIMAGE_RUNTIME.length));
      expect(buffer.toString()).toBe(APPIMAGE_RUNTIME);
      expect((await file.stat()).mode & 0o111).toBe(0o111);
    } finally {
      await file.close();
    }
  });

  it('holds the program, and keeps its sandbox: the desktop entry doesn’t pass --no-sandbox', async () => {
    const directory = await unpack();
    expect(await readdir(directory)).toEqual(expect.arrayContaining([...(await readdir(linux)), 'AppRun']));
    // electron-updater would take it for a package of the system, and install one.
    expect(await readdir(join(directory, 'resources'))).not.toContain('package-type');
    const entry = await readFile(join(directory, 'dot-mi.desktop'), 'utf8');
    expect(entry).toMatch(/^Exec=AppRun -- %U$/m);
    expect(entry).toMatch(/^MimeType=x-scheme-handler\/cashu;$/m);
  });
});
