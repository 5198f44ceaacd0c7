import { expect, test } from 'vitest';
import {
  askFor,
  chargeOf,
  expectExact,
  type HeldCharge,
  heldOf,
  holdCharge,
  payCharge,
  refundOf,
  releaseCharge,
  settleCharge,
} from '../../../../support/charges.ts';
import { testMint } from '../../../../support/mint/for-test.ts';
import { until } from '../../../../support/raw-http.ts';
import { databasePath, type WalletServer } from '../../../../support/wallet.ts';
import { auditWallet, readOwed } from '../../../../support/wallet-audit.ts';
import { copyWallet, earn, expectConsistent, pay, startCopy } from '../../../../support/wallet-copies.ts';
import {
  reclaim,
  send,
  settle as untilSettled,
  whileTimePasses,
} from '../../../../support/wallet-recovery.ts';

/** Sats that customers are owed: who can spend them, and what the figures say of them. */

/** Checks the books, and that the wallet holds what its customers are owed. */
const expectBooked = async (wallet: WalletServer) => {
  const path = await databasePath(await copyWallet(wallet.directory));
  expect(auditWallet(path)).toEqual([]);
  expect((await heldOf(wallet)).held).toBe(readOwed(path));
};

const earnedOf = async (wallet: WalletServer, agent?: string) => {
  const { body } = await wallet.asOperator(
    'GET',
    `/api/earnings${agent === undefined ? '' : `?agent=${agent}`}`,
  );
  return [body.total.earnedSats, body.total.payments];
};

const historyOf = async (wallet: WalletServer, query = '') =>
  (await wallet.asOperator('GET', `/api/wallet/history${query}`)).body.entries;

test('a send never uses sats that customers are owed, and their change can', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 10);
  const first = await holdCharge(wallet, mint, 20);
  const second = await holdCharge(wallet, mint, 30);
  expect(await heldOf(wallet)).toEqual({ balance: 60, held: 50 });
  for (const amount of [60, 40, 11]) {
    const { status, body } = await send(wallet, amount);
    expect([status, body.code]).toEqual([422, 'insufficient_funds']);
    expect(body.error).toContain('can spend 10 sat');
    expect(body.error).toContain('holds 50 sat for customers');
  }
  await settleCharge(wallet, first.id, 5);
  expect(await heldOf(wallet)).toEqual({ balance: 45, held: 30 });
  await pay(wallet, 15);
  expect((await send(wallet, 1)).body.code).toBe('insufficient_funds');
  expectExact(await releaseCharge(wallet, second.id), mint);
  expect(await heldOf(wallet)).toEqual({ balance: 0, held: 0 });
  await expectConsistent(wallet, mint);
  await expectBooked(wallet);
});

test('the fee of a send is not paid with sats that customers are owed', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 9);
  const { paid, id } = await holdCharge(wallet, mint, 33);
  const { balance } = await heldOf(wallet);
  const own = balance - paid;
  expect((await send(wallet, own)).body.code).toBe('insufficient_funds');
  const sent = await send(wallet, own - 1);
  expect(sent.status).toBe(201);
  expect((await heldOf(wallet)).balance).toBeGreaterThanOrEqual(paid);
  expectExact(await releaseCharge(wallet, id), mint);
  await expectBooked(wallet);
});

test('the key of an agent with a limit sends no sats that customers are owed', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const fields = { label: 'x', scopes: ['spend'], spend: { satsPerDay: 1_000 }, agent: 'scout' };
  const { key } = (await wallet.asOperator('POST', '/api/keys', fields)).body;
  const sendByKey = (amount: number) =>
    wallet.call('POST', '/api/wallet/send', { amount }, { Authorization: `Bearer ${key}` });
  const { id } = await holdCharge(wallet, mint, 20, { agent: 'scout' });
  expect((await sendByKey(1)).body.code).toBe('insufficient_funds');
  await settleCharge(wallet, id, 5);
  expect((await sendByKey(5)).status).toBe(201);
  const { body } = await wallet.asOperator('GET', '/api/keys');
  // The change doesn't count as spending of the key.
  expect(body.keys[0].spend.spentToday).toBe(5);
});

test('of sends and charges at once, the sats of the customers are always left', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 32);
  const held: HeldCharge[] = [];
  const asks = Array.from({ length: 24 }, async (_, index) => {
    if (index % 3 > 0) return send(wallet, 4);
    held.push(await holdCharge(wallet, mint, 8));
  });
  const sent = (await Promise.all(asks)).filter((answer) => answer?.status === 201);
  expect(sent.length).toBeLessThanOrEqual(8);
  const { balance, held: owed } = await heldOf(wallet);
  expect(owed).toBe(64);
  expect(balance).toBe(32 + 64 - 4 * sent.length);
  const answers = await Promise.all(held.map(({ id }) => releaseCharge(wallet, id)));
  // Change waits for proofs that another change holds.
  await until(async () => {
    const states = await Promise.all(held.map(({ id }) => releaseCharge(wallet, id)));
    return states.every(({ status }) => status === 200);
  });
  expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(await heldOf(wallet)).toEqual({ balance: 32 - 4 * sent.length, held: 0 });
  await expectConsistent(wallet, mint);
  await expectBooked(wallet);
});

test('sats on a keyset that the mint dropped don’t cover what customers are owed', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 64);
  mint.rotate({ hideOld: true });
  const { id } = await holdCharge(wallet, mint, 16);
  await wallet.asOperator('POST', '/api/wallet/check', {});
  const { body } = await wallet.call('GET', '/api/wallet/balance');
  expect([body.balance, body.unlisted, body.held]).toEqual([80, 64, 16]);
  expect((await send(wallet, 10)).body.code).toBe('insufficient_funds');
  expectExact(await releaseCharge(wallet, id), mint);
});

test('held sats are not earned, settled ones are, and refunded ones never', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = await startCopy(mint);
  const settled = await holdCharge(wallet, mint, 33, { agent: 'scout', label: 'poem' });
  const refunded = await holdCharge(wallet, mint, 17, { agent: 'scout' });
  const plain = await holdCharge(wallet, mint, 17);
  expect(await earnedOf(wallet)).toEqual([0, 0]);
  expect((await heldOf(wallet)).held).toBe(settled.paid + refunded.paid + plain.paid);
  await settleCharge(wallet, settled.id, 5);
  expect(await earnedOf(wallet)).toEqual([5, 1]);
  await releaseCharge(wallet, refunded.id);
  expect(await earnedOf(wallet)).toEqual([5, 1]);
  // A sat that is less than its own fee is kept.
  await settleCharge(wallet, plain.id, plain.paid - 1);
  expect(await earnedOf(wallet)).toEqual([5 + plain.paid, 2]);
  expect(await earnedOf(wallet, 'scout')).toEqual([5, 1]);
  expect((await heldOf(wallet)).held).toBe(0);
  // What no customer owes to anybody is earned as before.
  await earn(wallet, mint, 9);
  expect(await earnedOf(wallet)).toEqual([5 + plain.paid + 7, 3]);
  await expectConsistent(wallet, mint);
  await expectBooked(wallet);
});

test('the history names the charge, the agent and the label of a payment and of its change', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { id } = await holdCharge(wallet, mint, 8, { agent: 'scout', label: 'poem' });
  const said = { agent: 'scout', label: 'poem' };
  expect(await historyOf(wallet, '?agent=scout')).toMatchObject([
    { kind: 'receive', amount: 8, charge: { id, state: 'held' }, ...said },
  ]);
  const { change } = (await settleCharge(wallet, id, 5)).body;
  const charge = { id, state: 'settled', charged: 5 };
  const entries = await historyOf(wallet, '?agent=scout');
  expect(entries).toMatchObject([
    { kind: 'send', amount: 3, token: change.token, charge, ...said },
    { kind: 'receive', amount: 8, charge, ...said },
  ]);
  expect((await chargeOf(wallet, id)).operationId).toBe(entries[1].id);
  const other = await earn(wallet, mint, 2);
  expect(mint.unspent([other])).toBe(0);
  await pay(wallet, 1);
  const [sent, received] = await historyOf(wallet);
  expect([sent.charge, received.charge]).toEqual([undefined, undefined]);
});

test('a customer’s change can’t be reclaimed, and an ordinary token can', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 8);
  const { id, token } = await holdCharge(wallet, mint, 8);
  const { refund } = (await releaseCharge(wallet, id)).body;
  await pay(wallet, 2);
  const [sent, change] = await historyOf(wallet);
  const refused = await reclaim(wallet, change.id);
  expect([refused.status, refused.body.code]).toEqual([409, 'not_reclaimable']);
  expect(mint.unspent([refund.token])).toBe(8);
  expect((await reclaim(wallet, sent.id)).status).toBe(200);
  expect((await refundOf(wallet, token)).body.refund).toEqual(refund);
});

test('what a customer is owed moves into the send of their change, and back if that fails', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { id } = await holdCharge(wallet, mint, 8);
  mint.fail('/v1/swap', { kind: 'hang' });
  const settling = whileTimePasses(wallet, settleCharge(wallet, id, 3));
  await until(() => mint.hanging() === 1);
  // The proof of 8 is in the send, which brings back 3.
  const { body } = await wallet.call('GET', '/api/wallet/balance');
  expect([body.balance, body.pending, body.held]).toEqual([0, 3, undefined]);
  expect((await settling).body.code).toBe('send_pending');
  expect((await send(wallet, 3)).body.code).toBe('wallet_busy');
  await expectBooked(wallet);
  mint.clearFaults();
  await untilSettled(wallet);
  expectExact(await settleCharge(wallet, id, 3), mint);

  const other = await holdCharge(wallet, mint, 8);
  mint.fail('/v1/swap', { kind: 'error', code: 20_003, detail: 'no', times: 1 });
  expect((await settleCharge(wallet, other.id, 2)).body.code).toBe('mint_refused');
  expect(await heldOf(wallet)).toEqual({ balance: 11, held: 6 });
  await expectBooked(wallet);
  expectExact(await settleCharge(wallet, other.id, 2), mint);
  await expectBooked(wallet);
});

test('a payment that is on its way is not owed, and one that failed never is', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { body: charge } = await askFor(wallet, 4);
  mint.fail('/v1/swap', { kind: 'error', code: 20_003, detail: 'no', times: 1 });
  expect((await payCharge(wallet, charge.id, mint.issue(4))).body.code).toBe('mint_refused');
  mint.fail('/v1/swap', { kind: 'drop' });
  const token = mint.issue(4, { withoutDleq: true });
  await whileTimePasses(wallet, payCharge(wallet, charge.id, token));
  const { body } = await wallet.call('GET', '/api/wallet/balance');
  expect([body.balance, body.pending, body.held]).toEqual([0, 4, undefined]);
  expect(await earnedOf(wallet)).toEqual([0, 0]);
  await expectBooked(wallet);
  mint.clearFaults();
  await untilSettled(wallet);
  expect(await heldOf(wallet)).toEqual({ balance: 4, held: 4 });
  expect(await earnedOf(wallet)).toEqual([0, 0]);
  await expectBooked(wallet);
});
