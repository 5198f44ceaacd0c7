import { expect, test } from 'vitest';
import { DECISION_TIMES } from '../../../src/server/wallet/operations/decide.ts';
import { firstQuick } from '../../support/first-quick.ts';
import type { Fault } from '../../support/mint/faults.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import { WORDS } from '../../support/seed.ts';
import { copyWallet, earn, expectConsistent, putBack, startCopy } from '../../support/wallet-copies.ts';
import { signElsewhere } from '../../support/wallet-plant.ts';
import {
  expectNothingLost,
  serveTimedWallet,
  settle,
  sums,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/** A question to the mint gets a page of a proxy, or an error that passes. Neither says anything about proofs. */

const ANSWERS = [
  ['a page of a proxy', { kind: 'status', status: 403, html: true }],
  ['a page of a proxy with status 200', { kind: 'garbage' }],
  ['a locked database', { kind: 'error', code: 0, detail: 'database is locked' }],
] as const satisfies (readonly [string, Fault])[];

/** Runs a test with the first answer, and as a slow test with the others. */
const each = (title: string, run: (answer: (times: number) => Fault) => Promise<void>) => {
  for (const [tags, rows] of firstQuick(1, ANSWERS))
    test.each(rows)(title, { tags }, (_, fault) => run((times) => ({ ...fault, times })));
};

const FUNDS = 100;

/** Earns 63 sat, and puts back a copy of the wallet from before. Returns its directory. */
const forget63 = async (mint: TestMint): Promise<string> => {
  const wallet = await startCopy(mint);
  const { directory } = wallet;
  await earn(wallet, mint, FUNDS);
  await wallet.close();
  const copy = await copyWallet(directory);
  const later = await startCopy(mint, { directory });
  await earn(later, mint, 63);
  await later.close();
  await putBack(copy, directory);
  return directory;
};

each('a restore finds all sats after %s', async (answer) => {
  const mint = await testMint({ keysets: [{}, {}] });
  for (const { id } of mint.keysets())
    await signElsewhere(mint, WORDS, [{ keysetId: id, counter: 0, amounts: [64, 32] }]);
  const wallet = await serveTimedWallet(mint);
  mint.fail('/v1/restore', answer(1));
  mint.fail('/v1/checkstate', answer(1));
  const { status, body } = await whileTimePasses(
    wallet,
    wallet.asOperator('POST', '/api/wallet/restore', { mnemonic: WORDS }),
  );
  expect([status, body]).toMatchObject([200, { found: 192, amount: 192, skipped: [] }]);
  expect(await sums(wallet)).toEqual({ balance: 192, pending: 0 });
  await expectNothingLost(wallet, mint, []);
});

each('after a rollback, a token that its sender spent doesn’t pay after %s', async (answer) => {
  const mint = await testMint();
  const directory = await forget63(mint);
  // As many outputs, of the same amounts: the request is the one that the later self made.
  const spent = mint.issue(63, { withoutDleq: true });
  mint.spend([spent]);
  const before = mint.requestCount('/v1/restore');
  mint.fail('/v1/restore', answer(2));
  const wallet = await startCopy(mint, { directory });
  await until(() => mint.requestCount('/v1/restore') > before);
  mint.fail('/v1/checkstate', answer(1));
  const first = await whileTimePasses(wallet, wallet.receive(spent));
  expect(['mint_unreachable', 'mint_error', 'token_spent']).toContain(first.body.code);
  const again = await whileTimePasses(wallet, wallet.receive(spent));
  expect([again.status, again.body.code]).toEqual([409, 'token_spent']);
  expect(await wallet.balance()).toBe(FUNDS + 63);
  await expectConsistent(wallet, mint);
});

each('a token that our own failed request spent isn’t called spent after %s', async (answer) => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { decisionTimes: DECISION_TIMES, mintTimeoutMs: 1_000 });
  await wallet.receive(mint.issue(8, { withoutDleq: true }));
  const token = mint.issue(512, { withoutDleq: true });
  mint.fail('/v1/swap', { kind: 'hang', times: 1 });
  mint.fail('/v1/swap', { kind: 'status', status: 400, body: { detail: 'not now' } });
  await whileTimePasses(wallet, wallet.receive(token));
  await until(async () => {
    wallet.clock.pass(5_000);
    return (await readHistory(wallet))[0]?.state === 'failed';
  });
  mint.clearFaults('/v1/swap');
  await until(async () => mint.states(token).every((state) => state === 'SPENT'));
  // The first two questions are about the new request, and the third one is about the failed one.
  mint.fail('/v1/restore', { ...answer(1), every: 3 });
  const first = await whileTimePasses(wallet, wallet.receive(token));
  if (first.body.code === 'token_spent') expect(first.body.receivedAmount).toBe(512);
  else expect(['mint_unreachable', 'mint_error', 'redemption_pending']).toContain(first.body.code);
  mint.clearFaults();
  await settle(wallet, 5_000);
  const again = await whileTimePasses(wallet, wallet.receive(token));
  expect(again.body).toMatchObject({ code: 'token_spent', receivedAmount: 512 });
  expect(await sums(wallet)).toEqual({ balance: 520, pending: 0 });
});
