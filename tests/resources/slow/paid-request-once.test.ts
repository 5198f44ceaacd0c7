import { expect, test } from 'vitest';
import { cashuHeader, type Reply } from '../../support/customers/post.ts';
import { eventually } from '../../support/eventually.ts';
import {
  ANSWER,
  ASKED,
  openPaidService,
  openTill,
  type PaidService,
  PRICE,
} from '../../support/paid-service.ts';
import { editA } from '../../support/wallet.ts';

/** Each payment of shared/lib/paid-request.mjs buys its work once, whatever fails in between. */

const SETTLE = /\/settle$/;
const RELEASE = /\/release$/;
const PAY = /open-and-pay/;

const codeOf = ({ status, body }: Reply) => [status, (body as { error?: { code: string } }).error?.code];

/** Work that keeps running until the test says so. */
const slowWork = () => {
  const { promise, resolve: finish } = Promise.withResolvers<void>();
  return {
    finish,
    work: async () => {
      await promise;
      return { body: ANSWER };
    },
  };
};

/** All that the customers and the seller have is all that the mint gave. */
const expectNothingLost = async ({ mint, wallet }: PaidService, tokens: readonly string[]) =>
  expect(mint.unspent([...tokens]) + (await wallet.balance())).toBe(mint.outstanding());

test('the same request with the same token, many times at once, is worked on once', async () => {
  const { work, finish } = slowWork();
  const service = await openPaidService({ work });
  const token = service.mint.issue(8, { version: 'A', withoutDleq: true });
  const sameToken = editA(token, (json) => ({ ...json, memo: 'another text' }));
  const buying = Array.from({ length: 12 }, (_, at) => service.buy(at % 2 ? token : sameToken));
  await eventually(() => expect(service.worked()).toHaveLength(1));
  const early = await service.buy(token);
  expect([codeOf(early), early.headers['retry-after'], cashuHeader(early)]).toEqual([
    [409, 'in_progress'],
    '2',
    undefined,
  ]);
  const refund = await service.refund(token);
  expect([codeOf(refund), refund.headers['retry-after']]).toEqual([[425, 'refund_pending'], '2']);
  finish();
  const replies = await Promise.all(buying);
  const bought = replies.filter(({ status }) => status === 200);
  expect(bought).toHaveLength(1);
  for (const { status } of replies) expect([200, 409, 503]).toContain(status);
  const again = await service.buy(sameToken);
  // The customer may have lost the response.
  expect([again.status, again.body, cashuHeader(again)]).toEqual([
    200,
    bought[0]?.body,
    cashuHeader(bought[0] as Reply),
  ]);
  expect(service.worked()).toHaveLength(1);
  expect(await service.states()).toEqual(['settled']);
  await expectNothingLost(service, [cashuHeader(bought[0] as Reply) ?? '']);
});

test('a token that paid buys nothing else, and the response tells its customer to fetch what is left', async () => {
  const service = await openPaidService();
  const token = service.mint.issue(8);
  await service.buy(token);
  const other = await service.buy(token, { body: { text: 'something else' } });
  expect([codeOf(other), cashuHeader(other)]).toEqual([[409, 'already_done'], undefined]);
  expect(other.body).toMatchObject({ refund: '/v1/balance/refund' });
  expect(service.worked()).toHaveLength(1);
});

test('a response that says held, but is older than the end of the work, doesn’t start it again', async () => {
  const { work, finish } = slowWork();
  const service = await openPaidService({ work });
  const token = service.mint.issue(8);
  const first = service.buy(token);
  await eventually(() => expect(service.worked()).toHaveLength(1));
  service.gate.next(PAY, { after: first });
  const second = service.buy(token);
  await eventually(() => expect(service.gate.calls(PAY)).toHaveLength(2));
  // dot-mi has answered the second call before the work ends.
  await new Promise((resolve) => setTimeout(resolve, 100));
  finish();
  expect((await first).status).toBe(200);
  expect((await second).body).toEqual((await first).body);
  expect(service.worked()).toHaveLength(1);
});

test('a payment whose response is lost is paid once, and the same request gets its work', async () => {
  const service = await openPaidService();
  const token = service.mint.issue(8);
  service.gate.next(PAY, 'lose');
  // The call is repeated automatically.
  expect((await service.buy(token)).status).toBe(200);
  const second = service.mint.issue(8);
  service.gate.next(PAY, 'lose', 3);
  const unclear = await service.buy(second);
  expect([unclear.status, cashuHeader(unclear), unclear.body]).toMatchObject([
    503,
    undefined,
    { refund: '/v1/balance/refund' },
  ]);
  expect(await service.states()).toEqual(['held', 'settled']);
  expect((await service.buy(second)).status).toBe(200);
  expect(service.worked()).toHaveLength(2);
});

test('a payment whose response stays lost is refunded automatically', { tags: 'slow' }, async () => {
  const service = await openPaidService();
  const token = service.mint.issue(8);
  service.gate.next(PAY, 'lose', 3);
  expect((await service.buy(token)).status).toBe(503);
  await eventually(async () => expect(await service.states()).toEqual(['refunded']));
  expect((await service.refund(token)).body).toMatchObject({ sats: '8' });
  expect(codeOf(await service.buy(token))).toEqual([409, 'already_done']);
  expect(service.worked()).toEqual([]);
});

test('after a restart, the first paid request gives back what was being worked on, and works on nothing twice', async () => {
  const till = await openTill();
  const { work, finish } = slowWork();
  const first = await openPaidService({ till, work });
  const token = till.mint.issue(8);
  const lost = first.buy(token).catch(() => undefined);
  await eventually(() => expect(first.worked()).toHaveLength(1));
  // A killed process settles and releases nothing.
  await first.gate.down();
  await first.kill();
  await lost;
  const second = await openPaidService({ till });
  const again = await second.buy(token);
  expect(again.status).toBe(409);
  expect(second.worked()).toEqual([]);
  await eventually(async () => expect((await second.refund(token)).body).toMatchObject({ sats: '8' }));
  expect((await second.buy(till.mint.issue(8))).status).toBe(200);
  expect(await second.states()).toEqual(['settled', 'refunded']);
  finish();
});

test('a service that can’t recover takes no payment', async () => {
  const service = await openPaidService();
  const token = service.mint.issue(8);
  service.gate.next(/^GET/, 'lose', 3);
  const reply = await service.buy(token);
  expect([reply.status, cashuHeader(reply), service.gate.calls(PAY)]).toEqual([503, undefined, []]);
  expect((await service.buy(token)).status).toBe(200);
});

test('recovering releases all that a former process left, over many pages, and nothing of other services', async () => {
  const till = await openTill();
  const { work, finish } = slowWork();
  const count = 203;
  // The shares of prices, deposits and refunds leave 250 places for paid requests.
  const old = await openPaidService({ till, work, mostAtOnce: 300, mostRequests: 400 });
  const other = await openPaidService({ till, work, name: 'another service' });
  const tokens = Array.from({ length: count }, () => till.mint.issue(8, { withoutDleq: true }));
  const lost = tokens.map((token, at) => old.buy(token, { body: { text: `${at}` } }).catch(() => undefined));
  const others = other.buy(till.mint.issue(8));
  await eventually(() => expect([old.worked().length, other.worked().length]).toEqual([count, 1]));
  await old.gate.down();
  await old.kill();
  await Promise.all(lost);
  const next = await openPaidService({ till });
  expect(await next.paid.recover()).toBe(count);
  expect(next.gate.calls(/^GET/)).toHaveLength(2);
  expect(next.gate.calls(RELEASE)).toHaveLength(count);
  expect(await next.paid.recover()).toBe(0);
  finish();
  expect((await others).status).toBe(200);
  expect((await next.refund(tokens[0] ?? '')).body).toMatchObject({ sats: '8' });
});

test('recovering never releases what this process works on, also if it doesn’t know of it yet', async () => {
  const { work, finish } = slowWork();
  const service = await openPaidService({ work });
  await service.paid.recover();
  const first = service.buy(service.mint.issue(8));
  await eventually(() => expect(service.worked()).toHaveLength(1));
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  service.gate.next(PAY, { after: until });
  const second = service.buy(service.mint.issue(8), { body: { text: 'two' } });
  await eventually(async () => expect(await service.states()).toEqual(['held', 'held']));
  const recovering = service.paid.recover();
  await eventually(() => expect(service.gate.calls(/^GET/).length).toBeGreaterThan(1));
  answer();
  expect(await recovering).toBe(0);
  finish();
  expect((await first).status).toBe(200);
  expect((await second).status).toBe(200);
  expect(service.gate.calls(RELEASE)).toEqual([]);
  expect(await service.states()).toEqual(['settled', 'settled']);
});

test('work that can’t be settled now is delivered, and settled later', async () => {
  const service = await openPaidService();
  service.gate.next(SETTLE, 'refuse', 4);
  const token = service.mint.issue(8);
  const reply = await service.buy(token);
  expect([reply.status, reply.body, cashuHeader(reply)]).toEqual([
    200,
    { ...ANSWER, change: { url: '/v1/balance/refund' } },
    undefined,
  ]);
  // Until dot-mi has settled it, only the customer who waited has the response.
  await service.gate.down();
  const early = await service.buy(token);
  expect([codeOf(early), cashuHeader(early)]).toEqual([[503, 'token_pending'], undefined]);
  await service.gate.up();
  await eventually(async () => expect(await service.states()).toEqual(['settled']));
  const { token: change } = (await service.refund(token)).body as { token: string };
  const later = await service.buy(token);
  expect([later.body, cashuHeader(later)]).toEqual([{ ...ANSWER, charged: PRICE }, change]);
  expect(service.worked()).toHaveLength(1);
});

test('a settling whose response is lost gives the change once, and in the answer', async () => {
  const service = await openPaidService();
  service.gate.next(SETTLE, 'lose');
  const token = service.mint.issue(8);
  const reply = await service.buy(token);
  expect([reply.status, reply.body]).toEqual([200, { ...ANSWER, charged: PRICE }]);
  const change = cashuHeader(reply) ?? '';
  expect((await service.refund(token)).body).toEqual({ token: change, sats: '3' });
  await expectNothingLost(service, [change]);
});

test('while the mint is away, work is settled, and its change comes later', async () => {
  const { work, finish } = slowWork();
  const service = await openPaidService({ work });
  const token = service.mint.issue(8);
  const buying = service.buy(token);
  await eventually(() => expect(service.worked()).toHaveLength(1));
  await service.mint.away();
  finish();
  const reply = await buying;
  expect([reply.status, reply.body]).toMatchObject([200, { change: { url: '/v1/balance/refund' } }]);
  expect(await service.states()).toEqual(['settled']);
  const early = await service.refund(token);
  expect([early.status, cashuHeader(early)]).toEqual([503, undefined]);
  await service.mint.back();
  await eventually(async () => expect((await service.refund(token)).body).toMatchObject({ sats: '3' }));
});

test('a refund that can’t be made now is made later', async () => {
  const service = await openPaidService({
    work: () => {
      throw new Error('no');
    },
  });
  service.gate.next(RELEASE, 'refuse', 4);
  const token = service.mint.issue(8);
  const reply = await service.buy(token);
  expect([reply.status, reply.body, cashuHeader(reply)]).toMatchObject([
    502,
    { refund: '/v1/balance/refund', error: { code: 'work_failed' } },
    undefined,
  ]);
  await eventually(async () => expect(await service.states()).toEqual(['refunded']));
  expect((await service.refund(token)).body).toMatchObject({ sats: '8' });
});

test('a customer who was refunded meanwhile doesn’t get the work as well', async () => {
  const { work, finish } = slowWork();
  const service = await openPaidService({ work });
  const buying = service.buy(service.mint.issue(8));
  await eventually(() => expect(service.worked()).toHaveLength(1));
  const { charges } = (await service.wallet.asOperator('GET', '/api/charges')).body;
  await service.wallet.asOperator('POST', `/api/charges/${charges[0].id}/release`, {});
  finish();
  const reply = await buying;
  expect(codeOf(reply)).toEqual([409, 'already_done']);
  expect(reply.text).not.toContain(ANSWER.text);
});

test('closing waits for work, settles it, and refuses new requests', async () => {
  const { work, finish } = slowWork();
  const service = await openPaidService({ work });
  const buying = service.buy(service.mint.issue(8), { body: ASKED });
  await eventually(() => expect(service.worked()).toHaveLength(1));
  const closing = service.paid.close();
  const token = service.mint.issue(8);
  const late = await service.buy(token);
  expect([late.status, cashuHeader(late)]).toEqual([503, undefined]);
  finish();
  expect((await buying).status).toBe(200);
  await closing;
  expect(await service.states()).toEqual(['settled']);
});

test('a response that its customer lost comes again for the same token, and never for another one', async () => {
  const service = await openPaidService();
  const token = service.mint.issue(8);
  await expect(service.buy(token, { lose: 'answer' })).rejects.toThrow('lost');
  const again = await service.buy(token);
  expect([again.status, again.body]).toEqual([200, { charged: PRICE, ...ANSWER }]);
  expect(service.mint.unspent([cashuHeader(again) ?? ''])).toBe(8 - PRICE);
  const other = await service.buy(service.mint.issue(PRICE));
  expect([other.status, cashuHeader(other)]).toEqual([200, undefined]);
  expect(service.worked()).toHaveLength(2);
});
