import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as charges from '../../../../src/shared/api/charges.ts';
import * as prepaid from '../../../../src/shared/api/prepaid-balances.ts';
import { hashOf, REQUEST, settleCharge } from '../../../support/charges.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import type { WalletServer } from '../../../support/wallet.ts';
import { earn, startCopy } from '../../../support/wallet-copies.ts';
import {
  askChangeFailures,
  askRefusals,
  askWithoutAccess,
  askWithoutSats,
  DAY_MS,
  type Payer,
  plainToken,
  type RouteRequest,
} from '../charge-cases.ts';
import { recordWire } from '../record.ts';
import { body, feeMint } from '../wallet-cases.ts';

/** A key that no balance here has. */
const NO_KEY = `sk-${'0'.repeat(64)}`;

const withKey = (prepaidKey: string) => ({ body: { prepaidKey } });
const topUp = (prepaidKey: string, token: string): RouteRequest => [
  prepaid.topUpPrepaidBalance,
  { body: { prepaidKey, token } },
];
const refund = (prepaidKey: string): RouteRequest => [prepaid.refundPrepaidBalance, withKey(prepaidKey)];

/** Requests with a key and a token that nobody has. */
const REQUESTS: readonly RouteRequest[] = [
  [prepaid.openPrepaidBalance, body('cashuB')],
  [prepaid.readPrepaidBalance, withKey(NO_KEY)],
  topUp(NO_KEY, 'cashuB'),
  refund(NO_KEY),
];

/** The key of a new balance. */
const openBalance = async (server: WalletServer, mint: TestMint, face: number): Promise<string> => {
  const answer = await server.call('POST', '/api/prepaid-balances', { token: plainToken(mint, face) });
  expect([answer.status, answer.body.code]).toEqual([201, undefined]);
  return answer.body.prepaidKey;
};

/** Reserves sats of a balance. Returns the id of the charge. */
const reserve = async (server: WalletServer, prepaidKey: string, amount: number): Promise<string> => {
  const order = { amount, prepaidKey, requestHash: hashOf(`for ${amount}`) };
  const { status, body: charge } = await server.call('POST', '/api/charges/open-and-pay', order);
  expect([status, charge.code, charge.state]).toEqual([200, undefined, 'held']);
  return charge.id;
};

test('who may not use the routes of prepaid balances is as recorded', () =>
  recordWire('prepaid-access', (ask) => askWithoutAccess(ask, REQUESTS)));

test('the wire of opening a prepaid balance is as recorded', () =>
  recordWire('prepaid-open', async (ask) => {
    const open = prepaid.openPrepaidBalance;
    await askRefusals(ask, { request: async (_, token) => [open, body(token)] });
    const mint = await feeMint();
    const server = await startCopy(mint);
    const order = { body: { token: mint.issue(8), agent: 'scout', label: 'x' } };
    await ask(server, open, 'success', order);
    await ask(server, open, 'success', { ...order, label: 'with another key, because the first was lost' });
    await ask(server, open, 'agent_not_found', { body: { token: mint.issue(8), agent: 'nobody' } });
    await rm((await server.call('GET', '/api/health')).body.dotMiRoot, { recursive: true });
    await ask(server, open, 'root_unavailable', { body: { token: mint.issue(8), agent: 'scout' } });
  }));

/** Tops up a balance that each wallet opens before. */
const createTopUps = (): Payer => {
  const keys = new Map<string, string>();
  return {
    prepare: async (server, mint) => keys.set(server.directory, await openBalance(server, mint, 8)),
    request: async ({ directory }, token) => topUp(keys.get(directory) ?? NO_KEY, token),
  };
};

test('the wire of topping up a prepaid balance is as recorded', () =>
  recordWire('prepaid-top-up', async (ask) => {
    await askRefusals(ask, createTopUps());
    const mint = await feeMint();
    const server = await startCopy(mint);
    const [endpoint, request] = topUp(await openBalance(server, mint, 8), mint.issue(8));
    await ask(server, endpoint, 'success', request);
    await ask(server, endpoint, 'success', { ...request, label: 'repeated' });
    const [, another] = topUp(NO_KEY, mint.issue(8));
    await ask(server, endpoint, 'prepaid_balance_not_found', another);
  }));

test('the wire of requests that a prepaid balance pays is as recorded', () =>
  recordWire('prepaid-charges', async (ask) => {
    const mint = await feeMint();
    const server = await startCopy(mint);
    const token = mint.issue(64);
    const { prepaidKey } = (await server.call('POST', '/api/prepaid-balances', { token })).body;
    const [deposit] = (await server.asOperator('GET', '/api/charges')).body.charges;
    const headers = { Authorization: `Bearer ${server.operatorToken}` };
    const aboutDeposit = { params: { chargeId: deposit.id }, headers };
    await ask(server, charges.getCharge, 'success', { ...aboutDeposit, label: 'a deposit' });

    const order = { amount: 4, requestHash: REQUEST };
    const pay = charges.openAndPayCharge;
    const paid = { body: { ...order, prepaidKey }, headers };
    const { body: charge } = await ask(server, pay, 'success', paid);
    await ask(server, pay, 'success', { ...paid, label: 'repeated' });
    await ask(server, pay, 'already_paid', { body: paid.body });
    await ask(server, pay, 'prepaid_balance_not_found', { body: { ...order, prepaidKey: NO_KEY } });
    const dear = { amount: 65, requestHash: hashOf('another'), prepaidKey };
    await ask(server, pay, 'prepaid_balance_too_low', { body: dear });
    await ask(server, pay, 'invalid_request', { body: { ...order, prepaidKey, token } });
    await ask(server, prepaid.readPrepaidBalance, 'success', withKey(prepaidKey));
    await ask(server, prepaid.readPrepaidBalance, 'prepaid_balance_not_found', withKey(NO_KEY));

    const aboutCharge = { params: { chargeId: charge.id }, body: { amount: 1 }, headers };
    await ask(server, charges.settleCharge, 'success', aboutCharge);
    const failed = { params: { chargeId: await reserve(server, prepaidKey, 5) }, body: {} };
    await ask(server, charges.releaseCharge, 'success', failed);
    await ask(server, charges.getCharge, 'success', { params: failed.params, label: 'paid by a balance' });

    await ask(server, charges.settleCharge, 'charge_is_deposit', { ...aboutDeposit, body: { amount: 1 } });
    await ask(server, charges.releaseCharge, 'charge_is_deposit', { ...aboutDeposit, body: {} });
    await ask(server, charges.refundToken, 'charge_is_deposit', body(token));
    const block = prepaid.blockPrepaidBalance;
    const about = (balanceId: string) => ({ params: { balanceId }, body: { blocked: true } });
    await ask(server, block, 'prepaid_balance_not_found', about('none'));
    await ask(server, block, 'success', about(charge.balanceId));
    const another = { ...order, requestHash: hashOf('blocked'), prepaidKey };
    await ask(server, pay, 'prepaid_balance_blocked', { body: another });
    const [topUpRoute, more] = topUp(prepaidKey, mint.issue(8));
    await ask(server, topUpRoute, 'prepaid_balance_blocked', more);
    const unproven = mint.issue(8);
    await server.call('POST', '/api/prepaid-balances', { token: unproven });
    await ask(server, charges.refundToken, 'success', body(unproven));
  }));

test('the wire of giving back a prepaid balance is as recorded', () =>
  recordWire('prepaid-refund', async (ask) => {
    const mint = await feeMint();
    const first = await startCopy(mint);
    await earn(first, mint, 500);
    const key = await openBalance(first, mint, 64);
    const id = await reserve(first, key, 4);
    const [endpoint, request] = refund(key);
    await ask(first, endpoint, 'charge_held', request);
    await ask(first, endpoint, 'prepaid_balance_not_found', withKey(NO_KEY));
    await settleCharge(first, id, 1);
    const server = await askChangeFailures(ask, mint, first, [refund(key)]);
    await ask(server, endpoint, 'success', request);
    await ask(server, endpoint, 'success', { ...request, label: 'repeated' });

    const used = await openBalance(server, mint, 8);
    await settleCharge(server, await reserve(server, used, 7), 7);
    await ask(server, endpoint, 'nothing_to_refund', withKey(used));

    server.clock.pass(181 * DAY_MS);
    const again = () => server.call('POST', '/api/prepaid-balances/refund', { prepaidKey: key });
    await until(async () => (await again()).body.code === 'refund_swept');
    await ask(server, endpoint, 'refund_swept', request);
  }));

test('the wire of a wallet that lacks the sats of a prepaid balance is as recorded', () =>
  recordWire('prepaid-busy', (ask) =>
    askWithoutSats(ask, async (server, mint) => {
      const key = await openBalance(server, mint, 2);
      await openBalance(server, mint, 2);
      await settleCharge(server, await reserve(server, key, 1), 1);
      return [refund(key)];
    }),
  ));
