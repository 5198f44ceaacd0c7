import { expect, test } from 'vitest';
import { askMint, openWallet, prepareSwap, sumOf } from './client.ts';
import { testMint } from './for-test.ts';
import { pointOfSecret } from './keyset.ts';
import { makeInvoice } from './lightning.ts';

test('outstanding equals what all wallets and tokens hold', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 400 }, { unit: 'usd' }] });
  const wallet = await openWallet(mint.url);
  expect(mint.outstanding()).toBe(0);

  const lost = mint.issue(50, { forged: 1 });
  const minted = await wallet.mintProofsBolt11(500, await wallet.createMintQuoteBolt11(500));
  expect(mint.outstanding()).toBe(500 + mint.unspent([lost]));

  const received = await wallet.receive(mint.issue(77));
  const quote = await wallet.createMeltQuoteBolt11(makeInvoice(100));
  const { change } = await wallet.meltProofsBolt11(quote, minted);
  expect(mint.outstanding()).toBe(sumOf(received) + sumOf(change) + mint.unspent([lost]));
  const { issued, melted, fees } = mint.totals();
  expect(mint.outstanding()).toBe(issued - melted - fees);

  const spent = mint.issue(9, { unit: 'usd' });
  expect(mint.outstanding('usd')).toBe(9);
  mint.spend([spent]);
  expect(mint.outstanding('usd')).toBe(0);
});

test('outstanding includes proofs whose signatures were lost', async () => {
  const mint = await testMint();
  const body = await prepareSwap(await openWallet(mint.url), mint.issue(5));
  mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 });
  await expect(askMint(mint.url, '/v1/swap', body)).rejects.toThrow();
  expect([mint.outstanding(), mint.totals().spent]).toEqual([5, 5]);
});

test('unspentOf returns the state of each Y in order', async () => {
  const mint = await testMint();
  const wallet = await openWallet(mint.url);
  const [spent = '', pending = '', unspent = ''] = [mint.issue(1), mint.issue(1), mint.issue(1)];
  const ys: string[] = [];
  for (const token of [spent, pending, unspent]) {
    const { inputs } = await prepareSwap(wallet, token);
    ys.push(...inputs.map(({ secret }) => pointOfSecret(secret).toHex(true)));
  }
  mint.spend([spent]);
  mint.setPending([pending]);
  expect(mint.unspentOf(ys)).toEqual(['SPENT', 'PENDING', 'UNSPENT']);
  expect(mint.unspentOf(ys.reverse())).toEqual(['UNSPENT', 'PENDING', 'SPENT']);
});

test('requestCount counts more requests than are remembered', { tags: 'slow' }, async () => {
  const mint = await testMint();
  for (let count = 0; count < 1005; count += 1) await askMint(mint.url, '/v1/keysets');
  await askMint(mint.url, '/v1/info');
  expect(mint.requests()).toHaveLength(1000);
  expect([mint.requestCount(), mint.requestCount('/v1/keysets'), mint.requestCount('/v1/swap')]).toEqual([
    1006, 1005, 0,
  ]);
});
