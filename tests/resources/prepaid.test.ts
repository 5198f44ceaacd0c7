import { expect, test } from 'vitest';
import { cashuHeader, fieldOf, type Reply } from '../support/customers/post.ts';
import { eventually } from '../support/eventually.ts';
import { ANSWER, openPaidService, openTill, type PaidService, PRICE } from '../support/paid-service.ts';
import { expectConsistent } from '../support/wallet-copies.ts';

/** Customers of shared/lib/paid-request.mjs who pay in advance, and send a key with each request. */

const codeOf = ({ status, body }: Reply) => [status, fieldOf(fieldOf(body, 'error'), 'code')];

const openBalance = async ({ balance, mint }: PaidService, face: number) => {
  const reply = await balance('create', { body: { cashu_token: mint.issue(face, { withoutDleq: true }) } });
  expect([reply.status, fieldOf(reply.body, 'balance')]).toEqual([200, face * 1_000]);
  const key = fieldOf(reply.body, 'api_key');
  expect(key).toMatch(/^sk-[0-9a-f]{64}$/);
  return String(key);
};

const infoOf = async ({ balance }: PaidService, key: string) =>
  (await balance('info', { method: 'GET', key })).body;

test.each(['express', undefined] as const)(
  'a key buys work until its balance is used up (%s)',
  { tags: 'slow' },
  async (server) => {
    const service = await openPaidService({ server });
    const { mint, wallet } = service;
    const key = await openBalance(service, 2 * PRICE + 1);
    const asked = mint.requests().length;
    for (const _ of [1, 2]) {
      const bought = await service.buy(undefined, { key });
      expect([bought.status, bought.body]).toEqual([200, { charged: PRICE, ...ANSWER }]);
      expect(cashuHeader(bought)).toBeUndefined();
      expect(bought.headers['x-cashu-refund-url']).toBeUndefined();
    }
    const refused = await service.buy(undefined, { key });
    expect(codeOf(refused)).toEqual([402, 'insufficient_balance']);
    expect(refused.body).toMatchObject({ required: PRICE, available: 1 });
    expect(service.worked()).toHaveLength(2);
    expect(mint.requests().length).toBe(asked);
    expect(await infoOf(service, key)).toEqual({
      api_key: key,
      balance: 1_000,
      reserved: 0,
      total_spent: 2 * PRICE * 1_000,
    });

    const toppedUp = await service.balance('topup', { key, body: { cashu_token: mint.issue(16) } });
    expect([toppedUp.status, toppedUp.body]).toEqual([200, { msats: 16_000 }]);
    expect((await service.buy(undefined, { key })).status).toBe(200);
    const refund = await service.balance('refund', { key });
    expect(refund.body).toEqual({ token: cashuHeader(refund), sats: `${17 - PRICE}` });
    expect(mint.unspent([String(cashuHeader(refund))])).toBe(17 - PRICE);
    expect((await service.balance('refund', { key })).body).toEqual(refund.body);
    expect(await wallet.balance()).toBe(3 * PRICE);
    await expectConsistent(wallet, mint);
  },
);

test('work that fails costs a balance nothing, and each request of many at once is a charge', async () => {
  const service = await openPaidService({
    work: ({ body }) => {
      if (body.toString().includes('bad')) throw new Error('it broke');
      return { body: ANSWER, amount: 3 };
    },
  });
  const key = await openBalance(service, 64);
  const bad = await service.buy(undefined, { key, body: { text: 'bad' } });
  expect([codeOf(bad), fieldOf(bad.body, 'refund')]).toEqual([[502, 'work_failed'], undefined]);
  const replies = await Promise.all(
    Array.from({ length: 8 }, () => service.buy(undefined, { key, body: { text: 'same' } })),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200));
  expect(await infoOf(service, key)).toMatchObject({ balance: (64 - 8 * 3) * 1_000, reserved: 0 });
});

test('keys that nobody has, and other keys of clients, buy nothing', { tags: 'slow' }, async () => {
  const service = await openPaidService();
  const unknown = `sk-${'0'.repeat(64)}`;
  expect(codeOf(await service.buy(undefined, { key: unknown }))).toEqual([401, 'invalid_api_key']);
  for (const route of ['refund', 'topup'])
    expect(
      codeOf(await service.balance(route, { key: unknown, body: { cashu_token: service.mint.issue(8) } })),
    ).toEqual([401, 'invalid_api_key']);
  expect(codeOf(await service.balance('info', { method: 'GET' }))).toEqual([401, 'invalid_api_key']);
  // Clients of OpenAI always send a key. Without a balance, they get the price.
  expect(codeOf(await service.buy(undefined, { key: 'sk-of-somebody' }))).toEqual([402, 'payment_required']);
  // A token pays, whatever else there is.
  const token = service.mint.issue(PRICE);
  expect((await service.buy(token, { key: unknown })).status).toBe(200);
  for (const body of [{}, { cashu_token: 5 }, { cashu_token: 'x'.repeat(20_000) }, ['cashu']])
    expect(codeOf(await service.balance('create', { body }))).toEqual([400, 'invalid_cashu_token']);
  const spent = await service.balance('create', { body: { cashu_token: token } });
  expect(codeOf(spent)).toEqual([409, 'already_done']);
});

test('the author of a service reads no key, and the log has none', { tags: 'slow' }, async () => {
  const seen: unknown[] = [];
  const service = await openPaidService({
    work: ({ headers }) => {
      seen.push(headers.authorization);
      return { body: ANSWER };
    },
  });
  const key = await openBalance(service, 16);
  await service.buy(undefined, { key });
  await service.buy(service.mint.issue(PRICE), { key: 'of the author' });
  expect(seen).toEqual([undefined, 'Bearer of the author']);
  expect(service.problems().join()).not.toContain(key);
});

test('a service that was killed in the middle gives back what it had reserved', {
  tags: 'slow',
}, async () => {
  const till = await openTill();
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  const first = await openPaidService({
    till,
    work: async () => {
      await promise;
      return { body: ANSWER };
    },
  });
  const key = await openBalance(first, 16);
  const lost = first.buy(undefined, { key }).catch(() => 'lost');
  await eventually(async () => expect(await infoOf(first, key)).toMatchObject({ reserved: PRICE * 1_000 }));
  await first.gate.down();
  await first.kill();
  await lost;
  finish();
  const second = await openPaidService({ till });
  expect(await second.paid.recover()).toBe(1);
  expect(await infoOf(second, key)).toMatchObject({ balance: 16_000, reserved: 0, total_spent: 0 });
  expect((await second.balance('refund', { key })).body).toMatchObject({ sats: '16' });
});

test('a crowd of deposits takes no place of sales, prices and refunds, and the wallet gets 16 at a time', async () => {
  const { promise: until, resolve: end } = Promise.withResolvers<void>();
  const service = await openPaidService({ mostRequests: 32, bodyTimeoutMs: 60_000 });
  const { mint, gate } = service;
  const isDeposit = /POST \/api\/prepaid-balances$/;
  const token = mint.issue(8);
  expect((await service.buy(token)).status).toBe(200);
  gate.next(isDeposit, { before: until }, 30);
  const deposit = () => service.balance('create', { body: { cashu_token: mint.issue(8, { forged: true }) } });
  const crowd = Array.from({ length: 30 }, deposit);
  // Of 32 places, 4 are reserved for each of the others.
  let refused = 0;
  for (const reply of crowd) reply.then(({ status }) => (refused += status === 503 ? 1 : 0));
  await eventually(() => expect([refused, gate.calls(isDeposit).length]).toEqual([30 - 20, 16]));
  expect((await service.buy()).status).toBe(402);
  expect((await service.refund(token)).status).toBe(200);
  expect((await service.buy(mint.issue(8))).status).toBe(200);
  expect(gate.calls(isDeposit)).toHaveLength(16);
  end();
  const answered = (await Promise.all(crowd)).map(({ status }) => status);
  expect(answered.filter((status) => status === 400)).toHaveLength(20);
  expect(gate.calls(isDeposit)).toHaveLength(20);
});
