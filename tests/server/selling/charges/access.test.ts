import { expect, test } from 'vitest';
import {
  askFor,
  type HeldCharge,
  holdCharge,
  REQUEST,
  refundOf,
  releaseCharge,
  settleCharge,
} from '../../../support/charges.ts';
import { followEvents } from '../../../support/follow.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { plant } from '../../../support/plant.ts';
import { until } from '../../../support/raw-http.ts';
import type { Answer } from '../../../support/server.ts';
import type { WalletServer } from '../../../support/wallet.ts';
import { as, asOperator, bearer, createKey } from '../../../support/wallet-callers.ts';
import { earn, startCopy } from '../../../support/wallet-copies.ts';
import { findSecrets, secretsOfToken } from '../../../torture/secrets.ts';

/** What the key of an agent may do with charges, and what it sees. */

/** A server with two agents, and each of them as a caller. */
const startAgents = async (mint: TestMint, environment: Record<string, string> = {}) => {
  const wallet = await startCopy(mint, { environment });
  await plant(wallet.rootPath, { 'agents/courier/SYSTEM.md': 'You carry.\n' });
  const [scout, courier] = [await createKey(wallet, 'scout'), await createKey(wallet, 'courier')];
  return { wallet, scout: as(wallet, scout), courier: as(wallet, courier) };
};

const expectCode = ({ status, body }: Answer, expected: [status: number, code: string]) =>
  expect([status, body.code]).toEqual(expected);

const listOf = async (wallet: WalletServer, query = ''): Promise<string[]> => {
  const { status, body } = await wallet.call('GET', `/api/charges${query}`);
  expect([status, body.code]).toEqual([200, undefined]);
  return body.charges.map(({ id }: { id: string }) => id);
};

test('the key of an agent makes, sees, pays, settles and refunds the charges of that agent', async () => {
  const mint = await testMint();
  const { wallet, scout } = await startAgents(mint);
  const first = await holdCharge(scout, mint, 8);
  const second = await holdCharge(scout, mint, 8, { agent: 'scout', label: 'poem' });
  expect((await settleCharge(scout, first.id, 3)).body.change.amount).toBe(5);
  expect((await releaseCharge(scout, second.id)).body.refund.amount).toBe(8);
  expect((await refundOf(scout, first.token)).body.refund.amount).toBe(5);
  const { body } = await scout.call('GET', `/api/charges/${second.id}`);
  expect(body).toMatchObject({ agent: 'scout', label: 'poem', state: 'refunded' });
  expect(await listOf(scout)).toEqual([second.id, first.id]);
  expect(await listOf(scout, '?agent=scout&state=settled')).toEqual([first.id]);
  expect(await listOf(asOperator(wallet), '?agent=scout')).toEqual([second.id, first.id]);
});

test('the key of an agent learns nothing of other agents’ charges, and can’t touch them', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { wallet, scout, courier } = await startAgents(mint);
  const held = await holdCharge(courier, mint, 8);
  const settled = await holdCharge(courier, mint, 8);
  await settleCharge(courier, settled.id, 3);
  const ofNobody = await holdCharge(wallet, mint, 8);
  const { body: open } = await askFor(courier, 4);
  const token = mint.issue(4);
  const unknown = { id: 'no-such-charge', token: mint.issue(4) };

  const said = async ({ id, token: paidWith }: Pick<HeldCharge, 'id' | 'token'>) => [
    await scout.call('GET', `/api/charges/${id}`),
    await scout.call('POST', `/api/charges/${id}/pay`, { token }),
    await settleCharge(scout, id, 3),
    await releaseCharge(scout, id),
    await refundOf(scout, paidWith),
  ];
  const textsOf = (answers: Answer[]) => answers.map(({ status, body }) => [status, body]);
  const ofUnknown = textsOf(await said(unknown));
  expect(ofUnknown.every(([status]) => status === 404)).toBe(true);
  // The answers are the same as for a charge that doesn't exist.
  for (const charge of [held, settled, ofNobody, { id: open.id, token }])
    expect(textsOf(await said(charge))).toEqual(ofUnknown);
  expect(mint.unspent([token])).toBe(4);
  expect(await listOf(scout)).toEqual([]);
  expect((await courier.call('GET', `/api/charges/${held.id}`)).body.state).toBe('held');
  expect((await refundOf(courier, settled.token)).body.refund.amount).toBe(5);
  expectCode(await refundOf(courier, held.token), [425, 'charge_held']);

  // A token of the same request pays the agent's own charge, and never another's.
  const { body: paid } = await scout.call('POST', '/api/charges/open-and-pay', {
    amount: 4,
    requestHash: REQUEST,
    token,
  });
  expect([paid.agent, paid.state, paid.id === open.id]).toEqual(['scout', 'held', false]);
  expect((await courier.call('GET', `/api/charges/${open.id}`)).body.state).toBe('open');
  expect(await listOf(scout)).toEqual([paid.id]);
});

test('the key of an agent can name no other agent', async () => {
  const mint = await testMint();
  const { wallet, scout } = await startAgents(mint);
  const token = mint.issue(4);
  for (const agent of ['courier', 'nobody', 'SCOUT']) {
    expectCode(await askFor(scout, 4, { agent }), [403, 'forbidden_agent']);
    const body = { agent, amount: 4, requestHash: REQUEST, token };
    expectCode(await scout.call('POST', '/api/charges/open-and-pay', body), [403, 'forbidden_agent']);
    expectCode(await scout.call('GET', `/api/charges?agent=${agent}`), [403, 'forbidden_agent']);
  }
  expect(mint.unspent([token])).toBe(4);
  expect(await listOf(asOperator(wallet))).toEqual([]);
  for (const caller of [asOperator(wallet), as(wallet, await createKey(wallet))]) {
    expectCode(await askFor(caller, 4, { agent: 'nobody' }), [404, 'agent_not_found']);
    // Its charges stay when an agent is gone.
    expect(await listOf(caller, '?agent=nobody')).toEqual([]);
  }
});

test('a key without an agent makes charges for any agent, and one without the scope makes none', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { wallet, scout } = await startAgents(mint);
  const { id } = await holdCharge(scout, mint, 8);
  const shop = as(wallet, await createKey(wallet));
  expect(await listOf(shop)).toEqual([]);
  const { body: own } = await askFor(shop, 4, { agent: 'courier' });
  expect(own.agent).toBe('courier');
  expect(await listOf(shop, '?agent=courier')).toEqual([own.id]);
  expect(await listOf(shop, '?agent=scout')).toEqual([]);
  const other = as(wallet, await createKey(wallet, 'scout', ['receive', 'prices', 'read-agents']));
  for (const answer of [
    await askFor(other, 4),
    await settleCharge(other, id, 3),
    await releaseCharge(other, id),
    await refundOf(other, mint.issue(4)),
    await other.call('GET', '/api/charges'),
    await other.call('GET', `/api/charges/${id}`),
  ])
    expectCode(answer, [403, 'forbidden_scope']);
});

test('without a key the routes are open on this machine but the list, and with REQUIRE_KEYS none is', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const open = await startAgents(mint);
  expect((await askFor(open.wallet, 4, { agent: 'scout' })).status).toBe(201);
  expectCode(await open.wallet.call('GET', '/api/charges'), [403, 'operator_required']);
  const { wallet, scout } = await startAgents(mint, { REQUIRE_KEYS: 'true' });
  const { id, token } = await holdCharge(scout, mint, 8);
  for (const answer of [
    await askFor(wallet, 4),
    await settleCharge(wallet, id, 3),
    await releaseCharge(wallet, id),
    await refundOf(wallet, token),
    await wallet.call('POST', `/api/charges/${id}/pay`, { token }),
    await wallet.call('GET', `/api/charges/${id}`),
  ])
    expectCode(answer, [401, 'unauthorized']);
  expectCode(await wallet.call('GET', '/api/charges'), [403, 'operator_required']);
  expect((await settleCharge(scout, id, 3)).body.charged).toBe(3);
});

test('the key of another root’s agent sees no charge of an agent with the same name', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const first = await startCopy(mint);
  const key = await createKey(first, 'scout');
  const { id, token } = await holdCharge(as(first, key), mint, 8);
  await first.close();
  const { directory, dataDirectory } = first;
  const wallet = await startCopy(mint, { directory, dataDirectory });
  const scout = as(wallet, key);
  for (const answer of [
    await askFor(scout, 4),
    await scout.call('POST', `/api/charges/${id}/pay`, { token }),
    await settleCharge(scout, id, 3),
    await releaseCharge(scout, id),
    await refundOf(scout, token),
    await scout.call('GET', '/api/charges'),
    await scout.call('GET', `/api/charges/${id}`),
  ])
    expectCode(answer, [403, 'forbidden_agent']);
  expect((await settleCharge(asOperator(wallet), id, 3)).body.charged).toBe(3);
});

test('no event of a charge reaches a key of an agent, and the operator gets them', async () => {
  const mint = await testMint();
  const { wallet, scout } = await startAgents(mint);
  const key = await createKey(wallet, 'scout', ['charge', 'receive', 'read-agents', 'prices']);
  const alone = await createKey(wallet, 'scout');
  expect((await fetch(`${wallet.url}/api/events`, { headers: bearer(alone) })).status).toBe(403);
  const ofKey = await followEvents(wallet.url, bearer(key));
  const ofOperator = await followEvents(wallet.url, bearer(wallet.operatorToken));
  const { id } = await holdCharge(scout, mint, 8);
  await settleCharge(scout, id, 3);
  const charges = () => ofOperator.events.filter(({ name }) => name === 'charge').map(({ data }) => data);
  await until(() => charges().some((data) => 'state' in data && data.state === 'settled'));
  for (const state of ['open', 'held', 'settled'])
    expect(charges()).toContainEqual({ id, state, agent: 'scout' });
  // This event is later than all of those.
  await earn(wallet, mint, 4);
  const paid = () => ofKey.events.filter(({ name }) => name === 'wallet');
  await until(() => paid().some(({ data }) => 'balance' in data && data.balance === 7));
  expect(ofKey.events.filter(({ name }) => name === 'charge')).toEqual([]);
});

test('no response to a GET and no event has a token or a secret of one', async () => {
  const mint = await testMint();
  const { wallet, scout } = await startAgents(mint);
  const events = await followEvents(wallet.url, bearer(wallet.operatorToken));
  const first = await holdCharge(scout, mint, 11);
  const second = await holdCharge(scout, mint, 11);
  const { change } = (await settleCharge(scout, first.id, 4)).body;
  const { refund } = (await releaseCharge(scout, second.id)).body;
  await refundOf(scout, first.token);
  const texts: string[] = [];
  for (const path of [
    '/api/charges',
    `/api/charges/${first.id}`,
    `/api/charges/${second.id}`,
    '/api/wallet/balance',
    '/api/earnings',
    '/api/requests',
  ])
    texts.push(JSON.stringify((await wallet.asOperator('GET', path)).body));
  const { operationId } = (await scout.call('GET', `/api/charges/${first.id}`)).body;
  texts.push(JSON.stringify((await wallet.call('GET', `/api/wallet/operations/${operationId}`)).body));
  await until(() => events.events.some(({ data }) => JSON.stringify(data).includes('refunded')));
  texts.push(JSON.stringify(events.events));
  const tokens = [first.token, second.token, change.token, refund.token];
  const secrets = tokens.flatMap((token) => [token, ...secretsOfToken(token)]);
  expect(secrets.length).toBeGreaterThan(10);
  expect(texts.flatMap((text) => findSecrets(text, secrets))).toEqual([]);
});
