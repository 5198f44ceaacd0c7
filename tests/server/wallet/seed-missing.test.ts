import { mkdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createVault, filesOf, OTHER_WORDS, openAt, WORDS, wordsAt } from '../../support/seed.ts';
import { makeTempDirectory } from '../../support/temp.ts';

test('an index without any seed file means that the words are missing, not that there are none', async () => {
  const directory = await makeTempDirectory();
  const words = (await wordsAt(directory, 'one')) ?? '';
  for (const name of await filesOf(directory)) await rm(join(directory, name));
  const two = await openAt(directory, 'two');
  expect([two.mnemonic(), two.isNew, two.isOwn(words)]).toEqual([undefined, false, true]);
  expect(await filesOf(directory)).toEqual([]);
});

const SEED_DAMAGES: Record<string, (path: string) => Promise<unknown>> = {
  'is gone': (path) => rm(path),
  'is empty': (path) => truncate(path, 0),
  'holds other words': (path) => writeFile(path, `${OTHER_WORDS}\n`),
  'is a directory': async (path) => {
    await rm(path);
    await mkdir(path);
  },
};

test.each(Object.entries(SEED_DAMAGES))(
  'a seed file that %s can be put back from the words',
  async (_, damage) => {
    const directory = await makeTempDirectory();
    const words = (await wordsAt(directory, 'one')) ?? '';
    const [file = ''] = await filesOf(directory);
    await damage(join(directory, file));
    const before = await filesOf(directory);

    const seed = await openAt(directory, 'one');
    expect([seed.mnemonic(), seed.isNew]).toEqual([undefined, false]);
    expect(await filesOf(directory)).toEqual(before);
    expect([seed.isOwn(words), seed.isOwn(` ${words.toUpperCase()}\n`), seed.isOwn(WORDS)]).toEqual([
      true,
      true,
      false,
    ]);
    await expect(seed.putBack(WORDS)).rejects.toThrow();
    await seed.putBack(` ${words.toUpperCase()}\n`);
    expect([seed.mnemonic(), seed.protection(), seed.isNew]).toEqual([words, 'file', false]);
    if (process.platform !== 'win32') expect((await stat(join(directory, file))).mode & 0o777).toBe(0o600);
    // What was in its place may be the words of another wallet.
    for (const name of before) expect(await filesOf(directory)).toContainEqual(expect.stringContaining(name));
    expect(await filesOf(directory)).toHaveLength(before.length + 1);
    seed.store.close();
    expect(await wordsAt(directory, 'one')).toBe(words);
  },
);

test('words that are put back are sealed where there is a vault', async () => {
  const directory = await makeTempDirectory();
  const vault = createVault('A');
  const words = (await wordsAt(directory, 'one', vault)) ?? '';
  for (const name of await filesOf(directory)) await rm(join(directory, name));
  const seed = await openAt(directory, 'one', vault);
  expect(seed.mnemonic()).toBeUndefined();
  await seed.putBack(words);
  expect([seed.mnemonic(), seed.protection()]).toEqual([words, 'keychain']);
  expect(await filesOf(directory)).toEqual([expect.stringMatching(/\.sealed$/)]);
});

test('sealed words that do not open stop the start, of a new wallet as well', async () => {
  const directory = await makeTempDirectory();
  await wordsAt(directory, 'one', createVault('A'));
  for (const name of ['one', 'two']) {
    await expect(wordsAt(directory, name, createVault('B'))).rejects.toThrow(/unlock it and start again/);
    await expect(wordsAt(directory, name)).rejects.toThrow(/only the desktop app can open/);
  }
  expect(await filesOf(directory)).toHaveLength(1);
});

test('new words replace missing ones with the transaction of the caller, or not at all', async () => {
  const directory = await makeTempDirectory();
  const old = (await wordsAt(directory, 'one')) ?? '';
  const [file = ''] = await filesOf(directory);
  await rm(join(directory, file));

  const seed = await openAt(directory, 'one');
  const refused = await seed.generate();
  expect(() =>
    seed.store.transaction(() => {
      refused.record();
      throw new Error('the disk is full');
    }),
  ).toThrow('the disk is full');
  expect([seed.mnemonic(), seed.isOwn(old)]).toEqual([undefined, true]);

  const prepared = await seed.generate();
  expect(new Set([old, refused.mnemonic, prepared.mnemonic]).size).toBe(3);
  seed.store.transaction(() => prepared.record());
  expect(seed.mnemonic()).toBeUndefined();
  prepared.use();
  expect([seed.mnemonic(), seed.isNew, seed.isOwn(old)]).toEqual([prepared.mnemonic, true, false]);
  await seed.settled();
  expect(await wordsAt(directory, 'two')).toBe(prepared.mnemonic);
  seed.store.close();
  expect(await wordsAt(directory, 'one')).toBe(prepared.mnemonic);

  // The file turns up again.
  await writeFile(join(directory, file), `${old}\n`);
  expect(await (await openAt(directory, 'one')).others()).toContainEqual({ mint: null, mnemonic: old });
});
