import { describe, expect, test } from 'vitest';
import { REQUEST } from '../../../../support/charges.ts';
import { CRASHES, killAt, post, startCrashing } from '../../../../support/crashing.ts';
import type { TestMint } from '../../../../support/mint/test-mint.ts';
import { until } from '../../../../support/raw-http.ts';
import { type Address, ask, must, readHistory } from '../../../../torture/ask.ts';
import { addUp } from '../../../../torture/audit.ts';

/** The server dies while a charge is paid, settled or released; then it is started again. */

const FACE = 100;
/** Of one proof of 64, one of 32 and one of 4. */
const PAID = FACE - 1;
const COST = 30;

const charge = (address: Address) =>
  must(address, post('/api/charges', { amount: 50, requestHash: REQUEST }));
const paying = (id: string, token: string) => post(`/api/charges/${id}/pay`, { token });
const settling = (id: string) => post(`/api/charges/${id}/settle`, { amount: COST });
const releasing = (id: string) => post(`/api/charges/${id}/release`, {});
const refunding = (token: string) => post('/api/charges/refund', { token });
const openAndPaying = (token: string) =>
  post('/api/charges/open-and-pay', { amount: 50, requestHash: REQUEST, token });
const charges = async (address: Address) =>
  (await must(address, { method: 'GET', path: '/api/charges' })).charges;

/**
 * Waits until the wallet has these sats, and holds these for customers. It moves proofs off a keyset that the mint
 * rotated, for which the seller pays.
 */
const untilSums = (address: Address, sats: number, held: number) =>
  until(async () => {
    const sums = await must(address, { method: 'GET', path: '/api/wallet/balance' });
    const moves = (await readHistory(address)).filter(({ kind }) => kind === 'swap');
    const cost = moves.reduce((sum, { fee }) => sum + fee, 0);
    return sums.balance + cost === sats && (sums.held ?? 0) === held;
  });

/** Waits until everything that the mint issued is somewhere. What a swap holds meanwhile counts after it. */
const untilNothingIsLost = (address: Address, mint: TestMint, tokens: string[]) =>
  until(async () => {
    const given = tokens.map((text) => ({ text }));
    return (await addUp(address, mint, await readHistory(address), given)).difference === 0;
  });

/** Asks until the change has been made, which the server does on its own. */
const untilMade = async (address: Address, question: ReturnType<typeof post>) => {
  await until(async () => (await ask(address, question))?.status === 200);
  return must(address, question);
};

/** The token of the only send that completed. */
const onlySend = async (address: Address) => {
  const sends = (await readHistory(address)).filter(
    ({ kind, state }) => kind === 'send' && state === 'completed',
  );
  expect(sends).toHaveLength(1);
  return sends[0]?.token;
};

describe.each(Object.entries(CRASHES))('killed %s,', (_name, { step, prepare }) => {
  test('a payment is held once, and the same token gets that response', async () => {
    const { mint, address, died, restart, audit } = await startCrashing(killAt(step, 0));
    const token = mint.issue(FACE, { withoutDleq: true });
    const { id } = await charge(address);
    expect((await ask(address, post('/api/wallet/validate', { token })))?.body.valid).toBe(true);
    prepare?.(mint);
    expect(await ask(address, paying(id, token))).toBeUndefined();
    await died();

    const again = await restart();
    const held = await must(again, paying(id, token));
    expect(held).toMatchObject({ id, state: 'held', paid: PAID });
    expect((await ask(again, openAndPaying(token)))?.body).toEqual(held);
    const other = mint.issue(FACE);
    expect((await ask(again, paying(id, other)))?.body.code).toBe('already_paid');
    await untilSums(again, PAID, PAID);
    expect(await charges(again)).toEqual([held]);
    const { change, receipt } = await must(again, settling(id));
    expect(change.amount + change.fee + receipt.charged).toBe(PAID);
    await untilNothingIsLost(again, mint, [token, other]);
    expect(await audit()).toEqual([]);
  });

  test('a request that brings its token is one charge, and the same token gets that response', {
    tags: 'slow',
  }, async () => {
    const { mint, address, died, restart, audit } = await startCrashing(killAt(step, 0));
    const token = mint.issue(FACE, { withoutDleq: true });
    expect((await ask(address, post('/api/wallet/validate', { token })))?.body.valid).toBe(true);
    prepare?.(mint);
    expect(await ask(address, openAndPaying(token))).toBeUndefined();
    await died();

    const again = await restart();
    const held = await must(again, openAndPaying(token));
    expect(held).toMatchObject({ state: 'held', paid: PAID });
    expect(await charges(again)).toEqual([held]);
    await untilSums(again, PAID, PAID);
    await untilNothingIsLost(again, mint, [token]);
    expect(await audit()).toEqual([]);
  });

  test('a settled charge costs what was decided, and gives its change once', async () => {
    const { mint, address, died, restart, audit } = await startCrashing(killAt(step, 1));
    const token = mint.issue(FACE, { withoutDleq: true });
    const { id } = await charge(address);
    await must(address, paying(id, token));
    prepare?.(mint);
    expect(await ask(address, settling(id))).toBeUndefined();
    await died();

    const again = await restart();
    // Nobody has to ask for it.
    await until(async () => (await ask(again, refunding(token)))?.status === 200);
    const { change, charged, receipt } = await must(again, settling(id));
    expect([charged, receipt.charged, receipt.paid]).toEqual([COST, COST, PAID]);
    expect(change.amount + change.fee + charged).toBe(PAID);
    expect(await onlySend(again)).toBe(change.token);
    expect(mint.unspent([change.token])).toBe(change.amount);
    expect((await ask(again, releasing(id)))?.body.code).toBe('already_settled');
    expect((await must(again, refunding(token))).refund).toEqual(change);
    await untilSums(again, COST, 0);
    await untilNothingIsLost(again, mint, [token]);
    expect(await audit()).toEqual([]);
  });

  test('a released charge gives all back once', { tags: 'slow' }, async () => {
    const { mint, address, died, restart, audit } = await startCrashing(killAt(step, 1));
    const token = mint.issue(FACE, { withoutDleq: true });
    const { id } = await charge(address);
    await must(address, paying(id, token));
    prepare?.(mint);
    expect(await ask(address, releasing(id))).toBeUndefined();
    await died();

    const again = await restart();
    const { refund } = await untilMade(again, releasing(id));
    expect(refund.amount + refund.fee).toBe(PAID);
    expect(await onlySend(again)).toBe(refund.token);
    expect(mint.unspent([refund.token])).toBe(refund.amount);
    expect((await ask(again, settling(id)))?.body.code).toBe('already_refunded');
    expect((await must(again, refunding(token))).refund).toEqual(refund);
    await untilSums(again, 0, 0);
    await untilNothingIsLost(again, mint, [token]);
    expect(await audit()).toEqual([]);
  });
});

test('killed right after a payment failed, the charge is open, and another token pays it', async () => {
  const { mint, address, died, restart, audit } = await startCrashing(killAt('operation-failed', 0));
  const spent = mint.issue(FACE, { withoutDleq: true });
  const { id } = await charge(address);
  mint.spend([spent]);
  expect(await ask(address, paying(id, spent))).toBeUndefined();
  await died();

  const again = await restart();
  expect((await charges(again))[0].state).toBe('open');
  expect((await ask(again, paying(id, spent)))?.body.code).toBe('token_spent');
  const token = mint.issue(FACE, { withoutDleq: true });
  expect(await must(again, paying(id, token))).toMatchObject({ state: 'held', paid: PAID });
  await untilNothingIsLost(again, mint, [token]);
  expect(await audit()).toEqual([]);
});

test('killed right after the change failed, it is made at the next start', async () => {
  const { mint, address, died, restart, audit } = await startCrashing(killAt('operation-failed', 0));
  const token = mint.issue(FACE, { withoutDleq: true });
  const { id } = await charge(address);
  await must(address, paying(id, token));
  mint.fail('/v1/swap', { kind: 'error', code: 20_003, detail: 'not today' });
  expect(await ask(address, settling(id))).toBeUndefined();
  await died();
  mint.clearFaults();

  const again = await restart();
  await until(async () => (await ask(again, refunding(token)))?.status === 200);
  const { change } = await must(again, settling(id));
  expect(await onlySend(again)).toBe(change.token);
  await untilSums(again, COST, 0);
  await untilNothingIsLost(again, mint, [token]);
  expect(await audit()).toEqual([]);
});

test.each([
  ['settling', settling, 'already_settled', releasing],
  ['releasing', releasing, 'already_refunded', settling],
] as const)(
  'killed between the decision and the send, %s stays decided, and is done once',
  async (_, deciding, code, other) => {
    const { mint, address, kill, restart, audit } = await startCrashing(undefined);
    const token = mint.issue(FACE, { withoutDleq: true });
    const { id } = await charge(address);
    await must(address, paying(id, token));
    // The wallet asks for the keysets of a mint that was away, before it writes the send.
    await mint.away();
    await ask(address, post('/api/wallet/check', {}));
    await mint.back();
    mint.fail('/v1/keysets', { kind: 'hang' });
    const asked = ask(address, deciding(id));
    await until(() => mint.hanging() > 0);
    await kill();
    expect(await asked).toBeUndefined();
    mint.clearFaults();

    const again = await restart();
    expect((await ask(again, other(id)))?.body.code).toBe(code);
    await until(async () => (await ask(again, refunding(token)))?.status === 200);
    const { change, refund = change, receipt } = await must(again, deciding(id));
    expect(refund.amount + refund.fee + receipt.charged).toBe(PAID);
    expect(await onlySend(again)).toBe(refund.token);
    expect(mint.unspent([refund.token])).toBe(refund.amount);
    await untilSums(again, receipt.charged, 0);
    await untilNothingIsLost(again, mint, [token]);
    expect(await audit()).toEqual([]);
  },
);
