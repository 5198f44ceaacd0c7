import { getTokenMetadata, PaymentRequest } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import {
  askFor,
  chargeOf,
  hashOf,
  heldOf,
  openAndPay,
  payCharge,
  quoteFor,
  REQUEST,
  settleCharge,
} from '../../../support/charges.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { editA, mintFootprint } from '../../../support/wallet.ts';
import { asOperator } from '../../../support/wallet-callers.ts';
import { earn, expectConsistent, startCopy } from '../../../support/wallet-copies.ts';
import { settle, type TimedWallet, whileTimePasses } from '../../../support/wallet-recovery.ts';

/** Who can pay a charge, with what, and how often. */

test('a charge asks for its amount in-band, is paid once, and holds the sats', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { status, body: charge } = await askFor(wallet, 5, { label: 'translation' });
  expect(status).toBe(201);
  expect(charge).toMatchObject({
    state: 'open',
    amount: 5,
    unit: 'sat',
    mints: [mint.url],
    label: 'translation',
  });
  const request = PaymentRequest.fromEncodedRequest(charge.paymentRequest);
  expect(request.toRawRequest()).toEqual({ a: expect.anything(), u: 'sat', m: [mint.url] });
  expect(Number(request.amount)).toBe(5);

  const token = mint.issue(8, { withoutDleq: true });
  const paid = await payCharge(wallet, charge.id, token);
  expect([paid.status, paid.body.state, paid.body.paid]).toEqual([200, 'held', 8]);
  expect((await payCharge(wallet, charge.id, token)).body).toEqual(paid.body);
  expect(await chargeOf(wallet, charge.id)).toEqual(paid.body);
  expect(await heldOf(wallet)).toEqual({ balance: 8, held: 8 });
  await expectConsistent(wallet, mint);
});

test('what counts is what arrives after the fee, and a usual token of the asked amount is enough', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = await startCopy(mint);
  for (const amount of [1, 5, 7, 100, 255, 1_000]) {
    const { body: charge } = await askFor(wallet, amount);
    const before = mintFootprint(mint);
    const low = mint.issue(amount, { withoutDleq: true });
    const issued = mint.totals();
    const refused = await payCharge(wallet, charge.id, low);
    const arrives = amount - amount.toString(2).replaceAll('0', '').length;
    expect([refused.status, refused.body.code, refused.body.required, refused.body.received]).toEqual([
      402,
      'amount_too_low',
      amount,
      arrives,
    ]);
    expect([mint.unspent([low]), mint.totals(), mintFootprint(mint).swaps]).toEqual([
      amount,
      issued,
      before.swaps,
    ]);
    const face = Number(PaymentRequest.fromEncodedRequest(charge.paymentRequest).amount);
    const paid = await payCharge(wallet, charge.id, mint.issue(face, { withoutDleq: true }));
    expect([paid.status, paid.body.state]).toEqual([200, 'held']);
    expect(paid.body.paid).toBeGreaterThanOrEqual(amount);
  }
});

test('of many tokens at once one pays a charge, and the others stay untouched', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { body: charge } = await askFor(wallet, 4);
  const tokens = Array.from({ length: 12 }, () => mint.issue(4, { withoutDleq: true }));
  const answers = await Promise.all(tokens.map((token) => payCharge(wallet, charge.id, token)));
  const codes = answers.map(({ status, body }) => [status, body.code]);
  expect(codes.filter(([status]) => status === 200)).toHaveLength(1);
  expect(codes.filter(([, code]) => code === 'already_paid')).toHaveLength(11);
  expect(mint.unspent(tokens)).toBe(44);
  expect(await wallet.balance()).toBe(4);
  await expectConsistent(wallet, mint);
});

test('the same token in parallel pays once, and each response is the same or asks to wait', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { body: charge } = await askFor(wallet, 4);
  const token = mint.issue(4, { withoutDleq: true });
  const answers = await Promise.all(Array.from({ length: 12 }, () => payCharge(wallet, charge.id, token)));
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  const said = new Set(answers.map(({ body }) => body.state ?? body.code));
  expect(
    [...said].filter((each) => !['held', 'token_in_progress', 'redemption_pending'].includes(each)),
  ).toEqual([]);
  expect((await payCharge(wallet, charge.id, token)).body.state).toBe('held');
  expect(await wallet.balance()).toBe(4);
});

test('a charge can be paid until it expires, and not a millisecond later', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const charges = await Promise.all(
    [1, 2].map(async () => (await askFor(wallet, 4, { ttlSeconds: 60 })).body),
  );
  const tokens = charges.map(() => mint.issue(4, { withoutDleq: true }));
  wallet.clock.pass(59_999);
  expect((await payCharge(wallet, charges[0].id, tokens[0] ?? '')).body.state).toBe('held');
  wallet.clock.pass(1);
  const late = await payCharge(wallet, charges[1].id, tokens[1] ?? '');
  expect([late.status, late.body.code]).toEqual([410, 'charge_expired']);
  expect(mint.unspent(tokens)).toBe(4);
  expect((await chargeOf(wallet, charges[1].id)).state).toBe('expired');
  // The token that paid still gets its answer.
  expect((await payCharge(wallet, charges[0].id, tokens[0] ?? '')).body.state).toBe('held');
  wallet.clock.pass(2 * 24 * 60 * 60_000);
  expect((await chargeOf(wallet, charges[0].id)).state).toBe('refunded');
});

test('a refused token leaves a charge open, and another token pays it', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { body: charge } = await askFor(wallet, 4);
  const spent = mint.issue(4, { withoutDleq: true });
  mint.spend([spent]);
  expect((await payCharge(wallet, charge.id, spent)).body.code).toBe('token_spent');
  expect((await payCharge(wallet, charge.id, 'cashuBnonsense')).body.code).toBe('malformed_token');
  expect((await payCharge(wallet, charge.id, charge.paymentRequest)).body).toMatchObject({
    code: 'malformed_token',
    looksLike: 'payment_request',
  });
  expect((await chargeOf(wallet, charge.id)).state).toBe('open');
  expect((await payCharge(wallet, charge.id, mint.issue(4, { withoutDleq: true }))).body.state).toBe('held');
  await expectConsistent(wallet, mint);
});

test('a payment whose response was lost is held once the mint says so', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { body: charge } = await askFor(wallet, 4);
  const token = mint.issue(8, { withoutDleq: true });
  mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
  mint.fail('/v1/restore', { kind: 'status' });
  const pending = await whileTimePasses(wallet, payCharge(wallet, charge.id, token));
  expect([pending.status, pending.body.code]).toEqual([503, 'redemption_pending']);
  expect(await chargeOf(wallet, charge.id)).toMatchObject({
    state: 'open',
    operationId: pending.body.operationId,
  });
  expect((await payCharge(wallet, charge.id, mint.issue(4, { withoutDleq: true }))).body.code).toBe(
    'already_paid',
  );
  mint.clearFaults();
  await settle(wallet);
  expect((await payCharge(wallet, charge.id, token)).body).toMatchObject({ state: 'held', paid: 8 });
  expect((await settleCharge(wallet, charge.id, 4)).body.change.amount).toBe(4);
  await expectConsistent(wallet, mint);
});

test('a token that is worth what the payment request asks for pays, although its fee is higher than assumed, up to a tenth of the price', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = asOperator(await startCopy(mint));
  const { body: quote } = await quoteFor(wallet, 20);
  // Two proofs, and a fee of 1 sat for each.
  expect(quote.faceValue).toBe(24);
  const tokenOf = (face: number, proofCount: number) => mint.issue(face, { proofCount, withoutDleq: true });
  const far = tokenOf(24, 7);
  const refused = await openAndPay(wallet, 20, far);
  expect([refused.status, refused.body]).toMatchObject([
    402,
    { code: 'amount_too_low', required: 20, received: 17, unspent: true },
  ]);
  expect(mint.unspent([far])).toBe(24);
  // What is asked for is the face value, so that less isn't enough.
  expect((await openAndPay(wallet, 20, tokenOf(22, 3))).body).toMatchObject({ required: 20, received: 19 });
  const paid = await openAndPay(wallet, 20, tokenOf(24, 6));
  expect(paid.body).toMatchObject({ state: 'held', amount: 20, paid: 18 });
  expect((await settleCharge(wallet, paid.body.id, 20)).body).toMatchObject({
    charged: 18,
    receipt: { capped: true },
  });

  const { body: charge } = await askFor(wallet, 1);
  expect(charge.faceValue).toBe(2);
  const { body: nothing } = await payCharge(wallet, charge.id, tokenOf(2, 2));
  expect([nothing.code, nothing.received]).toEqual(['amount_too_low', 0]);
  expect((await payCharge(wallet, charge.id, tokenOf(2, 1))).body).toMatchObject({ state: 'held', paid: 1 });
  await expectConsistent(wallet, mint);
});

test('a request that brings its token pays the price it was quoted, or creates a charge, or leaves nothing', async () => {
  const mint = await testMint();
  const wallet = asOperator(await startCopy(mint));
  expect((await quoteFor(wallet, 5, { ttlSeconds: 60 })).status).toBe(200);
  const first = mint.issue(8, { withoutDleq: true });
  const paid = await openAndPay(wallet, 7, first);
  expect([paid.status, paid.body.amount, paid.body.state]).toEqual([200, 5, 'held']);
  expect((await openAndPay(wallet, 7, first)).body).toEqual(paid.body);
  wallet.clock.pass(60_000);
  const low = mint.issue(4, { withoutDleq: true });
  expect((await openAndPay(wallet, 7, low)).body).toMatchObject({
    code: 'amount_too_low',
    required: 7,
    received: 4,
  });
  const second = mint.issue(8, { withoutDleq: true });
  const made = await openAndPay(wallet, 7, second);
  expect([made.body.amount, made.body.state]).toEqual([7, 'held']);
  const spent = mint.issue(8, { withoutDleq: true });
  mint.spend([spent]);
  expect((await openAndPay(wallet, 7, spent)).body.code).toBe('token_spent');
  const { charges } = (await wallet.call('GET', '/api/charges')).body;
  expect(charges.filter(({ state }: { state: string }) => state === 'open')).toEqual([]);
  expect(mint.unspent([low])).toBe(4);
  await expectConsistent(wallet, mint);
});

test('the change has as few proofs as it can, without DLEQ proofs, so that it fits into a header', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { body: charge } = await askFor(wallet, 1);
  await payCharge(wallet, charge.id, mint.issue(1_024));
  const { change } = (await settleCharge(wallet, charge.id, 1)).body;
  const proofs = JSON.stringify(getTokenMetadata(change.token).incompleteProofs);
  expect([proofs.match(/"secret"/g)?.length, proofs.includes('dleq')]).toEqual([10, false]);
  expect(change.token.length).toBeLessThan(2_048);
});

test('a cheap quote never pays for a dearer request, and a token that paid one buys no other', async () => {
  const mint = await testMint();
  const wallet = asOperator(await startCopy(mint));
  await quoteFor(wallet, 1);
  const token = mint.issue(1, { withoutDleq: true });
  const dear = await openAndPay(wallet, 100, token, { requestHash: hashOf('write a book') });
  expect([dear.status, dear.body.code]).toEqual([402, 'amount_too_low']);
  expect((await openAndPay(wallet, 1, token)).body.state).toBe('held');
  const again = await openAndPay(wallet, 1, token, { requestHash: hashOf('another one') });
  expect([again.status, again.body.code]).toEqual([409, 'token_spent']);
  await expectConsistent(wallet, mint);
});

test('requests at once with one quote are all paid at it', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = asOperator(await startCopy(mint));
  await quoteFor(wallet, 3);
  const tokens = Array.from({ length: 4 }, () => mint.issue(4, { withoutDleq: true }));
  const answers = await Promise.all(tokens.map((token) => openAndPay(wallet, 4, token)));
  const paid = answers.map(({ status, body }) => [status, body.state, body.amount]);
  expect(paid).toEqual(answers.map(() => [200, 'held', 3]));
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(4);
  await expectConsistent(wallet, mint);
});

/** Starts a payment that waits for the mint before it is written. Returns what lets it continue. */
const payLate = async (mint: TestMint, wallet: TimedWallet, amount: number, token: string) => {
  mint.fail('/v1/restore', { kind: 'hang' });
  mint.fail('/v1/checkstate', { kind: 'hang' });
  const paying = openAndPay(wallet, amount, token);
  await until(() => mint.hanging() > 0);
  return () => {
    mint.clearFaults();
    return paying;
  };
};

/** A wallet that asks the mint what it signed before its next receive. */
const startAgain = async (mint: TestMint) => {
  const first = await startCopy(mint);
  await earn(first, mint, 4);
  await first.close();
  return startCopy(mint, { directory: first.directory });
};

test('a token pays the quote that held when it came, whatever is quoted or expires while the mint is asked', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = asOperator(await startAgain(mint));
  await quoteFor(wallet, 3, { ttlSeconds: 60 });
  const carryOn = await payLate(mint, wallet, 4, mint.issue(4, { withoutDleq: true }));
  wallet.clock.pass(60_000);
  expect((await quoteFor(wallet, 100)).body.amount).toBe(100);
  const paid = await carryOn();
  expect([paid.status, paid.body.state, paid.body.amount]).toEqual([200, 'held', 3]);
});

test('a charge and its payment survive a restart, and the token in another encoding is the same token', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const first = await startCopy(mint);
  const { body: charge } = await askFor(first, 5);
  const token = mint.issue(8, { withoutDleq: true, version: 'A' });
  const { body: paid } = await payCharge(first, charge.id, token);
  await first.close();
  const wallet = await startCopy(mint, { directory: first.directory });
  expect(await chargeOf(wallet, charge.id)).toEqual(paid);
  const other = editA(token, (json) => ({ ...json, memo: 'another text' }));
  expect((await payCharge(wallet, charge.id, other)).body).toEqual(paid);
});

test('a body without one price, or with a bad hash, is refused', async () => {
  const mint = await testMint();
  const wallet = asOperator(await startCopy(mint));
  for (const body of [
    { requestHash: REQUEST },
    { requestHash: REQUEST, amount: 5, model: 'gpt-5.4', maxInputTokens: 1, maxOutputTokens: 1 },
    { requestHash: REQUEST, model: 'gpt-5.4', maxInputTokens: 1 },
    { requestHash: REQUEST, amount: 0 },
    { requestHash: 'abc', amount: 5 },
    { requestHash: REQUEST, amount: 5, ttlSeconds: 59 },
    { requestHash: REQUEST, amount: 5, holdSeconds: 86_401 },
    { amount: 5 },
  ])
    for (const path of ['/api/charges', '/api/charges/quote'])
      expect([(await wallet.call('POST', path, body)).body.code, body]).toEqual(['invalid_request', body]);
  expect((await wallet.call('GET', '/api/charges')).body).toEqual({ charges: [] });
});
