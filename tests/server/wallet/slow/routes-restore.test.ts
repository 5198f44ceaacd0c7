import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import { readRows, serveWallet } from '../../../support/wallet.ts';

const restore = (wallet: Awaited<ReturnType<typeof serveWallet>>, mnemonic: string) =>
  wallet.asOperator('POST', '/api/wallet/restore', { mnemonic });

test('the words restore unspent proofs, of inactive keysets too, and not those that were sent', async () => {
  const mint = await testMint();
  const lost = await serveWallet(mint.url);
  await lost.receive(mint.issue(100));
  mint.rotate();
  const ofNew = mint.issue(50);
  // The wallet asks for unknown keysets once a second at most.
  await until(async () => (await lost.validate(ofNew)).body.valid);
  await lost.receive(ofNew);
  const { body: sent } = await lost.asOperator('POST', '/api/wallet/send', { amount: 30 });
  const { body: words } = await lost.asOperator('GET', '/api/wallet/seed');
  await lost.close();

  const found = await serveWallet(mint.url);
  const before = (await found.asOperator('GET', '/api/wallet/seed')).body.mnemonic;
  expect(before).not.toBe(words.mnemonic);
  const { status, body } = await restore(found, `  ${words.mnemonic.toUpperCase().replaceAll(' ', '\n ')} `);
  expect([status, body]).toEqual([
    200,
    {
      found: 120,
      amount: 120,
      proofs: expect.any(Number),
      fee: 0,
      words: 'replaced',
      skipped: [],
      pending: 0,
    },
  ]);
  expect(await found.balance()).toBe(120);
  expect((await found.asOperator('GET', '/api/wallet/seed')).body.mnemonic).toBe(words.mnemonic);
  expect((await found.asOperator('GET', '/api/wallet/history')).body.entries).toMatchObject([
    { kind: 'restore', amount: 120, state: 'completed' },
  ]);
  // Its new outputs are no old ones: it can go on, and the sent token is still its receiver's.
  expect((await found.receive(mint.issue(7))).body.amount).toBe(7);
  expect((await found.asOperator('POST', '/api/wallet/send', { amount: 127 })).status).toBe(201);
  expect(mint.unspent([sent.token])).toBe(30);
  await found.close();

  // Both seeds are there, and the one that was restored counts after a restart.
  const seeds = (await readdir(found.directory)).filter((name) => name.startsWith('seed-'));
  expect(seeds).toHaveLength(2);
  for (const name of seeds) expect((await stat(join(found.directory, name))).mode & 0o777).toBe(0o600);
  const again = await serveWallet(mint.url, { directory: found.directory });
  expect((await again.asOperator('GET', '/api/wallet/seed')).body.mnemonic).toBe(words.mnemonic);
  expect(await again.balance()).toBe(0);
});

test('invalid words are refused, and words that own nothing change nothing', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const { mnemonic } = (await wallet.asOperator('GET', '/api/wallet/seed')).body;
  for (const words of [
    '',
    'hello',
    'abandon '.repeat(12),
    mnemonic.split(' ').slice(1).join(' '),
    `${mnemonic} zoo`,
  ]) {
    const { status, body } = await restore(wallet, words);
    expect([words, status, body.code]).toEqual([words, 422, 'invalid_mnemonic']);
    expect(JSON.stringify(body)).not.toContain(mnemonic.split(' ')[1]);
  }
  expect((await wallet.asOperator('POST', '/api/wallet/restore', { mnemonic: 5 })).status).toBe(400);
  expect(mint.requests()).toEqual([]);

  const valid = `${'abandon '.repeat(11)}about`;
  await wallet.receive(mint.issue(8));
  const full = await restore(wallet, valid);
  expect([full.status, full.body.code]).toEqual([409, 'nothing_found']);
  await wallet.asOperator('POST', '/api/wallet/send', { amount: 8 });
  await mint.away();
  const away = await restore(wallet, valid);
  expect([away.status, away.body.code]).toEqual([503, 'mint_unreachable']);
  expect((await wallet.asOperator('GET', '/api/wallet/seed')).body.mnemonic).toBe(mnemonic);
  await mint.back();
  expect((await restore(wallet, valid)).body.code).toBe('nothing_found');
  expect((await wallet.asOperator('GET', '/api/wallet/seed')).body.mnemonic).toBe(mnemonic);
  await wallet.close();
  expect(await readRows(wallet.directory, 'SELECT count(*) AS proofs FROM proofs')).toEqual([{ proofs: 0 }]);
});
