import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { cashuHeader, fieldOf, send } from '../../../support/customers/post.ts';
import { plant } from '../../../support/plant.ts';
import { until } from '../../../support/raw-http.ts';
import { SOLD, salesOf, sell, serveShop } from '../../../support/sold-service.ts';
import { expectConsistent } from '../../../support/wallet-copies.ts';

/** Strangers buy the work of an agent, and its owner earns. */

test('a cashu-ts customer and one that follows Routstr’s rules buy from an agent at a flat price', async () => {
  const { mint, server, customer, routstrCustomer } = await serveShop();
  const { status, body: service } = await sell(server, { priceSats: 5 });
  expect([status, service.state, service.priceSats]).toEqual([201, 'running', 5]);
  expect(await (await fetch(service.url)).json()).toEqual({
    agent: SOLD,
    description: SOLD,
    model: null,
    price: { perRequest: 5, estimate: 5, currency: 'sat' },
    mints: [mint.url],
    refund: '/v1/balance/refund',
    prepaid: '/v1/balance/create',
  });

  const first = await customer();
  const bought = await first.buy(service.url, { prompt: 'Good morning' });
  expect(bought).toMatchObject({ outcome: 'bought', status: 200, paid: 5, change: 0 });
  expect(bought.body).toMatchObject({ usage: { inputTokens: 108, outputTokens: 10 }, charged: 5 });
  const second = await routstrCustomer();
  const answered = await second.complete(service.url, {
    model: SOLD,
    messages: [{ role: 'user', content: 'Good night' }],
  });
  expect(answered).toMatchObject({ outcome: 'answered', status: 200, paid: 5 });
  expect([await first.total(), await second.total(), await server.balance()]).toEqual([59, 59, 10]);
  expect(await salesOf(server)).toEqual([
    expect.objectContaining({ outcome: 'sold', charged: 5, inputTokens: 108, outputTokens: 10, status: 200 }),
    expect.objectContaining({ outcome: 'sold', charged: 5 }),
  ]);
  // The tokens are kept with the charge, also at a flat price.
  const { charges } = (await server.asOperator('GET', '/api/charges')).body;
  expect(charges[0]).toMatchObject({
    charged: 5,
    used: { inputTokens: 100, cacheReadTokens: 5, cacheWriteTokens: 3, outputTokens: 10 },
  });
  const { groups } = (await server.asOperator('GET', '/api/earnings?groupBy=agent')).body;
  expect(groups.find(({ key }: { key: string }) => key === SOLD)).toMatchObject({
    earnedSats: 10,
    payments: 2,
  });
  await expectConsistent(server, mint);
});

test('a price made from the model and a margin is paid in advance, and what was not used is change', async () => {
  const { mint, server, customer } = await serveShop({
    files: { [`agents/${SOLD}/pi-args`]: '--no-tools\n--model\ngpt-5.4\n--behave\necho\n' },
  });
  await until(async () => (await server.call('GET', '/api/pricing/btc')).status === 200);
  await server.asOperator('PUT', '/api/pricing/models', {
    models: { 'gpt-5.4': { input_usd_per_million: 500, output_usd_per_million: 1_000 } },
  });
  const wanted = { marginPercent: 50, maxOutputTokens: 100 };
  const preview = await server.asOperator('POST', '/api/services/preview', { agent: SOLD, ...wanted });
  expect(preview.body).toMatchObject({ model: 'gpt-5.4', tools: [] });
  const { cost, usualSats } = preview.body;
  expect(usualSats - Math.round(cost.usualSats * 1.5)).toBeLessThanOrEqual(1);
  // A flat price doesn't hide what the work costs.
  const flat = await server.asOperator('POST', '/api/services/preview', {
    agent: SOLD,
    ...wanted,
    priceSats: 1,
  });
  expect(flat.body).toMatchObject({ sats: 1, usualSats: 1, highestSats: 1, cost });
  const { body: service } = await sell(server, wanted);
  const buyer = await customer(4_096);
  const bought = await buyer.buy(service.url, { prompt: 'Good morning' });
  // (103 × 500 + 5 × 500 + 10 × 1,000) USD per million at 50,000 USD is 128 sat, and half of that on top.
  expect(bought).toMatchObject({ outcome: 'bought', body: { charged: 192 } });
  expect(bought.paid - bought.change).toBe(192);
  expect(await buyer.total()).toBe(4_096 - 192);
  expect(await server.balance()).toBe(192);
  const [charge] = (await server.asOperator('GET', '/api/charges')).body.charges;
  expect(charge).toMatchObject({
    used: { inputTokens: 100, cacheReadTokens: 5, cacheWriteTokens: 3, outputTokens: 10 },
    price: { marginPercent: 50 },
  });
  await expectConsistent(server, mint);
});

test('a customer who leaves pays for what was used until then, and gets the rest', async () => {
  const shop = await serveShop({
    files: { [`agents/${SOLD}/pi-args`]: '--no-tools\n--model\ngpt-5.4\n--behave\nstream\n' },
  });
  const { mint, server } = shop;
  await until(async () => (await server.call('GET', '/api/pricing/btc')).status === 200);
  await server.asOperator('PUT', '/api/pricing/models', {
    models: { 'gpt-5.4': { input_usd_per_million: 500, output_usd_per_million: 1_000 } },
  });
  const { body: service } = await sell(server, { marginPercent: 0, maxOutputTokens: 100 });
  const work = JSON.stringify({ parts: ['Guten ', 'Morgen'], until: join(server.directory, 'never') });
  const token = mint.issue(4_096);
  const post = (path: string, init: RequestInit = {}) =>
    fetch(`${service.url}${path}`, { method: 'POST', headers: { 'X-Cashu': token }, ...init });
  const leave = new AbortController();
  const body = JSON.stringify({ prompt: work });
  const buying = post('/', { body, signal: leave.signal }).catch(() => undefined);
  // pi told its model, and then began to write.
  await until(() => shop.agentProcesses().length === 3);
  // What it wrote has arrived once the service answers.
  await fetch(service.url);
  leave.abort();
  await buying;
  // The service's report follows the payment.
  await until(async () => typeof (await salesOf(server))[0]?.durationMs === 'number');
  const [sale] = await salesOf(server);
  expect(sale).toMatchObject({ outcome: 'sold', isEstimated: true, outputTokens: countTokens('Guten ') });
  expect(sale.charged).toBe(sale.inputTokens + 2 * sale.outputTokens);
  const refund = await (await post('/v1/balance/refund')).json();
  expect(Number(refund.sats)).toBe(4_096 - sale.charged);
  expect(await (await post('/', { body })).json()).toMatchObject({
    text: '',
    stopped: 'customer_left',
    charged: sale.charged,
  });
  await expectConsistent(server, mint);
});

test('a price that only the agent’s models.json has is the one of its private copy, and of its own sale', async () => {
  const modelsJson = (input: number) =>
    JSON.stringify({
      providers: {
        home: {
          baseUrl: 'https://home.example/v1',
          api: 'openai-completions',
          apiKey: '$HOME_KEY',
          models: [{ id: 'large', cost: { input, output: 1_000, cacheRead: input, cacheWrite: input } }],
        },
      },
    });
  const path = `agents/${SOLD}/models.json`;
  const { mint, server, customer } = await serveShop({
    files: {
      [`agents/${SOLD}/pi-args`]: '--no-tools\n--provider\nhome\n--model\nlarge\n--behave\necho\n',
      [path]: modelsJson(500),
    },
  });
  await until(async () => (await server.call('GET', '/api/pricing/btc')).status === 200);
  const wanted = {
    marginPercent: 50,
    maxOutputTokens: 100,
    accepts: ['model server https://home.example/v1'],
  };
  const preview = async () =>
    (await server.asOperator('POST', '/api/services/preview', { agent: SOLD, ...wanted })).body;
  const before = await preview();
  expect(before.model).toBe('home/large');
  const { status, body: service } = await sell(server, wanted);
  expect([status, service.state]).toEqual([201, 'running']);
  const buyer = await customer(16_384);
  const charged = async (prompt: string) => {
    const bought = await buyer.buy(service.url, { prompt });
    return (bought.body as { charged: number }).charged;
  };
  // As for the same prices in the models file.
  expect(await charged('Good morning')).toBe(192);

  // The live file changes nothing until the agent is sold again.
  await plant(server.rootPath, { [path]: modelsJson(5_000) });
  expect((await preview()).sats).toBeGreaterThan(before.sats * 5);
  expect(await charged('Good night')).toBe(192);
  // A key of the same agent that isn't the service's has no such price.
  const { key } = (
    await server.asOperator('POST', '/api/keys', { label: 'other', agent: SOLD, scopes: ['charge'] })
  ).body;
  const other = await server.call(
    'POST',
    '/api/charges',
    { model: 'home/large', maxInputTokens: 1, maxOutputTokens: 1, requestHash: '0'.repeat(64) },
    { Authorization: `Bearer ${key}` },
  );
  expect(other.body.code).toBe('unknown_model');

  await sell(server, wanted);
  expect(await charged('Once more')).toBeGreaterThan(1_500);
  await expectConsistent(server, mint);
});

test('a price that a customer was quoted holds after its owner asks for another one', async () => {
  const { mint, server } = await serveShop({
    files: { [`agents/${SOLD}/pi-args`]: '--no-tools\n--model\ngpt-5.4\n--behave\necho\n' },
  });
  await until(async () => (await server.call('GET', '/api/pricing/btc')).status === 200);
  await server.asOperator('PUT', '/api/pricing/models', {
    models: { 'gpt-5.4': { input_usd_per_million: 500, output_usd_per_million: 1_000 } },
  });
  const { body: service } = await sell(server, { priceSats: 5 });
  const ask = (prompt: string, token?: string) =>
    send(service.url, { body: { prompt }, ...(token === undefined ? {} : { token }) });
  const priceOf = async (prompt: string) => fieldOf((await ask(prompt)).body, 'amount');
  expect([await priceOf('flat'), await priceOf('flat and again')]).toEqual([5, 5]);
  // The service starts again with each price.
  await sell(server, { priceSats: 9 });
  expect(await priceOf('flat')).toBe(9);
  const bought = await ask('flat', mint.issue(5));
  expect([bought.status, fieldOf(bought.body, 'charged')]).toEqual([200, 5]);
  const low = mint.issue(5, { withoutDleq: true });
  const refused = await ask('never quoted', low);
  expect([refused.status, fieldOf(refused.body, 'required'), cashuHeader(refused)]).toEqual([400, 9, low]);

  await sell(server, { marginPercent: 50, maxOutputTokens: 100 });
  const fromModel = Number(await priceOf('of the model'));
  const again = await ask('flat and again', mint.issue(5));
  expect([again.status, fieldOf(again.body, 'charged')]).toEqual([200, 5]);
  await sell(server, { priceSats: 100_000 });
  const byUsage = await ask('of the model', mint.issue(fromModel));
  // As much as before, and the rest is change.
  expect([byUsage.status, fieldOf(byUsage.body, 'charged')]).toEqual([200, 192]);
  await expectConsistent(server, mint);
});

test('an agent that fails costs nothing, and its customer reads nothing about this computer', async () => {
  const { mint, server, customer, routstrCustomer } = await serveShop({ behavior: 'fail' });
  const { body: service } = await sell(server, { priceSats: 5 });
  const first = await customer();
  const refused = await first.buy(service.url, { prompt: 'Good morning' });
  expect(refused).toMatchObject({ outcome: 'refused', status: 502, paid: 5, refunded: 5 });
  const second = await routstrCustomer();
  await second.complete(service.url, { model: SOLD, messages: [{ role: 'user', content: 'Good night' }] });
  expect([await first.total(), await second.total(), await server.balance()]).toEqual([64, 64, 0]);
  expect(JSON.stringify(refused.body)).not.toMatch(/\/|\\|Error:/);
  const [sale] = await salesOf(server);
  expect(sale).toMatchObject({ outcome: 'refunded', charged: 0, status: 502 });
  expect(sale.detail).toMatch(/^model_error/);
  await expectConsistent(server, mint);
});

test('an agent sells for test money, and a service for real money doesn’t start with it', async () => {
  const first = await serveShop();
  const { body: real } = await sell(first.server, { priceSats: 5, startsWithApp: true });
  await first.server.close();
  const { server } = await serveShop({
    mint: first.mint,
    after: first.server,
    environment: { DEV_MODE: 'true' },
  });
  const listed = async () => (await server.asOperator('GET', '/api/services')).body.services;
  await until(async () => (await listed())[0].problem !== undefined);
  expect(await listed()).toMatchObject([{ state: 'closed', problem: expect.stringContaining('real money') }]);
  await expect(fetch(real.url)).rejects.toThrow();

  const { status, body: service } = await sell(server, { priceSats: 5, startsWithApp: true });
  expect([status, service.state]).toEqual([201, 'running']);
  const ask = (token?: string) =>
    fetch(service.url, {
      method: 'POST',
      headers: token === undefined ? {} : { 'X-Cashu': token },
      body: JSON.stringify({ prompt: 'Good morning' }),
    });
  const offer = await ask();
  expect([offer.status, (await offer.json()).mints]).toEqual([402, ['https://test-money.invalid']]);
  const { body: made } = await server.asOperator('POST', '/api/wallet/test-tokens', { amount: 8 });
  const bought = await ask(made.token);
  expect([bought.status, await bought.json()]).toMatchObject([200, { charged: 5 }]);
  const change = bought.headers.get('X-Cashu') ?? '';
  const refund = await fetch(`${service.url}/v1/balance/refund`, {
    method: 'POST',
    headers: { 'X-Cashu': made.token },
  });
  expect(await refund.json()).toMatchObject({ token: change, sats: '3' });
  expect((await server.receive(change)).body).toMatchObject({ amount: 3, simulated: true });
  expect(await server.balance()).toBe(8);
  expect(await salesOf(server)).toEqual([expect.objectContaining({ outcome: 'sold', charged: 5 })]);
  expect(first.mint.requests('/v1/swap')).toEqual([]);
});

test('an agent with tools is sold only after a second question', {
  tags: 'slow',
}, async () => {
  const { server, customer } = await serveShop({ files: { [`agents/${SOLD}/pi-args`]: '--behave\necho\n' } });
  const refused = await sell(server, { priceSats: 5 });
  expect([refused.status, refused.body.code]).toEqual([409, 'tools_not_accepted']);
  expect(refused.body.tools).toContain('bash');
  const { body: service } = await sell(server, { priceSats: 5, accepts: refused.body.tools });
  expect((await (await customer()).buy(service.url, { prompt: 'Hi' })).outcome).toBe('bought');
});

test('a service is stopped, its port is free, and its settings stay', { tags: 'slow' }, async () => {
  const { server } = await serveShop();
  const { body: service } = await sell(server, { priceSats: 5, description: 'Translations' });
  expect((await server.asOperator('POST', `/api/services/${SOLD}/stop`, {})).status).toBe(200);
  await expect(fetch(service.url)).rejects.toThrow();
  const { services } = (await server.asOperator('GET', '/api/services')).body;
  expect(services).toEqual([{ ...service, state: 'stopped' }]);
  const again = await sell(server, { priceSats: 6, port: service.port });
  expect([again.status, again.body.port, again.body.priceSats]).toEqual([201, service.port, 6]);
});
