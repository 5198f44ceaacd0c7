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
import { openByPath, openDirectory, withDirectory } from '../../../src/server/platform/directory-handle.ts';
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
      expect(open === openDirectory && process.platform === 'linux' ? ['deep'] : 'ENOTDIR').toEqual(names);
      await below.close();
      await tree.close();
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
