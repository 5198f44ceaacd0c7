import { expect, test } from 'vitest';
import { DECISION_TIMES } from '../../../src/server/wallet/operations/exchange.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { send, serveTimedWallet, sums, whileTimePasses } from '../../support/wallet-recovery.ts';

// Known: the first send's token is in the history, but nobody asked for it.
test.fails('a send that used other proofs leaves no token that nobody asked for', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { decisionTimes: DECISION_TIMES });
  await wallet.receive(mint.issue(192, { withoutDleq: true }));
  const answer = { code: 11002, detail: 'pending' };
  mint.fail('/v1/swap', { kind: 'repeat', times: 1, lateMs: 1_500, answer });
  expect((await whileTimePasses(wallet, send(wallet, 50))).status).toBe(201);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  for (let minutes = 0; minutes < 30; minutes++) {
    wallet.clock.pass(60_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect((await sums(wallet)).balance).toBe(142);
});
