import { expect, test } from 'vitest';
import { fieldOf, send } from '../support/customers/post.ts';
import { openPaidService, openTill, PRICE } from '../support/paid-service.ts';

/**
 * The balance routes of paid-request.mjs, as Routstr's own tests use those of a node: routstr-core 8bd7d7e5,
 * tests/unit/test_balance_create_api.py and tests/integration/test_wallet_{authentication,information,topup,refund}.py.
 */

const KEY = /^sk-[0-9a-f]{64}$/;

test('a balance is created by POST and by GET with initial_balance_token, and read at the route without a name', async () => {
  const { url, balance, mint } = await openPaidService();
  const byPost = await balance('create', { body: { initial_balance_token: mint.issue(100) } });
  expect([byPost.status, byPost.body]).toMatchObject([
    200,
    { api_key: expect.stringMatching(KEY), balance: 100_000 },
  ]);
  const query = new URLSearchParams({ initial_balance_token: mint.issue(64) });
  const byGet = await balance(`create?${query}`, { method: 'GET' });
  expect([byGet.status, byGet.body]).toMatchObject([200, { balance: 64_000 }]);
  const key = String(fieldOf(byGet.body, 'api_key'));
  expect(key).toMatch(KEY);
  for (const path of ['/v1/balance/', '/v1/balance', '/v1/balance/info', '/v1/wallet/', '/v1/wallet/info']) {
    const read = await send(`${url}${path}`, { method: 'GET', key });
    expect([path, read.status, read.body]).toEqual([
      path,
      200,
      { api_key: key, balance: 64_000, reserved: 0, total_spent: 0 },
    ]);
  }
});

test('a token of more than 20,000 characters creates a balance, in a body', { tags: 'slow' }, async () => {
  const { balance, mint } = await openPaidService();
  const token = mint.issue(300, { proofCount: 160, withoutDleq: true });
  expect(token.length).toBeGreaterThan(20_000);
  const { status, body } = await balance('create', { body: { initial_balance_token: token } });
  expect([status, body]).toMatchObject([200, { balance: 300_000 }]);
});

test('a balance is topped up with a token in the query or the body, also one with line breaks', {
  tags: 'slow',
}, async () => {
  const { balance, mint } = await openPaidService();
  const { body } = await balance('create', { body: { cashu_token: mint.issue(8) } });
  const key = String(fieldOf(body, 'api_key'));
  const query = new URLSearchParams({ cashu_token: mint.issue(500) });
  const byQuery = await balance(`topup?${query}`, { key });
  expect([byQuery.status, byQuery.body]).toEqual([200, { msats: 500_000 }]);
  const broken = mint.issue(1_337).replace(/(.{40})/g, '$1\n\t');
  const byBody = await balance('topup', { key, body: { cashu_token: broken } });
  expect([byBody.status, byBody.body]).toEqual([200, { msats: 1_337_000 }]);
  expect((await balance('', { method: 'GET', key })).body).toMatchObject({ balance: 1_845_000 });
});

test('invalid and spent tokens top up nothing', { tags: 'slow' }, async () => {
  const { balance, mint } = await openPaidService();
  const { body } = await balance('create', { body: { cashu_token: mint.issue(8) } });
  const key = String(fieldOf(body, 'api_key'));
  for (const invalid of ['not-a-cashu-token', 'cashuA', 'cashuAinvalidbase64!!!', 'cashuBo2F0gqJhaUgA'])
    expect((await balance(`topup?${new URLSearchParams({ cashu_token: invalid })}`, { key })).status).toBe(
      400,
    );
  expect((await balance('topup', { key })).status).toBe(400);
  const spent = mint.issue(8);
  mint.spend([spent]);
  const reply = await balance('topup', { key, body: { cashu_token: spent } });
  expect([reply.status, fieldOf(reply.body, 'error')]).toMatchObject([
    400,
    { type: 'token_already_spent', message: expect.stringContaining('spent') },
  ]);
  expect((await balance('', { method: 'GET', key })).body).toMatchObject({ balance: 8_000 });
});

test('a token with characters that no header can have gets a response too', async () => {
  const { balance, mint } = await openPaidService({
    till: await openTill({ keysets: [{ inputFeePpk: 1_000 }] }),
  });
  const token = mint.issue(1);
  for (const cashu_token of [`cashu\0A123`, `${token}\0`, `${token}é`, `${token}\u2028`])
    expect((await balance('create', { body: { cashu_token } })).status).toBe(400);
  expect((await balance('create', { body: { cashu_token: token } })).headers['x-cashu']).toBe(token);
});

test('without a key, and with one that can’t be a key, the balance routes respond with 401 and a challenge', async () => {
  const { url, balance } = await openPaidService();
  for (const key of [undefined, 'sk-of-somebody', 'cashuAabc', '', `sk-${'0'.repeat(64)}`])
    for (const [route, method] of [
      ['', 'GET'],
      ['info', 'GET'],
      ['topup?cashu_token=cashuAabc', 'POST'],
      ['refund', 'POST'],
    ] as const) {
      const reply = await balance(route, { method, key });
      expect([key, route, reply.status, reply.headers['www-authenticate']]).toEqual([
        key,
        route,
        401,
        'Bearer',
      ]);
      expect(fieldOf(reply.body, 'error')).toMatchObject({ code: 'invalid_api_key' });
    }
  const basic = await fetch(`${url}/v1/balance/info`, { headers: { Authorization: 'Basic c2s6' } });
  expect([basic.status, basic.headers.get('WWW-Authenticate')]).toEqual([401, 'Bearer']);
});

test('a balance is refunded in whole sats, as a token in the body, and then has nothing', {
  tags: 'slow',
}, async () => {
  const service = await openPaidService();
  const { balance, mint } = service;
  const { body } = await balance('create', { body: { initial_balance_token: mint.issue(64) } });
  const key = String(fieldOf(body, 'api_key'));
  expect((await service.buy(undefined, { key })).status).toBe(200);
  const refund = await balance('refund', { key });
  const token = String(fieldOf(refund.body, 'token'));
  expect([refund.status, fieldOf(refund.body, 'sats')]).toEqual([200, `${64 - PRICE}`]);
  expect(mint.unspent([token])).toBe(64 - PRICE);
  expect((await balance('', { method: 'GET', key })).body).toMatchObject({ balance: 0 });
});
