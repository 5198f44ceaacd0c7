import { getDecodedToken, getEncodedToken, type Token } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import {
  askFor,
  chargeOf,
  expectExact,
  hashOf,
  heldOf,
  holdCharge,
  openAndPay,
  payCharge,
  refundOf,
  releaseCharge,
  settleCharge,
} from '../../../../support/charges.ts';
import { makeClock } from '../../../../support/clock.ts';
import { followEvents } from '../../../../support/follow.ts';
import { testMint } from '../../../../support/mint/for-test.ts';
import type { TestMint } from '../../../../support/mint/test-mint.ts';
import { PATIENCE_MS } from '../../../../support/patience.ts';
import { until } from '../../../../support/raw-http.ts';
import { serveWallet } from '../../../../support/wallet.ts';
import { bearer } from '../../../../support/wallet-callers.ts';
import { earn, expectConsistent, startCopy } from '../../../../support/wallet-copies.ts';
import {
  runRecoveryPasses,
  type TimedWallet,
  settle as untilSettled,
  whileTimePasses,
} from '../../../../support/wallet-recovery.ts';
import { readHistory } from '../../../../torture/ask.ts';

/** How customers get their sats back when the work failed, or when they lost the answer. */

const SECOND_MS = 1_000;
const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** Starts the server of a wallet again, as many milliseconds after the start of the test. */
const startLater = async (mint: TestMint, directory: string, laterMs: number): Promise<TimedWallet> => {
  const clock = makeClock(new Date(Date.now() + laterMs).toISOString());
  return { ...(await serveWallet(mint.url, { directory, clock, mintTimeoutMs: PATIENCE_MS })), clock };
};

/** A token in the encoding of version 3. */
const asVersion3 = ({ mint, unit, memo, proofs }: Token): string => {
  const plain = proofs.map((proof) => ({ ...proof, amount: Number(proof.amount) }));
  const json = JSON.stringify({ token: [{ mint, proofs: plain }], unit, memo });
  return `cashuA${Buffer.from(json).toString('base64url')}`;
};

test('a refund is found by the proofs of the token, however it is written', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const keysetIds = mint.keysets().map(({ id }) => id);
  for (const version of ['A', 'B'] as const) {
    const { body: charge } = await askFor(wallet, 1);
    const token = mint.issue(11, { version, memo: 'for you' });
    expect((await payCharge(wallet, charge.id, token)).body.state).toBe('held');
    const { change } = (await settleCharge(wallet, charge.id, 4)).body;
    const decoded = getDecodedToken(token, keysetIds);
    const written = [
      token,
      `cashu:${token}`,
      ` ${token}\n`,
      asVersion3(decoded),
      getEncodedToken(decoded),
      getEncodedToken({ ...decoded, memo: 'another text' }),
      asVersion3({ ...decoded, memo: 'another text' }),
      getEncodedToken({ ...decoded, proofs: decoded.proofs.toReversed() }),
    ];
    for (const text of written) {
      const { status, body } = await refundOf(wallet, text);
      expect([text, status, body.state, body.refund]).toEqual([text, 200, 'settled', change]);
    }
  }
});

test('until the work is done or the mint responds, a refund says to wait for two seconds', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const expectHeld = async (token: string) => {
    const { status, body, headers } = await refundOf(wallet, token);
    expect([status, body.code, body.retryAfterSeconds, headers.get('retry-after')]).toEqual([
      425,
      'charge_held',
      2,
      '2',
    ]);
  };
  const held = await holdCharge(wallet, mint, 8);
  await expectHeld(held.token);

  const { body: charge } = await askFor(wallet, 4);
  const token = mint.issue(4, { withoutDleq: true });
  mint.fail('/v1/swap', { kind: 'drop' });
  await whileTimePasses(wallet, payCharge(wallet, charge.id, token));
  await expectHeld(token);
  mint.clearFaults();
  await untilSettled(wallet);
  await expectHeld(token);
  const released = await releaseCharge(wallet, charge.id);
  expect((await refundOf(wallet, token)).body).toEqual({ state: 'refunded', refund: released.body.refund });
});

test('a token that paid no charge is not found, and stays as it is', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { body: charge } = await askFor(wallet, 8);
  const [unknown, low] = [mint.issue(4), mint.issue(4)];
  expect((await payCharge(wallet, charge.id, low)).body.code).toBe('amount_too_low');
  const received = await earn(wallet, mint, 4);
  const swaps = mint.requestCount('/v1/swap');
  for (const token of [unknown, low, received]) {
    const { status, body } = await refundOf(wallet, token);
    expect([status, body.code]).toEqual([404, 'charge_not_found']);
  }
  expect(mint.unspent([unknown, low])).toBe(8);
  expect(mint.requestCount('/v1/swap')).toBe(swaps);
  expect((await refundOf(wallet, 'nonsense')).body.code).toBe('malformed_token');
});

test('when the work cost all that was paid, there is nothing to refund', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { id, token } = await holdCharge(wallet, mint, 8);
  await settleCharge(wallet, id, 8);
  const { status, body } = await refundOf(wallet, token);
  expect([status, body.code, body.charged]).toEqual([404, 'nothing_to_refund', 8]);
});

test('the change of one charge pays another, and each token finds its own', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const wallet = await startCopy(mint);
  let { id, token } = await holdCharge(wallet, mint, 64);
  for (let left = 5; left > 0; left--) {
    const { change } = (await settleCharge(wallet, id, 3)).body;
    expect((await refundOf(wallet, token)).body.refund).toEqual(change);
    ({ token } = change);
    ({ id } = (await askFor(wallet, 3)).body);
    expect((await payCharge(wallet, id, token)).body.state).toBe('held');
    expect((await refundOf(wallet, token)).body.code).toBe('charge_held');
  }
  expectExact(await releaseCharge(wallet, id), mint);
  await expectConsistent(wallet, mint);
});

test('a charge that nobody settles is refunded when its hold time is over, and not a millisecond earlier', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { events } = await followEvents(wallet.url, bearer(wallet.operatorToken));
  const short = await holdCharge(wallet, mint, 8, { holdSeconds: 60 });
  const long = await holdCharge(wallet, mint, 16, { holdSeconds: 120, agent: 'scout' });
  const stateOf = async ({ id }: { id: string }) => (await chargeOf(wallet, id)).state;
  wallet.clock.pass(60 * SECOND_MS - 1);
  expect([await stateOf(short), await stateOf(long)]).toEqual(['held', 'held']);
  wallet.clock.pass(1);
  await until(async () => (await stateOf(short)) === 'refunded');
  expect(await stateOf(long)).toBe('held');
  wallet.clock.pass(60 * SECOND_MS - 1);
  expect(await stateOf(long)).toBe('held');
  wallet.clock.pass(1);
  await until(async () => (await stateOf(long)) === 'refunded');
  for (const [{ id, token }, amount] of [
    [short, 8],
    [long, 16],
  ] as const) {
    await until(async () => (await refundOf(wallet, token)).status === 200);
    const { body } = await refundOf(wallet, token);
    expect(body).toMatchObject({ state: 'refunded', refund: { amount } });
    expect(mint.unspent([body.refund.token])).toBe(amount);
    expect((await settleCharge(wallet, id, 3)).body.code).toBe('already_refunded');
    expect((await releaseCharge(wallet, id)).body.refund).toEqual(body.refund);
  }
  const seen = events.filter(({ name }) => name === 'charge').map(({ data }) => data);
  expect(seen).toContainEqual({ id: short.id, state: 'refunded', agent: null });
  expect(seen).toContainEqual({ id: long.id, state: 'refunded', agent: 'scout' });
  expect(await heldOf(wallet)).toEqual({ balance: 0, held: 0 });
  await expectConsistent(wallet, mint);
});

test('a charge whose hold time ended while the server was off is refunded at its start', async () => {
  const mint = await testMint();
  const first = await startCopy(mint);
  const { id, token } = await holdCharge(first, mint, 8, { holdSeconds: 86_400 });
  await first.close();
  const early = await startLater(mint, first.directory, DAY_MS - HOUR_MS);
  early.clock.pass(0);
  expect((await chargeOf(early, id)).state).toBe('held');
  await early.close();
  const wallet = await startLater(mint, first.directory, DAY_MS + HOUR_MS);
  wallet.clock.pass(0);
  await until(async () => (await refundOf(wallet, token)).status === 200);
  expect((await chargeOf(wallet, id)).state).toBe('refunded');
  expect((await refundOf(wallet, token)).body.refund.amount).toBe(8);
});

/** Lets the wallet do what is due now. */
const lookAround = async ({ clock }: TimedWallet) => {
  for (let count = 0; count < 3; count++) {
    clock.pass(0);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
};

/** Lets time pass, an hour at a time, until something holds. */
const untilLater = (wallet: TimedWallet, isTrue: () => Promise<boolean>) =>
  until(async () => {
    wallet.clock.pass(HOUR_MS);
    return isTrue();
  });

const isSwept = async (wallet: TimedWallet, token: string) => {
  const { status, body } = await refundOf(wallet, token);
  return status === 410 && body.code === 'refund_swept';
};

test('change that nobody fetches for 180 days is taken back once, and fetched change is not', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const [lost, fetched, partly] = [
    await holdCharge(wallet, mint, 8),
    await holdCharge(wallet, mint, 16),
    await holdCharge(wallet, mint, 1),
  ];
  const { change } = (await settleCharge(wallet, lost.id, 3)).body;
  const { refund } = (await releaseCharge(wallet, fetched.id)).body;
  await settleCharge(wallet, partly.id, 1);
  mint.spend([refund.token]);
  expect(await wallet.balance()).toBe(4);

  wallet.clock.pass(180 * DAY_MS);
  await lookAround(wallet);
  expect((await refundOf(wallet, lost.token)).body.refund).toEqual(change);
  await untilLater(wallet, () => isSwept(wallet, lost.token));
  await untilLater(wallet, () => isSwept(wallet, fetched.token));
  expect(await wallet.balance()).toBe(4 + 5);
  expect(mint.unspent([change.token])).toBe(0);
  for (const again of [await settleCharge(wallet, lost.id, 3), await releaseCharge(wallet, fetched.id)])
    expect([again.status, again.body.code]).toEqual([410, 'refund_swept']);
  // What was settled stays so.
  expect((await chargeOf(wallet, lost.id)).state).toBe('settled');
  expect((await refundOf(wallet, partly.token)).body.code).toBe('nothing_to_refund');

  for (let day = 0; day < 3; day++) await runRecoveryPasses(wallet, 1);
  const reclaims = (await readHistory(wallet)).filter(({ kind }) => kind === 'reclaim');
  expect(reclaims).toMatchObject([{ state: 'completed', amount: 5 }]);
  expect(await wallet.balance()).toBe(4 + 5);
  await expectConsistent(wallet, mint);
});

test('change is taken back once by a mint that responds late, and stays the customer’s if it refuses', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { id, token } = await holdCharge(wallet, mint, 8);
  const { refund } = (await releaseCharge(wallet, id)).body;
  mint.fail('/v1/swap', { kind: 'error', code: 20_003, detail: 'no' });
  wallet.clock.pass(181 * DAY_MS);
  await until(async () => {
    wallet.clock.pass(HOUR_MS);
    return mint.requestCount('/v1/swap') > 3;
  });
  await untilSettled(wallet);
  // It was never swapped, so the customer can still fetch it.
  expect((await refundOf(wallet, token)).body.refund).toEqual(refund);
  expect(mint.unspent([refund.token])).toBe(8);

  mint.clearFaults();
  mint.fail('/v1/swap', { kind: 'hang' });
  await until(() => {
    wallet.clock.pass(HOUR_MS);
    return mint.hanging() > 0;
  });
  wallet.clock.pass(HOUR_MS);
  expect((await refundOf(wallet, token)).status).not.toBe(410);
  mint.clearFaults();
  await untilLater(wallet, () => isSwept(wallet, token));
  await untilSettled(wallet);
  expect(await wallet.balance()).toBe(8);
  const reclaims = (await readHistory(wallet)).filter(
    ({ kind, state }) => kind === 'reclaim' && state === 'completed',
  );
  expect(reclaims).toHaveLength(1);
  await expectConsistent(wallet, mint);
});

test('a charge that nobody paid is forgotten a day after it expired, and one that somebody paid never', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { body: unpaid } = await askFor(wallet, 4, { ttlSeconds: 60 });
  const { body: tried } = await askFor(wallet, 4, { ttlSeconds: 60, requestHash: hashOf('another') });
  mint.fail('/v1/swap', { kind: 'error', code: 20_003, detail: 'no', times: 1 });
  expect((await payCharge(wallet, tried.id, mint.issue(4))).body.code).toBe('mint_refused');
  const paid = await holdCharge(wallet, mint, 8);
  wallet.clock.pass(60 * SECOND_MS);
  for (const { id } of [unpaid, tried]) expect((await chargeOf(wallet, id)).state).toBe('expired');
  wallet.clock.pass(DAY_MS - 1);
  await lookAround(wallet);
  expect((await chargeOf(wallet, unpaid.id)).state).toBe('expired');
  await until(async () => {
    wallet.clock.pass(10 * 60_000);
    return (await chargeOf(wallet, unpaid.id)).code === 'charge_not_found';
  });
  wallet.clock.pass(400 * DAY_MS);
  await runRecoveryPasses(wallet);
  // A refused token paid nothing.
  expect((await chargeOf(wallet, tried.id)).code).toBe('charge_not_found');
  expect((await chargeOf(wallet, paid.id)).state).toBe('refunded');
  const { charges } = (await wallet.asOperator('GET', '/api/charges')).body;
  expect(charges.map(({ id }: { id: string }) => id)).toEqual([paid.id]);
});

test('charges at the mint of before are settled, refunded and listed, and new ones name the new mint', async () => {
  const [before, now] = [await testMint(), await testMint()];
  const first = await startCopy(before);
  const settled = await holdCharge(first, before, 8);
  const released = await holdCharge(first, before, 16);
  const forgotten = await holdCharge(first, before, 32, { holdSeconds: 60 });
  const { body: open } = await askFor(first, 4);
  await first.close();

  const wallet = await startCopy(now, { directory: first.directory });
  expect(await chargeOf(wallet, settled.id)).toMatchObject({ state: 'held', mints: [before.url] });
  // Its customers were told to pay at the old mint.
  expect((await payCharge(wallet, open.id, now.issue(4))).body).toMatchObject({
    code: 'wrong_mint',
    acceptedMints: [before.url],
  });
  expect((await payCharge(wallet, open.id, before.issue(4))).body).toMatchObject({ state: 'held', paid: 4 });
  expectExact(await settleCharge(wallet, settled.id, 3), before);
  expectExact(await releaseCharge(wallet, released.id), before);
  wallet.clock.pass(60 * SECOND_MS);
  await until(async () => (await refundOf(wallet, forgotten.token)).status === 200);
  expect((await refundOf(wallet, forgotten.token)).body).toMatchObject({
    state: 'refunded',
    refund: { amount: 32 },
  });
  expect((await refundOf(wallet, settled.token)).body.refund.amount).toBe(5);

  const fresh = await holdCharge(wallet, now, 2);
  expect(await chargeOf(wallet, fresh.id)).toMatchObject({ mints: [now.url], paid: 2 });
  expect((await openAndPay(wallet, 2, now.issue(2))).body.mints).toEqual([now.url]);
  const ids: string[] = [];
  let cursor = '';
  do {
    const { body } = await wallet.asOperator('GET', `/api/charges?limit=2${cursor}`);
    ids.push(...body.charges.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor === undefined ? '' : `&cursor=${body.nextCursor}`;
  } while (cursor !== '');
  expect(ids).toHaveLength(6);
  expect(ids.slice(2)).toEqual([open.id, forgotten.id, released.id, settled.id]);
});

test('a refund at the mint of before is found and swept, also if the wallet has nothing else there', async () => {
  const [before, now] = [await testMint(), await testMint()];
  const first = await startCopy(before);
  const { id, token } = await holdCharge(first, before, 8);
  const { refund } = (await releaseCharge(first, id)).body;
  expect(await first.balance()).toBe(0);
  await first.close();
  const wallet = await startCopy(now, { directory: first.directory });
  expect((await refundOf(wallet, token)).body).toEqual({ state: 'refunded', refund });
  expect((await chargeOf(wallet, id)).state).toBe('refunded');
  wallet.clock.pass(181 * DAY_MS);
  await untilLater(wallet, () => isSwept(wallet, token));
  const { body } = await wallet.call('GET', '/api/wallet/balance');
  expect(body.otherMints).toMatchObject([{ mint: before.url, balance: 8 }]);
});

/** Pays with a token that the mint takes without saying so, so that the payment counts as failed for now. */
const payUnnoticed = async (wallet: TimedWallet, mint: TestMint, id: string, token: string) => {
  mint.fail('/v1/swap', { kind: 'status', when: 'after', times: 1 });
  mint.fail('/v1/restore', { kind: 'lag', seconds: 10_000_000 });
  const { body } = await whileTimePasses(wallet, payCharge(wallet, id, token));
  if (body.code === 'redemption_pending') await untilSettled(wallet);
  expect(mint.unspent([token])).toBe(0);
  expect((await chargeOf(wallet, id)).state).toBe('open');
  // The token is spent, so nobody should be told to spend it elsewhere.
  expect((await refundOf(wallet, token)).body.code).toBe('charge_held');
};

test('a payment that failed and was done by the mint after all is held, said, and refunded in time', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { body: charge } = await askFor(wallet, 8, { holdSeconds: 60, ttlSeconds: 86_400 });
  const token = mint.issue(8, { withoutDleq: true });
  await payUnnoticed(wallet, mint, charge.id, token);
  const { events } = await followEvents(wallet.url, bearer(wallet.operatorToken));
  mint.clearFaults();
  await until(async () => {
    wallet.clock.pass(SECOND_MS);
    return (await chargeOf(wallet, charge.id)).state === 'held';
  });
  expect((await payCharge(wallet, charge.id, token)).body).toMatchObject({ state: 'held', paid: 8 });
  await until(() => events.some(({ name }) => name === 'charge'));
  wallet.clock.pass(60 * SECOND_MS);
  await until(async () => (await refundOf(wallet, token)).status === 200);
  expect((await refundOf(wallet, token)).body).toMatchObject({ state: 'refunded', refund: { amount: 8 } });
  await expectConsistent(wallet, mint);
});

test('a second payment that turns up late buys nothing, and is refunded', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { body: charge } = await askFor(wallet, 8, { holdSeconds: 3_600, ttlSeconds: 86_400 });
  const [late, good] = [8, 16].map((amount) => mint.issue(amount, { withoutDleq: true }));
  if (late === undefined || good === undefined) throw new Error('no tokens');
  await payUnnoticed(wallet, mint, charge.id, late);
  mint.clearFaults();
  expect((await payCharge(wallet, charge.id, good)).body).toMatchObject({ state: 'held', paid: 16 });
  await until(async () => {
    wallet.clock.pass(SECOND_MS);
    return (await heldOf(wallet)).held === 24;
  });
  expect(await heldOf(wallet)).toEqual({ balance: 24, held: 24 });
  const again = await payCharge(wallet, charge.id, late);
  expect([again.status, again.body.code]).toEqual([409, 'already_paid']);
  expect((await openAndPay(wallet, 8, late)).body.code).toBe('token_spent');
  expect((await payCharge(wallet, charge.id, good)).body).toMatchObject({ state: 'held', paid: 16 });

  const settled = await settleCharge(wallet, charge.id, 5);
  expect(settled.body).toMatchObject({ charged: 5, change: { amount: 11 } });
  wallet.clock.pass(HOUR_MS);
  await until(async () => (await refundOf(wallet, late)).status === 200);
  expect((await refundOf(wallet, late)).body).toMatchObject({ state: 'refunded', refund: { amount: 8 } });
  expect((await refundOf(wallet, good)).body).toEqual({ state: 'settled', refund: settled.body.change });
  expect((await chargeOf(wallet, charge.id)).state).toBe('settled');
  expect(await heldOf(wallet)).toEqual({ balance: 5, held: 0 });
  await expectConsistent(wallet, mint);
});

test('refunds that can’t be taken back don’t keep others from being taken back', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  for (let count = 0; count < 20; count++)
    await releaseCharge(wallet, (await holdCharge(wallet, mint, 4)).id);
  const old = mint.keysets()[0]?.id ?? '';
  mint.rotate();
  const last = await holdCharge(wallet, mint, 8);
  await releaseCharge(wallet, last.id);
  mint.setKeyset(old, { listed: false });
  wallet.clock.pass(181 * DAY_MS);
  await untilLater(wallet, () => isSwept(wallet, last.token));
});
