import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SOLD, sell, serveShop } from '../../../support/sold-service.ts';
import { trustRoot } from '../../../support/trust.ts';
import { as, createKey } from '../../../support/wallet-callers.ts';

/** The charges and prepaid balances of a service belong to the service, whose key can be replaced. */

test('a service whose key was revoked still pays its customers, and no other key of its agent does', {
  tags: 'slow',
}, async () => {
  const { server, mint } = await serveShop();
  const sold = await sell(server, { priceSats: 5 });
  expect([sold.status, sold.body.code]).toEqual([201, undefined]);
  const { url } = sold.body;
  const token = mint.issue(8, { withoutDleq: true });
  const ask = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const bought = await ask('POST', '/', { 'X-Cashu': token }, { prompt: 'Good morning' });
  const change = bought.headers.get('x-cashu') ?? '';
  expect([bought.status, mint.unspent([change])]).toEqual([200, 3]);
  const paidIn = { cashu_token: mint.issue(32, { withoutDleq: true }) };
  const { api_key: prepaidKey } = await (await ask('POST', '/v1/balance/create', {}, paidIn)).json();
  const balance = { Authorization: `Bearer ${prepaidKey}` };

  const readKey = async () =>
    JSON.parse(await readFile(join(server.dataDirectory, `data/services/${SOLD}.sell.json`), 'utf8')).key;
  const [first, other] = [await readKey(), as(server, await createKey(server, SOLD))];
  const expectForeign = async () => {
    expect((await other.call('GET', '/api/charges')).body).toEqual({ charges: [] });
    const refund = await other.call('POST', '/api/charges/refund', { token });
    expect([refund.status, refund.body.code]).toEqual([404, 'charge_not_found']);
    const drained = await other.call('POST', '/api/prepaid-balances/refund', { prepaidKey });
    expect([drained.status, drained.body.code]).toEqual([404, 'prepaid_balance_not_found']);
  };
  await expectForeign();

  const { keys } = (await server.asOperator('GET', '/api/keys')).body;
  const { id } = keys.find(({ label }: { label: string }) => label === `Service of ${SOLD}`);
  expect((await server.asOperator('DELETE', `/api/keys/${id}`)).status).toBe(200);
  expect((await sell(server, { priceSats: 5 })).body.code).toBeUndefined();
  expect(await readKey()).not.toBe(first);
  expect((await as(server, first).call('GET', '/api/charges')).body.code).toBe('unauthorized');

  const refund = await ask('POST', '/v1/balance/refund', { 'X-Cashu': token });
  expect([refund.status, (await refund.json()).token]).toEqual([200, change]);
  const info = await (await ask('GET', '/v1/balance/info', balance)).json();
  expect(info.balance).toBe(32_000);
  await expectForeign();
  const rest = await (await ask('POST', '/v1/balance/refund', balance)).json();
  expect(mint.unspent([rest.token])).toBe(32);
});

test('the customers of an agent that was deleted, restored and sold again still have their balances and refunds', async () => {
  const { server, mint } = await serveShop();
  const { url } = (await sell(server, { priceSats: 5 })).body;
  const deposit = mint.issue(64, { withoutDleq: true });
  const post = (path: string, headers: Record<string, string>, body: object) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const { api_key: prepaidKey } = await (
    await post('/v1/balance/create', {}, { cashu_token: deposit })
  ).json();
  const paid = mint.issue(8, { withoutDleq: true });
  const bought = await post('/', { 'X-Cashu': paid }, { prompt: 'Good morning' });

  const { entry } = (await server.asOperator('DELETE', `/api/agents/${SOLD}`, { confirm: SOLD })).body;
  expect((await server.asOperator('GET', '/api/services')).body.services).toEqual([]);
  await server.asOperator('POST', `/api/trash/${entry}/restore`, {});
  await trustRoot(server);
  expect((await sell(server, { priceSats: 5 })).body.code).toBeUndefined();

  const refund = await post('/v1/balance/refund', { 'X-Cashu': paid }, {});
  expect([refund.status, (await refund.json()).token]).toEqual([200, bought.headers.get('x-cashu')]);
  const rest = await (await post('/v1/balance/refund', { Authorization: `Bearer ${prepaidKey}` }, {})).json();
  expect(mint.unspent([rest.token])).toBe(64);
});
