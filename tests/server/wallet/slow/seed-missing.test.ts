import { cp, mkdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import { createVault, filesOf, OTHER_WORDS, openAt, WORDS, wordsAt } from '../../../support/seed.ts';
import { makeTempDirectory } from '../../../support/temp.ts';
import { mintFootprint, serveWallet, type WalletServer } from '../../../support/wallet.ts';

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

test('words that are put back are sealed if there is a vault', async () => {
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

test('sealed words that do not open keep the wallet closed, even a new one', async () => {
  const directory = await makeTempDirectory();
  await wordsAt(directory, 'one', createVault('A'));
  for (const name of ['one', 'two']) {
    await expect(wordsAt(directory, name, createVault('B'))).rejects.toThrow(
      /Unlock the keychain and start again/,
    );
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
  await seed.written();
  expect(await wordsAt(directory, 'two')).toBe(prepared.mnemonic);
  seed.store.close();
  expect(await wordsAt(directory, 'one')).toBe(prepared.mnemonic);

  // The file turns up again.
  await writeFile(join(directory, file), `${old}\n`);
  expect(await (await openAt(directory, 'one')).others()).toContainEqual({ mint: null, mnemonic: old });
});

/** A wallet of 100 sats that was started again after its seed file was deleted. */
const serveWithoutSeed = async () => {
  const mint = await testMint();
  const before = await serveWallet(mint.url);
  await before.receive(mint.issue(100));
  const { mnemonic } = (await before.asOperator('GET', '/api/wallet/seed')).body;
  await before.close();
  const { directory } = before;
  const [file = ''] = await filesOf(directory);
  await rm(join(directory, file));
  const wallet = await serveWallet(mint.url, { directory });
  return { mint, wallet, directory, file: join(directory, file), mnemonic: String(mnemonic) };
};

const seedState = async (wallet: WalletServer) => (await wallet.call('GET', '/api/wallet/balance')).body.seed;

const refusalOf = ({ status, body }: { status: number; body: { code: string } }) => [status, body.code];

test('a wallet without its words opens, says so and sends, and receives once they are typed in', async () => {
  const { mint, wallet, directory, mnemonic } = await serveWithoutSeed();
  expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({
    balance: 100,
    seed: 'missing',
  });
  expect(refusalOf(await wallet.asOperator('GET', '/api/wallet/seed'))).toEqual([409, 'seed_missing']);
  expect(refusalOf(await wallet.asOperator('POST', '/api/wallet/rescan', {}))).toEqual([409, 'seed_missing']);
  const token = mint.issue(8);
  const before = mintFootprint(mint);
  expect(refusalOf(await wallet.receive(token, 'k'))).toEqual([409, 'seed_missing']);
  expect(mintFootprint(mint)).toEqual(before);
  const sent = await wallet.asOperator('POST', '/api/wallet/send', { amount: 30 });
  expect([sent.status, sent.body.amount, await wallet.balance()]).toEqual([201, 30, 70]);
  expect(await filesOf(directory)).toEqual([]);

  const restored = await wallet.asOperator('POST', '/api/wallet/restore', {
    mnemonic: ` ${mnemonic.toUpperCase()} `,
  });
  expect([restored.status, restored.body.words]).toEqual([200, 'kept']);
  expect((await wallet.asOperator('GET', '/api/wallet/seed')).body).toEqual({
    mnemonic,
    protection: 'file',
    others: [],
  });
  expect([await seedState(wallet), await wallet.balance()]).toEqual(['present', 70]);
  expect((await wallet.receive(token, 'k')).body.amount).toBe(8);
  await wallet.close();

  const again = await serveWallet(mint.url, { directory });
  expect([await seedState(again), await again.balance()]).toEqual(['present', 78]);
  expect((await again.asOperator('GET', '/api/wallet/seed')).body.mnemonic).toBe(mnemonic);
});

test('a seed file that is put back by hand, as a person writes it, counts at the next start', async () => {
  const { mint, wallet, directory, file, mnemonic } = await serveWithoutSeed();
  await wallet.close();
  await writeFile(file, `  ${mnemonic.toUpperCase().replaceAll(' ', '\n ')} \n`);
  const again = await serveWallet(mint.url, { directory });
  expect([await seedState(again), await again.balance()]).toEqual(['present', 100]);
  expect((await again.asOperator('GET', '/api/wallet/seed')).body.mnemonic).toBe(mnemonic);
});

test('new words replace missing ones only on purpose, the sats stay, and the old words still work', async () => {
  const { mint, wallet, directory, file, mnemonic } = await serveWithoutSeed();
  for (const body of [{}, { accept: 'something' }])
    expect((await wallet.asOperator('POST', '/api/wallet/seed', body)).status).toBe(400);
  const accept = { accept: 'new_words' };
  expect((await wallet.call('POST', '/api/wallet/seed', accept)).status).toBe(403);
  expect(await filesOf(directory)).toEqual([]);

  const made = await wallet.asOperator('POST', '/api/wallet/seed', accept);
  expect(made.status).toBe(200);
  expect(made.body.mnemonic.split(' ')).toHaveLength(12);
  expect(made.body.mnemonic).not.toBe(mnemonic);
  expect(refusalOf(await wallet.asOperator('POST', '/api/wallet/seed', accept))).toEqual([
    409,
    'seed_present',
  ]);
  expect([await seedState(wallet), await wallet.balance()]).toEqual(['present', 100]);
  expect((await wallet.receive(mint.issue(8))).body.amount).toBe(8);
  await wallet.close();

  await writeFile(file, `${mnemonic}\n`);
  const again = await serveWallet(mint.url, { directory });
  const { body } = await again.asOperator('GET', '/api/wallet/seed');
  expect(body).toEqual({
    mnemonic: made.body.mnemonic,
    protection: 'file',
    others: [{ mint: null, mnemonic }],
  });
  expect(await again.balance()).toBe(108);
  expect((await again.receive(mint.issue(1))).status).toBe(200);
});

/** The data directory of a running wallet of 100 sats as a careless backup copies it: without what is in the -wal. */
const copyWithoutWal = async (leaveOut: RegExp) => {
  const mint = await testMint();
  const running = await serveWallet(mint.url);
  await running.receive(mint.issue(100));
  const { mnemonic } = (await running.asOperator('GET', '/api/wallet/seed')).body;
  const copy = join(await makeTempDirectory(), 'wallet');
  const filter = (path: string) => !/-(?:wal|shm)$/.test(path) && !leaveOut.test(path);
  await cp(running.directory, copy, { recursive: true, filter });
  await running.close();
  return { mnemonic, wallet: await serveWallet(mint.url, { directory: copy }) };
};

test('a database that was copied without its -wal and the index keeps its words', async () => {
  const { mnemonic, wallet } = await copyWithoutWal(/seeds\.json$/);
  expect((await wallet.asOperator('GET', '/api/wallet/seed')).body.mnemonic).toBe(mnemonic);
  expect(await filesOf(wallet.directory)).toHaveLength(1);
});

test('a database that was copied without its -wal and the words says that they are missing', async () => {
  const { mnemonic, wallet } = await copyWithoutWal(/seed-[0-9a-f]{12}$/);
  expect([await seedState(wallet), await filesOf(wallet.directory)]).toEqual(['missing', []]);
  const { status } = await wallet.asOperator('POST', '/api/wallet/restore', { mnemonic: WORDS });
  expect([status, await filesOf(wallet.directory)]).toEqual([422, []]);
  // The counters are back at 0, far behind the mint.
  const restored = await wallet.asOperator('POST', '/api/wallet/restore', { mnemonic });
  expect([restored.status, restored.body.amount, await wallet.balance()]).toEqual([200, 100, 100]);
});

test('a database that was copied without its -wal recovers its sats automatically', async () => {
  const { mnemonic, wallet } = await copyWithoutWal(/^$/);
  expect((await wallet.asOperator('GET', '/api/wallet/seed')).body.mnemonic).toBe(mnemonic);
  await until(async () => (await wallet.balance()) === 100);
});
