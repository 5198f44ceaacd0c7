import { expect, test } from 'vitest';
import { DECISION_TIMES } from '../../../src/server/wallet/operations/decide.ts';
import { askFor, openAndPay, payCharge, refundOf, settleCharge } from '../../support/charges.ts';
import { firstQuick } from '../../support/first-quick.ts';
import type { Fault, RepeatAnswer } from '../../support/mint/faults.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import type { Answer } from '../../support/server.ts';
import {
  expectNothingLost,
  reclaim,
  send,
  serveTimedWallet,
  settle,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/**
 * A proxy between the wallet and the mint repeats a request, so the mint carries out the first one and refuses the
 * second. The refusal proves nothing.
 */

/** What the second request gets: the mint's own answer (11001), or another one. */
const ANSWERS: Readonly<Record<string, RepeatAnswer | undefined>> = {
  'its own answer': undefined,
  11002: { code: 11002, detail: 'proofs are pending' },
  11003: { code: 11003, detail: 'outputs have already been signed before' },
  10002: { code: 10002, detail: 'outputs have already been signed before' },
  'no code': { detail: 'Token already spent.' },
  'a page of the proxy': { status: 403, html: true },
};

/** Longer than the wallet's first looks, in real time. */
const LATE_MS = 100;

const CASES = Object.entries(ANSWERS).flatMap(([name, answer]) =>
  [undefined, LATE_MS].map(
    (lateMs) =>
      [
        `${name}${lateMs === undefined ? '' : ', and carries out the first request late'}`,
        { kind: 'repeat', times: 1, ...(answer ? { answer } : {}), ...(lateMs ? { lateMs } : {}) } as Fault,
      ] as const,
  ),
);

/** Runs a test with the mint's own answer, and as a slow test with all others. */
const each = (title: string, run: (fault: Fault) => Promise<void>) => {
  for (const [tags, rows] of firstQuick(1, CASES)) test.each(rows)(title, { tags }, (_, fault) => run(fault));
};

const start = async (): Promise<{ mint: TestMint; wallet: TimedWallet }> => {
  const mint = await testMint();
  return { mint, wallet: await serveTimedWallet(mint, { decisionTimes: DECISION_TIMES }) };
};

const PENDING = ['redemption_pending', 'send_pending'];

/** Sends a request through the proxy, and lets the operation end. The answer is the truth, or "not known yet". */
const through = async (
  { mint, wallet }: { mint: TestMint; wallet: TimedWallet },
  fault: Fault,
  request: () => Promise<Answer>,
): Promise<Answer> => {
  mint.fail('/v1/swap', fault);
  const answer = await whileTimePasses(wallet, request());
  if (answer.status >= 400) expect(PENDING).toContain(answer.body.code);
  await settle(wallet);
  return answer;
};

each('a receive is credited when the mint answers with %s', async (fault) => {
  const { mint, wallet } = await start();
  const token = mint.issue(165, { withoutDleq: true });
  await through({ mint, wallet }, fault, () => wallet.receive(token));
  expect(await sums(wallet)).toEqual({ balance: 165, pending: 0 });
  expect(await readHistory(wallet)).toMatchObject([{ kind: 'receive', state: 'completed', amount: 165 }]);
  await expectNothingLost(wallet, mint, [token]);
});

each('a send gives its token when the mint answers with %s', async (fault) => {
  const { mint, wallet } = await start();
  const token = mint.issue(165, { withoutDleq: true });
  await wallet.receive(token);
  await through({ mint, wallet }, fault, () => send(wallet, 50));
  const [sent] = await readHistory(wallet);
  expect(sent).toMatchObject({ kind: 'send', state: 'completed', amount: 50 });
  expect(await sums(wallet)).toEqual({ balance: 115, pending: 0 });
  await expectNothingLost(wallet, mint, [token]);
});

each('a reclaim is credited when the mint answers with %s', async (fault) => {
  const { mint, wallet } = await start();
  const token = mint.issue(64, { withoutDleq: true });
  await wallet.receive(token);
  const { operationId } = (await whileTimePasses(wallet, send(wallet, 32))).body;
  await through({ mint, wallet }, fault, () => reclaim(wallet, operationId));
  expect(await sums(wallet)).toEqual({ balance: 64, pending: 0 });
  await expectNothingLost(wallet, mint, [token]);
});

each('a charge is paid when the mint answers with %s', async (fault) => {
  const { mint, wallet } = await start();
  const token = mint.issue(512, { withoutDleq: true });
  const { id } = (await askFor(wallet, 500)).body;
  await through({ mint, wallet }, fault, () => payCharge(wallet, id, token));
  // The customer asks again, as the answer said.
  expect((await payCharge(wallet, id, token)).body).toMatchObject({ id, state: 'held', paid: 512 });
  const { change } = (await whileTimePasses(wallet, settleCharge(wallet, id, 500))).body;
  expect(mint.unspent([change.token])).toBe(12);
  await expectNothingLost(wallet, mint, [token]);
});

each('work that is paid for is done or refunded when the mint answers with %s', async (fault) => {
  const { mint, wallet } = await start();
  const token = mint.issue(512, { withoutDleq: true });
  const { status } = await through({ mint, wallet }, fault, () => openAndPay(wallet, 500, token));
  if (status === 200 || status === 201) return;
  const refunded = await whileTimePasses(wallet, refundOf(wallet, token));
  expect(mint.unspent([refunded.body.token])).toBe(512);
  await expectNothingLost(wallet, mint, [token]);
});

each('sats that leave an old keyset stay in the balance when the mint answers with %s', async (fault) => {
  const { mint, wallet } = await start();
  const token = mint.issue(200, { withoutDleq: true });
  await wallet.receive(token);
  mint.rotate();
  mint.fail('/v1/swap', fault);
  await until(async () => {
    wallet.clock.pass(2_000);
    const [last] = await readHistory(wallet);
    return last?.kind === 'swap' && last.state === 'completed';
  });
  expect(await sums(wallet)).toEqual({ balance: 200, pending: 0 });
  await expectNothingLost(wallet, mint, [token]);
});
