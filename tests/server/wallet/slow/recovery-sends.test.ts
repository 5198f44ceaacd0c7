import { getDecodedToken, getEncodedToken } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { untilConfirmed } from '../../../support/wallet-copies.ts';
import {
  expectNothingLost,
  PATIENT,
  reclaim,
  send,
  serveTimedWallet,
  settle,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../../support/wallet-recovery.ts';

const FUNDS = 99;

/** A wallet with 99 sats, in proofs of 64, 32, 2 and 1, at a mint that takes a sat for up to ten inputs. */
const fundedWallet = async (options: { requestDeadlineMs?: number } = {}) => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const wallet = await serveTimedWallet(mint, options);
  await wallet.receive(mint.issue(FUNDS + 1, { withoutDleq: true }));
  return { mint, wallet };
};

const newest = async (wallet: TimedWallet) =>
  (await wallet.asOperator('GET', '/api/wallet/history?limit=1')).body.entries[0];

/** A token that is sent, and its operation. */
const sendOne = async (
  wallet: TimedWallet,
  amount: number,
): Promise<{ token: string; operationId: string }> => (await send(wallet, amount)).body;

/** The proofs of a token from one on, as a token. */
const partOf = (mint: TestMint, token: string, from: number): string => {
  const decoded = getDecodedToken(
    token,
    mint.keysets().map(({ id }) => id),
  );
  return getEncodedToken({ ...decoded, proofs: decoded.proofs.slice(from) });
};

test.each(['before', 'after'] as const)(
  'a send that loses its connection %s the mint executed it is send_pending, and its token appears in the history and can be redeemed',
  async (when) => {
    const { mint, wallet } = await fundedWallet();
    mint.fail('/v1/swap', { kind: 'drop', when });
    mint.fail('/v1/checkstate', { kind: 'drop' });
    const { status, headers, body } = await whileTimePasses(wallet, send(wallet, 20, 'for you'));
    expect([status, body.code]).toEqual([503, 'send_pending']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await newest(wallet)).toMatchObject({ id: body.operationId, kind: 'send', state: 'pending' });
    expect((await newest(wallet)).token).toBeUndefined();
    const { balance, pending } = await sums(wallet);
    // The proofs it takes are out of the balance; what comes back of them is pending.
    expect([balance, pending]).toEqual([FUNDS - 32, 32 - 20 - 1]);
    mint.clearFaults();
    await settle(wallet);
    const entry = await newest(wallet);
    expect(entry).toMatchObject({ state: 'completed', amount: 20, memo: 'for you', spent: false });
    expect(mint.unspent([entry.token])).toBe(20);
    expect(await sums(wallet)).toEqual({ balance: FUNDS - 20 - entry.fee, pending: 0 });
    mint.spend([entry.token]);
    wallet.clock.pass(61_000);
    expect(await newest(wallet)).toMatchObject({ spent: true, reclaimed: false });
    await expectNothingLost(wallet, mint, []);
  },
);

test('a send that the mint refuses returns everything', async () => {
  const { mint, wallet } = await fundedWallet();
  mint.fail('/v1/swap', { kind: 'error', code: 20_003, detail: 'closed on Sundays', times: 1 });
  const { status, body } = await send(wallet, 20);
  expect([status, body.code]).toEqual([422, 'mint_refused']);
  expect(body.error).toContain('closed on Sundays');
  expect(await sums(wallet)).toEqual({ balance: FUNDS, pending: 0 });
  expect((await send(wallet, 20)).status).toBe(201);
  await expectNothingLost(wallet, mint, []);
});

test('a reclaim of a partly redeemed token returns the rest', async () => {
  const { mint, wallet } = await fundedWallet();
  const { token, operationId } = await sendOne(wallet, 20);
  // 16 and 4, in one order or the other.
  mint.spend([partOf(mint, token, 1)]);
  const rest = mint.unspent([token]);
  expect([4, 16]).toContain(rest);
  const { status, body } = await reclaim(wallet, operationId);
  expect([status, body.amount, body.fee]).toEqual([200, rest - 1, 1]);
  expect((await reclaim(wallet, operationId)).body.code).toBe('not_reclaimable');
  await expectNothingLost(wallet, mint, []);
});

test('a redeemed token cannot be reclaimed, however often the operator tries', async () => {
  const { mint, wallet } = await fundedWallet();
  const { token, operationId } = await sendOne(wallet, 20);
  mint.spend([token]);
  for (let tries = 0; tries < 3; tries++) {
    const { status, body } = await reclaim(wallet, operationId);
    expect([status, body.code]).toEqual([409, 'already_spent']);
  }
  expect(await newest(wallet)).toMatchObject({ id: operationId, spent: true, reclaimed: false });
  await expectNothingLost(wallet, mint, []);
});

test('a token that is redeemed while it is being reclaimed is already_spent', async () => {
  const { mint, wallet } = await fundedWallet(PATIENT);
  const { token, operationId } = await sendOne(wallet, 20);
  const balance = FUNDS - 21;
  const swaps = mint.requestCount('/v1/swap');
  mint.fail('/v1/swap', { kind: 'drop', times: 1, delayMs: 1_000 });
  const reclaiming = whileTimePasses(wallet, reclaim(wallet, operationId));
  await until(() => mint.requestCount('/v1/swap') > swaps);
  mint.spend([token]);
  const { status, body } = await reclaiming;
  expect([status, body.code]).toEqual([409, 'already_spent']);
  expect(await sums(wallet)).toEqual({ balance, pending: 0 });
  const { entries } = (await wallet.asOperator('GET', '/api/wallet/history?limit=2')).body;
  expect(entries).toMatchObject([
    { kind: 'reclaim', state: 'failed', error: { code: 'already_spent' } },
    { id: operationId, spent: true, reclaimed: false },
  ]);
  await expectNothingLost(wallet, mint, []);
});

test('two simultaneous reclaims of one token return it once', async () => {
  const { mint, wallet } = await fundedWallet();
  const { operationId } = await sendOne(wallet, 20);
  const answers = await Promise.all([reclaim(wallet, operationId), reclaim(wallet, operationId)]);
  const late = answers.find(({ status }) => status !== 200);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(['send_pending', 'not_reclaimable']).toContain(late?.body.code);
  expect(await sums(wallet)).toEqual({ balance: FUNDS - 2, pending: 0 });
  await expectNothingLost(wallet, mint, []);
});

test('a sent token that is received again is received, and its send is spent', async () => {
  const { mint, wallet } = await fundedWallet();
  const { token, operationId } = await sendOne(wallet, 20);
  expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 19 });
  expect((await reclaim(wallet, operationId)).status).toBe(409);
  await expectNothingLost(wallet, mint, []);
});

test('proofs that somebody with the same words spent correct the balance, and the next send succeeds', async () => {
  const { mint, wallet } = await fundedWallet();
  const { mnemonic } = (await wallet.asOperator('GET', '/api/wallet/seed')).body;
  const twin = await serveTimedWallet(mint);
  expect((await twin.asOperator('POST', '/api/wallet/restore', { mnemonic })).body.amount).toBe(FUNDS);
  const { token } = await sendOne(twin, 63);
  mint.spend([token]);
  const { status, body } = await send(wallet, 63);
  // It corrects its balance and tries with what is left, which is not enough.
  expect([status, body.code]).toEqual([422, 'insufficient_funds']);
  expect(await sums(wallet)).toEqual({ balance: FUNDS - 64, pending: 0 });
  await untilConfirmed(wallet);
  expect(await newest(wallet)).toMatchObject({ kind: 'spent_elsewhere', amount: 64 });
  expect((await send(wallet, 30)).status).toBe(201);
});
