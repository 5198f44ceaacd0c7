import { expect, onTestFinished, test } from 'vitest';
import type { Sale } from '../../../../src/shared/api/services.ts';
import { eventually } from '../../../support/eventually.ts';
import { SOLD, salesOf, sell, serveShop, soldArgs } from '../../../support/sold-service.ts';
import type { WalletServer } from '../../../support/wallet.ts';
import { readRows } from '../../../support/wallet.ts';

/** The permanent log of sales, its sums, and the prepaid keys that the operator blocks. */

const post = (url: string, path: string, headers: Record<string, string>, body: object) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const pageOf = async (server: WalletServer, query = '') =>
  (await server.asOperator('GET', `/api/services/${SOLD}/sales${query}`)).body;

const csvOf = async (server: WalletServer, path: string) => {
  const response = await fetch(`${server.url}${path}`, {
    headers: { Accept: 'text/csv', Authorization: `Bearer ${server.operatorToken}` },
  });
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
  const [head = '', ...rows] = (await response.text()).trimEnd().split('\r\n');
  return {
    head: head.split(','),
    rows: rows.map((row) => row.split(',')),
    next: response.headers.get('next-cursor'),
  };
};

/** A service that sold twice for a token and once for a prepaid key. */
const sellThrice = async () => {
  const shop = await serveShop({
    files: { [`agents/${SOLD}/pi-args`]: `--model\ngpt-5.4\n${soldArgs('echo')}` },
  });
  const { server, mint } = shop;
  await eventually(async () => expect((await server.call('GET', '/api/pricing/btc')).status).toBe(200));
  await server.asOperator('PUT', '/api/pricing/models', {
    models: {
      'gpt-5.4': {
        input_usd_per_million: 500,
        output_usd_per_million: 1_000,
        cache_read_usd_per_million: 100,
      },
    },
  });
  const { body: service } = await sell(server, { priceSats: 150 });
  const prompt = { prompt: 'Good morning' };
  const buy = async (url: string) =>
    (await post(url, '/', { 'X-Cashu': mint.issue(256, { withoutDleq: true }) }, prompt)).status;
  const deposit = { cashu_token: mint.issue(512, { withoutDleq: true }) };
  const { api_key: key } = await (await post(service.url, '/v1/balance/create', {}, deposit)).json();
  const withKey = (path: string, body: object = prompt) =>
    post(service.url, path, { Authorization: `Bearer ${key}` }, body);
  expect([await buy(service.url), await buy(service.url), (await withKey('/')).status]).toEqual([
    200, 200, 200,
  ]);
  return { ...shop, service, buy, withKey };
};

test('each paid request is in the log for good, once, and its sums are those of the wallet', async () => {
  const { server, mint, buy } = await sellThrice();
  await eventually(async () => expect(await salesOf(server)).toHaveLength(3));
  const first = await pageOf(server);
  // (103 × 500 + 5 × 100 + 10 × 1,000) USD per million at 50,000 USD.
  expect(first.sales[0]).toMatchObject({ outcome: 'sold', charged: 150, costSats: 124, status: 200 });
  expect(first.sales.map(({ balanceId }: Sale) => typeof balanceId)).toEqual([
    'string',
    'undefined',
    'undefined',
  ]);
  expect(first.totals).toEqual({
    sold: 3,
    refunded: 0,
    earnedSats: 450,
    refundedSats: 0,
    costSats: 372,
    unknownCosts: 0,
  });
  await server.close();

  const { server: next } = await serveShop({
    mint,
    after: server,
    behavior: 'fail',
  });
  const failing = await sell(next, { priceSats: 150 });
  expect(await buy(failing.body.url)).toBe(502);
  await eventually(async () => expect(await salesOf(next)).toHaveLength(4));
  const { sales, totals } = await pageOf(next);
  expect(sales[0]).toMatchObject({ outcome: 'refunded', charged: 0, paid: 256, status: 502 });
  expect(sales.slice(1)).toEqual(first.sales);
  expect(totals).toMatchObject({ sold: 3, refunded: 1, earnedSats: 450, refundedSats: 256 });
  // The charges say the same, and the wallet has the sats.
  const { charges } = (await next.asOperator('GET', '/api/charges?limit=200')).body;
  const sum = charges.reduce((all: number, { charged = 0 }) => all + charged, 0);
  const balance = (await next.call('GET', '/api/wallet/balance')).body;
  expect([sum, balance.balance - (balance.held ?? 0)]).toEqual([450, 450]);

  // Pages, newest first.
  const pages: Sale[] = [];
  let cursor = '';
  do {
    const page = await pageOf(next, `?limit=2${cursor}`);
    pages.push(...page.sales);
    cursor = page.nextCursor === undefined ? '' : `&cursor=${page.nextCursor}`;
  } while (cursor !== '');
  expect(pages).toEqual(sales);

  const csv = await csvOf(next, `/api/services/${SOLD}/sales?limit=3`);
  expect(csv.rows).toHaveLength(3);
  expect(csv.next).toMatch(/^\d+$/);
  const column = csv.head.indexOf('charged_sats');
  expect(csv.rows.map((row) => row[column])).toEqual(['0', '150', '150']);
  await next.close();
  // No text of a customer.
  const rows = await readRows(next.directory, 'SELECT * FROM sales');
  expect(rows).toHaveLength(4);
  expect(JSON.stringify(rows)).not.toContain('Good morning');
});

test('a report that is repeated, or about a charge of somebody else, is written once or not at all', {
  tags: 'slow',
}, async () => {
  let foreign = '';
  const shop = await serveShop({
    // Says each line three times, once about a charge of another owner.
    onProgram({ stdout }) {
      const emit = stdout.emit.bind(stdout);
      stdout.emit = (event: string, ...values: unknown[]) => {
        const text = String(values[0]);
        if (event !== 'data' || !text.includes('"sale"')) return emit(event, ...values);
        emit(event, text.replace(/"chargeId":"[0-9a-f]+"/, `"chargeId":"${foreign}"`));
        emit(event, text);
        return emit(event, text);
      };
    },
  });
  const { server, mint } = shop;
  const { body: charge } = await server.asOperator('POST', '/api/charges', {
    amount: 5,
    requestHash: 'a'.repeat(64),
  });
  foreign = charge.id;
  await server.asOperator('POST', `/api/charges/${foreign}/pay`, {
    token: mint.issue(8, { withoutDleq: true }),
  });
  const { body: service } = await sell(server, { priceSats: 5 });
  for (const prompt of ['Hi', 'Hello'])
    await post(service.url, '/', { 'X-Cashu': mint.issue(8, { withoutDleq: true }) }, { prompt });
  await eventually(async () =>
    expect((await salesOf(server)).map(({ status }: Sale) => status)).toEqual([200, 200]),
  );
  await server.close();
  expect(await readRows(server.directory, 'SELECT charge FROM sales')).toHaveLength(2);
});

test('a blocked prepaid key gets no work and takes no money, and still gets its rest back', async () => {
  const { server, mint, withKey } = await sellThrice();
  await eventually(async () => expect(await salesOf(server)).toHaveLength(3));
  const [{ balanceId }] = await salesOf(server);
  const path = `/api/prepaid-balances/${balanceId}/blocked`;
  const blocked = await server.asOperator('PUT', path, { blocked: true });
  expect([blocked.status, blocked.body]).toMatchObject([200, { id: balanceId, blocked: true }]);
  expect((await salesOf(server)).map((sale: Sale) => sale.blocked)).toEqual([true, undefined, undefined]);

  const charges = async () => (await server.asOperator('GET', '/api/charges')).body.charges.length;
  const before = await charges();
  const work = await withKey('/', { prompt: 'Good morning' });
  expect([work.status, (await work.json()).error.code]).toEqual([403, 'key_blocked']);
  const token = mint.issue(64, { withoutDleq: true });
  const topUp = await withKey('/v1/balance/topup', { cashu_token: token });
  expect([topUp.status, topUp.headers.get('X-Cashu'), mint.unspent([token])]).toEqual([403, null, 64]);
  expect(await charges()).toBe(before);

  await server.asOperator('PUT', path, { blocked: false });
  expect((await withKey('/')).status).toBe(200);
  await server.asOperator('PUT', path, { blocked: true });
  const refund = await withKey('/v1/balance/refund', {});
  expect([refund.status, mint.unspent([(await refund.json()).token])]).toEqual([200, 512 - 2 * 150]);
  const unknown = await server.asOperator('PUT', '/api/prepaid-balances/none/blocked', { blocked: true });
  expect([unknown.status, unknown.body.code]).toEqual([404, 'prepaid_balance_not_found']);
});

test('a customer who leaves the line is in the log as refunded', { tags: 'slow' }, async () => {
  const shop = await serveShop({ behavior: 'hang' });
  const { server, mint } = shop;
  const { body: service } = await sell(server, { priceSats: 5, parallel: 1 });
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const buy = (signal: AbortSignal) =>
    fetch(service.url, {
      method: 'POST',
      headers: { 'X-Cashu': mint.issue(8, { withoutDleq: true }) },
      body: '{"prompt":"Hi"}',
      signal,
    }).catch(() => undefined);
  void buy(leave.signal);
  await eventually(() => expect(shop.agentProcesses().length).toBeGreaterThan(0));
  const impatient = new AbortController();
  const waiting = buy(impatient.signal);
  await eventually(async () =>
    expect((await server.asOperator('GET', '/api/charges?state=held')).body.charges).toHaveLength(2),
  );
  impatient.abort();
  await waiting;
  await eventually(async () =>
    expect(await salesOf(server)).toMatchObject([
      { outcome: 'refunded', charged: 0, status: 499, inputTokens: 0 },
    ]),
  );
});

test('a request whose service was killed is in the log too, as refunded', { tags: 'slow' }, async () => {
  const shop = await serveShop({ behavior: 'hang' });
  const { body: service } = await sell(shop.server, { priceSats: 5 });
  const buyer = await shop.customer();
  const buying = buyer.buy(service.url, { prompt: 'Good morning' });
  await eventually(() => expect(shop.agentProcesses().length).toBeGreaterThan(0));
  shop.killService();
  expect((await buying).outcome).toBe('lost');
  await eventually(async () =>
    expect(await salesOf(shop.server)).toMatchObject([
      { outcome: 'refunded', charged: 0, status: null, durationMs: null, costSats: null },
    ]),
  );
  const { totals } = await pageOf(shop.server);
  expect(totals).toMatchObject({ sold: 0, refunded: 1, earnedSats: 0, unknownCosts: 1 });
});

test('charges and the wallet’s history come as CSV, without tokens, and no text in them is a formula', async () => {
  const { server, mint } = await serveShop();
  await server.receive(mint.issue(64, { withoutDleq: true, memo: '=1+1' }));
  const { body: sent } = await server.asOperator('POST', '/api/wallet/send', { amount: 5, memo: '@lunch' });
  await server.asOperator('POST', '/api/charges', {
    amount: 5,
    label: '=HYPERLINK(1)',
    requestHash: 'a'.repeat(64),
  });
  const charges = await csvOf(server, '/api/charges');
  expect(charges.rows.map((row) => row[charges.head.indexOf('label')])).toEqual(["'=HYPERLINK(1)"]);
  const history = await csvOf(server, '/api/wallet/history?limit=1');
  expect(history.rows.map((row) => row[history.head.indexOf('memo')])).toEqual(["'@lunch"]);
  expect(JSON.stringify(history)).not.toContain(sent.token);
  const next = await csvOf(server, `/api/wallet/history?limit=1&cursor=${history.next}`);
  expect([next.rows.length, next.next]).toEqual([1, null]);
});
