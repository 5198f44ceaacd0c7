import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { parse } from 'yaml';
import { installerNames } from '../support/package/installer-names.ts';
import { UPDATE_FEED_URL } from '../support/package/run-package.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { linux, linuxOutput, deb } = inject('packages');

/** What the machine lacks for a file that is not there. */
const NEEDED = { deb: 'dpkg-deb', rpm: 'rpmbuild', appImage: 'mksquashfs' } as const;

describe('the name of the file', () => {
  it.for(['deb', 'rpm', 'appImage'] as const)(
    'is the one that the release expects: %s',
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

  it('are requested from the feed that the release named', async () => {
    expect(parse(await readFile(join(linux, 'resources', 'app-update.yml'), 'utf8'))).toMatchObject({
      provider: 'generic',
      url: UPDATE_FEED_URL,
    });
  });

  it.each(['', undefined])(
    'are not requested by a package that was built without a feed (%j)',
    async (feed) => {
      vi.stubEnv('UPDATE_FEED_URL', feed);
      vi.resetModules();
      const { default: config } = await import('../../electron-builder.config.ts');
      // Not undefined: electron-builder then searches for a feed on its own.
      expect(config.publish).toBeNull();
    },
  );

  it.each([
    'http://updates.example/dot-mi',
    'http://127.0.0.1:8080/',
    'file:///tmp',
    'updates.example',
    'HTTPS',
  ])('are not requested from a feed without https (%s): nothing is packed', async (feed) => {
    vi.stubEnv('UPDATE_FEED_URL', feed);
    vi.resetModules();
    await expect(import('../../electron-builder.config.ts')).rejects.toThrow(
      'UPDATE_FEED_URL must be an https URL',
    );
  });

  it('include a feed that names each file with its size and hash', async ({ skip }) => {
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
