import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import { copyWallet, earn, expectBacked, putBack, startCopy } from '../../../support/wallet-copies.ts';
import { runRecoveryPasses, settle, whileTimePasses } from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

test.each([
  ["doesn't say what it signed", { kind: 'status', times: 2 }],
  ['says so too late', { kind: 'lag', seconds: 3_600, times: 2 }],
] as const)(
  'after a rollback, a spent token is not taken for paid because its outputs are those of an earlier receive, if the mint %s',
  async (_how, fault) => {
    const mint = await testMint();
    const first = await startCopy(mint);
    await earn(first, mint, 100);
    await first.close();
    const copy = await copyWallet(first.directory);
    const later = await startCopy(mint, { directory: first.directory });
    await earn(later, mint, 16);
    await later.close();
    await putBack(copy, first.directory);

    // It doesn't learn which counters the mint signed, and gets no answer to its swap.
    const before = mint.requestCount('/v1/restore');
    mint.fail('/v1/restore', fault);
    mint.fail('/v1/swap', { kind: 'drop', times: 1 });
    const blind = await startCopy(mint, { directory: first.directory });
    await until(() => mint.requestCount('/v1/restore') > before);
    const bad = mint.issue(16, { withoutDleq: true, memo: 'bad' });
    mint.spend([bad]);
    const answer = await whileTimePasses(blind, blind.receive(bad));
    await settle(blind);
    await runRecoveryPasses(blind);
    await blind.close();
    mint.clearFaults();
    // Now it learns what the mint signed.
    const wallet = await startCopy(mint, { directory: first.directory });
    await until(async () => (await wallet.balance()) === 116);
    expect([answer.status, answer.body.code]).toEqual([409, 'token_spent']);
    expect((await readHistory(wallet)).filter(({ memo }) => memo === 'bad')).toEqual([]);
    await expectBacked(wallet, mint);
  },
);

test('a receive at a mint that responds neither about counters nor states changes nothing, and succeeds once it does', async () => {
  const mint = await testMint();
  const first = await startCopy(mint);
  await earn(first, mint, 100);
  await first.close();
  mint.fail('/v1/restore', { kind: 'status' });
  mint.fail('/v1/checkstate', { kind: 'status' });
  const wallet = await startCopy(mint, { directory: first.directory });
  const token = mint.issue(16, { withoutDleq: true });
  const { status, body } = await wallet.receive(token);
  expect([status, body.code]).toEqual([503, 'mint_unreachable']);
  expect((await readHistory(wallet)).length).toBe(1);
  expect(mint.unspent([token])).toBe(16);
  mint.clearFaults();
  expect((await wallet.receive(token)).body.amount).toBe(16);
  await expectBacked(wallet, mint);
});
