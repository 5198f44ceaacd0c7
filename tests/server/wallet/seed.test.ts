import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createVault,
  databaseOf,
  filesOf,
  indexOf,
  makeOldDirectory,
  OTHER_WORDS,
  openAt,
  urlOf,
  WORDS,
  wordsAt,
} from '../../support/seed.ts';
import { makeTempDirectory } from '../../support/temp.ts';

test('wallets of several mints share one seed, and the index holds fingerprints only', async () => {
  const directory = await makeTempDirectory();
  const one = await openAt(directory, 'one');
  expect(one.isNew).toBe(true);
  const words = one.mnemonic() ?? '';
  expect(words.split(' ')).toHaveLength(12);
  // At the same time, since a wallet may open those of earlier mints as well.
  const [two, three] = await Promise.all([openAt(directory, 'two'), openAt(directory, 'three')]);
  expect([two.mnemonic(), two.isNew, three.mnemonic(), three.isNew]).toEqual([words, false, words, false]);
  expect(await one.others()).toEqual([]);
  expect(await filesOf(directory)).toHaveLength(1);

  const [file = ''] = await filesOf(directory);
  const seed = file.replace('seed-', '');
  const entry = (name: string) => ({ mint: urlOf(name), seed });
  expect(await indexOf(directory)).toEqual({
    version: 1,
    seed,
    wallets: {
      [urlOf('one')]: entry('one'),
      [urlOf('two')]: entry('two'),
      [urlOf('three')]: entry('three'),
    },
  });
  const text = await readFile(join(directory, 'seeds.json'), 'utf8');
  // Some of the file's own keys are words of the list, and so are parts of the mints' addresses.
  const keys = ['version', 'seed', 'wallets', 'mint'];
  const texts = [...text.matchAll(/"([^"]*)"/g)].map(([, content = '']) => content);
  const mints = ['one', 'two', 'three'].map(urlOf);
  const others = texts
    .filter((content) => !keys.includes(content) && !mints.includes(content))
    .flatMap((content) => content.split(/\W/));
  expect(words.split(' ').filter((word) => others.includes(word))).toEqual([]);
  if (process.platform !== 'win32')
    expect((await stat(join(directory, 'seeds.json'))).mode & 0o777).toBe(0o600);
});

test('seeds per mint of the previous version keep working, and others() lists them with their mints', {
  tags: 'slow',
}, async () => {
  const { directory, words } = await makeOldDirectory(['one', 'two']);
  const one = await openAt(directory, 'one');
  expect([one.mnemonic(), one.isNew]).toEqual([words.one, false]);
  // Nothing says yet where they were used.
  expect(await one.others()).toEqual([{ mint: null, mnemonic: words.two }]);
  const two = await openAt(directory, 'two');
  expect(two.mnemonic()).toBe(words.two);
  expect(await one.others()).toEqual([{ mint: urlOf('two'), mnemonic: words.two }]);
  expect(await two.others()).toEqual([{ mint: urlOf('one'), mnemonic: words.one }]);
  // The seed that was opened first is the one of new wallets.
  const three = await openAt(directory, 'three');
  expect([three.mnemonic(), three.isNew]).toEqual([words.one, false]);
  const listed = await two.others();
  expect(listed).toHaveLength(2);
  expect(listed).toContainEqual({ mint: urlOf('three'), mnemonic: words.one });
});

test('others() reads sealed words with the vault, and leaves out what does not open', {
  tags: 'slow',
}, async () => {
  const { directory, words } = await makeOldDirectory(['one', 'two']);
  const vault = createVault('A');
  const one = await openAt(directory, 'one', vault);
  expect(await filesOf(directory, /\.sealed$/)).toHaveLength(2);
  expect(await one.others()).toEqual([{ mint: null, mnemonic: words.two }]);
  await writeFile(join(directory, 'seed-0123456789ab.sealed'), 'sealed elsewhere');
  await writeFile(join(directory, 'seed-ba9876543210'), 'not the words of this name');
  expect(await one.others()).toEqual([{ mint: null, mnemonic: words.two }]);
});

test('with several seeds and nothing that says which, a new wallet opens without words and accepts any of them', {
  tags: 'slow',
}, async () => {
  const { directory, words } = await makeOldDirectory(['one', 'two']);
  const three = await openAt(directory, 'three');
  expect([three.mnemonic(), three.isNew]).toEqual([undefined, false]);
  expect(await filesOf(directory)).toHaveLength(2);
  expect(await filesOf(directory, /^seeds\.json/)).toEqual([]);
  expect((await three.others()).map(({ mnemonic }) => mnemonic).sort()).toEqual(
    [words.one, words.two].sort(),
  );
  expect([words.one, words.two, WORDS].map((each) => three.isOwn(each ?? ''))).toEqual([true, true, false]);
  await expect(three.putBack(WORDS)).rejects.toThrow();
  await three.putBack(words.two ?? '');
  expect(three.mnemonic()).toBe(words.two);
  expect(three.isOwn(words.one ?? '')).toBe(false);
  three.store.close();
  expect(await wordsAt(directory, 'three')).toBe(words.two);
  expect(await wordsAt(directory, 'four')).toBe(words.two);
  expect(await wordsAt(directory, 'one')).toBe(words.one);
  expect(await filesOf(directory)).toHaveLength(2);
});

test('a database that names no seed gets the one it had, or that of new wallets, or the only one', {
  tags: 'slow',
}, async () => {
  const { directory, words } = await makeOldDirectory(['one', 'two']);
  for (const name of ['one', 'two']) await wordsAt(directory, name);
  const loseDatabase = (name: string) => rm(join(directory, databaseOf(name)));
  await loseDatabase('two');
  expect(await wordsAt(directory, 'two')).toBe(words.two);
  expect(await wordsAt(directory, 'new')).toBe(words.one);

  const single = await makeOldDirectory(['one']);
  await rm(join(single.directory, databaseOf('one')));
  const again = await openAt(single.directory, 'one');
  expect([again.mnemonic(), again.isNew]).toEqual([single.words.one, false]);
  expect(await filesOf(single.directory)).toHaveLength(1);
});

test('other words count once they are recorded, and the next start repairs the index of a process that ended then', {
  tags: 'slow',
}, async () => {
  const directory = await makeTempDirectory();
  const seed = await openAt(directory, 'one');
  const first = seed.mnemonic();
  const prepared = await seed.prepare(WORDS);
  expect([seed.mnemonic(), await filesOf(directory)]).toEqual([
    first,
    [expect.anything(), expect.anything()],
  ]);
  prepared.record();
  seed.store.close();
  const again = await openAt(directory, 'one');
  expect([again.mnemonic(), again.isNew]).toEqual([WORDS, false]);
  expect(await again.others()).toEqual([{ mint: null, mnemonic: first }]);
  expect(await wordsAt(directory, 'two')).toBe(WORDS);

  // A mint may have signed for words that came from elsewhere.
  const fresh = await openAt(await makeTempDirectory(), 'one');
  expect(fresh.isNew).toBe(true);
  (await fresh.prepare(OTHER_WORDS)).use();
  await fresh.written();
  expect([fresh.mnemonic(), fresh.isNew]).toEqual([OTHER_WORDS, false]);
});

test.each([
  ['garbage', '{"version":1,"seed":'],
  ['a newer version', '{"version":2,"seed":"0123456789ab","wallets":{}}'],
  ['a seed that is not a fingerprint', '{"version":1,"seed":"../../etc","wallets":{}}'],
  ['nothing', ''],
])('an index that holds %s is set aside and created again', { tags: 'slow' }, async (_, text) => {
  const directory = await makeTempDirectory();
  const words = await wordsAt(directory, 'one');
  const good = await indexOf(directory);
  await writeFile(join(directory, 'seeds.json'), text);
  expect(await wordsAt(directory, 'one')).toBe(words);
  expect(await indexOf(directory)).toEqual(good);
  const [aside = ''] = await filesOf(directory, /^seeds\.json\.damaged-\d+$/);
  expect(await readFile(join(directory, aside), 'utf8')).toBe(text);
  await writeFile(join(directory, 'seeds.json'), text);
  expect(await wordsAt(directory, 'two')).toBe(words);
});

test('a directory in the place of the index does not stop the start', async () => {
  const directory = await makeTempDirectory();
  const words = await wordsAt(directory, 'one');
  await rm(join(directory, 'seeds.json'));
  await mkdir(join(directory, 'seeds.json', 'in'), { recursive: true });
  expect([await wordsAt(directory, 'one'), await wordsAt(directory, 'two')]).toEqual([words, words]);
  expect((await indexOf(directory)).version).toBe(1);
});
