import { stat } from 'node:fs/promises';
import { PaymentRequest } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import { askFor, hashOf, openAndPay, quoteFor } from '../../../support/charges.ts';
import { flood } from '../../../support/flood.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import { plant } from '../../../support/plant.ts';
import { databasePath } from '../../../support/wallet.ts';
import { as, asOperator, createKey } from '../../../support/wallet-callers.ts';
import { startCopy } from '../../../support/wallet-copies.ts';

/** A price is an answer, not a row: strangers ask for as many as they like. */

/** How many prices of a key are remembered. */
const REMEMBERED = 2_000;

test('a quote is what a charge would ask for, and the same one again while it holds', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = asOperator(await startCopy(mint));
  const { status, body: quote } = await quoteFor(wallet, 5, { agent: 'scout', ttlSeconds: 60 });
  const { body: charge } = await askFor(wallet, 5, { agent: 'scout', ttlSeconds: 60 });
  const { id: _id, state: _state, createdAt: _at, ...price } = charge;
  expect([status, quote]).toEqual([200, price]);
  expect(Number(PaymentRequest.fromEncodedRequest(quote.paymentRequest).amount)).toBe(quote.faceValue);

  wallet.clock.pass(30_000);
  expect((await quoteFor(wallet, 5, { agent: 'scout', ttlSeconds: 60 })).body).toEqual(quote);
  // Other terms are another price.
  expect((await quoteFor(wallet, 6, { agent: 'scout', ttlSeconds: 60 })).body.amount).toBe(6);
  wallet.clock.pass(60_000);
  const { body: later } = await quoteFor(wallet, 6, { agent: 'scout', ttlSeconds: 60 });
  expect(Date.parse(later.expiresAt)).toBe(Date.parse(quote.expiresAt) + 90_000);
});

test('a quote holds for the key that asked, and for its agent and request', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await plant(wallet.rootPath, { 'agents/courier/SYSTEM.md': 'You carry.\n' });
  const caller = async (agent: string) => as(wallet, await createKey(wallet, agent, ['charge']));
  const seller = await caller('scout');
  await quoteFor(seller, 2);
  await quoteFor(wallet, 2);
  const priceFor = async (buyer: typeof seller, fields = {}) =>
    (await openAndPay(buyer, 4, mint.issue(4), fields)).body.amount;
  expect(await priceFor(seller)).toBe(2);
  expect(await priceFor(seller, { requestHash: hashOf('something else') })).toBe(4);
  expect(await priceFor(await caller('scout'))).toBe(4);
  expect(await priceFor(await caller('courier'))).toBe(4);
  // Without a key, nobody can prove that they were quoted a price.
  expect(await priceFor(wallet)).toBe(4);
});

test('a change of price closes no quote early, and the lowest one that holds is paid', async () => {
  const mint = await testMint();
  const wallet = asOperator(await startCopy(mint));
  const ask = async (amount: number) =>
    (await quoteFor(wallet, amount, { ttlSeconds: 60 })).body.expiresAt as string;
  const priceFor = async (paid: number, amount: number) =>
    (await openAndPay(wallet, amount, mint.issue(paid), { ttlSeconds: 60 })).body.amount;
  const expiresAt = await ask(5);
  wallet.clock.pass(30_000);
  await ask(9);
  // The same price again is the same quote.
  expect(await ask(5)).toBe(expiresAt);
  expect([await priceFor(5, 9), await priceFor(9, 9), await priceFor(9, 12)]).toEqual([5, 5, 5]);
  wallet.clock.pass(30_000);
  expect(await priceFor(9, 12)).toBe(9);
  wallet.clock.pass(30_000);
  const refused = await openAndPay(wallet, 12, mint.issue(9), { ttlSeconds: 60 });
  expect([refused.body.code, refused.body.required]).toEqual(['amount_too_low', 12]);
});

test('prices that strangers ask for are not on the disk, and the oldest are forgotten', async () => {
  const mint = await testMint();
  const wallet = asOperator(await startCopy(mint));
  const path = await databasePath(wallet.directory);
  const sizes = async () => Promise.all([path, `${path}-wal`].map(async (file) => (await stat(file)).size));
  await quoteFor(wallet, 1);
  const before = await sizes();
  await flood(REMEMBERED, 64, async (at) =>
    expect((await quoteFor(wallet, 1, { requestHash: hashOf(`${at}`) })).status).toBe(200),
  );
  expect(await sizes()).toEqual(before);
  expect((await wallet.call('GET', '/api/charges')).body).toEqual({ charges: [] });
  const priceFor = async (requestHash: string) =>
    (await openAndPay(wallet, 4, mint.issue(4), { requestHash })).body.amount;
  expect(await priceFor(hashOf('translate this'))).toBe(4);
  expect(await priceFor(hashOf(`${REMEMBERED - 1}`))).toBe(1);
});

test('a quote that a restart forgot is priced again, and a token that is worth too little stays untouched', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const first = asOperator(await startCopy(mint));
  await quoteFor(first, 2);
  await first.close();
  const wallet = asOperator(await startCopy(mint, { directory: first.directory }));
  const low = mint.issue(2, { withoutDleq: true });
  const refused = await openAndPay(wallet, 4, low);
  expect([refused.status, refused.body.code, refused.body.required]).toEqual([402, 'amount_too_low', 4]);
  expect(mint.unspent([low])).toBe(2);
});
