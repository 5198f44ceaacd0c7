import { expect, test } from 'vitest';
import { askFor, hashOf, openAndPay, payCharge, refundOf } from '../../support/charges.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import {
  expectNothingLost,
  reclaim,
  send,
  serveTimedWallet,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/** Swaps that failed as far as the wallet knows, although the mint carried them out. */

const LAG_SECONDS = 90;

/** The mint carries out the next swap, doesn't answer, and hides its signatures for a while. */
const hideNextSwap = (mint: TestMint) => {
  mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 });
  mint.fail('/v1/restore', { kind: 'lag', seconds: LAG_SECONDS });
};

const untilFailed = (wallet: TimedWallet, kind: string) =>
  until(async () => {
    wallet.clock.pass(2_000);
    return (await readHistory(wallet)).find((each) => each.kind === kind)?.state === 'failed';
  });

/** A forged token with more outputs than there are counters. It costs nothing. */
const forgeLarge = (mint: TestMint) =>
  mint.issue(500 * 2 ** 31, { split: Array<number>(500).fill(2 ** 31), forged: true, withoutDleq: true });

/** The mint's clock follows the wallet's. */
const passLag = (wallet: TimedWallet, mint: TestMint) => {
  mint.setTime(Math.ceil(Date.now() / 1_000) + LAG_SECONDS);
  wallet.clock.pass(60_000);
};

test('forged tokens take no counters of a payment that the mint may have carried out', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const first = mint.issue(8, { withoutDleq: true });
  await wallet.receive(first);
  const paid = mint.issue(64, { withoutDleq: true });
  const { id } = (await askFor(wallet, 64)).body;
  hideNextSwap(mint);
  await whileTimePasses(wallet, payCharge(wallet, id, paid));
  await untilFailed(wallet, 'receive');

  // No response says that the token is spent, or that the customer can spend it.
  expect((await wallet.validate(paid)).body).toMatchObject({ valid: false, reason: 'pending' });
  expect((await refundOf(wallet, paid)).body.code).toBe('charge_held');

  const order = { requestHash: hashOf('another') };
  const forged = await whileTimePasses(wallet, openAndPay(wallet, 5, forgeLarge(mint), order));
  expect(forged.status).not.toBe(200);
  // Nobody is paid with those sats either.
  const spent = mint.issue(64, { withoutDleq: true });
  mint.spend([spent]);
  const thief = await whileTimePasses(
    wallet,
    openAndPay(wallet, 60, spent, { requestHash: hashOf('theft') }),
  );
  expect(thief.status).not.toBe(200);

  passLag(wallet, mint);
  mint.clearFaults();
  await until(async () => {
    wallet.clock.pass(61_000);
    return (await sums(wallet)).balance === 72;
  });
  expect(await sums(wallet)).toEqual({ balance: 72, pending: 0 });
  await expectNothingLost(wallet, mint, [first, paid]);
});

test('a reclaim that the mint carried out late isn’t called redeemed by somebody else', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const token = mint.issue(64, { withoutDleq: true });
  await wallet.receive(token);
  const { operationId } = (await send(wallet, 32)).body;
  hideNextSwap(mint);
  await whileTimePasses(wallet, reclaim(wallet, operationId));
  await untilFailed(wallet, 'reclaim');
  const again = await whileTimePasses(wallet, reclaim(wallet, operationId));
  expect(again.body.code).toBe('send_pending');
  passLag(wallet, mint);
  mint.clearFaults();
  expect((await whileTimePasses(wallet, reclaim(wallet, operationId))).body.code).toBe('not_reclaimable');
  expect(await sums(wallet)).toEqual({ balance: 64, pending: 0 });
  await expectNothingLost(wallet, mint, [token]);
});

test('a limit of the mint ends when the clock is set back', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  await wallet.receive(mint.issue(8));
  mint.setRateLimit({ requests: 0, seconds: 60 });
  await whileTimePasses(wallet, wallet.receive(mint.issue(16)));
  mint.setRateLimit();
  expect((await wallet.receive(mint.issue(4))).body.code).toBe('mint_error');
  wallet.clock.pass(-5 * 60 * 60_000);
  expect((await wallet.receive(mint.issue(4))).status).toBe(200);
});
