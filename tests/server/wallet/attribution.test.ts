import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { serveWallet } from '../../support/wallet.ts';

/** Which agent earned what. */

const key = (name: string) => ({ 'Idempotency-Key': name });

test('a receive belongs to the agent that it names, the history shows and filters it, and the owner can change it', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const receive = async (amount: number, more: object) =>
    (await wallet.call('POST', '/api/wallet/receive', { token: mint.issue(amount), ...more })).body
      .operationId;
  const first = await receive(5, { agent: 'scout', label: ' Order 17 ' });
  const second = await receive(6, { agent: 'courier' });
  const third = await receive(7, {});
  const history = async (query = '') =>
    (await wallet.asOperator('GET', `/api/wallet/history${query}`)).body.entries.map(
      ({ id, agent, label }: { id: string; agent?: string; label?: string }) => ({ id, agent, label }),
    );
  expect(await history()).toEqual([
    { id: third },
    { id: second, agent: 'courier' },
    { id: first, agent: 'scout', label: 'Order 17' },
  ]);
  expect(await history('?agent=scout')).toEqual([{ id: first, agent: 'scout', label: 'Order 17' }]);

  const operation = async (id: string) => (await wallet.call('GET', `/api/wallet/operations/${id}`)).body;
  expect(await operation(first)).toMatchObject({ agent: 'scout', label: 'Order 17' });
  expect(Object.keys(await operation(third))).not.toContain('agent');

  const attribute = (id: string, body: object) =>
    wallet.asOperator('PUT', `/api/wallet/operations/${id}`, body);
  expect((await attribute(third, { agent: 'scout', label: 'By hand' })).body).toEqual({ ok: true });
  expect((await attribute(first, { agent: null, label: null })).status).toBe(200);
  expect(await history('?agent=scout')).toEqual([{ id: third, agent: 'scout', label: 'By hand' }]);
  expect((await attribute('nothing', { agent: 'scout', label: null })).body.code).toBe('operation_not_found');
  expect((await attribute(third, { agent: '../scout', label: null })).body.code).toBe('invalid_agent_id');
  expect(
    (await wallet.call('PUT', `/api/wallet/operations/${third}`, { agent: null, label: null })).status,
  ).toBe(403);
});

test('a repeated request keeps its agent, and the same key for another agent is refused', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(8);
  const receive = (body: object) =>
    wallet.call('POST', '/api/wallet/receive', { token, ...body }, key('one'));
  const { operationId } = (await receive({ agent: 'scout' })).body;
  expect((await receive({ agent: 'scout' })).body).toMatchObject({ operationId, replayed: true });
  expect((await receive({ agent: 'courier' })).body.code).toBe('idempotency_key_reused');
  expect((await receive({})).body.code).toBe('idempotency_key_reused');
  const { entries } = (await wallet.asOperator('GET', '/api/wallet/history')).body;
  expect(entries).toMatchObject([{ id: operationId, agent: 'scout' }]);
});

test('a bad agent id or label is refused before the token is spent', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(4);
  for (const bad of [{ agent: 'a/b' }, { label: '' }, { label: 'x'.repeat(201) }, { agent: null }])
    expect((await wallet.call('POST', '/api/wallet/receive', { token, ...bad })).status).toBe(400);
  expect(mint.unspent([token])).toBe(4);
});
