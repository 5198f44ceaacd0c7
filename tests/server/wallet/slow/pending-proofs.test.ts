import { Amount, getEncodedToken } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { readRows } from '../../../support/wallet.ts';
import {
  copyWallet,
  earn,
  expectBacked,
  expectConsistent,
  historySum,
  pay,
  startCopy,
} from '../../../support/wallet-copies.ts';
import {
  reclaim,
  runRecoveryPasses,
  send,
  settle,
  type TimedWallet,
  whileTimePasses,
} from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

/** What a mint says of the wallet's own proofs may be temporary or false. It blocks no send, and takes nothing for good. */

const HOUR_MS = 60 * 60_000;

/** A token of the wallet's own proof of an amount, with which the test points it out to the mint. */
const ownProof = async (wallet: TimedWallet, mint: TestMint, amount: number): Promise<string> => {
  const rows = await readRows(
    await copyWallet(wallet.directory),
    `SELECT keyset_id AS id, secret, c AS C FROM proofs WHERE amount = ${amount}`,
  );
  expect(rows).toHaveLength(1);
  const proofs = rows.map(({ id, secret, C }) => ({
    id: String(id),
    amount: Amount.from(amount),
    secret: String(secret),
    C: String(C),
  }));
  return getEncodedToken({ mint: mint.url, unit: 'sat', proofs });
};

/** A wallet that holds one proof of each amount. */
const holding = async (mint: TestMint, amounts: readonly number[]): Promise<TimedWallet> => {
  const wallet = await startCopy(mint);
  for (const amount of amounts) await earn(wallet, mint, amount);
  return wallet;
};

/** Lets time pass until the balance is an amount. */
const untilBalance = (wallet: TimedWallet, amount: number): Promise<void> =>
  until(async () => {
    wallet.clock.pass(10_000);
    return (await wallet.balance()) === amount;
  });

test('at a mint that left a proof pending, every send that the other proofs cover succeeds within the request', async () => {
  const mint = await testMint();
  const wallet = await holding(mint, [64, 32, 16]);
  const stuck = await ownProof(wallet, mint, 64);
  mint.setPending([stuck]);

  const first = await pay(wallet, 40);
  const second = await pay(wallet, 8);
  expect(mint.unspent([first, second])).toBe(48);
  expect(mint.states(stuck)).toEqual(['PENDING']);
  // Not spendable, and not lost either.
  expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({
    balance: 0,
    unconfirmed: 64,
  });
  expect(historySum(await readHistory(wallet))).toBe(64);

  mint.clearPending();
  await untilBalance(wallet, 64);
  expect(mint.unspent([await pay(wallet, 64)])).toBe(64);
  await expectConsistent(wallet, mint);
});

test('sends succeed next to a proof that stays pending over a restart, and time passes until it is free', async () => {
  const mint = await testMint();
  const before = await holding(mint, [64, 32, 16]);
  const stuck = await ownProof(before, mint, 64);
  mint.setPending([stuck]);
  await pay(before, 30);
  await before.close();
  const wallet = await startCopy(mint, { directory: before.directory });
  for (const amount of [10, 5, 3]) await pay(wallet, amount);
  expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({
    balance: 0,
    unconfirmed: 64,
  });
  mint.clearPending();
  await untilBalance(wallet, 64);
  await expectConsistent(wallet, mint);
});

test('a mint that falsely says once that all proofs are spent takes nothing for good', async () => {
  const mint = await testMint();
  const before = await holding(mint, [64, 32, 4]);
  await before.close();
  mint.fail('/v1/checkstate', { kind: 'says-spent', share: 1 });
  const wallet = await startCopy(mint, { directory: before.directory });
  // At the latest when it checks its proofs each day.
  await until(() => {
    wallet.clock.pass(HOUR_MS);
    return mint.troubled().liedAbout === 3;
  });
  mint.clearFaults();
  await runRecoveryPasses(wallet);
  await untilBalance(wallet, 100);
  expect(historySum(await readHistory(wallet))).toBe(100);
  await expectBacked(wallet, mint);
  expect(mint.unspent([await pay(wallet, 100)])).toBe(100);
  await expectConsistent(wallet, mint);
});

test('a mint that falsely says once that the proofs of a send are spent takes nothing for good', async () => {
  const mint = await testMint();
  const wallet = await holding(mint, [64, 32, 4]);
  // The send has to find out what became of its swap, and is lied to.
  mint.fail('/v1/swap', { kind: 'drop', times: 1 });
  mint.fail('/v1/checkstate', { kind: 'says-spent', share: 1 });
  await whileTimePasses(wallet, send(wallet, 40));
  expect(mint.troubled().liedAbout).toBeGreaterThan(0);
  mint.clearFaults();
  await settle(wallet);
  const tokens = (await readHistory(wallet)).flatMap(({ token }) => token ?? []);
  const left = 100 - mint.unspent(tokens);
  await untilBalance(wallet, left);
  await expectBacked(wallet, mint);
  expect(mint.unspent([await pay(wallet, left)])).toBe(left);
  await expectConsistent(wallet, mint);
});

test('a sent token that the mint once called spent by mistake can still be reclaimed', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 64);
  const { operationId } = (await send(wallet, 32)).body;
  mint.fail('/v1/checkstate', { kind: 'says-spent', share: 1 });
  await until(async () => (await readHistory(wallet)).some(({ id, spent }) => id === operationId && spent));
  mint.clearFaults();
  expect((await reclaim(wallet, operationId)).body).toMatchObject({ amount: 32 });
  expect(await wallet.balance()).toBe(64);
});
