import { expect, test } from 'vitest';
import {
  askFor,
  chargeOf,
  hashOf,
  heldOf,
  holdCharge,
  payCharge,
  refundOf,
  releaseCharge,
  settleCharge,
} from '../../../support/charges.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { plant } from '../../../support/plant.ts';
import { until } from '../../../support/raw-http.ts';
import { databasePath, type WalletServer } from '../../../support/wallet.ts';
import { auditWallet, readOwed } from '../../../support/wallet-audit.ts';
import { asOperator } from '../../../support/wallet-callers.ts';
import { copyWallet, earn, expectConsistent, startCopy } from '../../../support/wallet-copies.ts';
import { runRecoveryPasses, send } from '../../../support/wallet-recovery.ts';

/** Balances that customers pay in advance, and that their requests draw from with a key. */

const post = (wallet: WalletServer, path: string, body: object) =>
  wallet.call('POST', `/api/prepaid-balances${path}`, body);

const openBalance = async (wallet: WalletServer, mint: TestMint, face: number) => {
  const token = mint.issue(face, { withoutDleq: true });
  const { status, body } = await post(wallet, '', { token });
  expect([status, body.code]).toEqual([201, undefined]);
  return { token, key: String(body.prepaidKey), balance: body.balance };
};

let requests = 0;
const reserve = (wallet: WalletServer, prepaidKey: string, amount: number, fields = {}) => {
  requests += 1;
  return wallet.call('POST', '/api/charges/open-and-pay', {
    amount,
    prepaidKey,
    requestHash: hashOf(`request ${requests}`),
    ...fields,
  });
};

const balanceOf = async (wallet: WalletServer, prepaidKey: string) => {
  const { available, reserved, spent } = (await post(wallet, '/read', { prepaidKey })).body;
  return { available, reserved, spent };
};

const earnedOf = async (wallet: WalletServer) => {
  const { body } = await wallet.asOperator('GET', '/api/earnings');
  return [body.total.earnedSats, body.total.payments];
};

const expectBooked = async (wallet: WalletServer, mint: TestMint) => {
  await expectConsistent(wallet, mint);
  const path = await databasePath(await copyWallet(wallet.directory));
  expect(auditWallet(path)).toEqual([]);
  expect((await heldOf(wallet)).held).toBe(readOwed(path));
};

test('requests draw from a balance without asking the mint, and are earned one by one', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { key, balance } = await openBalance(wallet, mint, 100);
  expect(balance).toMatchObject({ available: 100, reserved: 0, spent: 0 });
  expect(await earnedOf(wallet)).toEqual([0, 0]);
  const before = mint.requests().length;
  const { body: first } = await reserve(wallet, key, 20);
  expect(first).toMatchObject({ state: 'held', amount: 20, paid: 20, balanceId: balance.id });
  expect(await balanceOf(wallet, key)).toEqual({ available: 80, reserved: 20, spent: 0 });
  expect(await heldOf(wallet)).toEqual({ balance: 100, held: 100 });
  const settled = await settleCharge(wallet, first.id, 7);
  expect(settled.body).toMatchObject({ charged: 7, receipt: { charged: 7, paid: 20 } });
  expect(settled.body.change).toBeUndefined();
  expect(await balanceOf(wallet, key)).toEqual({ available: 93, reserved: 0, spent: 7 });
  expect(await heldOf(wallet)).toEqual({ balance: 100, held: 93 });
  expect(await earnedOf(wallet)).toEqual([7, 1]);
  const { body: second } = await reserve(wallet, key, 20);
  expect((await releaseCharge(wallet, second.id)).body).toMatchObject({ state: 'refunded' });
  expect(await balanceOf(wallet, key)).toEqual({ available: 93, reserved: 0, spent: 7 });
  expect(mint.requests().length).toBe(before);
  await expectBooked(wallet, mint);
});

test('a balance never pays more than is in it, of many requests at once', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { key } = await openBalance(wallet, mint, 50);
  const answers = await Promise.all(Array.from({ length: 12 }, () => reserve(wallet, key, 9)));
  const held = answers.filter(({ status }) => status === 200);
  expect(held).toHaveLength(5);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, body }) => [status, body.code, body.required, body.available])).toEqual(
    Array.from({ length: 7 }, () => [402, 'prepaid_balance_too_low', 9, 5]),
  );
  for (const { body } of held) await settleCharge(wallet, body.id, 9);
  expect(await balanceOf(wallet, key)).toEqual({ available: 5, reserved: 0, spent: 45 });
  await expectBooked(wallet, mint);
});

test('the same request hash reserves once', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = asOperator(await startCopy(mint));
  const { key } = await openBalance(wallet, mint, 50);
  const requestHash = hashOf('once');
  const [first, second] = await Promise.all([
    reserve(wallet, key, 9, { requestHash }),
    reserve(wallet, key, 9, { requestHash }),
  ]);
  expect(second.body).toEqual(first.body);
  expect(await balanceOf(wallet, key)).toMatchObject({ available: 41, reserved: 9 });
});

test('what is left comes back in one token, of several deposits, and the same call returns it again', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const wallet = asOperator(await startCopy(mint));
  const { key } = await openBalance(wallet, mint, 40);
  for (const face of [30, 20]) {
    const added = await post(wallet, '/top-up', {
      prepaidKey: key,
      token: mint.issue(face, { withoutDleq: true }),
    });
    expect([added.status, added.body.added]).toEqual([200, face - 1]);
  }
  const { body: charge } = await reserve(wallet, key, 45);
  await settleCharge(wallet, charge.id, 45);
  const entries = (await wallet.asOperator('GET', '/api/wallet/history')).body.entries;
  const opened = (await post(wallet, '/read', { prepaidKey: key })).body;
  expect(entries.map((entry: { charge?: { balanceId?: string } }) => entry.charge?.balanceId)).toEqual([
    opened.id,
    opened.id,
    opened.id,
  ]);
  // The first deposit is used up.
  const states = (await wallet.call('GET', '/api/charges')).body.charges.map(
    ({ state }: { state: string }) => state,
  );
  expect(states).toEqual(['settled', 'held', 'held', 'settled']);
  const { available } = await balanceOf(wallet, key);
  expect(available).toBe(39 + 29 + 19 - 45);
  const refunded = await post(wallet, '/refund', { prepaidKey: key });
  expect(refunded.status).toBe(200);
  const { token, amount, fee } = refunded.body.refund;
  expect(amount + fee).toBe(available);
  expect(mint.unspent([token])).toBe(amount);
  expect(refunded.body.balance).toMatchObject({ available: 0, spent: 45 });
  expect((await post(wallet, '/refund', { prepaidKey: key })).body).toEqual(refunded.body);
  expect((await reserve(wallet, key, 1)).body.code).toBe('prepaid_balance_too_low');
  expect(await earnedOf(wallet)).toEqual([45, 1]);
  await expectBooked(wallet, mint);

  // The key stays.
  mint.spend([token]);
  wallet.clock.pass(1_000);
  await post(wallet, '/top-up', { prepaidKey: key, token: mint.issue(9) });
  const { body: second } = await reserve(wallet, key, 8);
  await settleCharge(wallet, second.id, 8);
  const nothing = await post(wallet, '/refund', { prepaidKey: key });
  expect([nothing.status, nothing.body.code]).toEqual([404, 'nothing_to_refund']);
  await expectBooked(wallet, mint);
});

test('a refund whose response was lost is part of the next one, after more was paid in, and whatever the clock says', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { key } = await openBalance(wallet, mint, 100);
  // Nobody read this response.
  await post(wallet, '/refund', { prepaidKey: key });
  const topUp = mint.issue(30, { withoutDleq: true });
  expect((await post(wallet, '/top-up', { prepaidKey: key, token: topUp })).status).toBe(200);
  wallet.clock.pass(-60_000);
  const { refund } = (await post(wallet, '/refund', { prepaidKey: key })).body;
  expect(mint.unspent([refund.token])).toBe(130);
  expect(refund.amount).toBe(130);

  mint.spend([refund.token]);
  const again = await post(wallet, '/refund', { prepaidKey: key });
  expect([again.status, again.body.code]).toEqual([404, 'nothing_to_refund']);
  const last = mint.issue(8, { withoutDleq: true });
  await post(wallet, '/top-up', { prepaidKey: key, token: last });
  expect((await post(wallet, '/refund', { prepaidKey: key })).body.refund).toMatchObject({ amount: 8 });
});

test('a refund that the mint is still processing for somebody is neither given nor called empty', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { key } = await openBalance(wallet, mint, 100);
  const { refund } = (await post(wallet, '/refund', { prepaidKey: key })).body;
  mint.setPending([refund.token]);
  const busy = await post(wallet, '/refund', { prepaidKey: key });
  expect([busy.status, busy.body.code]).toEqual([425, 'charge_held']);
  const topUp = mint.issue(30, { withoutDleq: true });
  await post(wallet, '/top-up', { prepaidKey: key, token: topUp });
  expect((await post(wallet, '/refund', { prepaidKey: key })).body.refund).toMatchObject({ amount: 30 });
  mint.clearPending();
  const again = (await post(wallet, '/refund', { prepaidKey: key })).body.refund;
  expect([again.amount, mint.unspent([again.token])]).toEqual([130, 130]);
});

test('nothing is refunded while a request runs, and one that nobody settles is given back in time', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { key } = await openBalance(wallet, mint, 50);
  const { body: charge } = await reserve(wallet, key, 9, { holdSeconds: 60 });
  const early = await post(wallet, '/refund', { prepaidKey: key });
  expect([early.status, early.body.code]).toEqual([425, 'charge_held']);
  wallet.clock.pass(61_000);
  await until(async () => (await chargeOf(wallet, charge.id)).state === 'refunded');
  expect(await balanceOf(wallet, key)).toEqual({ available: 50, reserved: 0, spent: 0 });
  expect((await settleCharge(wallet, charge.id, 9)).body.code).toBe('already_refunded');
  expect((await post(wallet, '/refund', { prepaidKey: key })).body.refund).toMatchObject({ amount: 50 });
  await expectBooked(wallet, mint);
});

test('a charge that nobody paid is forgotten in time, also after a balance paid for an older one', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { key } = await openBalance(wallet, mint, 50);
  const { body: used } = await reserve(wallet, key, 9, { ttlSeconds: 60 });
  await settleCharge(wallet, used.id, 9);
  const { body: unpaid } = await askFor(wallet, 4, { ttlSeconds: 60 });
  wallet.clock.pass(60_000 + 24 * 60 * 60_000);
  await until(async () => {
    wallet.clock.pass(10 * 60_000);
    return (await chargeOf(wallet, unpaid.id)).code === 'charge_not_found';
  });
  expect((await chargeOf(wallet, used.id)).state).toBe('settled');
});

test('work that was paid for while the clock was weeks ahead is refunded in time once the clock is right', async () => {
  const mint = await testMint();
  const ahead = await startCopy(mint);
  ahead.clock.pass(20 * 24 * 60 * 60_000);
  const { key } = await openBalance(ahead, mint, 50);
  const { body: used } = await reserve(ahead, key, 9, { holdSeconds: 60 });
  const paid = await holdCharge(ahead, mint, 8, { holdSeconds: 60 });
  await ahead.close();
  const wallet = await startCopy(mint, { directory: ahead.directory });
  for (let minutes = 0; minutes < 15; minutes++) {
    wallet.clock.pass(60_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect((await chargeOf(wallet, used.id)).state).toBe('refunded');
  expect((await chargeOf(wallet, paid.id)).state).toBe('refunded');
  expect(await balanceOf(wallet, key)).toEqual({ available: 50, reserved: 0, spent: 0 });
});

test('a deposit is never refunded by time, and no send uses it', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 10);
  const { key } = await openBalance(wallet, mint, 50);
  wallet.clock.pass(400 * 24 * 60 * 60_000);
  await runRecoveryPasses(wallet, 2);
  const { status, body } = await send(wallet, 11);
  expect([status, body.code]).toEqual([422, 'insufficient_funds']);
  expect(await balanceOf(wallet, key)).toMatchObject({ available: 50 });
  expect(await heldOf(wallet)).toEqual({ balance: 60, held: 50 });
});

test('a lost response costs nothing: the token gets another key, or its sats, until the first key is shown', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { token, key: lost } = await openBalance(wallet, mint, 50);
  const { key } = { key: (await post(wallet, '', { token })).body.prepaidKey };
  expect(key).not.toBe(lost);
  expect((await post(wallet, '/read', { prepaidKey: lost })).body.code).toBe('prepaid_balance_not_found');
  expect(await balanceOf(wallet, key)).toMatchObject({ available: 50 });
  expect((await post(wallet, '', { token })).body.code).toBe('token_spent');
  expect((await refundOf(wallet, token)).body.code).toBe('charge_is_deposit');
  expect(await balanceOf(wallet, key)).toMatchObject({ available: 50 });

  const other = await openBalance(wallet, mint, 30);
  const refunded = await refundOf(wallet, other.token);
  expect(refunded.body).toMatchObject({ state: 'refunded', refund: { amount: 30 } });
  expect((await refundOf(wallet, other.token)).body).toEqual(refunded.body);
  expect(await heldOf(wallet)).toEqual({ balance: 50, held: 50 });
  await expectBooked(wallet, mint);
});

test('nobody can pay, settle or release a deposit', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = asOperator(await startCopy(mint));
  const { key } = await openBalance(wallet, mint, 50);
  const { body: use } = await reserve(wallet, key, 9);
  const [, deposit] = (await wallet.call('GET', '/api/charges')).body.charges;
  for (const answer of [await settleCharge(wallet, deposit.id, 1), await releaseCharge(wallet, deposit.id)])
    expect([answer.status, answer.body.code]).toEqual([409, 'charge_is_deposit']);
  for (const { id } of [deposit, use])
    expect((await payCharge(wallet, id, mint.issue(9))).body.code).toBe('already_paid');
  // A quote for the same request is another charge.
  const { body: quote } = await askFor(wallet, 9, { requestHash: use.requestHash });
  expect(quote.id).not.toBe(use.id);
  await expectBooked(wallet, mint);
});

test('the key of an agent sees the balances of that agent alone', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await plant(wallet.rootPath, { 'agents/courier/SYSTEM.md': 'You carry.\n' });
  const keyOf = async (agent: string) =>
    (await wallet.asOperator('POST', '/api/keys', { label: agent, scopes: ['charge'], agent })).body.key;
  const [scout, other] = [await keyOf('scout'), await keyOf('courier')];
  const by = (key: string, path: string, body: object) =>
    wallet.call('POST', path, body, { Authorization: `Bearer ${key}` });
  const opened = await by(scout, '/api/prepaid-balances', { token: mint.issue(50) });
  expect(opened.body.balance).toMatchObject({ agent: 'scout', available: 50 });
  const { prepaidKey } = opened.body;
  for (const path of ['read', 'refund'])
    expect((await by(other, `/api/prepaid-balances/${path}`, { prepaidKey })).body.code).toBe(
      'prepaid_balance_not_found',
    );
  const order = { amount: 5, requestHash: hashOf('x'), prepaidKey };
  expect((await by(other, '/api/charges/open-and-pay', order)).body.code).toBe('prepaid_balance_not_found');
  const { body } = await by(scout, '/api/charges/open-and-pay', order);
  await settleCharge(asOperator(wallet), body.id, 5);
  const earned = await wallet.asOperator('GET', '/api/earnings?agent=scout');
  expect(earned.body.total).toMatchObject({ earnedSats: 5, payments: 1 });
});

test('a refused token makes no balance, and neither does a key that nobody has', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = asOperator(await startCopy(mint));
  const low = await post(wallet, '', { token: mint.issue(1) });
  expect([low.status, low.body.code]).toEqual([402, 'amount_too_low']);
  const both = { amount: 1, requestHash: hashOf('x'), prepaidKey: `sk-${'0'.repeat(64)}` };
  expect((await wallet.call('POST', '/api/charges/open-and-pay', both)).body.code).toBe(
    'prepaid_balance_not_found',
  );
  for (const body of [
    { ...both, token: mint.issue(8) },
    { amount: 1, requestHash: hashOf('x') },
  ])
    expect((await wallet.call('POST', '/api/charges/open-and-pay', body)).status).toBe(400);
  expect((await wallet.call('GET', '/api/charges')).body.charges).toEqual([]);
});
