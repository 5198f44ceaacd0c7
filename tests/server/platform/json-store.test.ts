import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createPageKeyStore } from '../../../src/server/page-keys/page-key-store.ts';
import { createJsonStore } from '../../../src/server/platform/json-store.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const store = createJsonStore(z.object({ names: z.array(z.string()) }));

const makePath = async (): Promise<string> => join(await makeTempDirectory(), 'data/names.json');

test('what was written is read, and no file is no value', async () => {
  const path = await makePath();
  expect(await store.read(path)).toBeUndefined();
  await store.write(path, { names: ['a'] });
  expect(await store.read(path)).toEqual({ names: ['a'] });
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ version: 1, names: ['a'] });
  if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test.each([
  ['no JSON', '{'],
  ['another version', '{"version":2,"names":[]}'],
  ['no version', '{"names":[]}'],
  ['values of another type', '{"version":1,"names":[1]}'],
])('a file with %s is refused and stays', async (_what, text) => {
  const path = await makePath();
  await store.write(path, { names: [] });
  await writeFile(path, text);
  await expect(store.read(path)).rejects.toThrow();
  expect(await readFile(path, 'utf8')).toBe(text);
});

describe.skipIf(process.platform === 'win32')('a file that another user may have made', () => {
  test('is refused each time while others can write to it, and fine if they can read it', async () => {
    const path = await makePath();
    await store.write(path, { names: [] });
    await chmod(path, 0o644);
    expect(await store.read(path)).toEqual({ names: [] });
    for (const mode of [0o620, 0o602]) {
      await chmod(path, mode);
      await expect(store.read(path)).rejects.toThrow('Other users can write to');
      await expect(store.read(path)).rejects.toThrow('Other users can write to');
    }
  });

  test.skipIf(process.getuid?.() !== 0)('is refused if it belongs to somebody else', async () => {
    const path = await makePath();
    await store.write(path, { names: [] });
    await chown(path, 12_345, 12_345);
    await expect(store.read(path)).rejects.toThrow('belongs to another user (uid 12345)');
  });

  test('is refused if it is a link, a broken link, a directory or a pipe', async () => {
    const path = await makePath();
    await store.write(path, { names: [] });
    const elsewhere = `${path}.elsewhere`;
    await rename(path, elsewhere);
    await symlink(elsewhere, path);
    await expect(store.read(path)).rejects.toThrow('is a symlink');
    await rename(elsewhere, `${elsewhere}.gone`);
    await expect(store.read(path)).rejects.toThrow('is a symlink');
    await mkdir(`${path}.directory`);
    await expect(store.read(`${path}.directory`)).rejects.toThrow('is not a regular file');
    expect(spawnSync('mkfifo', [`${path}.pipe`]).status).toBe(0);
    await expect(store.read(`${path}.pipe`)).rejects.toThrow('is not a regular file');
  });

  test('never signs a browser in, also not when it is read again', async () => {
    const directory = await makeTempDirectory();
    const keys = createPageKeyStore(directory, { clock: Date, logger: { warn: () => undefined } });
    const publicKey = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' } as const;
    const createdAt = new Date().toISOString();
    await keys.add({ name: 'n', origin: 'http://localhost', publicKey, createdAt });
    expect(await keys.list()).toHaveLength(1);
    await chmod(join(directory, 'page-keys.json'), 0o666);
    expect(await keys.list()).toEqual([]);
    expect(await keys.list()).toEqual([]);
  });
});
