import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { plant } from '../../../support/plant.ts';
import { SOLD, sell, serveShop } from '../../../support/sold-service.ts';

/** Where the sessions of customers' requests are, how they count, and how long they stay. */

const DAY_MS = 24 * 60 * 60_000;

/** A service that sold once, for half a dollar of its model. */
const sellOnce = async () => {
  const clock = makeClock(new Date().toISOString());
  const shop = await serveShop({ behavior: 'record', clock });
  const { server, customer } = shop;
  const { body: service } = await sell(server, { priceSats: 5 });
  const buyer = await customer();
  const buy = async () => {
    const { outcome } = await buyer.buy(service.url, { prompt: 'Good morning' });
    expect(outcome).toBe('bought');
  };
  await buy();
  const data = join(server.dataDirectory, 'data/services');
  const [rootId = ''] = readdirSync(data).filter((name) =>
    statSync(join(data, name, SOLD), { throwIfNoEntry: false }),
  );
  return {
    ...shop,
    clock,
    rootId,
    buy,
    directory: join(data, rootId, SOLD, 'sessions'),
    spent: async () => {
      const { body } = await server.asOperator('GET', '/api/usage');
      return body.groups.map(({ key, usdRecorded, calls }: Record<string, unknown>) => [
        key,
        usdRecorded,
        calls,
      ]);
    },
    sessions: async () => (await server.asOperator('GET', `/api/agents/${SOLD}/sessions`)).body.sessions,
  };
};

test('what a customer’s request used is the agent’s spending, and its session isn’t in the root', async () => {
  const { server, directory, spent, sessions, buy } = await sellOnce();
  expect(await spent()).toEqual([[SOLD, 0.5, 1]]);
  const [session] = await sessions();
  expect(session).toMatchObject({ firstMessage: 'Good morning', usdRecorded: 0.5 });
  expect((await server.asOperator('GET', `/api/sessions/${session.id}`)).body.entries.length).toBe(2);
  expect(existsSync(join(server.rootPath, 'agents', SOLD, 'sessions'))).toBe(false);
  expect(statSync(directory).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o700);
  // A new copy doesn't remove the sessions of the earlier one.
  expect((await sell(server, { priceSats: 5 })).status).toBe(201);
  await buy();
  expect(await spent()).toEqual([[SOLD, 1, 2]]);
  expect(await sessions()).toHaveLength(2);
});

test('the owner deletes the session of a customer’s request for good, and its sums stay', async () => {
  const { server, directory, spent, sessions } = await sellOnce();
  const [session] = await sessions();
  expect(session.ofSale).toBe(true);
  const removed = await server.asOperator('DELETE', `/api/sessions/${session.id}?agent=${SOLD}`);
  expect([removed.status, removed.body]).toEqual([200, { ok: true }]);
  expect(readdirSync(directory, { recursive: true }).filter((name) => `${name}`.endsWith('.jsonl'))).toEqual(
    [],
  );
  expect(await sessions()).toEqual([]);
  expect(await spent()).toEqual([[SOLD, 0.5, 1]]);
  expect((await server.asOperator('GET', '/api/trash')).body.entries).toEqual([]);
});

test('the session of a customer’s request is removed after 30 days, and its sums stay', {
  tags: 'slow',
}, async () => {
  const { clock, directory, spent, sessions } = await sellOnce();
  clock.pass(29 * DAY_MS);
  expect(await spent()).toEqual([[SOLD, 0.5, 1]]);
  expect(readdirSync(directory)).toHaveLength(1);
  clock.pass(2 * DAY_MS);
  await eventually(() => expect(readdirSync(directory)).toEqual([]));
  expect(await sessions()).toEqual([]);
  expect(await spent()).toEqual([[SOLD, 0.5, 1]]);
});

test('sessions of customers’ requests are counted before they are removed', { tags: 'slow' }, async () => {
  const { clock, directory, spent } = await sellOnce();
  // Nobody asked for the spending before.
  clock.pass(32 * DAY_MS);
  await eventually(() => expect(readdirSync(directory)).toEqual([]));
  expect(await spent()).toEqual([[SOLD, 0.5, 1]]);
});

test('an agent that is deleted takes its customers’ sessions along, and brings them back', {
  tags: 'slow',
}, async () => {
  const { server, directory, spent, sessions, rootId } = await sellOnce();
  const remove = async () =>
    (await server.asOperator('DELETE', `/api/agents/${SOLD}`, { confirm: SOLD })).body.entry;
  const [before] = await sessions();
  const first = await remove();
  expect(existsSync(directory)).toBe(false);
  expect(await spent()).toEqual([[SOLD, 0.5, 1]]);
  expect((await server.asOperator('GET', `/api/sessions/${before.id}`)).status).toBe(404);
  await server.asOperator('POST', `/api/trash/${first}/restore`);
  expect(await sessions()).toEqual([before]);
  expect(await spent()).toEqual([[SOLD, 0.5, 1]]);

  // A later agent with its id doesn't have them.
  const second = await remove();
  await plant(server.rootPath, { [`agents/${SOLD}/SYSTEM.md`]: 'Hi' });
  expect(await sessions()).toEqual([]);
  await server.asOperator('POST', `/api/trash/${second}/restore?name=writer`);
  expect(await sessions()).toEqual([]);
  const { body } = await server.asOperator('GET', '/api/agents/writer/sessions');
  expect(body.sessions).toEqual([before]);
  const third = (await server.asOperator('DELETE', '/api/agents/writer', { confirm: 'writer' })).body.entry;
  await server.asOperator('DELETE', `/api/trash/${third}`);
  expect(
    readdirSync(join(server.dataDirectory, 'data/services', rootId), { recursive: true }),
  ).not.toContainEqual(expect.stringMatching(/jsonl$/));
  expect(await spent()).toEqual([[SOLD, 0.5, 1]]);
});

test('customers’ sessions of a deleted agent are removed after 30 days too', { tags: 'slow' }, async () => {
  const { server, clock, rootId } = await sellOnce();
  const { entry } = (await server.asOperator('DELETE', `/api/agents/${SOLD}`, { confirm: SOLD })).body;
  const kept = join(server.dataDirectory, 'data/services', rootId, entry);
  expect(existsSync(kept)).toBe(true);
  clock.pass(32 * DAY_MS);
  await eventually(() => expect(existsSync(kept)).toBe(false));
});
