import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { until } from '../../../support/raw-http.ts';
import {
  expectNothingLost,
  PATIENT,
  reclaim,
  send,
  serveTimedWallet,
  settle,
  sums,
  whileTimePasses,
} from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

test('a reclaim that somebody looks at while it runs is reported as reclaimed afterwards', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  await wallet.receive(mint.issue(64, { withoutDleq: true }));
  const { operationId } = (await send(wallet, 32)).body;
  const entry = async () =>
    (await wallet.asOperator('GET', '/api/wallet/history')).body.entries.find(
      ({ id }: { id: string }) => id === operationId,
    );
  mint.fail('/v1/swap', { kind: 'slow', delayMs: 400, when: 'after', times: 1 });
  const reclaiming = reclaim(wallet, operationId);
  await until(() => mint.totals().spent === 64 + 64 + 32);
  // The mint has swapped it for us, the wallet does not know yet, and the history asks for its state.
  wallet.clock.pass(10_000);
  await entry();
  expect((await reclaiming).status).toBe(200);
  expect(await entry()).toMatchObject({ spent: true, reclaimed: true });
});

test('a mint that restores nothing at first, and everything later, costs no sats', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const token = mint.issue(100, { withoutDleq: true });
  mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 });
  mint.fail('/v1/restore', { kind: 'partial', keep: 0, times: 1 });
  await whileTimePasses(wallet, wallet.receive(token));
  await settle(wallet);
  expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
  await expectNothingLost(wallet, mint, [token]);
});

test('a refusal while an earlier request for the same swap is still on its way is not the last word', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { ...PATIENT, mintTimeoutMs: 3_000 });
  const token = mint.issue(100, { withoutDleq: true });
  mint.fail('/v1/swap', { kind: 'hang', times: 1 });
  mint.fail('/v1/swap', { kind: 'status', status: 403, html: true, times: 1 });
  await whileTimePasses(wallet, wallet.receive(token));
  mint.clearFaults();
  await until(() => mint.unspent([token]) === 0);
  await settle(wallet);
  expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
  await expectNothingLost(wallet, mint, [token]);
});

test('a receive of a token that somebody else spent, while our request went unanswered, fails after half a minute and not before', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const token = mint.issue(100, { withoutDleq: true });
  mint.fail('/v1/swap', { kind: 'drop', times: 1 });
  mint.fail('/v1/checkstate', { kind: 'drop', times: 1 });
  const received = wallet.receive(token);
  await until(() => mint.requests('/v1/checkstate').length === 1);
  mint.spend([token]);
  expect((await whileTimePasses(wallet, received)).body.code).toBe('redemption_pending');
  expect(await sums(wallet)).toEqual({ balance: 0, pending: 100 });
  await settle(wallet);
  expect(await readHistory(wallet)).toMatchObject([{ state: 'failed', error: { code: 'token_spent' } }]);
  expect((await wallet.receive(token)).body.code).toBe('token_spent');
  await expectNothingLost(wallet, mint, [token]);
});

test('words from elsewhere do not reuse the reusable counters of the previous ones', async () => {
  const mint = await testMint();
  const rich = await serveTimedWallet(mint);
  for (let count = 0; count < 3; count++) await rich.receive(mint.issue(7, { withoutDleq: true }));
  const { mnemonic } = (await rich.asOperator('GET', '/api/wallet/seed')).body;
  await rich.close();

  const wallet = await serveTimedWallet(mint);
  expect((await wallet.receive(mint.issue(7, { forged: true }))).body.code).toBe('invalid_signature');
  await wallet.asOperator('POST', '/api/wallet/restore', { mnemonic });
  expect((await wallet.receive(mint.issue(7, { withoutDleq: true }))).body.amount).toBe(7);
  expect(await sums(wallet)).toEqual({ balance: 28, pending: 0 });
});

test('tokens that the mint refuses, however many, do not hide later sats from a restore', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  // Each takes 20 counters that the mint never signs; a restore looks 1000 ahead.
  for (let count = 0; count < 51; count++) {
    const { body } = await wallet.receive(mint.issue(2 ** 20 - 1, { forged: true }));
    expect(body.code).toBe('invalid_signature');
  }
  await wallet.receive(mint.issue(64, { withoutDleq: true }));
  const { mnemonic } = (await wallet.asOperator('GET', '/api/wallet/seed')).body;
  await wallet.close();
  const found = await serveTimedWallet(mint);
  const { body } = await found.asOperator('POST', '/api/wallet/restore', { mnemonic });
  expect(body.amount).toBe(64);
});
