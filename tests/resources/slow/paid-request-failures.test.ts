import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { CustomerError } from '../../../resources/starter-root/shared/lib/paid-request.mjs';
import { cashuHeader, LostAnswerError, type Reply, send } from '../../support/customers/post.ts';
import { eventually } from '../../support/eventually.ts';
import { ANSWER, ASKED, openPaidService, type PaidService, PRICE } from '../../support/paid-service.ts';

/** Work of shared/lib/paid-request.mjs that fails or breaks off: the customer has the work or the money, and not both. */

const REFUND = /\/release$/;

const errorOf = ({ body }: Reply) => (body as { error: Record<string, unknown> }).error;

/** Everything came back, in header and body. */
const expectRefunded = async (service: PaidService, reply: Reply, sats: number) => {
  const token = cashuHeader(reply) ?? '';
  expect(errorOf(reply).refund_token).toBe(token);
  expect(service.mint.unspent([token])).toBe(sats);
  expect(await service.states()).toEqual(['refunded']);
};

/** A customer at the level of the socket. */
const open = (service: PaidService, token: string, path = '/') => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const body = JSON.stringify(ASKED);
  socket.on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Cashu: ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
};

const textOf = (socket: Socket) => {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
};

test('work that throws is refunded, and its error stays with the operator', async () => {
  const service = await openPaidService({
    work: () => {
      throw new Error('the provider’s account is empty');
    },
  });
  const reply = await service.buy(service.mint.issue(8));
  expect([reply.status, errorOf(reply)]).toMatchObject([
    502,
    { type: 'upstream_error', code: 'work_failed' },
  ]);
  expect(reply.text).not.toContain('account');
  expect(service.problems()).toEqual([expect.stringContaining('account is empty')]);
  expect(reply.body).not.toHaveProperty('refund');
  await expectRefunded(service, reply, 8);
});

test('an author says why the work failed, by throwing or with a status', async () => {
  const thrown = await openPaidService({
    work: () => {
      throw new CustomerError(422, 'no_such_language', 'There is no such language.', { fields: { left: 1 } });
    },
  });
  const reply = await thrown.buy(thrown.mint.issue(8));
  expect([reply.status, reply.body]).toMatchObject([
    422,
    { left: 1, error: { code: 'no_such_language', message: 'There is no such language.' } },
  ]);
  await expectRefunded(thrown, reply, 8);
  const returned = await openPaidService({
    work: () => ({ status: 529, body: { error: { message: 'overloaded', own: true }, more: 2 } }),
  });
  const answer = await returned.buy(returned.mint.issue(8));
  expect([answer.status, answer.body]).toMatchObject([
    529,
    { more: 2, error: { message: 'overloaded', own: true } },
  ]);
  await expectRefunded(returned, answer, 8);
});

test('an error that costs something is charged', async () => {
  const service = await openPaidService({ work: () => ({ status: 422, body: { found: 0 }, amount: 1 }) });
  const reply = await service.buy(service.mint.issue(8));
  expect([reply.status, reply.body]).toEqual([422, { found: 0, charged: 1 }]);
  expect(service.mint.unspent([cashuHeader(reply) ?? ''])).toBe(7);
});

const circular: Record<string, unknown> = {};
circular.self = circular;

test.each([
  ['a fraction of a sat', { amount: 1.5 }],
  ['less than nothing', { amount: -1 }],
  ['usage that isn’t a number', { usage: { inputTokens: Number.NaN, outputTokens: 1 } }],
  ['a body that isn’t JSON', { body: circular }],
  ['a list that isn’t JSON', { body: [1n] }],
  ['a header that can’t be sent', { headers: { 'X-Own': 'a\r\nX-Cashu: b' } }],
  ['a status that isn’t one', { status: 99 }],
])('an answer with %s fails before it is charged', async (_, answer) => {
  const service = await openPaidService({ work: () => answer });
  const reply = await service.buy(service.mint.issue(8));
  expect([reply.status, errorOf(reply).code]).toEqual([502, 'work_failed']);
  await expectRefunded(service, reply, 8);
});

test('work that takes too long is stopped and refunded, and counts until it ends', async () => {
  const { promise: until, resolve: end } = Promise.withResolvers<void>();
  let isStopped = false;
  const service = await openPaidService({
    workTimeoutMs: 100,
    mostAtOnce: 1,
    mostWaiting: 0,
    work: async ({ signal }) => {
      signal.addEventListener('abort', () => {
        isStopped = true;
      });
      await until;
      return { body: 'too late' };
    },
  });
  const reply = await service.buy(service.mint.issue(8));
  expect([reply.status, errorOf(reply).code, isStopped]).toEqual([504, 'work_too_slow', true]);
  await expectRefunded(service, reply, 8);
  const token = service.mint.issue(8);
  expect((await service.buy(token)).status).toBe(503);
  end();
  await eventually(async () => expect((await service.buy(token)).status).not.toBe(503));
});

test('a token that turns out to be worthless costs no other customer a refusal', async () => {
  const { promise: checked, resolve: check } = Promise.withResolvers<void>();
  const service = await openPaidService({ mostAtOnce: 1 });
  const { mint, gate, buy } = service;
  const spent = mint.issue(8);
  expect((await buy(spent)).status).toBe(200);
  gate.next(/open-and-pay/, { after: checked });
  const worthless = buy(spent, { path: '/other' });
  await eventually(() => expect(gate.calls(/open-and-pay/)).toHaveLength(2));
  const honest = buy(mint.issue(8));
  check();
  expect([(await worthless).status, (await honest).status]).toEqual([409, 200]);
});

test('a crowd with forged tokens delays an honest customer by few payments', async () => {
  let priced = 0;
  const charge = () => {
    priced += 1;
    return { amount: PRICE };
  };
  const service = await openPaidService({ mostAtOnce: 2, mostWaiting: 0, charge });
  const { mint, gate, buy } = service;
  const spent = mint.issue(8);
  expect((await buy(spent)).status).toBe(200);
  const isPayment = /open-and-pay/;
  // The answer of each payment waits for the end of a round.
  let round = Promise.withResolvers<void>();
  let held = 0;
  gate.next(
    isPayment,
    {
      get after() {
        held += 1;
        return round.promise;
      },
    },
    31,
  );
  const forged = Array.from({ length: 30 }, (_, at) => buy(spent, { path: `/${at}` }));
  // They wait to pay as soon as they have a price.
  await eventually(() => expect(priced).toBe(31));
  const honest = buy(mint.issue(8));
  // Two pay at once. After two worthless tokens ten do, and then all that are left.
  for (const payments of [2, 12, 31]) {
    await eventually(() => expect(held).toBe(payments));
    const { resolve } = round;
    round = Promise.withResolvers();
    resolve();
  }
  expect((await honest).status).toBe(200);
  expect((await Promise.all(forged)).map(({ status }) => status)).toEqual(forged.map(() => 409));
});

test('who paid while tokens were forged, and finds no place, gets everything back', async () => {
  const { promise: until, resolve: end } = Promise.withResolvers<void>();
  const { promise: checked, resolve: check } = Promise.withResolvers<void>();
  let priced = 0;
  const service = await openPaidService({
    mostAtOnce: 1,
    mostWaiting: 0,
    waitTimeoutMs: 400,
    charge: () => {
      priced += 1;
      return { amount: PRICE };
    },
    work: () => until.then(() => ({})),
  });
  const { mint, gate, buy } = service;
  const { promise: known, resolve: refuse } = Promise.withResolvers<void>();
  const spent = mint.issue(8);
  await service.wallet.asOperator('POST', '/api/wallet/receive', { token: spent });
  gate.next(/open-and-pay/, { after: known });
  gate.next(/open-and-pay/, { after: checked }, 3);
  const worthless = buy(spent);
  await eventually(() => expect(gate.calls(/open-and-pay/)).toHaveLength(1));
  const honest = Array.from({ length: 3 }, () => buy(mint.issue(8)));
  // They wait to pay as soon as they have a price.
  await eventually(() => expect(priced).toBe(4));
  // A worthless token lets more customers pay at once, while others still wait.
  refuse();
  expect((await worthless).status).toBe(409);
  await eventually(() => expect(gate.calls(/open-and-pay/)).toHaveLength(4));
  check();
  const first = await Promise.any(honest);
  expect([first.status, errorOf(first).code]).toEqual([503, 'service_busy']);
  expect(mint.unspent([cashuHeader(first) ?? ''])).toBe(8);
  end();
  const statuses = (await Promise.all(honest)).map(({ status }) => status).toSorted();
  expect(statuses[0]).toBe(200);
  expect(service.worked().length).toBe(statuses.filter((status) => status === 200).length);
});

test('a customer who waits while another one pays is refused before paying once work has all places', async () => {
  const { promise: until, resolve: end } = Promise.withResolvers<void>();
  const { promise: checked, resolve: check } = Promise.withResolvers<void>();
  const service = await openPaidService({
    mostAtOnce: 1,
    mostWaiting: 0,
    work: () => until.then(() => ({})),
  });
  const { mint, gate, buy } = service;
  gate.next(/open-and-pay/, { after: checked });
  const first = buy(mint.issue(8));
  await eventually(() => expect(gate.calls(/open-and-pay/)).toHaveLength(1));
  const token = mint.issue(8);
  const second = buy(token);
  check();
  const reply = await second;
  expect([reply.status, errorOf(reply).code, mint.unspent([token])]).toEqual([503, 'service_busy', 8]);
  expect(gate.calls(/open-and-pay/)).toHaveLength(1);
  end();
  expect((await first).status).toBe(200);
});

test('a slow payment isn’t slow work, nor a slow body', async () => {
  const service = await openPaidService({ bodyTimeoutMs: 100, workTimeoutMs: 100 });
  service.gate.next(/open-and-pay/, { after: new Promise((resolve) => setTimeout(resolve, 400)) });
  expect((await service.buy(service.mint.issue(8))).status).toBe(200);
});

test('a customer who hangs up is refunded at the refund route, and the work is stopped', async () => {
  let reason: unknown;
  const service = await openPaidService({
    work: ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason;
          reject(new Error('stopped'));
        });
      }),
  });
  const token = service.mint.issue(8);
  const socket = open(service, token);
  await eventually(() => expect(service.worked()).toHaveLength(1));
  socket.destroy();
  await eventually(async () => expect(await service.states()).toEqual(['refunded']));
  expect(reason).toMatchObject({ code: 'customer_gone' });
  const refund = await service.refund(token);
  expect(refund.body).toEqual({ token: cashuHeader(refund), sats: '8' });
});

test('a customer who hangs up while paying is refunded, and nothing is worked on', async () => {
  const { promise: until, resolve: answer } = Promise.withResolvers<void>();
  const service = await openPaidService();
  service.gate.next(/open-and-pay/, { after: until });
  const token = service.mint.issue(8);
  const socket = open(service, token);
  await eventually(async () => expect(await service.states()).toEqual(['held']));
  socket.destroy();
  await new Promise((resolve) => setTimeout(resolve, 50));
  answer();
  await eventually(async () => expect(await service.states()).toEqual(['refunded']));
  expect(service.worked()).toEqual([]);
  expect((await service.refund(token)).body).toMatchObject({ sats: '8' });
});

test('a customer who hangs up on several requests of one connection is refunded for each', async () => {
  const { promise: until, resolve: end } = Promise.withResolvers<void>();
  const service = await openPaidService({
    work: async () => {
      await until;
      return {};
    },
  });
  const tokens = [service.mint.issue(8), service.mint.issue(8)];
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  for (const token of tokens)
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nX-Cashu: ${token}\r\nContent-Length: 0\r\n\r\n`);
  await eventually(() => expect(service.worked()).toHaveLength(2));
  socket.destroy();
  await eventually(async () => expect(await service.states()).toContain('refunded'));
  end();
  await eventually(async () => expect(await service.states()).toEqual(['refunded', 'refunded']));
});

test('a response that was lost after the work leaves change and comes again, without a second run', async () => {
  const service = await openPaidService();
  const token = service.mint.issue(8);
  await expect(send(service.url, { body: ASKED, token, lose: 'answer' })).rejects.toThrow(LostAnswerError);
  expect((await service.refund(token)).body).toMatchObject({ sats: '3' });
  expect((await service.buy(token)).body).toMatchObject(ANSWER);
  expect(service.worked()).toHaveLength(1);
});

test('a customer who never reads is left, and others are served meanwhile', async () => {
  const service = await openPaidService({
    answerTimeoutMs: 300,
    mostAtOnce: 1,
    work: ({ path }) => ({ body: Buffer.alloc(path === '/large' ? 64 * 1024 * 1024 : 10) }),
  });
  const socket = open(service, service.mint.issue(PRICE), '/large');
  socket.pause();
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await eventually(async () => expect(await service.states()).toEqual(['settled']));
  expect((await service.buy(service.mint.issue(PRICE))).status).toBe(200);
  await eventually(async () => expect(await service.connections()).toBe(0));
  socket.resume();
  await closed;
  expect(socket.bytesRead).toBeLessThan(64 * 1024 * 1024);
});

test('a stream is sent as it is made, and its change is at the refund route', async () => {
  const { promise: until, resolve: go } = Promise.withResolvers<void>();
  const service = await openPaidService({
    work: async ({ write }) => {
      await write('one ', { status: 202, headers: { 'Content-Type': 'text/event-stream' } });
      await until;
      await write(Buffer.from('two '));
      return { body: 'three', amount: 2 };
    },
  });
  const token = service.mint.issue(8);
  const socket = open(service, token);
  const text = textOf(socket);
  await eventually(() => expect(text()).toContain('one'));
  expect(text()).not.toContain('two');
  go();
  await eventually(() => expect(text()).toContain('three'));
  expect(text()).toMatch(/^HTTP\/1\.1 202 /);
  expect(text()).toMatch(/\r\ncontent-type: text\/event-stream\r\n/i);
  expect(text()).toMatch(/\r\ncache-control: no-store\r\n/i);
  expect(text()).toMatch(/\r\nx-cashu-refund-url: \/v1\/balance\/refund\r\n/i);
  expect(text()).not.toMatch(/x-cashu:/i);
  expect((await service.refund(token)).body).toMatchObject({ sats: '6' });
});

test('a stream whose work fails breaks off, and is refunded', async () => {
  const service = await openPaidService({
    work: async ({ write }) => {
      await write('one ');
      throw new Error('the model is down');
    },
  });
  const token = service.mint.issue(8);
  const socket = open(service, token);
  const text = textOf(socket);
  await new Promise((resolve) => socket.on('close', resolve));
  expect(text()).toContain('one');
  // A chunked body without its end.
  expect(text()).not.toMatch(/\r\n0\r\n/);
  expect((await service.refund(token)).body).toMatchObject({ sats: '8' });
});

test.each([
  ['what the work reports', true, 3],
  ['the whole price, if it reports nothing', false, PRICE],
] as const)('a customer who leaves a stream pays %s', async (_, reports, charged) => {
  const service = await openPaidService({
    work: async ({ write, signal }) => {
      await write('one ');
      await new Promise<void>((resolve, reject) =>
        signal.addEventListener('abort', () => (reports ? resolve() : reject(signal.reason))),
      );
      return { amount: 3 };
    },
  });
  const token = service.mint.issue(8);
  const socket = open(service, token);
  const text = textOf(socket);
  await eventually(() => expect(text()).toContain('one'));
  socket.destroy();
  await eventually(async () => expect(await service.states()).toEqual(['settled']));
  expect((await service.refund(token)).body).toMatchObject({ sats: `${8 - charged}` });
  expect(service.gate.calls(REFUND)).toEqual([]);
});

test('a stream that nobody reads waits, and then is left', async () => {
  let written = 0;
  const service = await openPaidService({
    answerTimeoutMs: 300,
    work: async ({ write, signal }) => {
      for (; !signal.aborted; written++) await write(Buffer.alloc(1024 * 1024));
      return {};
    },
  });
  const socket = open(service, service.mint.issue(8));
  socket.pause();
  await eventually(async () => expect(await service.states()).toEqual(['settled']));
  expect(written).toBeLessThan(64);
});

test('the refund route says when there is nothing, or nothing anymore', async () => {
  const service = await openPaidService();
  const { mint } = service;
  const unknown = await service.refund(mint.issue(8), '/v1/wallet/refund');
  expect([unknown.status, errorOf(unknown).code]).toEqual([404, 'refund_not_found']);
  expect(errorOf(unknown).message).toContain('Refund not found');
  const token = mint.issue(PRICE);
  await service.buy(token);
  const nothing = await service.refund(token);
  expect([nothing.status, errorOf(nothing).code, nothing.body]).toMatchObject([
    404,
    'nothing_to_refund',
    { charged: PRICE },
  ]);
  service.gate.next(/refund/, { answer: { status: 410, body: JSON.stringify({ code: 'refund_swept' }) } });
  const swept = await service.refund(token);
  expect([swept.status, errorOf(swept).code]).toEqual([410, 'refund_swept']);
  const none = await send(`${service.url}/v1/balance/refund`);
  expect([none.status, errorOf(none).code]).toEqual([401, 'invalid_api_key']);
  const large = await send(`${service.url}/v1/balance/refund`, { token, body: 'x'.repeat(100_000) });
  expect(large.status).toBe(404);
  await service.gate.down();
  const away = await service.refund(token);
  expect([away.status, away.headers['retry-after']]).toEqual([503, '2']);
});
