import { describe, expect, test } from 'vitest';
import { hashOf } from '../../../../support/charges.ts';
import { CRASHES, killAt, post, startCrashing } from '../../../../support/crashing.ts';
import { until } from '../../../../support/raw-http.ts';
import { type Address, ask, must } from '../../../../torture/ask.ts';

/** The server dies while a balance is paid in or given back; then it is started again. */

const FACE = 100;
/** Of one proof of 64, one of 32 and one of 4. */
const PAID = FACE - 1;
const COST = 30;

const opening = (token: string) => post('/api/prepaid-balances', { token });
const toppingUp = (prepaidKey: string, token: string) =>
  post('/api/prepaid-balances/top-up', { prepaidKey, token });
const refunding = (prepaidKey: string) => post('/api/prepaid-balances/refund', { prepaidKey });
const reading = (prepaidKey: string) => post('/api/prepaid-balances/read', { prepaidKey });

const spend = async (address: Address, prepaidKey: string, text: string) => {
  const order = { amount: 50, requestHash: hashOf(text), prepaidKey };
  const { id } = await must(address, post('/api/charges/open-and-pay', order));
  return must(address, post(`/api/charges/${id}/settle`, { amount: COST }));
};

describe.each(Object.entries(CRASHES))('killed %s,', (_name, { step, prepare }) => {
  test('a deposit is there once, and the same token gets its key', async () => {
    const { mint, address, died, restart, audit } = await startCrashing(killAt(step, 0));
    const token = mint.issue(FACE, { withoutDleq: true });
    expect((await ask(address, post('/api/wallet/validate', { token })))?.body.valid).toBe(true);
    prepare?.(mint);
    expect(await ask(address, opening(token))).toBeUndefined();
    await died();

    const again = await restart();
    await until(async () => (await ask(again, opening(token)))?.status === 201);
    const { prepaidKey } = await must(again, opening(token));
    expect(await must(again, reading(prepaidKey))).toMatchObject({ available: PAID, reserved: 0, spent: 0 });
    await spend(again, prepaidKey, 'first');
    expect(await must(again, reading(prepaidKey))).toMatchObject({ available: PAID - COST, spent: COST });
    expect((await must(again, { method: 'GET', path: '/api/wallet/balance' })).held).toBe(PAID - COST);
    expect(await audit()).toEqual([]);
  });

  test('a second deposit is there once, and the same token gets that response', {
    tags: 'slow',
  }, async () => {
    const { mint, address, died, restart, audit } = await startCrashing(killAt(step, 1));
    const { prepaidKey } = await must(address, opening(mint.issue(FACE, { withoutDleq: true })));
    const token = mint.issue(FACE, { withoutDleq: true });
    prepare?.(mint);
    expect(await ask(address, toppingUp(prepaidKey, token))).toBeUndefined();
    await died();

    const again = await restart();
    await until(async () => (await ask(again, toppingUp(prepaidKey, token)))?.status === 200);
    expect(await must(again, toppingUp(prepaidKey, token))).toMatchObject({
      added: PAID,
      balance: { available: 2 * PAID },
    });
    expect(await audit()).toEqual([]);
  });

  test('what is left comes back once, and what was used stays earned', async () => {
    const { mint, address, died, restart, audit } = await startCrashing(killAt(step, 1));
    const { prepaidKey } = await must(address, opening(mint.issue(FACE, { withoutDleq: true })));
    await spend(address, prepaidKey, 'first');
    prepare?.(mint);
    expect(await ask(address, refunding(prepaidKey))).toBeUndefined();
    await died();

    const again = await restart();
    await until(async () => (await ask(again, refunding(prepaidKey)))?.status === 200);
    const { refund, balance } = await must(again, refunding(prepaidKey));
    expect(refund.amount + refund.fee).toBe(PAID - COST);
    expect(mint.unspent([refund.token])).toBe(refund.amount);
    expect(balance).toMatchObject({ available: 0, spent: COST });
    expect((await must(again, { method: 'GET', path: '/api/wallet/balance' })).held ?? 0).toBe(0);
    const { total } = await must(again, { method: 'GET', path: '/api/earnings' });
    expect([total.earnedSats, total.payments]).toEqual([COST, 1]);
    expect(await audit()).toEqual([]);
  });
});
