import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { CustomerError } from '../../resources/starter-root/shared/lib/paid-request.mjs';
import { playBtcSources } from '../support/btc-sources/play.ts';
import { openCashuCustomer } from '../support/customers/cashu-customer.ts';
import { cashuHeader, fieldOf, send } from '../support/customers/post.ts';
import { openRoutstrCustomer } from '../support/customers/routstr-customer.ts';
import { eventually } from '../support/eventually.ts';
import { ANSWER, ASKED, openPaidService, openTill, PRICE } from '../support/paid-service.ts';
import { editA } from '../support/wallet.ts';

/** What a customer of shared/lib/paid-request.mjs gets when all goes well. */

test.each([undefined, 'express'] as const)(
  'a customer asks, pays, and gets work and change (%s)',
  { tags: 'slow' },
  async (kind) => {
    const service = await openPaidService({ server: kind });
    const asked = await service.buy();
    expect(asked.status).toBe(402);
    expect(asked.body).toMatchObject({
      error: { type: 'payment_required', code: 'payment_required', message: expect.any(String) },
      amount: PRICE,
      unit: 'sat',
      mints: [service.mint.url],
      refund: '/v1/balance/refund',
    });
    expect(cashuHeader(asked)).toMatch(/^creqA/);
    const token = service.mint.issue(8);
    const bought = await service.buy(token);
    expect([bought.status, bought.body]).toEqual([200, { ...ANSWER, charged: PRICE }]);
    const change = cashuHeader(bought) ?? '';
    expect(service.mint.unspent([change])).toBe(3);
    expect(service.worked()).toEqual([JSON.stringify(ASKED)]);
    expect(await service.states()).toEqual(['settled']);
    for (const path of ['/v1/balance/refund', '/v1/wallet/refund']) {
      const refund = await service.refund(token, path);
      expect([refund.status, refund.body]).toEqual([200, { token: change, sats: '3' }]);
      expect(cashuHeader(refund)).toBe(change);
    }
    expect(service.problems()).toEqual([]);
  },
);

test('a cashu-ts wallet that knows only NUT-24 buys many times in parallel, at a mint with fees', {
  tags: 'slow',
}, async () => {
  const till = await openTill({ keysets: [{ inputFeePpk: 500 }] });
  const service = await openPaidService({ till });
  const { mint } = service;
  const customer = await openCashuCustomer({ mintUrl: mint.url, tokens: [mint.issue(500)] });
  const purchases = await Promise.all(
    Array.from({ length: 6 }, (_, at) => customer.buy(service.url, { text: `text ${at}` }, { extra: 20 })),
  );
  expect(purchases.map(({ outcome }) => outcome)).toEqual(Array(6).fill('bought'));
  expect(service.worked()).toHaveLength(6);
  for (const { change } of purchases) expect(change).toBeGreaterThan(0);
  expect(await customer.total()).toBe(mint.outstanding() - (await till.wallet.balance()));
});

test("Routstr's client buys completions, takes a refund with an error, and fetches a lost one", {
  tags: 'slow',
}, async () => {
  const till = await openTill({ keysets: [{ inputFeePpk: 500 }] });
  let fails = false;
  const service = await openPaidService({
    till,
    charge: ({ json, path }) => {
      expect(path).toBe('/v1/chat/completions');
      return { amount: (json() as { messages: unknown[] }).messages.length * PRICE };
    },
    work: ({ signal }) => {
      signal.throwIfAborted();
      if (fails) throw new Error('the model is down');
      return { body: { choices: [{ index: 0, message: { role: 'assistant', content: 'hi' } }] }, amount: 2 };
    },
  });
  const { mint } = service;
  const customer = await openRoutstrCustomer({ mintUrl: mint.url, tokens: [mint.issue(500)] });
  const body = { model: 'any', messages: [{ role: 'user' as const, content: 'hello' }] };
  expect(await customer.priceOf(service.url, body, 'payment-request')).toBe(PRICE + 1);
  const bought = await customer.complete(service.url, body, { sats: 20 });
  expect(bought).toMatchObject({ outcome: 'answered', text: 'hi' });
  expect(bought.change).toBeGreaterThan(10);
  fails = true;
  const failed = await customer.complete(service.url, body, { sats: 20 });
  expect(failed).toMatchObject({ outcome: 'refused', status: 502, error: { type: 'upstream_error' } });
  expect(failed.refunded).toBeGreaterThan(15);
  fails = false;
  const exact = await customer.complete(service.url, body, { sats: 2 });
  expect(exact).toMatchObject({ outcome: 'refused', status: 400, returned: 2 });
  const lost = await customer.complete(service.url, body, { sats: 20, lose: 'answer' });
  expect(lost.outcome).toBe('lost');
  await customer.settle();
  expect(customer.kept()).toBe(0);
  expect(await customer.total()).toBe(mint.outstanding() - (await till.wallet.balance()));
});

test('a price made from a model is settled by what the model used', { tags: 'slow' }, async () => {
  const sources = await playBtcSources();
  const till = await openTill({}, { environment: { BTC_PRICE_SOURCES: sources.setting() } });
  const terms = { model: 'gpt-5.4', maxInputTokens: 2_000, maxOutputTokens: 4_000, marginPercent: 30 };
  const usage = { inputTokens: 1_000, outputTokens: 500, cacheReadTokens: 100 };
  const service = await openPaidService({
    till,
    charge: () => terms,
    work: ({ charge }) => {
      expect(charge.price).toMatchObject({ model: 'gpt-5.4', marginPercent: 30 });
      return { body: { text: 'done' }, usage };
    },
  });
  await eventually(async () => expect((await till.wallet.call('GET', '/api/pricing/btc')).status).toBe(200));
  const asked = (await service.buy()).body as { amount: number };
  const bought = (await service.buy(service.mint.issue(asked.amount))).body as { charged: number };
  expect(bought.charged).toBeGreaterThan(0);
  expect(bought.charged).toBeLessThan(asked.amount / 2);
});

test('work that costs less than the price, or nothing, leaves change, and exact payment leaves none', {
  tags: 'slow',
}, async () => {
  let amount = 2;
  const service = await openPaidService({ work: () => ({ body: 'plain text', amount }) });
  const first = await service.buy(service.mint.issue(PRICE));
  expect([first.status, first.text, first.headers['content-type']]).toEqual([200, 'plain text', undefined]);
  expect(service.mint.unspent([cashuHeader(first) ?? ''])).toBe(3);
  amount = 0;
  const free = await service.buy(service.mint.issue(PRICE));
  expect(service.mint.unspent([cashuHeader(free) ?? ''])).toBe(PRICE);
  amount = 100;
  const token = service.mint.issue(PRICE);
  const dear = await service.buy(token);
  expect([dear.status, cashuHeader(dear)]).toEqual([200, undefined]);
  const refund = await service.refund(token);
  expect([refund.status, refund.body]).toMatchObject([
    404,
    { error: { code: 'nothing_to_refund' }, charged: 5 },
  ]);
});

test('an author sets status and headers, except those that belong to the connection or the payment', {
  tags: 'slow',
}, async () => {
  const service = await openPaidService({
    work: () => ({
      status: 201,
      headers: {
        'Content-Type': 'image/png',
        'X-Own': 'yes',
        'Set-Cookie': ['a=1', 'b=2'],
        Connection: 'upgrade',
        'Transfer-Encoding': 'chunked',
        'Content-Length': 1,
        'X-Cashu': 'cashuBtheirs',
        'Cache-Control': 'public',
      },
      body: Buffer.from([1, 2, 3]),
    }),
  });
  const reply = await service.buy(service.mint.issue(PRICE));
  expect(reply.status).toBe(201);
  expect(reply.text).toBe('\x01\x02\x03');
  expect(reply.headers).toMatchObject({
    'content-type': 'image/png',
    'x-own': 'yes',
    'set-cookie': ['a=1', 'b=2'],
    'content-length': '3',
    'cache-control': 'no-store',
  });
  expect(reply.headers['x-cashu']).toBeUndefined();
});

test.each([
  { name: 'change of nearly 4,096 bytes is in a header', proofs: 26, isSent: true },
  { name: 'longer change is only at the refund route', proofs: 29, isSent: false },
])('$name', { tags: 'slow' }, async ({ proofs, isSent }) => {
  const service = await openPaidService();
  const token = service.mint.issue(2 ** proofs + PRICE - 1);
  const bought = await service.buy(token);
  const { token: change } = (await service.refund(token)).body as { token: string };
  expect(service.mint.unspent([change])).toBe(2 ** proofs - 1);
  expect(change.length).toBeGreaterThan(3_500);
  expect(change.length <= 4_096).toBe(isSent);
  expect(cashuHeader(bought)).toBe(isSent ? change : undefined);
});

test('one proof of a customer’s token gets neither the work, nor the change, nor the balance', async () => {
  const service = await openPaidService();
  const { mint, balance } = service;
  const pay = () => mint.issue(13, { version: 'A', withoutDleq: true });
  const partOf = (token: string) =>
    editA(token, ({ token: [entry] }) => void entry?.proofs.splice(0, 3, entry.proofs[1] ?? {}));
  const token = pay();
  const bought = await service.buy(token);
  expect(bought.status).toBe(200);
  const stolen = await service.buy(partOf(token));
  expect([stolen.status, fieldOf(fieldOf(stolen.body, 'error'), 'type')]).toEqual([
    400,
    'token_already_spent',
  ]);
  expect(cashuHeader(stolen)).toBeUndefined();
  expect((await service.refund(partOf(token))).status).toBe(404);
  // The customer lost the response.
  const again = await service.buy(token);
  expect([again.status, again.body, cashuHeader(again)]).toEqual([200, bought.body, cashuHeader(bought)]);

  const deposit = pay();
  const opened = await balance('create', { body: { cashu_token: deposit } });
  expect((await balance('create', { body: { cashu_token: partOf(deposit) } })).status).toBe(400);
  expect((await service.refund(partOf(deposit))).status).toBe(404);
  const key = String(fieldOf(opened.body, 'api_key'));
  expect((await balance('info', { method: 'GET', key })).body).toMatchObject({ balance: 13_000 });
});

test('change that is too long for a header is only at the refund route', { tags: 'slow' }, async () => {
  const service = await openPaidService({ mostHeaderBytes: 100 });
  const token = service.mint.issue(8);
  const bought = await service.buy(token);
  expect(bought.body).toEqual({ ...ANSWER, charged: PRICE, change: { url: '/v1/balance/refund' } });
  expect([cashuHeader(bought), bought.headers['x-cashu-refund-url']]).toEqual([
    undefined,
    '/v1/balance/refund',
  ]);
  const refund = await service.refund(token);
  const { token: change, sats } = refund.body as { token: string; sats: string };
  expect([service.mint.unspent([change]), sats, cashuHeader(refund)]).toEqual([3, '3', undefined]);
});

test('the work reads the request, and nobody but dot-mi reads the token', async () => {
  const seen: unknown[] = [];
  const service = await openPaidService({
    charge: ({ method, path, headers, json }) => {
      seen.push([method, path, headers['x-cashu'], json()]);
      return { amount: PRICE };
    },
    work: (job) => {
      seen.push([job.method, job.path, job.headers['x-cashu'], job.json(), job.charge.paid]);
      expect(JSON.stringify(job)).not.toContain('cashuB');
      return {};
    },
  });
  const reply = await service.buy(service.mint.issue(8), { path: '/x?y=1' });
  expect([reply.status, reply.text]).toEqual([200, '']);
  expect(seen).toEqual([
    ['POST', '/x?y=1', undefined, ASKED],
    ['POST', '/x?y=1', undefined, ASKED, 8],
  ]);
});

test('a request that is refused by its author leaves the token alone, and nothing is charged', async () => {
  const service = await openPaidService({
    charge: ({ json, path }) => {
      if (path === '/broken') throw new Error('a secret detail');
      if (path === '/none') throw new CustomerError(404, 'no_such_thing', 'There is no such thing.');
      json();
      return { amount: PRICE };
    },
  });
  const token = service.mint.issue(8);
  const none = await service.buy(token, { path: '/none' });
  expect([none.status, none.body, cashuHeader(none)]).toEqual([
    404,
    { error: { message: 'There is no such thing.', type: 'invalid_request_error', code: 'no_such_thing' } },
    undefined,
  ]);
  const broken = await service.buy(token, { path: '/broken' });
  expect([broken.status, cashuHeader(broken)]).toEqual([500, undefined]);
  expect(broken.text).not.toContain('secret');
  expect(service.problems()).toEqual([expect.stringContaining('a secret detail')]);
  const response = await fetch(service.url, { method: 'POST', headers: { 'X-Cashu': token }, body: '{' });
  expect([response.status, await response.json()]).toMatchObject([400, { error: { code: 'invalid_json' } }]);
  expect([service.mint.unspent([token]), await service.states()]).toEqual([8, []]);
});

test('a quote pays for the same request at the same terms, and for nothing dearer', async () => {
  const service = await openPaidService({
    charge: ({ headers, body }) => ({ amount: headers['x-quality'] === 'best' ? 100 : body.length }),
  });
  const { mint } = service;
  const ask = (body: string, headers: Record<string, string> = {}, path = '/') =>
    fetch(`${service.url}${path}`, { method: 'POST', body, headers });
  await ask('a');
  const token = mint.issue(1);
  const others = await Promise.all([
    ask('a longer text', { 'X-Cashu': token }),
    ask('a', { 'X-Cashu': token, 'X-Quality': 'best' }),
  ]);
  for (const { status, headers } of others) expect([status, headers.get('X-Cashu')]).toEqual([400, token]);
  const paid = await Promise.all([
    ask('a', { 'X-Cashu': token }),
    ask('a', { 'X-Cashu': mint.issue(1) }, '/other'),
    ask('a', { 'X-Cashu': mint.issue(1), 'Content-Type': 'text/html' }),
  ]);
  for (const { status } of paid) expect(status).not.toBe(400);
  const { charges } = (await service.wallet.asOperator('GET', '/api/charges')).body;
  const hashes = new Set(charges.map(({ requestHash }: { requestHash: string }) => requestHash));
  expect([charges.length, hashes.size]).toEqual([3, 3]);
});

test('GET and paths without a refund are sold too, and other paths of the refund handler are not found', async () => {
  const service = await openPaidService({ work: ({ method }) => ({ body: { method } }) });
  const reply = await send(service.url, { method: 'GET', token: service.mint.issue(PRICE) });
  expect(reply.body).toEqual({ method: 'GET', charged: PRICE });
  const asGet = await send(`${service.url}/v1/balance/refund`, { method: 'GET' });
  expect(asGet.status).toBe(402);
});

test('a program that listens where dot-mi did gets no key and no token', async () => {
  const service = await openPaidService();
  expect((await service.buy(service.mint.issue(PRICE))).status).toBe(200);
  const { port } = new URL(service.gate.url);
  await service.gate.down();
  const heard: string[] = [];
  const impostor = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    request.on('data', (chunk) => heard.push(String(chunk)));
    request.on('end', () => response.end(JSON.stringify({ ok: true, proofs: ['0'.repeat(64)] })));
  });
  await new Promise<void>((resolve) => impostor.listen(Number(port), '127.0.0.1', resolve));
  onTestFinished(() => void impostor.close());
  const token = service.mint.issue(PRICE);
  const refused = await service.buy(token);
  expect(refused.status).toBe(503);
  expect(heard.length).toBeGreaterThan(0);
  expect(heard.join('\n')).not.toContain(service.key);
  expect(heard.join('\n')).not.toContain(token);
  expect(service.problems().join('\n')).toContain("doesn't know this key, so it was not sent");
  impostor.close();
  impostor.closeAllConnections();
  await service.gate.up();
  expect((await service.buy(token)).status).toBe(200);
});
