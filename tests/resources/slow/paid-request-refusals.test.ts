import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createPaidRequests } from '../../../resources/starter-root/shared/lib/paid-request.mjs';
import { cashuHeader } from '../../support/customers/post.ts';
import { eventually } from '../../support/eventually.ts';
import { holdConnections } from '../../support/held-connections.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { ASKED, openPaidService, openTill, type PaidService, PRICE } from '../../support/paid-service.ts';
import { sendRaw, until } from '../../support/raw-http.ts';

/** Requests that shared/lib/paid-request.mjs refuses: what the customer reads, and that their token is safe. */

const errorOf = (reply: { body: unknown }) => (reply.body as { error: Record<string, unknown> }).error;

const raw = (service: PaidService, headers: readonly string[], body = '{}') =>
  sendRaw(
    service.url,
    [
      'POST / HTTP/1.1',
      'Host: x',
      'Connection: close',
      `Content-Length: ${body.length}`,
      ...headers,
      '',
      body,
    ].join('\r\n'),
  );

test('a token that can’t pay is untouched, and echoed if the mint calls it unspent, and the response says why', async () => {
  const service = await openPaidService({
    till: await openTill({ keysets: [{}, { unit: 'usd' }] }),
  });
  const { mint } = service;
  const other = await testMint();
  const tokens = {
    amount_too_low: mint.issue(PRICE - 1),
    wrong_mint: other.issue(8),
    wrong_unit: mint.issue(8, { unit: 'usd' }),
    token_locked: mint.issue(8, { p2pk: `02${'11'.repeat(32)}` }),
  };
  for (const [code, token] of Object.entries(tokens)) {
    const reply = await service.buy(token);
    // Of the others, dot-mi doesn't ask the mint.
    const echoed = code === 'amount_too_low' ? token : undefined;
    expect([reply.status, errorOf(reply).code, cashuHeader(reply)]).toEqual([400, code, echoed]);
    expect(errorOf(reply).message).toMatch(/^The .*\.$/);
  }
  expect((await service.buy(tokens.amount_too_low)).body).toMatchObject({ required: 5, received: 4 });
  expect((await service.buy(tokens.wrong_mint)).body).toMatchObject({ mints: [mint.url] });
  expect(mint.unspent([tokens.amount_too_low, tokens.token_locked])).toBe(12);
  expect([service.worked(), await service.states(), service.problems()]).toEqual([[], [], []]);
});

test('a spent or forged token is no payment, and a spent one is never echoed', async () => {
  const service = await openPaidService();
  const { mint } = service;
  const spent = mint.issue(8);
  mint.spend([spent]);
  const reply = await service.buy(spent);
  expect([reply.status, errorOf(reply), cashuHeader(reply)]).toMatchObject([
    400,
    { type: 'token_already_spent', code: 'cashu_token_already_spent' },
    undefined,
  ]);
  // Also not one that is too small anyway.
  const low = mint.issue(PRICE - 1);
  mint.spend([low]);
  const small = await service.buy(low);
  expect([small.status, errorOf(small).code, cashuHeader(small)]).toEqual([400, 'amount_too_low', undefined]);
  const forged = await service.buy(mint.issue(8, { badDleq: true }));
  expect([forged.status, errorOf(forged).code]).toEqual([400, 'invalid_cashu_token']);
  const unreadable = await service.buy('cashuBnonsense');
  expect([unreadable.status, errorOf(unreadable).code]).toEqual([400, 'invalid_cashu_token']);
  const pending = mint.issue(8);
  mint.setPending([pending]);
  const waiting = await service.buy(pending);
  expect([waiting.status, cashuHeader(waiting)]).toEqual([503, undefined]);
  expect(Number(waiting.headers['retry-after'])).toBeGreaterThan(0);
  expect(service.worked()).toEqual([]);
});

test('a header that isn’t one token is refused, and not echoed', async () => {
  const service = await openPaidService();
  const token = service.mint.issue(8);
  for (const headers of [
    [`X-Cashu: ${token}`, `X-Cashu: ${token}`],
    ['X-Cashu: '],
    ['X-Cashu: creqAabc'],
    [`X-Cashu: ${token}, ${token}`],
    [`X-Cashu: cashuB${'A'.repeat(15_000)}é`],
    ['X-Cashu: cashuB<script>'],
  ]) {
    const reply = await raw(service, headers);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'invalid_cashu_token']);
    expect(reply.head).not.toMatch(/x-cashu/i);
  }
  // Node refuses larger ones itself.
  expect((await raw(service, [`X-Cashu: cashuB${'A'.repeat(40_000)}`])).status).toBe(431);
  expect((await service.buy(token)).status).toBe(200);
  expect(service.gate.calls(/open-and-pay/)).toHaveLength(1);
});

test('a token of nearly 16,000 bytes pays in a header', async () => {
  const service = await openPaidService();
  const token = service.mint.issue(200, { proofCount: 108, withoutDleq: true });
  expect(token.length).toBeGreaterThan(15_500);
  expect(token.length).toBeLessThan(16_000);
  expect((await service.buy(token)).status).toBe(200);
});

test('a token of forty proofs pays, in both encodings', async () => {
  const service = await openPaidService();
  for (const version of ['A', 'B'] as const) {
    const token = service.mint.issue(100, { proofCount: 40, version, withoutDleq: true });
    expect(token.length).toBeGreaterThan(5_000);
    const reply = await service.buy(token);
    expect([reply.status, service.mint.unspent([cashuHeader(reply) ?? ''])]).toEqual([200, 100 - PRICE]);
  }
});

test('while the mint is away, nobody pays, and later the same tokens pay', async () => {
  const service = await openPaidService();
  const token = service.mint.issue(8);
  await service.mint.away();
  const reply = await service.buy(token);
  expect([reply.status, errorOf(reply), cashuHeader(reply)]).toMatchObject([
    503,
    { type: 'mint_unreachable', code: 'cashu_mint_unreachable' },
    undefined,
  ]);
  expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  await service.mint.back();
  await eventually(async () => expect((await service.buy(token)).status).toBe(200));
  expect(service.worked()).toHaveLength(1);
});

test('while dot-mi is away, quotes and payments are refused, and later the same tokens pay', async () => {
  const service = await openPaidService();
  const [first, second] = [service.mint.issue(8), service.mint.issue(8)];
  expect((await service.buy(first)).status).toBe(200);
  await service.gate.down();
  const replies = [await service.buy(), await service.buy(second)];
  for (const reply of replies) {
    expect([reply.status, errorOf(reply).code]).toEqual([503, 'service_unavailable']);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
  }
  expect(replies.map(cashuHeader)).toEqual([undefined, undefined]);
  await service.gate.up();
  expect((await service.buy(second)).status).toBe(200);
});

test('what dot-mi says about itself stays with the operator', async () => {
  const service = await openPaidService();
  const token = service.mint.issue(8);
  for (const [status, code] of [
    [401, 'unauthorized'],
    [404, 'agent_not_found'],
    [429, 'too_many_charges'],
    [503, 'wallet_locked'],
    [404, 'unknown_model'],
  ] as const) {
    const body = JSON.stringify({ code, error: 'the seller’s own /home/ann', retryAfterSeconds: 7 });
    for (const paying of [undefined, token]) {
      service.gate.next(/charges/, { answer: { status, body } });
      const reply = await service.buy(paying);
      expect([reply.status, errorOf(reply).code, cashuHeader(reply)]).toEqual([
        503,
        'service_unavailable',
        undefined,
      ]);
      expect(reply.headers['retry-after']).toBe('7');
      expect(reply.text).not.toMatch(new RegExp(`ann|${code}`));
      expect(service.problems().at(-1)).toContain(code);
    }
  }
  for (const rule of [
    { answer: { status: 500, body: JSON.stringify({ code: 'internal', error: 'x' }) } },
    { answer: { status: 200, body: '<html>' } },
  ]) {
    service.gate.next(/open-and-pay/, rule, 3);
    const reply = await service.buy(token);
    // Nobody knows what became of the token.
    expect([reply.status, cashuHeader(reply), reply.body]).toMatchObject([
      503,
      undefined,
      { refund: '/v1/balance/refund' },
    ]);
  }
  expect(service.mint.unspent([token])).toBe(8);
});

test('a redirect of the API is not followed, so that key and token stay', async () => {
  const service = await openPaidService();
  const seen: unknown[] = [];
  const elsewhere = createServer((request, response) => {
    seen.push(request.headers);
    response.end('{}');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void elsewhere.close());
  await until(() => elsewhere.listening);
  const Location = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`;
  service.gate.next(/./, { answer: { status: 307, headers: { Location }, body: '' } }, 20);
  expect((await service.buy()).status).toBe(503);
  expect((await service.buy(service.mint.issue(8))).status).toBe(503);
  expect(seen).toEqual([]);
});

test('only http and https reach the API, with a key', () => {
  const charge = () => ({ amount: 1 });
  for (const [apiUrl, key] of [
    ['file:///etc/passwd', 'dmk_x'],
    ['127.0.0.1:8000', 'dmk_x'],
    ['http://127.0.0.1:8000', ''],
  ] as const)
    expect(() => createPaidRequests({ apiUrl, key, charge })).toThrow(TypeError);
});

test('a body that is too large is refused, declared or not, and the connection doesn’t stay open', async () => {
  const service = await openPaidService({ mostBodyBytes: 1_000 });
  const token = service.mint.issue(8);
  const declared = await service.buy(token, { body: 'x'.repeat(2_000) });
  expect([declared.status, errorOf(declared).code, cashuHeader(declared)]).toEqual([
    413,
    'body_too_large',
    undefined,
  ]);
  const endless = connect(Number(new URL(service.url).port), '127.0.0.1');
  let text = '';
  endless.on('data', (chunk) => {
    text += chunk;
  });
  const closed = new Promise((resolve) => endless.on('close', resolve).on('error', () => undefined));
  endless.write(`POST / HTTP/1.1\r\nHost: x\r\nX-Cashu: ${token}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  const writer = setInterval(() => endless.write(`258\r\n${'x'.repeat(600)}\r\n`), 5);
  await closed;
  clearInterval(writer);
  expect(text).toMatch(/^HTTP\/1\.1 413 /);
  expect(service.mint.unspent([token])).toBe(8);
});

test('a body that doesn’t arrive in time is refused, and costs nobody else anything', async () => {
  const service = await openPaidService({ bodyTimeoutMs: 300 });
  const slow = connect(Number(new URL(service.url).port), '127.0.0.1');
  let text = '';
  slow.on('data', (chunk) => {
    text += chunk;
  });
  const closed = new Promise((resolve) => slow.on('close', resolve));
  slow.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n12');
  expect((await service.buy(service.mint.issue(8))).status).toBe(200);
  await closed;
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  expect(text).toContain('body_too_slow');
});

test('beyond its limits a service refuses before anything is paid, and then goes on', async () => {
  const { promise: until, resolve: finish } = Promise.withResolvers<void>();
  const service = await openPaidService({
    mostAtOnce: 2,
    mostWaiting: 0,
    // One each is reserved for paid requests, prices, deposits and refunds.
    mostRequests: 8,
    bodyTimeoutMs: 60_000,
    charge: async ({ path }) => {
      if (path === '/slow') await until;
      return { amount: PRICE };
    },
    work: async ({ path }) => {
      await until;
      return { body: { path } };
    },
  });
  const { mint } = service;
  const running = ['/1', '/2'].map((path) => service.buy(mint.issue(8), { path }));
  await eventually(() => expect(service.worked()).toHaveLength(2));
  const token = mint.issue(8);
  const busy = await service.buy(token);
  expect([busy.status, errorOf(busy).code, cashuHeader(busy)]).toEqual([503, 'service_busy', undefined]);
  expect(Number(busy.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  // A quote isn't work, and neither is a request that is still arriving.
  await holdConnections(service.url, 7, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1');
  expect((await service.buy()).status).toBe(402);
  const quotes = Array.from({ length: 4 }, () => service.buy(undefined, { path: '/slow' }));
  await eventually(async () => expect((await service.buy()).status).toBe(503));
  const full = await service.buy(token);
  expect([full.status, cashuHeader(full)]).toEqual([503, undefined]);
  // Strangers who ask for prices can't stop refunds.
  expect((await service.refund(token)).status).toBe(404);
  finish();
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200]);
  expect((await Promise.all(quotes)).map(({ status }) => status)).toEqual(quotes.map(() => 402));
  await eventually(async () => expect((await service.buy(token)).status).toBe(200));
  expect(service.worked()).toHaveLength(3);
});

test('of requests that arrive slowly, the first one ends for a new one', async () => {
  const service = await openPaidService({ mostRequests: 8, bodyTimeoutMs: 60_000 });
  const slow = await holdConnections(
    service.url,
    30,
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1',
  );
  expect((await service.buy(service.mint.issue(8))).status).toBe(200);
  expect((await service.buy()).status).toBe(402);
  await eventually(() =>
    expect(slow.filter(({ status }) => status() === 408).length).toBeGreaterThanOrEqual(22),
  );
  // The two others took a place for a moment.
  expect(slow.slice(-6).map(({ status, isClosed }) => [status(), isClosed()])).toEqual(
    Array.from({ length: 6 }, () => [undefined, false]),
  );
});

test('Express must not have read the body, unless as bytes', async () => {
  const { default: express } = await import('express');
  const { paid, mint, problems } = await openPaidService();
  const handler = paid.handle(({ body }) => ({ body: { length: body.length } }));
  const app = express()
    .post('/json', express.json(), handler)
    .post('/raw', express.raw({ type: () => true }), handler)
    .use(paid.balances)
    .use((_request, response) => void response.status(418).end());
  const server = app.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await until(() => server.listening);
  const post = (path: string, token: string) =>
    fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
      method: 'POST',
      headers: { 'X-Cashu': token, 'Content-Type': 'application/json' },
      body: JSON.stringify(ASKED),
    });
  const token = mint.issue(8);
  const parsed = await post('/json', token);
  expect([parsed.status, parsed.headers.get('X-Cashu')]).toEqual([500, null]);
  expect(problems()).toEqual([expect.stringContaining('before the body parsers')]);
  const bytes = await post('/raw', token);
  expect([bytes.status, await bytes.json()]).toMatchObject([200, { length: JSON.stringify(ASKED).length }]);
  expect((await post('/elsewhere', token)).status).toBe(418);
  expect((await post('/v1/balance/refund', token)).status).toBe(200);
});
