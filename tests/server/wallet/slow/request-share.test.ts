import { expect, test } from 'vitest';
import { createRequestShare } from '../../../../src/server/wallet/mint/request-share.ts';
import { makeClock } from '../../../support/clock.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import { plantProofs } from '../../../support/wallet-plant.ts';
import { serveTimedWallet } from '../../../support/wallet-recovery.ts';

/** Background work leaves room for receives at a mint that limits requests. */

const MINUTE_MS = 60_000;

test('background work rests for a minute after 30 requests within a minute', () => {
  const clock = makeClock();
  const share = createRequestShare(clock);
  share.count(29);
  expect(share.restMs()).toBe(0);
  clock.pass(MINUTE_MS);
  share.count(29);
  expect(share.restMs()).toBe(0);
  clock.pass(1_000);
  share.count(1);
  expect(share.restMs()).toBe(MINUTE_MS);
  // Receives during the rest don't make it longer.
  clock.pass(20_000);
  share.count(30);
  expect(share.restMs()).toBe(40_000);
  clock.pass(40_000);
  expect(share.restMs()).toBe(0);
});

test('requests that are counted one by one use up the share as well', () => {
  const clock = makeClock();
  const share = createRequestShare(clock);
  for (let count = 1; count < 30; count++) {
    share.count(1);
    clock.pass(1_000);
  }
  expect(share.restMs()).toBe(0);
  share.count(1);
  expect(share.restMs()).toBe(MINUTE_MS);
});

test('receives alone can’t keep background work from its turn', () => {
  const clock = makeClock();
  const share = createRequestShare(clock);
  share.count(500);
  clock.pass(MINUTE_MS);
  share.count(9);
  expect(share.restMs()).toBe(0);
  clock.pass(1_000);
  share.count(500);
  expect(share.restMs()).toBe(MINUTE_MS);
});

for (const window of ['sliding', 'elastic'] as const) {
  test(`a mint whose limit of 60 requests a minute is ${window} refuses no receive while 700 proofs are checked and merged`, async () => {
    const mint = await testMint({ limits: { maxCheckStates: 10 } });
    const first = await serveTimedWallet(mint);
    await first.close();
    const ones = mint.issue(700, { proofCount: 700, withoutDleq: true });
    const ys = await plantProofs(first.directory, mint, [ones]);
    const wallet = await serveTimedWallet(mint, { directory: first.directory });
    const passMinute = () => {
      wallet.clock.pass(MINUTE_MS);
      mint.setTime(wallet.clock.now() / 1000);
    };
    mint.setTime(wallet.clock.now() / 1000);
    mint.setRateLimit({ requests: 60, seconds: 60, window });

    const spent = () => mint.unspentOf(ys).filter((state) => state === 'SPENT').length;
    let received = 0;
    let minutes = 0;
    while (spent() <= 500) {
      minutes += 1;
      expect(minutes).toBeLessThan(20);
      const before = mint.requestCount();
      passMinute();
      // Background work begins, and has had its share of the minute, or had nothing to do.
      await until(async () => {
        const count = mint.requestCount();
        await new Promise((resolve) => setTimeout(resolve, 300));
        return mint.requestCount() === count;
      });
      for (let count = 0; count < 5; count++) {
        expect(await wallet.receive(mint.issue(1, { withoutDleq: true }))).toMatchObject({ status: 200 });
        received += 1;
      }
      expect(mint.requestCount() - before).toBeLessThanOrEqual(60);
    }
    // All proofs were checked before the first were merged.
    const checked = mint.requests('/v1/checkstate').flatMap(({ body }) => (body as { Ys: string[] }).Ys);
    expect(ys.filter((y) => !checked.includes(y))).toEqual([]);
    expect((await wallet.call('GET', '/api/wallet/balance')).body.balance).toBe(700 + received);
  });
}
