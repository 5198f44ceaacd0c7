import { expect, test } from 'vitest';
import { TEST_MINT } from '../../../src/server/wallet/test-tokens.ts';
import {
  askFor,
  chargeOf,
  hashOf,
  heldOf,
  openAndPay,
  payCharge,
  refundOf,
  releaseCharge,
  settleCharge,
} from '../../support/charges.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { serveWallet, type WalletServer } from '../../support/wallet.ts';

/** Everything that a customer and a seller do, with sats that aren't real. */

const serveTestMoney = async () => serveWallet((await testMint()).url, { environment: { DEV_MODE: 'true' } });

const makeToken = async (wallet: WalletServer, amount: number): Promise<string> =>
  (await wallet.asOperator('POST', '/api/wallet/test-tokens', { amount })).body.token;

test('with test money, a customer pays, gets change, a refund and a prepaid balance, and the seller earns', async () => {
  const wallet = await serveTestMoney();
  const { body: charge } = await askFor(wallet, 5, { agent: 'scout' });
  // Only test money is asked for, so that nobody pays with real sats.
  expect(charge).toMatchObject({ state: 'open', amount: 5, faceValue: 5, mints: [TEST_MINT] });
  expect(charge.paymentRequest).toMatch(/^creqA/);
  const token = await makeToken(wallet, 8);
  expect((await payCharge(wallet, charge.id, await makeToken(wallet, 4))).body.code).toBe('amount_too_low');
  expect((await payCharge(wallet, charge.id, token)).body).toMatchObject({ state: 'held', paid: 8 });
  expect((await payCharge(wallet, charge.id, token)).body).toMatchObject({ state: 'held', paid: 8 });
  expect((await payCharge(wallet, charge.id, await makeToken(wallet, 8))).body.code).toBe('already_paid');
  expect(await heldOf(wallet)).toEqual({ balance: 8, held: 8 });
  const { body: settled } = await settleCharge(wallet, charge.id, 5);
  expect(settled).toMatchObject({ charged: 5, change: { amount: 3, fee: 0 } });
  expect((await refundOf(wallet, token)).body).toEqual({ state: 'settled', refund: settled.change });
  expect(await heldOf(wallet)).toEqual({ balance: 5, held: 0 });

  // The change pays for the next request, whose work fails.
  const { body: next } = await openAndPay(wallet, 3, settled.change.token);
  const { body: released } = await releaseCharge(wallet, next.id);
  expect(released).toMatchObject({ state: 'refunded', refund: { amount: 3 } });
  expect((await chargeOf(wallet, next.id)).state).toBe('refunded');

  const post = (path: string, body: object) => wallet.call('POST', `/api/prepaid-balances${path}`, body);
  const { body: opened } = await post('', { token: released.refund.token });
  const { prepaidKey } = opened;
  expect((await post('/top-up', { prepaidKey, token: await makeToken(wallet, 20) })).status).toBe(200);
  const reserve = (amount: number, text: string) =>
    wallet.call('POST', '/api/charges/open-and-pay', { amount, prepaidKey, requestHash: hashOf(text) });
  const { body: use } = await reserve(10, 'one');
  expect((await settleCharge(wallet, use.id, 6)).body).toMatchObject({ charged: 6 });
  expect((await reserve(18, 'two')).body.code).toBe('prepaid_balance_too_low');
  const { body: emptied } = await post('/refund', { prepaidKey });
  expect(emptied.refund).toMatchObject({ amount: 17 });
  expect(await heldOf(wallet)).toEqual({ balance: 11, held: 0 });

  // What was paid back is money as any other, once.
  expect((await wallet.receive(emptied.refund.token)).body).toMatchObject({ amount: 17, simulated: true });
  expect((await wallet.receive(emptied.refund.token)).body.code).toBe('token_spent');
  expect(await wallet.balance()).toBe(28);
  const { entries } = (await wallet.asOperator('GET', '/api/wallet/history')).body;
  expect(entries.every(({ simulated }: { simulated?: boolean }) => simulated)).toBe(true);
  const { groups } = (await wallet.asOperator('GET', '/api/earnings')).body;
  expect(groups).toContainEqual(expect.objectContaining({ key: 'scout', earnedSats: 5, payments: 1 }));
});

test('with test money, a token of any mint pays for a charge, and other text doesn’t', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url, { environment: { DEV_MODE: 'true' } });
  const { body: charge } = await askFor(wallet, 5);
  expect((await payCharge(wallet, charge.id, 'nonsense')).body.code).toBe('amount_too_low');
  const real = mint.issue(8);
  expect((await payCharge(wallet, charge.id, real)).body).toMatchObject({ state: 'held', paid: 8 });
  expect((await settleCharge(wallet, charge.id, 5)).body.change).toMatchObject({ amount: 3 });
  expect(mint.requests()).toEqual([]);
  await wallet.close();
  // The real wallet can still receive it.
  const { directory } = wallet;
  const later = await serveWallet(mint.url, { directory });
  const { tokens } = (await later.asOperator('GET', '/api/wallet/test-tokens')).body;
  expect(tokens).toMatchObject([{ amount: 8 }]);
  const redeem = `/api/wallet/test-tokens/${tokens[0].id}/redeem`;
  expect((await later.asOperator('POST', redeem)).body).toMatchObject({ amount: 8 });
});
