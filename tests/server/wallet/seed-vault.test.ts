import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type SeedVault, VaultUnavailableError } from '../../../src/server/wallet/seed/seed-vault.ts';
import { makeClock } from '../../support/clock.ts';
import { firstQuick } from '../../support/first-quick.ts';
import { startTestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import { filesOf, openAt, WORDS } from '../../support/seed.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { serveWallet } from '../../support/wallet.ts';

/** A keychain: what one sealed another does not open. `outdated` names what its key is too old for by now. */
const createVault = (
  faults: { seal?: boolean; corrupt?: boolean; outdated?: (sealed: string) => boolean } = {},
): SeedVault => {
  const kept = new Map<string, string>();
  return {
    async seal(text) {
      if (faults.seal) throw new Error('the keychain is locked');
      const bytes = randomBytes(32);
      kept.set(bytes.toString('hex'), faults.corrupt ? `${text}?` : text);
      return bytes;
    },
    async open(sealed) {
      const name = Buffer.from(sealed).toString('hex');
      const text = kept.get(name);
      if (text === undefined) throw new Error('sealed elsewhere');
      return { text, isOutdated: faults.outdated?.(name) ?? false };
    },
  };
};

const makePlace = async () => {
  const mint = await startTestMint();
  onTestFinished(() => mint.close());
  const directory = join(await makeTempDirectory(), 'wallet');
  /** Starts and ends the wallet, and answers its words. */
  const words = async (vault?: SeedVault) => {
    const server = await serveWallet(mint.url, { directory, seedVault: async () => vault });
    const { body } = await server.asOperator('GET', '/api/wallet/seed');
    await server.close();
    return body as { mnemonic: string; protection: string; others: unknown[] };
  };
  const seeds = async () => (await readdir(directory)).filter((name) => name.startsWith('seed-')).sort();
  return { mint, directory, words, seeds };
};

test('with a keychain the words are never in a file as text', async () => {
  const { directory, words, seeds } = await makePlace();
  const vault = createVault();
  const { mnemonic, protection } = await words(vault);
  expect(protection).toBe('keychain');
  expect(await seeds()).toEqual([expect.stringMatching(/^seed-[0-9a-f]{12}\.sealed$/)]);
  for (const name of await readdir(directory))
    expect(await readFile(join(directory, name), 'latin1')).not.toContain(mnemonic.slice(0, 20));
  const [sealed = ''] = await seeds();
  if (process.platform !== 'win32') expect((await stat(join(directory, sealed))).mode & 0o777).toBe(0o600);
  expect(await words(vault)).toEqual({ mnemonic, protection, others: [] });
});

test('words that are stored as text are sealed as soon as there is a keychain, and stay the same', {
  tags: 'slow',
}, async () => {
  const { words, seeds } = await makePlace();
  const plain = await words();
  expect(plain.protection).toBe('file');
  const vault = createVault();
  expect(await words(vault)).toEqual({ ...plain, protection: 'keychain' });
  expect(await seeds()).toEqual([expect.stringMatching(/\.sealed$/)]);
});

for (const [tags, rows] of firstQuick(1, [
  ['refuses to seal', { seal: true }],
  ['gives back something else', { corrupt: true }],
]))
  test.each(rows)(
    'a keychain that %s leaves the words as text, which says so',
    { tags },
    async (_, faults) => {
      const { words, seeds } = await makePlace();
      const vault = createVault(faults);
      const first = await words(vault);
      expect(first.protection).toBe('file');
      expect(await seeds()).toContainEqual(expect.stringMatching(/^seed-[0-9a-f]{12}$/));
      expect(await words(vault)).toEqual(first);
      expect(await words()).toEqual(first);
    },
  );

test('a keychain that can’t open the words, or a missing one, turns off the wallet with advice, and loses nothing', async () => {
  const { directory, words, seeds } = await makePlace();
  const vault = createVault();
  const { mnemonic } = await words(vault);
  const before = await seeds();
  const refused = (advice: RegExp) => ({ code: 'wallet_damaged', error: expect.stringMatching(advice) });
  expect(await words(createVault())).toEqual(
    refused(
      /keychain can’t open .*Nothing is lost\. Unlock the keychain and start again, or write the backup words into/,
    ),
  );
  expect(await words()).toEqual(
    refused(
      /only the desktop app can open\. Nothing is lost\. Unlock the keychain and start the desktop app, or write the backup words into/,
    ),
  );
  expect(await seeds()).toEqual(before);
  expect((await words(vault)).mnemonic).toBe(mnemonic);

  // The way that the sentence names.
  await writeFile(join(directory, before[0]?.replace('.sealed', '') ?? ''), `${mnemonic}\n`);
  const another = createVault();
  expect(await words(another)).toEqual({ mnemonic, protection: 'keychain', others: [] });
  expect(await seeds()).toEqual(before);
});

test('words that were sealed with an old key are sealed again, once, and stay the same', {
  tags: 'slow',
}, async () => {
  const { directory, words, seeds } = await makePlace();
  let old = '';
  const faults = { seal: false, corrupt: false, outdated: (sealed: string) => sealed === old };
  const vault = createVault(faults);
  const { mnemonic } = await words(vault);
  const [name = ''] = await seeds();
  const onDisk = () => readFile(join(directory, name), 'hex');
  const first = await onDisk();
  old = first;
  // A keychain that cannot, or gives back something else, leaves what opens.
  for (const fault of ['seal', 'corrupt'] as const) {
    faults[fault] = true;
    expect((await words(vault)).mnemonic).toBe(mnemonic);
    expect(await onDisk()).toBe(first);
    faults[fault] = false;
  }
  expect(await words(vault)).toEqual({ mnemonic, protection: 'keychain', others: [] });
  const second = await onDisk();
  expect(second).not.toBe(first);
  expect((await words(vault)).mnemonic).toBe(mnemonic);
  expect(await onDisk()).toBe(second);
});

test('words of a restore are sealed too, and the old ones stay', async () => {
  const directory = await makeTempDirectory();
  const seed = await openAt(directory, 'one', createVault());
  const old = seed.mnemonic();
  const prepared = await seed.prepare(WORDS);
  prepared.record();
  prepared.use();
  await seed.written();
  expect([seed.mnemonic(), seed.protection()]).toEqual([WORDS, 'keychain']);
  const names = await filesOf(directory);
  expect(names).toHaveLength(2);
  expect(names.every((name) => name.endsWith('.sealed'))).toBe(true);
  expect(await seed.others()).toEqual([{ mint: null, mnemonic: old }]);
});

test('while the keychain is locked the wallet waits and everything else works, and both open together', {
  tags: 'slow',
}, async () => {
  const { mint, directory, words, seeds } = await makePlace();
  const vault = createVault();
  const { mnemonic } = await words(vault);
  const before = await seeds();
  const clock = makeClock();
  let isLocked = true;
  const lockable: SeedVault = {
    seal: vault.seal,
    async open(sealed) {
      if (isLocked) throw new VaultUnavailableError('the keychain is locked');
      return vault.open(sealed);
    },
  };
  const server = await serveWallet(mint.url, { directory, seedVault: async () => lockable, clock });
  expect((await server.call('GET', '/api/agents')).status).toBe(200);
  const locked = await server.call('GET', '/api/wallet/balance');
  expect([locked.status, locked.headers.get('retry-after'), locked.body]).toEqual([
    503,
    '5',
    {
      code: 'wallet_locked',
      error: expect.stringContaining('Unlock the keychain, then restart dot-mi.'),
      retryAfterSeconds: 5,
    },
  ]);
  expect((await server.receive(mint.issue(8))).body.code).toBe('wallet_locked');
  clock.pass(5_000);
  expect((await server.call('GET', '/api/wallet/balance')).status).toBe(503);
  expect(await seeds()).toEqual(before);

  isLocked = false;
  await until(async () => {
    clock.pass(5_000);
    return (await server.call('GET', '/api/wallet/balance')).status === 200;
  });
  expect((await server.asOperator('GET', '/api/wallet/seed')).body.mnemonic).toBe(mnemonic);
  expect((await server.receive(mint.issue(8))).status).toBe(200);
  expect(await server.balance()).toBe(8);
});

test('a server with a wallet that is still locked ends at once', async () => {
  const { mint, directory, words } = await makePlace();
  const vault = createVault();
  await words(vault);
  const open = () => Promise.reject(new VaultUnavailableError('the keychain is locked'));
  const locked = { seal: vault.seal, open };
  const server = await serveWallet(mint.url, { directory, seedVault: async () => locked });
  await server.close();
  // Its database is free again.
  expect((await words(vault)).protection).toBe('keychain');
});
