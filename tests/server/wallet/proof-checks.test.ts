import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { until } from '../../support/raw-http.ts';
import { earn, expectConsistent, historySum, startCopy } from '../../support/wallet-copies.ts';
import { send, type TimedWallet } from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

const HOUR_MS = 60 * 60_000;

const balanceOf = async (wallet: TimedWallet) => (await wallet.call('GET', '/api/wallet/balance')).body;

test('proofs that the mint refused once by mistake are swapped together, for one fee', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const wallet = await startCopy(mint);
  const token = mint.issue(480, { proofCount: 40, withoutDleq: true });
  await wallet.receive(token);
  const { balance: before } = await balanceOf(wallet);
  const swapsBefore = mint.requestCount('/v1/swap');
  mint.fail('/v1/swap', { kind: 'error', code: 10001, detail: 'Proof could not be verified', times: 1 });
  await send(wallet, before - 20);
  await until(async () => {
    wallet.clock.pass(2_000);
    const { unconfirmed, pending } = await balanceOf(wallet);
    return unconfirmed === undefined && pending === 0;
  });
  // One swap for all of them, and perhaps the send that came before it.
  expect(mint.requestCount('/v1/swap') - swapsBefore).toBeLessThanOrEqual(3);
  await expectConsistent(wallet, mint);
});

test('a proof that the mint refuses each time is asked about once an hour, not each second', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 64);
  mint.fail('/v1/swap', { kind: 'error', code: 10001, detail: 'Proof could not be verified' });
  await send(wallet, 20);
  // The wallet tries the proof alone.
  await until(async () => {
    wallet.clock.pass(500);
    return (await readHistory(wallet)).some(({ kind, state }) => kind === 'swap' && state === 'failed');
  });
  const swaps = mint.requestCount('/v1/swap');
  for (let minute = 0; minute < 30; minute++) {
    wallet.clock.pass(60_000);
    await balanceOf(wallet);
  }
  expect(mint.requestCount('/v1/swap')).toBe(swaps);
});

test('a search for missing sats finds proofs that the mint called spent by mistake', async () => {
  const mint = await testMint();
  const before = await startCopy(mint);
  await earn(before, mint, 100);
  await before.close();
  mint.fail('/v1/checkstate', { kind: 'says-spent', share: 1, again: true });
  const wallet = await startCopy(mint, { directory: before.directory });
  await until(async () => {
    wallet.clock.pass(31_000);
    const { balance, unconfirmed } = await balanceOf(wallet);
    return balance === 0 && unconfirmed === undefined;
  });
  mint.clearFaults();
  const { body } = await wallet.asOperator('POST', '/api/wallet/rescan');
  expect(body).toMatchObject({ found: 100, amount: 100 });
  expect(await wallet.balance()).toBe(100);
  await expectConsistent(wallet, mint);
});

test('a check that a clock set 40 days ahead scheduled is due once the clock is right', async () => {
  const mint = await testMint();
  const ahead = await startCopy(mint);
  await earn(ahead, mint, 64);
  ahead.clock.pass(40 * 24 * HOUR_MS);
  mint.fail('/v1/swap', { kind: 'error', code: 10001, detail: 'Proof could not be verified' });
  await send(ahead, 20);
  await until(async () => (await balanceOf(ahead)).unconfirmed === 64);
  await ahead.close();
  mint.clearFaults();
  const wallet = await startCopy(mint, { directory: ahead.directory });
  await until(async () => {
    wallet.clock.pass(2_000);
    return (await wallet.balance()) === 64;
  });
  expect(historySum(await readHistory(wallet))).toBe(64);
});

test('a balance that could not be confirmed because the mint was away is confirmed within ten seconds after it is back', async () => {
  const mint = await testMint();
  const before = await startCopy(mint);
  await earn(before, mint, 64);
  await before.close();
  await mint.away();
  const wallet = await startCopy(mint, { directory: before.directory });
  const stateOfMint = async () => (await wallet.call('GET', '/api/wallet/mint')).body.state;
  await until(async () => (await stateOfMint()) === 'unreachable');
  for (let minute = 0; minute < 5; minute++) {
    wallet.clock.pass(60_000);
    expect(await stateOfMint()).toBe('unreachable');
  }
  expect((await balanceOf(wallet)).checkedAt).toBeUndefined();
  await mint.back();
  wallet.clock.pass(9_999);
  await until(async () => (await balanceOf(wallet)).checkedAt !== undefined);
});
