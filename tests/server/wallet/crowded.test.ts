import { expect, test } from 'vitest';
import { DECISION_TIMES } from '../../../src/server/wallet/operations/decide.ts';
import { openAndPay } from '../../support/charges.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { send, serveTimedWallet, whileTimePasses } from '../../support/wallet-recovery.ts';

test('strangers’ tokens that stay pending at the mint don’t stop receives and sends', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { decisionTimes: DECISION_TIMES, requestDeadlineMs: 15_000 });
  await wallet.receive(mint.issue(1_024, { withoutDleq: true }));
  // Each needs 15 outputs.
  const tokens = Array.from({ length: 40 }, () => mint.issue(32_767, { withoutDleq: true }));
  mint.setPending(tokens);
  const codes = new Set<string>();
  while (tokens.length > 0) {
    const paid = tokens.splice(0, 10).map((token) => openAndPay(wallet, 500, token));
    for (const { body } of await whileTimePasses(wallet, Promise.all(paid))) codes.add(body.code);
  }
  expect([...codes].sort()).toEqual(['redemption_pending', 'token_in_progress']);
  const honest = mint.issue(1_023, { withoutDleq: true });
  expect((await whileTimePasses(wallet, wallet.receive(honest))).status).toBe(200);
  expect((await whileTimePasses(wallet, send(wallet, 10))).status).toBe(201);
});
