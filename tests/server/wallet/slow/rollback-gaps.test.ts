import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { copyWallet, earn, expectConsistent, putBack, startCopy } from '../../../support/wallet-copies.ts';
import type { TimedWallet } from '../../../support/wallet-recovery.ts';

/** After a rollback, the counters that the mint signed for the later self have gaps. No sat in between is missed. */

const FUNDS = 100;
const QUIET_MS = 10 * 60_000;

/** Earns FUNDS, lets three and five counters become reusable, and leaves them between used ones. */
const startWithReusable = async (mint: TestMint) => {
  const first = await startCopy(mint);
  await earn(first, mint, FUNDS);
  for (const amount of [7, 31]) {
    expect((await first.receive(mint.issue(amount, { forged: true }))).status).toBe(422);
    await earn(first, mint, 1023);
  }
  return first;
};

/** Copies a quiet wallet, lets it go on, and puts the copy back. Returns the directory. */
const rollBack = async (wallet: TimedWallet, later: () => Promise<void>): Promise<string> => {
  const { directory } = wallet;
  const copy = await copyWallet(directory);
  await later();
  await wallet.close();
  await putBack(copy, directory);
  return directory;
};

const untilBalance = (wallet: TimedWallet, balance: number, passMs = 20): Promise<void> =>
  until(async () => {
    wallet.clock.pass(passMs);
    return (await wallet.balance()) === balance;
  }).catch(async () => expect(await wallet.balance()).toBe(balance));

test('a search covers reusable counters that the later self used, below the counter that collided', async () => {
  const mint = await testMint();
  const first = await startWithReusable(mint);
  const directory = await rollBack(first, async () => {
    // Three counters that are reusable, then new ones.
    await earn(first, mint, 7);
    await earn(first, mint, 1023);
  });
  const held = FUNDS + 2 * 1023 + 7 + 1023;
  // The mint doesn't say what it signed, so only a collision shows it.
  const before = mint.requestCount('/v1/restore');
  mint.fail('/v1/restore', { kind: 'status', times: 2 });
  const wallet = await startCopy(mint, { directory });
  await until(() => mint.requestCount('/v1/restore') > before);
  // Too large for the reusable counters.
  await earn(wallet, mint, 1023);
  wallet.clock.pass(60_001);
  await untilBalance(wallet, held + 1023);
  await expectConsistent(wallet, mint);
});

test('a wallet looks beyond counters of swaps that the later self never finished', async () => {
  const mint = await testMint();
  const first = await startCopy(mint);
  await earn(first, mint, FUNDS);
  let unfinished: Promise<unknown> | undefined;
  const directory = await rollBack(first, async () => {
    // Thirty counters, none of which the mint signs.
    mint.fail('/v1/swap', { kind: 'hang', times: 3 });
    const tokens = [1, 2, 3].map(() => mint.issue(1023, { withoutDleq: true }));
    unfinished = Promise.allSettled(tokens.map((token) => first.receive(token)));
    await until(() => mint.hanging() === 3);
    await earn(first, mint, 63);
  });
  await unfinished;
  const wallet = await startCopy(mint, { directory });
  await untilBalance(wallet, FUNDS + 63, QUIET_MS);
  await expectConsistent(wallet, mint);
});

test('a wallet searches again for signatures that the mint reported late', async () => {
  const mint = await testMint();
  const now = Math.floor(Date.now() / 1000);
  mint.setTime(now - 3_600);
  const first = await startWithReusable(mint);
  const directory = await rollBack(first, async () => {
    await earn(first, mint, 1023);
    mint.setTime(now);
    await earn(first, mint, 7);
  });
  const held = FUNDS + 3 * 1023;
  mint.fail('/v1/restore', { kind: 'lag', seconds: 600 });
  const wallet = await startCopy(mint, { directory });
  await untilBalance(wallet, held);
  mint.clearFaults();
  await untilBalance(wallet, held + 7, QUIET_MS);
  await expectConsistent(wallet, mint);
});
