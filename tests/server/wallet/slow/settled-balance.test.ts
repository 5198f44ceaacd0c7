import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import type { WalletServer } from '../../../support/wallet.ts';
import { copyWallet, earn, pay, putBack, startCopy } from '../../../support/wallet-copies.ts';
import { send, settle } from '../../../support/wallet-recovery.ts';

/** The balance never counts as settled above what the mint calls unspent, and says why sats can't be sent now. */

const balanceOf = async (wallet: WalletServer) => (await wallet.call('GET', '/api/wallet/balance')).body;
const check = (wallet: WalletServer) => wallet.asOperator('POST', '/api/wallet/check', {});

test('after a rollback, the balance is not settled before the mint was asked, and never above what it calls unspent', async () => {
  const mint = await testMint();
  const first = await startCopy(mint);
  await earn(first, mint, 96);
  await first.close();
  const copy = await copyWallet(first.directory);
  const later = await startCopy(mint, { directory: first.directory });
  mint.spend([await pay(later, 96)]);
  await later.close();
  await putBack(copy, first.directory);

  mint.fail('/v1/checkstate', { kind: 'status' });
  const wallet = await startCopy(mint, { directory: first.directory });
  await until(() => mint.requestCount('/v1/checkstate') > 0);
  const unsettled = await balanceOf(wallet);
  expect([unsettled.balance, unsettled.checkedAt]).toEqual([96, undefined]);
  mint.clearFaults();
  expect((await check(wallet)).body).toMatchObject({ balance: 0, unconfirmed: 96 });
  await wallet.close();

  await putBack(copy, first.directory);
  const again = await startCopy(mint, { directory: first.directory });
  await until(async () => {
    const { balance, checkedAt } = await balanceOf(again);
    if (checkedAt !== undefined) expect(balance).toBe(0);
    return checkedAt !== undefined;
  });
});

test('of two copies, the one that does not know yet what the other spent says when it was last checked', async () => {
  const mint = await testMint();
  const original = await startCopy(mint);
  await earn(original, mint, 96);
  await original.close();
  const first = await startCopy(mint, { directory: await copyWallet(original.directory) });
  const second = await startCopy(mint, { directory: original.directory });
  for (const wallet of [first, second])
    await until(async () => (await balanceOf(wallet)).checkedAt !== undefined);

  second.clock.pass(1_000);
  const spentAt = second.clock.now();
  mint.spend([await pay(first, 96)]);
  // What it says was true then.
  const before = await balanceOf(second);
  expect([before.balance, Date.parse(before.checkedAt) < spentAt]).toEqual([96, true]);
  const { body } = await check(second);
  expect(body).toMatchObject({ balance: 0, unconfirmed: 96 });
  expect(Date.parse(body.checkedAt)).toBeGreaterThanOrEqual(spentAt);
  // The mint must say it twice before it counts.
  second.clock.pass(31_000);
  await until(async () => (await balanceOf(second)).unconfirmed === undefined);
  expect((await balanceOf(second)).balance).toBe(0);
});

test('a send that waits for the change of another one is wallet_busy, and its key works afterwards', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 64);
  mint.fail('/v1/swap', { kind: 'hang', times: 1 });
  const sending = send(wallet, 10);
  await until(() => mint.hanging() === 1);
  const key = { 'Idempotency-Key': 'busy' };
  const busy = await wallet.asOperator('POST', '/api/wallet/send', { amount: 20 }, key);
  expect([busy.status, busy.body.code, busy.headers.get('retry-after')]).toEqual([503, 'wallet_busy', '5']);
  const poor = await wallet.asOperator(
    'POST',
    '/api/wallet/send',
    { amount: 100 },
    { 'Idempotency-Key': 'poor' },
  );
  expect([poor.status, poor.body.code]).toEqual([422, 'insufficient_funds']);
  mint.clearFaults();
  expect((await sending).status).toBe(201);
  await settle(wallet);
  expect((await wallet.asOperator('POST', '/api/wallet/send', { amount: 20 }, key)).status).toBe(201);
  await earn(wallet, mint, 128);
  const rich = await wallet.asOperator(
    'POST',
    '/api/wallet/send',
    { amount: 100 },
    { 'Idempotency-Key': 'poor' },
  );
  expect(rich.status).toBe(201);
});

test('a proof that the mint refuses is set aside, the send takes others, and a check tries it again', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  for (const amount of [64, 32, 16]) await earn(wallet, mint, amount);
  mint.fail('/v1/swap', { kind: 'error', code: 10_001, detail: 'proof could not be verified', times: 1 });
  const { status } = await send(wallet, 40);
  expect(status).toBe(201);
  expect(await balanceOf(wallet)).toMatchObject({ balance: 8, unconfirmed: 64 });
  // Still refused.
  mint.fail('/v1/swap', { kind: 'error', code: 10_001, detail: 'proof could not be verified', times: 1 });
  expect((await check(wallet)).body).toMatchObject({ balance: 8, unconfirmed: 64 });
  mint.clearFaults();
  const { body } = await check(wallet);
  expect([body.balance, body.unconfirmed]).toEqual([72, undefined]);
});
