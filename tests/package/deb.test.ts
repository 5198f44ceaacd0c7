import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { PROJECT_URL } from '../support/package/run-package.ts';
import { skipAll } from '../support/skip-all.ts';
import { makeSharedDirectory, makeTempDirectory } from '../support/temp.ts';

const { deb = '', linux } = inject('packages');

const has = (command: string) => spawnSync(command, ['--version']).error === undefined;
const run = (command: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
};

/** Field by field, as `dpkg-deb` tells it. */
const field = (name: string) => run('dpkg-deb', '--field', deb, name).output.trim();

const unpack = async (root: string) => {
  await mkdir(join(root, 'var', 'lib', 'dpkg', 'updates'), { recursive: true });
  await mkdir(join(root, 'var', 'lib', 'dpkg', 'info'), { recursive: true });
  // Its scripts change the system they run on, so they are not run; --unpack needs none. Nor need the disk be waited for.
  return run('dpkg', '--force-not-root,depends,unsafe-io', `--root=${root}`, '--unpack', deb);
};

describe('the .deb', () => {
  skipAll(deb === '' ? 'no .deb was made: there is no dpkg-deb' : undefined);
  let root = '';
  let result: ReturnType<typeof run> | undefined;
  beforeAll(async () => {
    if (deb === '') return undefined;
    const { directory, remove } = await makeSharedDirectory();
    root = directory;
    result = await unpack(root);
    return remove;
  });

  it('installs into an empty root, with the files of the package where they belong', async () => {
    expect(result).toMatchObject({ status: 0 });
    const place = join(root, 'opt', 'dot-mi');
    expect(await readdir(place)).toEqual(await readdir(linux));
    const [packed, asar] = await Promise.all(
      [place, linux].map((folder) => readFile(join(folder, 'resources', 'app.asar'))),
    );
    // Not toEqual, which compares millions of bytes one by one.
    expect(asar && packed?.equals(asar)).toBe(true);
    expect((await stat(join(place, 'dot-mi'))).mode & 0o777).toBe(0o755);
    // Root's, and nobody else may write to it: another user's program would run as this one.
    const writable = run(
      'find',
      root,
      '-path',
      `${root}/var`,
      '-prune',
      '-o',
      '-perm',
      '/022',
      '!',
      '-type',
      'l',
      '-print',
    );
    expect(writable.output).toBe('');
  });

  it('says who made it, what it is for, and what it needs', () => {
    expect(field('Package')).toBe('dot-mi-desktop');
    expect(field('Version')).toMatch(/^\d+\.\d+\.\d+/);
    expect(field('Architecture')).toBe('amd64');
    expect(field('Homepage')).toBe(PROJECT_URL);
    expect(field('Maintainer')).toBe('the dot-mi Desktop authors');
    expect(field('Description')).toMatch(/^Manage local pi agents and the ecash they earn\n/);
    expect(field('Depends').split(', ')).toEqual(expect.arrayContaining(['libgtk-3-0', 'libsecret-1-0']));
  });

  it('asks for updates as a .deb', async () => {
    expect(await readFile(join(root, 'opt', 'dot-mi', 'resources', 'package-type'), 'utf8')).toBe('deb');
  });

  it('has a desktop entry that starts the program, passes it links, and matches its window', async () => {
    const entry = await readFile(join(root, 'usr', 'share', 'applications', 'dot-mi.desktop'), 'utf8');
    const lines = entry.split('\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'Name=dot-mi',
        'Exec=/opt/dot-mi/dot-mi -- %U',
        'Icon=dot-mi',
        'StartupWMClass=dot-mi',
        'MimeType=x-scheme-handler/cashu;',
        'Categories=Utility;',
      ]),
    );
  });

  it('has a desktop entry that follows the specification', ({ skip }) => {
    skip(!has('desktop-file-validate'), 'there is no desktop-file-validate');
    const path = join(root, 'usr', 'share', 'applications', 'dot-mi.desktop');
    expect(run('desktop-file-validate', path)).toEqual({ status: 0, output: '' });
  });

  it('is the program with which the desktop opens cashu: links', async ({ skip }) => {
    skip(!has('update-desktop-database'), 'there is no update-desktop-database');
    const applications = join(root, 'usr', 'share', 'applications');
    // What its install script runs, on this root.
    expect(run('update-desktop-database', applications)).toMatchObject({ status: 0 });
    expect(await readFile(join(applications, 'mimeinfo.cache'), 'utf8')).toContain(
      'x-scheme-handler/cashu=dot-mi.desktop;',
    );
  });

  it('has an icon of each size, each as large as its folder says', async () => {
    const icons = join(root, 'usr', 'share', 'icons', 'hicolor');
    const sizes = (await readdir(icons)).sort();
    expect(sizes).toEqual(
      ['128x128', '16x16', '24x24', '256x256', '32x32', '48x48', '512x512', '64x64'].sort(),
    );
    for (const size of sizes) {
      const png = await readFile(join(icons, size, 'apps', 'dot-mi.png'));
      expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`).toBe(size);
    }
  });

  it('has scripts that bash can parse, for the programs of this package', async () => {
    const control = await makeTempDirectory();
    expect(run('dpkg-deb', '--control', deb, control).status).toBe(0);
    for (const name of ['postinst', 'postrm']) {
      expect(run('bash', '-n', join(control, name))).toEqual({ status: 0, output: '' });
      expect(await readFile(join(control, name), 'utf8')).toContain('/opt/dot-mi/dot-mi');
    }
  });
});
