import { constants } from 'node:fs';
import {
  chmod,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { writeFileIn } from '../../../src/server/platform/atomic-write.ts';
import { createLink } from '../../../src/server/platform/create-link.ts';
import {
  type DirectoryHandle,
  openByPath,
  openDirectory,
  withDirectory,
} from '../../../src/server/platform/directory-handle.ts';
import { removeTree } from '../../../src/server/platform/remove-tree.ts';
import { heedModes } from '../../support/nobody.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const plantTwo = async () => {
  const directory = await makeTempDirectory();
  await mkdir(join(directory, 'tree/below/deep'), { recursive: true });
  await writeFile(join(directory, 'tree/below/deep/file'), 'ours');
  await mkdir(join(directory, 'outside/deep'), { recursive: true });
  await writeFile(join(directory, 'outside/deep/file'), 'theirs');
  const swap = async (name: string) => {
    await rename(join(directory, name), join(directory, 'aside'));
    await symlink(join(directory, 'outside'), join(directory, name));
  };
  return { directory, swap };
};

/** Every change of a directory with an empty directory "deep" and a file "file". */
const CHANGES: Record<string, (directory: DirectoryHandle) => Promise<unknown>> = {
  openFile: async (directory) =>
    (await directory.openFile('new', constants.O_RDWR | constants.O_CREAT)).close(),
  mkdir: (directory) => directory.mkdir('new'),
  rename: (directory) => directory.rename('deep', directory, 'new'),
  unlink: (directory) => directory.unlink('file'),
  rmdir: (directory) => directory.rmdir('deep'),
  write: (directory) => writeFileIn(directory, 'file', Buffer.from('new')),
  'write a new file': (directory) => writeFileIn(directory, 'new', Buffer.from('new'), { exclusive: true }),
  link: (directory) =>
    createLink({ text: 'file', directory, name: 'new', target: 'file', finalPath: '/nowhere/new' }),
  removeTree: (directory) => removeTree(directory, 'deep'),
};

/** What this process holds open below a directory. Linux only. */
const openBelow = async (directory: string): Promise<string[]> => {
  const descriptors = await readdir('/proc/self/fd');
  const targets = await Promise.all(descriptors.map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return targets.filter((target) => target.startsWith(directory));
};

describe.each([
  ['as this system opens it', openDirectory],
  ['by path', openByPath],
])('a directory opened %s', (_, open) => {
  test('refuses a symlink and a file in its place', async () => {
    const { directory, swap } = await plantTwo();
    await swap('tree/below');
    await withDirectory(open(directory), async (top) => {
      const tree = await top.open('tree');
      await expect(tree.open('below')).rejects.toThrow(/ENOTDIR|ELOOP/);
      await tree.close();
    });
    await expect(open(join(directory, 'outside/deep/file'))).rejects.toThrow(/ENOTDIR/);
  });

  test('never reads the entry that replaced it', async () => {
    const { directory, swap } = await plantTwo();
    await withDirectory(open(directory), async (top) => {
      const tree = await top.open('tree');
      const below = await tree.open('below');
      await swap('tree/below');
      const names = await below.list().then(
        (entries) => entries.map(({ name }) => name),
        (error) => error.code,
      );
      expect(open === openDirectory && process.platform === 'linux' ? ['deep'] : 'ESTALE').toEqual(names);
      await below.close();
      await tree.close();
    });
  });

  test.each(Object.entries(CHANGES))(
    'changes nothing where a link leads that replaced it: %s',
    async (_, change) => {
      const directory = await makeTempDirectory();
      for (const place of ['tree', 'outside']) {
        await mkdir(join(directory, place, 'deep'), { recursive: true });
        await writeFile(join(directory, place, 'file'), 'old');
      }
      const look = async (place: string) => [
        await readdir(join(directory, place), { recursive: true }),
        await readFile(join(directory, place, 'file'), 'utf8').catch(() => undefined),
      ];
      const before = await look('outside');
      await withDirectory(open(join(directory, 'tree')), async (tree) => {
        await rename(join(directory, 'tree'), join(directory, 'aside'));
        await symlink(join(directory, 'outside'), join(directory, 'tree'));
        const code = await change(tree).then(
          () => undefined,
          (error) => error.code,
        );
        const follows = open === openDirectory && process.platform === 'linux';
        expect([code, await look('outside')]).toEqual([follows ? undefined : 'ESTALE', before]);
        if (follows) expect(await look('aside')).not.toEqual(before);
      });
    },
  );

  test('takes only a name, and no path', async () => {
    const { directory } = await plantTwo();
    await withDirectory(open(join(directory, 'tree')), async (tree) => {
      for (const name of ['', '.', '..', '../outside', 'below/deep', '/etc', 'a\0b']) {
        await expect(tree.open(name), name).rejects.toThrow('EINVAL');
        await expect(tree.unlink(name), name).rejects.toThrow('EINVAL');
        await expect(tree.rename('below', tree, name), name).rejects.toThrow('EINVAL');
      }
      expect(await readdir(join(directory, 'tree'))).toEqual(['below']);
    });
  });

  test('is removed with read-only and unreadable directories, without following links', async () => {
    heedModes();
    const { directory } = await plantTwo();
    await symlink(join(directory, 'outside'), join(directory, 'tree/below/link'));
    await symlink('nowhere', join(directory, 'tree/broken'));
    await chmod(join(directory, 'tree/below/deep'), 0o100);
    await chmod(join(directory, 'tree/below'), 0o500);
    await withDirectory(open(directory), async (top) => {
      await removeTree(top, 'tree');
      await removeTree(top, 'tree');
    });
    expect(await readdir(directory)).toEqual(['outside']);
    expect(await readFile(join(directory, 'outside/deep/file'), 'utf8')).toBe('theirs');
  });
});

test('a directory opened by path notices another directory in its place', async () => {
  const { directory } = await plantTwo();
  const tree = await openByPath(join(directory, 'tree'));
  await rename(join(directory, 'tree'), join(directory, 'aside'));
  await mkdir(join(directory, 'tree/below'), { recursive: true });
  await expect(tree.list()).rejects.toThrow(/ESTALE/);
  await expect(tree.open('below')).rejects.toThrow(/ESTALE/);
  await expect(removeTree(tree, 'below')).rejects.toThrow(/ESTALE/);
  expect((await lstat(join(directory, 'tree/below'))).isDirectory()).toBe(true);
  await tree.close();
  if (process.platform === 'linux') expect(await openBelow(directory)).toEqual([]);
});
