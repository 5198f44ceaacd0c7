import { spawnSync } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { PROJECT_URL } from '../support/package/run-package.ts';
import { skipAll } from '../support/skip-all.ts';
import { makeSharedDirectory, makeTempDirectory } from '../support/temp.ts';

const { rpm = '', linux } = inject('packages');

const run = (command: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  expect({ command, status, stderr }).toEqual({ command, status: 0, stderr: '' });
  return stdout;
};

/** What the package says of itself; `dbpath` keeps rpm from making a database on this machine. */
const query = async (...args: string[]) =>
  run('rpm', '--dbpath', await makeTempDirectory(), '--query', '--package', ...args, rpm);

describe('the .rpm', () => {
  skipAll(rpm === '' ? 'no .rpm was made: there is no rpmbuild' : undefined);
  let root = '';
  beforeAll(async () => {
    if (rpm === '') return undefined;
    const { directory, remove } = await makeSharedDirectory();
    root = directory;
    // Its scripts change the system they run on, so it is unpacked and not installed.
    const { status } = spawnSync('sh', ['-c', 'rpm2archive - < "$1" | tar -xzf - -C "$2"', 'sh', rpm, root]);
    expect(status).toBe(0);
    return remove;
  });

  it('has the files of the package where they belong, and root owns each', async () => {
    const place = join(root, 'opt', 'dot-mi');
    expect(await readdir(place)).toEqual(await readdir(linux));
    const [packed, asar] = await Promise.all(
      [place, linux].map((folder) => readFile(join(folder, 'resources', 'app.asar'))),
    );
    // Not toEqual, which compares millions of bytes one by one.
    expect(asar && packed?.equals(asar)).toBe(true);
    expect((await stat(join(place, 'dot-mi'))).mode & 0o777).toBe(0o755);
    const files = (await query('--queryformat', '[%{FILEUSERNAME}:%{FILEGROUPNAME} %{FILEMODES:perms}\n]'))
      .trim()
      .split('\n');
    // Nobody else may write to it: another user's program would run as this one.
    expect(files.filter((file) => !/^root:root .{5}-..-.$/.test(file))).toEqual([]);
  });

  it('says who made it, what it is for, and what it needs', async () => {
    const tags = ['NAME', 'ARCH', 'OS', 'URL', 'PACKAGER', 'LICENSE', 'SUMMARY'];
    const told = await query('--queryformat', tags.map((tag) => `%{${tag}}\n`).join(''));
    expect(told.trim().split('\n')).toEqual([
      'dot-mi-desktop',
      'x86_64',
      'linux',
      PROJECT_URL,
      'the dot-mi Desktop authors',
      'MIT',
      'Manage local pi agents and the ecash they earn',
    ]);
    expect((await query('--requires')).split('\n')).toEqual(expect.arrayContaining(['gtk3', 'nss']));
  });

  it('has a desktop entry that starts the program and passes it links', async () => {
    const applications = join(root, 'usr', 'share', 'applications');
    expect(await readdir(applications)).toEqual(['dot-mi.desktop']);
    expect((await readFile(join(applications, 'dot-mi.desktop'), 'utf8')).split('\n')).toEqual(
      expect.arrayContaining([
        'Exec=/opt/dot-mi/dot-mi -- %U',
        'Icon=dot-mi',
        'MimeType=x-scheme-handler/cashu;',
      ]),
    );
    expect(await readdir(join(root, 'usr', 'share', 'icons', 'hicolor'))).toContain('512x512');
  });

  it('asks for updates as an .rpm', async () => {
    expect(await readFile(join(root, 'opt', 'dot-mi', 'resources', 'package-type'), 'utf8')).toBe('rpm');
  });

  it('has scripts for the programs of this package', async () => {
    const scripts = await query('--scripts');
    expect(scripts).toContain('postinstall');
    expect(scripts).toContain('postuninstall');
    expect(scripts.match(/\/opt\/dot-mi\/dot-mi/g)?.length).toBeGreaterThan(1);
  });
});
