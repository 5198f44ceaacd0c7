import { expect, test } from 'vitest';
import { createLine } from '../../resources/starter-root/shared/lib/line.mjs';
import { cashuHeader, fieldOf, LostAnswerError } from '../support/customers/post.ts';
import { eventually } from '../support/eventually.ts';
import { holdConnections } from '../support/held-connections.ts';
import { openPaidService, PRICE } from '../support/paid-service.ts';

/** Who is worked for, who waits, and who is refused by shared/lib/paid-request.mjs. */

const codeOf = (reply: { body: unknown }) => fieldOf(fieldOf(reply.body, 'error'), 'code');

/** A service whose work waits until the test ends it, one request at a time. */
const openSlowService = async (mostAtOnce: number) => {
  const ends = new Map<string, () => void>();
  const service = await openPaidService({
    mostAtOnce,
    bodyTimeoutMs: 60_000,
    work: async ({ path }) => {
      await new Promise<void>((resolve) => ends.set(path, resolve));
      return { body: { path } };
    },
  });
  return {
    ...service,
    began: () => [...ends.keys()],
    end: (path: string) => ends.get(path)?.(),
    held: async () => (await service.states()).filter((state) => state === 'held').length,
  };
};

test('as many requests as run, times four, pay and wait in order, and more are refused before they pay', async () => {
  const service = await openSlowService(2);
  const { mint, began, end } = service;
  const buying: Promise<number>[] = [];
  for (let at = 1; at <= 10; at++) {
    buying.push(service.buy(mint.issue(PRICE), { path: `/${at}` }).then(({ status }) => status));
    await eventually(async () => expect(await service.held()).toBe(at));
  }
  expect(began()).toEqual(['/1', '/2']);
  const token = mint.issue(PRICE);
  const refused = await service.buy(token, { path: '/11' });
  expect([refused.status, codeOf(refused), cashuHeader(refused)]).toEqual([503, 'service_busy', undefined]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  expect(mint.unspent([token])).toBe(PRICE);
  // Prices and refunds have places of their own.
  expect([(await service.buy()).status, (await service.refund(token)).status]).toEqual([402, 404]);

  for (let at = 1; at <= 10; at++) {
    await eventually(() => expect(began()).toContain(`/${at}`));
    end(`/${at}`);
    expect(await buying[at - 1]).toBe(200);
  }
  expect(began()).toEqual(Array.from({ length: 10 }, (_, at) => `/${at + 1}`));
  const later = service.buy(token, { path: '/11' });
  await eventually(() => expect(began()).toContain('/11'));
  end('/11');
  expect((await later).status).toBe(200);
});

test('a waiting customer who hangs up leaves the line and gets everything back', async () => {
  const service = await openSlowService(1);
  const { mint, began, end } = service;
  const first = service.buy(mint.issue(PRICE), { path: '/1' });
  await eventually(() => expect(began()).toEqual(['/1']));
  const token = mint.issue(PRICE);
  const gone = service.buy(token, { path: '/2', lose: 'connection' });
  await expect(gone).rejects.toThrow(LostAnswerError);
  await eventually(async () => expect((await service.states()).sort()).toEqual(['held', 'refunded']));
  const refund = await service.refund(token);
  expect([refund.status, mint.unspent([String(fieldOf(refund.body, 'token'))])]).toEqual([200, PRICE]);
  const next = service.buy(mint.issue(PRICE), { path: '/3' });
  await eventually(async () => expect(await service.held()).toBe(2));
  end('/1');
  expect((await first).status).toBe(200);
  await eventually(() => expect(began()).toEqual(['/1', '/3']));
  end('/3');
  expect((await next).status).toBe(200);
});

test('a prepaid key has as many requests at once as run, and shares the line with tokens', async () => {
  const service = await openSlowService(2);
  const { mint, began, end, balance } = service;
  const opened = await balance('create', { body: { cashu_token: mint.issue(64) } });
  const key = String(fieldOf(opened.body, 'api_key'));
  const own = ['/1', '/2'].map((path) => service.buy(undefined, { key, path }));
  await eventually(() => expect(began()).toHaveLength(2));
  const third = await service.buy(undefined, { key, path: '/3' });
  expect([third.status, codeOf(third)]).toEqual([429, 'rate_limit_exceeded']);
  expect(Number(third.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  const other = service.buy(mint.issue(PRICE), { path: '/other' });
  // The deposit is held, too.
  await eventually(async () => expect(await service.held()).toBe(4));
  end('/1');
  expect((await own[0])?.status).toBe(200);
  await eventually(() => expect(began()).toContain('/other'));
  const fourth = service.buy(undefined, { key, path: '/4' });
  await eventually(async () => expect(await service.held()).toBe(4));
  for (const path of ['/2', '/other', '/4']) {
    await eventually(() => expect(began()).toContain(path));
    end(path);
  }
  const statuses = (await Promise.all([...own, other, fourth])).map(({ status }) => status);
  expect(statuses).toEqual([200, 200, 200, 200]);
});

test('slow bodies at the selling routes don’t stop a refund', { tags: 'slow' }, async () => {
  const service = await openPaidService({ bodyTimeoutMs: 60_000 });
  const token = service.mint.issue(8);
  expect((await service.buy(token)).status).toBe(200);
  await holdConnections(service.url, 260, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1');
  expect((await service.refund(token)).status).toBe(200);
});

/** A line on a clock that the test sets, with the places of customers who have paid. */
const openLine = (mostAtOnce: number, mostWaiting: number) => {
  let nowMs = 0;
  const line = createLine({ mostAtOnce, mostWaiting, now: () => nowMs });
  const { signal } = new AbortController();
  const pay = async (key?: string) => {
    const place = await line.enter(signal, key);
    void place.work(signal).catch(() => undefined);
    return place;
  };
  const retryAfter = async (key?: string) => {
    const error = await line.enter(signal, key).then(
      () => undefined,
      (reason) => reason,
    );
    return [error?.status, Number(error?.headers['Retry-After'])];
  };
  const pass = (seconds: number) => {
    nowMs += seconds * 1_000;
  };
  return { pay, retryAfter, pass };
};

test('Retry-After says when the next request should end, by how long the last ones took', async () => {
  const { pay, retryAfter, pass } = openLine(1, 1);
  const first = await pay();
  await pay();
  // Nothing has ended yet.
  expect(await retryAfter()).toEqual([503, 5]);
  pass(60);
  first.leave();
  await pay();
  expect(await retryAfter()).toEqual([503, 60]);
  pass(20);
  expect(await retryAfter()).toEqual([503, 40]);
  // One that takes longer than usual is expected to take even longer.
  pass(100);
  expect(await retryAfter()).toEqual([503, 15]);
});

test('Retry-After of a key is about its own requests in the line', async () => {
  const { pay, retryAfter, pass } = openLine(1, 4);
  const first = await pay();
  pass(10);
  first.leave();
  await pay();
  await pay('own');
  expect(await retryAfter('own')).toEqual([429, 20]);
  pass(4);
  expect(await retryAfter('own')).toEqual([429, 16]);
});
