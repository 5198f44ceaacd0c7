import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { editProofs } from '../../support/wallet.ts';
import { send, serveTimedWallet, type TimedWallet, whileTimePasses } from '../../support/wallet-recovery.ts';

/** A mint whose limit never ends while anybody wastes requests, as Nutshell's. */

const NUTSHELL = { requests: 60, seconds: 60, window: 'elastic' } as const;
const WINDOW_SECONDS = 60;

/** Lets a second pass, also for the mint. */
const passSecond = (wallet: TimedWallet, mint: TestMint) => {
  wallet.clock.pass(1_000);
  mint.setTime(Math.floor(wallet.clock.now() / 1_000));
};

const forge = (mint: TestMint) => mint.issue(8, { forged: true, withoutDleq: true });

/** A signed token that its owner spent before, which costs nothing either. */
const spentToken = (mint: TestMint) => {
  const token = mint.issue(1);
  mint.spend([token]);
  return token;
};

test.each([
  ['forged', forge],
  ['signed but spent', spentToken],
])(
  'while a stranger goes on sending %s tokens, each send goes through within two windows',
  { tags: 'slow' },
  async (_name, make) => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint);
    expect((await wallet.receive(mint.issue(1_024))).status).toBe(200);
    mint.setTime(Math.floor(wallet.clock.now() / 1_000));
    mint.setRateLimit(NUTSHELL);
    // In a burst, before the wallet knows that there is a limit.
    const asked = Array.from({ length: 30 }, () => wallet.receive(make(mint)));
    await Promise.race([Promise.all(asked), sleep(2_000)]);
    expect((await wallet.receive(mint.issue(8))).body.code).toBe('mint_error');

    let waited = 0;
    let tryIn = 0;
    let sent = 0;
    for (let second = 0; second < 5 * WINDOW_SECONDS; second += 1) {
      passSecond(wallet, mint);
      for (const ask of [wallet.receive, wallet.validate]) asked.push(ask(make(mint)));
      // On a busy computer, a request that takes longer would reach the mint in another second.
      await Promise.race([Promise.all(asked.slice(-2)), sleep(300)]);
      waited += 1;
      tryIn -= 1;
      if (tryIn > 0) continue;
      const { status, body } = await send(wallet, 1);
      if (status === 201) {
        sent += 1;
        waited = 0;
        tryIn = 10;
      } else tryIn = body.retryAfterSeconds;
      expect(waited).toBeLessThanOrEqual(2 * WINDOW_SECONDS);
    }
    expect(sent).toBeGreaterThan(5);
    mint.setRateLimit();
    await whileTimePasses(wallet, Promise.all(asked));
  },
);

test('after a limit, nothing is asked until it ends, and each further limit in a row pauses for twice as long', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  expect((await wallet.receive(mint.issue(1_024))).status).toBe(200);
  const ofOtherKeyset = editProofs(mint.issue(8, { version: 'A' }), (proof) => ({
    ...proof,
    id: '00aaaaaaaaaaaaaa',
  }));
  mint.setRateLimit({ ...NUTSHELL, requests: 0 });
  const pauses = [
    [60, ofOtherKeyset],
    [120, mint.issue(8)],
    [240, forge(mint)],
  ] as const;
  for (const [pauseSeconds, token] of pauses) {
    const unsigned = mint.issue(8, { withoutDleq: true });
    const checked = await wallet.asOperator('POST', '/api/wallet/validate', { token: unsigned });
    expect(checked.body.code).toBe('mint_error');
    // Background work may have begun at the same moment.
    await sleep(100);
    const before = mint.requestCount();
    const { body } = await send(wallet, 1);
    expect([body.code, body.retryAfterSeconds]).toEqual(['mint_error', pauseSeconds]);
    expect((await wallet.receive(token)).body.code).toBe('mint_error');
    expect((await wallet.validate(unsigned)).body.code).toBe('mint_error');
    await wallet.call('GET', '/api/wallet/mint');
    expect(mint.requestCount()).toBe(before);
    wallet.clock.pass(pauseSeconds * 1_000);
  }
});
