import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { requestMint } from '../../../src/server/wallet/mint/mint-http.ts';
import { shortWords } from '../../../src/server/wallet/mint/mint-refusal.ts';
import { failureOf } from '../../support/mint-adapter.ts';

/** A server of this process that ends with the test. */
const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const ask = (url: string, timeoutMs = 2000) => requestMint({ url, method: 'GET' }, timeoutMs);

test("the mint's message is one line of limited length, and a page of HTML is not a message", async () => {
  const answers = [
    JSON.stringify({ detail: 'a\u0000\u001b[31m\r\nb\u202e\u200bc\u2028d', code: '1' }),
    JSON.stringify({ detail: 'x'.repeat(10_000), code: 5 }),
    JSON.stringify({ error: 'old words', code: 7 }),
    JSON.stringify({ detail: [5, null, { msg: 'field required', input: 'a secret' }] }),
    JSON.stringify({ detail: [{ input: 'a secret' }] }),
    '<html><body>nginx</body></html>',
    'null',
    '',
  ];
  const url = await listen((_request, response) => response.writeHead(400).end(answers.shift()));
  const next = async () => {
    const { message, details } = await failureOf(ask(url));
    return [message, details.mintCode];
  };
  expect(await next()).toEqual(['a [31m b c d', undefined]);
  expect(await next()).toEqual(['x'.repeat(300), 5]);
  expect(await next()).toEqual(['old words', 7]);
  expect(await next()).toEqual(['field required', undefined]);
  expect(await next()).toEqual(['HTTP 400', undefined]);
  for (const _ of [1, 2, 3]) expect(await next()).toEqual(['The mint returned HTTP 400.', undefined]);
  expect(shortWords(' \n\t ')).toBe('');
});

test.each([
  [403, '<html><body>nginx</body></html>', 'unanswered'],
  [400, '', 'unanswered'],
  [404, '', 'refused'],
  [405, '<html><body>nginx</body></html>', 'refused'],
  [413, '<html><body>nginx</body></html>', 'refused'],
  [403, JSON.stringify({ detail: 'not allowed' }), 'refused'],
] as const)('HTTP %i with the body %j is %s', async (status, body, kind) => {
  const url = await listen((_request, response) => response.writeHead(status).end(body));
  expect((await failureOf(ask(url))).kind).toBe(kind);
});

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toUTCString();

test.each([
  ['7', 7000],
  ['0', 0],
  ['99999999', 3_600_000],
  ['-1', 60_000],
  ['soon', 60_000],
  ['', 60_000],
  [undefined, 60_000],
  [inSeconds(-60), 0],
  [inSeconds(86_400), 3_600_000],
])('HTTP 429 with Retry-After: %s is a wait of %s ms', async (header, wait) => {
  const url = await listen((_request, response) => {
    response.writeHead(429, header === undefined ? {} : { 'Retry-After': header }).end();
  });
  const { kind, details } = await failureOf(ask(url));
  expect([kind, details.retryAfterMs]).toEqual(['limited', wait]);
});

test('Retry-After may be a date, and may be in other responses as well', async () => {
  const url = await listen((_request, response) => {
    response.writeHead(503, { 'Retry-After': inSeconds(20) }).end();
  });
  const { kind, details } = await failureOf(ask(url));
  expect(kind).toBe('unanswered');
  expect(details.retryAfterMs).toBeGreaterThan(15_000);
  expect(details.retryAfterMs).toBeLessThanOrEqual(20_000);
});

/** As Nutshell refuses a list that is too long. */
const tooLong = (
  list: string,
  ctx: object,
  msg = 'List should have at most 1000 items after validation, not 1400',
) => ({
  detail: [{ type: 'too_long', loc: ['body', list], msg, input: ['a secret'], ...ctx }],
});

test.each([
  ['Nutshell: inputs', 422, '/v1/swap', tooLong('inputs', { ctx: { max_length: 1000 } }), 'inputs', 1000],
  ['Nutshell: outputs', 422, '/v1/swap', tooLong('outputs', { ctx: { max_length: 800 } }), 'outputs', 800],
  ['Nutshell: Ys', 422, '/v1/checkstate', tooLong('Ys', { ctx: { max_length: 500 } }), 'inputs', 500],
  ['Nutshell without ctx', 422, '/v1/swap', tooLong('inputs', {}), 'inputs', 1000],
  [
    'Nutshell, odd numbers',
    422,
    '/v1/swap',
    tooLong('inputs', { ctx: { max_length: -1 } }, 'too long'),
    'inputs',
    undefined,
  ],
  [
    'cdk: inputs',
    400,
    '/v1/swap',
    { code: 11014, detail: 'Maximum inputs exceeded: 1400 provided, max 1000' },
    'inputs',
    1000,
  ],
  [
    'cdk: outputs',
    400,
    '/v1/swap',
    { code: 11015, detail: 'Maximum outputs exceeded' },
    'outputs',
    undefined,
  ],
  ['a code and no words', 400, '/v1/swap', { code: 11014 }, 'inputs', undefined],
  ['a proxy, swap', 413, '/v1/swap', undefined, 'inputs', undefined],
  ['a proxy, restore', 413, '/v1/restore', undefined, 'outputs', undefined],
])('a request that is too large names the limit: %s', async (_name, status, path, body, what, most) => {
  const url = await listen((_request, response) => {
    response.writeHead(status).end(body ? JSON.stringify(body) : '<html>nginx</html>');
  });
  const error = await failureOf(requestMint({ url: `${url}${path}`, method: 'POST', body: '{}' }));
  expect([error.kind, error.details.status, error.details.limit]).toEqual([
    'refused',
    status,
    { what, most },
  ]);
  expect(error.message).not.toContain('secret');
});

test.each([
  [
    'another validation error',
    422,
    { detail: [{ type: 'missing', loc: ['body', 'inputs'], msg: 'Field required' }] },
  ],
  ['a list we do not send', 422, tooLong('witness', { ctx: { max_length: 1 } })],
  ['another code', 400, { code: 11001, detail: 'at most 5' }],
])('%s names no limit', async (_name, status, body) => {
  const url = await listen((_request, response) => response.writeHead(status).end(JSON.stringify(body)));
  expect((await failureOf(ask(url))).details.limit).toBeUndefined();
});
