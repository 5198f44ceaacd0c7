import { readdir, readFile, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeOldResponses } from '../../resources/starter-root/shared/lib/responses.mjs';
import { cashuHeader, fieldOf, type Reply } from '../support/customers/post.ts';
import { eventually } from '../support/eventually.ts';
import { ANSWER, openPaidService, openTill, PRICE } from '../support/paid-service.ts';
import { makeTempDirectory } from '../support/temp.ts';

/** Paid means work or money: the response is on the disk before dot-mi settles, and comes again for the same token. */

const SETTLE = /\/settle$/;

const codeOf = ({ status, body }: Reply) => [status, fieldOf(fieldOf(body, 'error'), 'code')];

/** A till, and a directory for responses that outlives each service. */
const openDurable = async () => {
  const till = await openTill();
  const responseDirectory = join(await makeTempDirectory(), 'responses');
  return { till, responseDirectory, mint: till.mint };
};

/** Sells to a customer with a service that is killed after the work, before it settles. Returns the token. */
const dieBeforeSettling = async ({ mint, ...durable }: Awaited<ReturnType<typeof openDurable>>) => {
  const service = await openPaidService(durable);
  const token = mint.issue(8);
  service.gate.next(SETTLE, 'refuse', 3);
  await expect(service.buy(token, { lose: 'answer' })).rejects.toThrow('lost');
  await service.gate.down();
  await service.kill();
  return token;
};

test('a service that is killed between settling and answering gives the response again, even while it is busy', async () => {
  const { mint, ...durable } = await openDurable();
  const first = await openPaidService(durable);
  const token = mint.issue(8);
  const { promise: never, resolve: end } = Promise.withResolvers<void>();
  first.gate.next(SETTLE, { after: never });
  const lost = first.buy(token).catch(() => 'lost');
  await eventually(async () => expect(await first.states()).toEqual(['settled']));
  await first.gate.down();
  await first.kill();
  end();
  expect(await lost).toBe('lost');

  const { promise: until, resolve: finish } = Promise.withResolvers<void>();
  const second = await openPaidService({
    ...durable,
    mostAtOnce: 1,
    mostWaiting: 0,
    work: async () => {
      await until;
      return { body: ANSWER };
    },
  });
  const other = mint.issue(PRICE);
  const waiting = second.buy(other, { body: { text: 'other' } });
  await eventually(() => expect(second.worked()).toHaveLength(1));
  const busy = await second.buy(mint.issue(PRICE));
  expect([codeOf(busy), cashuHeader(busy)]).toEqual([[503, 'service_busy'], undefined]);
  // A token that is spent isn't called good because the service is busy.
  expect(cashuHeader(await second.buy(token, { body: { text: 'other' } }))).toBeUndefined();
  for (const _ of ['twice', 'as often as it is sent']) {
    const again = await second.buy(token);
    expect([again.status, again.body]).toEqual([200, { ...ANSWER, charged: PRICE }]);
    expect(mint.unspent([cashuHeader(again) ?? ''])).toBe(8 - PRICE);
  }
  finish();
  expect((await waiting).status).toBe(200);
  expect(second.worked()).toHaveLength(1);
});

test('work that is done but not settled when a service is killed is settled by the next one, and delivered', async () => {
  const { mint, till, responseDirectory } = await openDurable();
  const token = await dieBeforeSettling({ mint, till, responseDirectory });
  const second = await openPaidService({ till, responseDirectory });
  expect(await second.states()).toEqual(['held']);
  expect(await second.paid.recover()).toBe(1);
  expect(await second.states()).toEqual(['settled']);
  const again = await second.buy(token);
  expect([again.status, again.body]).toEqual([200, { ...ANSWER, charged: PRICE }]);
  expect(mint.unspent([cashuHeader(again) ?? '']) + (await till.wallet.balance())).toBe(8);
  expect(second.worked()).toEqual([]);
});

test('a customer who was refunded meanwhile doesn’t get the kept response as well', async () => {
  const { mint, till, responseDirectory } = await openDurable();
  const token = await dieBeforeSettling({ mint, till, responseDirectory });
  // As after its hold time.
  const { charges } = (await till.wallet.asOperator('GET', '/api/charges')).body;
  await till.wallet.asOperator('POST', `/api/charges/${charges[0].id}/release`, {});
  const second = await openPaidService({ till, responseDirectory });
  for (const _ of ['first', 'second']) {
    const again = await second.buy(token);
    expect([codeOf(again), cashuHeader(again)]).toEqual([[409, 'already_done'], undefined]);
  }
  expect(await readdir(responseDirectory)).toEqual([]);
  expect((await second.refund(token)).body).toMatchObject({ sats: '8' });
});

test('a customer’s text is readable only by the owner, names no token, and is removed after a day', async () => {
  const { mint, till, responseDirectory } = await openDurable();
  const first = await openPaidService({
    till,
    responseDirectory,
    work: () => ({ body: Buffer.from('plain text'), headers: { 'Content-Type': 'text/plain' } }),
  });
  const token = mint.issue(8);
  const bought = await first.buy(token);
  const [name = '', ...others] = await readdir(responseDirectory);
  const path = join(responseDirectory, name);
  expect(others).toEqual([]);
  if (process.platform !== 'win32')
    expect([(await stat(path)).mode & 0o777, (await stat(responseDirectory)).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
  expect(name + (await readFile(path, 'utf8'))).not.toMatch(/cashu|sk-|dmk_/);
  await first.kill();

  const ageTo = (hours: number) => {
    const at = new Date(Date.now() - hours * 60 * 60_000);
    return utimes(path, at, at);
  };
  await ageTo(23.9);
  removeOldResponses(responseDirectory);
  const second = await openPaidService({ till, responseDirectory });
  const again = await second.buy(token);
  expect([again.text, again.headers['content-type']]).toEqual([bought.text, 'text/plain']);
  await second.kill();
  await ageTo(24.1);
  const third = await openPaidService({ till, responseDirectory });
  expect(await readdir(responseDirectory)).toEqual([]);
  expect(codeOf(await third.buy(token))).toEqual([409, 'already_done']);
});

test('the newest 64 MiB of responses are kept', { tags: 'slow' }, async () => {
  const { mint, till, responseDirectory } = await openDurable();
  const service = await openPaidService({
    till,
    responseDirectory,
    work: () => ({ body: 'x'.repeat(30 * 1024 * 1024) }),
  });
  const tokens = [mint.issue(PRICE), mint.issue(PRICE), mint.issue(PRICE)];
  for (const token of tokens) expect((await service.buy(token)).status).toBe(200);
  expect(await readdir(responseDirectory)).toHaveLength(2);
  const replies = [];
  for (const token of tokens) replies.push((await service.buy(token)).status);
  expect(replies).toEqual([409, 200, 200]);
});

test('a request with a key and an Idempotency-Key is paid once, and its response comes again', async () => {
  const { mint, till, responseDirectory } = await openDurable();
  const first = await openPaidService({ till, responseDirectory });
  const opened = await first.balance('create', { body: { cashu_token: mint.issue(64) } });
  const key = String(fieldOf(opened.body, 'api_key'));
  const ask = (url: string, once?: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${key}`,
        ...(once === undefined ? {} : { 'Idempotency-Key': once }),
      },
      body: JSON.stringify({ text: 'hello' }),
    });
  for (const _ of ['first', 'again'])
    expect([(await ask(first.url, 'a')).status, first.worked().length]).toEqual([200, 1]);
  await first.kill();
  const second = await openPaidService({ till, responseDirectory });
  expect(await (await ask(second.url, 'a')).json()).toEqual({ ...ANSWER, charged: PRICE });
  for (const once of ['b', undefined, undefined]) expect((await ask(second.url, once)).status).toBe(200);
  expect(second.worked()).toHaveLength(3);
  expect((await second.balance('info', { method: 'GET', key })).body).toMatchObject({
    total_spent: 4 * PRICE * 1_000,
  });
});
