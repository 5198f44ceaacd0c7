import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ReachedBudget } from '../../../src/server/budgets/budgets.service.ts';
import { makeClock } from '../../support/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { trustRoot } from '../../support/trust.ts';

/** The limits of agents, and what holds them. */

// Noon in local time, so that a minute before is the same day.
const NOON = new Date(2026, 2, 15, 12);

const start = async ({ btcUsd = 100_000 }: { btcUsd?: number | null } = {}) => {
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'Hi' });
  const dataDirectory = await makeTempDirectory();
  const clock = makeClock(NOON.toISOString());
  const reached: ReachedBudget[] = [];
  const point = { at: clock.now() - 1_000, price: btcUsd, source: 'kraken' };
  if (btcUsd !== null)
    await plant(dataDirectory, { 'data/btc_price_history.jsonl': `${JSON.stringify(point)}\n` });
  const serveAgain = () => serve(root, { dataDirectory, clock, onBudgetReached: (one) => reached.push(one) });
  const server = await serveAgain();
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  const spend = async (agent: string, usd: number, agoMs = 60_000, more: object = {}) => {
    const session = makeSession({ startedAtMs: clock.now() - agoMs });
    session.call({ input: 1_000, usd }, more);
    const directory = join(root, 'agents', agent, 'sessions');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, session.fileName), session.text());
  };
  return {
    server,
    serveAgain,
    clock,
    reached,
    spend,
    dataDirectory,
    root,
    operator,
    set: (agent: string, limits: object) =>
      server.call('PUT', `/api/agents/${agent}/budget`, limits, operator),
    get: async (agent: string) => (await server.call('GET', `/api/agents/${agent}/budget`)).body,
  };
};

const DAY_MS = 24 * 60 * 60 * 1000;

test('a limit counts what was spent in its day or month, in dollars or sats, and says when it is reached', async () => {
  const { set, get, spend, server } = await start();
  // Of this month, but not of this day.
  await spend('scout', 3, 2 * DAY_MS);
  await spend('scout', 0.5);
  expect(await get('scout')).toEqual({
    agent: 'scout',
    limits: [],
    exceeded: false,
    unpricedTokens: 0,
    complete: true,
    reading: false,
    notCounted: false,
  });
  const { status, body } = await set('scout', {
    usdPerDay: 1,
    satsPerDay: 500,
    usdPerMonth: 10,
    satsPerMonth: 10_000,
  });
  const tomorrow = new Date(2026, 2, 16).toISOString();
  const april = new Date(2026, 3).toISOString();
  expect([status, body.exceeded]).toEqual([200, true]);
  expect(body.limits).toEqual([
    { unit: 'usd', period: 'day', limit: 1, used: 0.5, left: 0.5, exceeded: false, resetsAt: tomorrow },
    { unit: 'sats', period: 'day', limit: 500, used: 500, left: 0, exceeded: true, resetsAt: tomorrow },
    { unit: 'usd', period: 'month', limit: 10, used: 3.5, left: 6.5, exceeded: false, resetsAt: april },
    {
      unit: 'sats',
      period: 'month',
      limit: 10_000,
      used: 3_500,
      left: 6_500,
      exceeded: false,
      resetsAt: april,
    },
  ]);
  expect(await get('scout')).toEqual(body);
  // A limit that the body leaves out stays, and null removes one.
  expect((await set('scout', { satsPerDay: null, usdPerMonth: 3.5 })).body.limits).toMatchObject([
    { unit: 'usd', period: 'day', limit: 1 },
    { unit: 'usd', period: 'month', limit: 3.5, exceeded: true },
    { unit: 'sats', period: 'month', limit: 10_000 },
  ]);
  await set('courier', { usdPerDay: 1 });
  const { body: all } = await server.call('GET', '/api/budgets');
  expect(
    all.budgets.map(({ agent, exceeded }: { agent: string; exceeded: boolean }) => [agent, exceeded]),
  ).toEqual([
    ['courier', false],
    ['scout', true],
  ]);
  await set('scout', { usdPerDay: null, usdPerMonth: null, satsPerMonth: null });
  expect((await server.call('GET', '/api/budgets')).body.budgets).toHaveLength(1);
});

test('a limit is empty again in the next period', { tags: 'slow' }, async () => {
  const { set, get, spend, clock } = await start();
  await spend('scout', 2);
  await set('scout', { usdPerDay: 1, usdPerMonth: 1 });
  clock.pass(DAY_MS);
  expect((await get('scout')).limits).toMatchObject([
    { period: 'day', used: 0, exceeded: false },
    { period: 'month', used: 2, exceeded: true },
  ]);
  clock.pass(31 * DAY_MS);
  expect(await get('scout')).toMatchObject({ exceeded: false, limits: [{ used: 0 }, { used: 0 }] });
});

test('what is not known is said, and never counted as zero', { tags: 'slow' }, async () => {
  const { set, spend } = await start({ btcUsd: null });
  await spend('scout', 0.5);
  await spend('scout', 0, 50_000, { model: 'unheard-of' });
  const { body } = await set('scout', { usdPerDay: 0.5, satsPerDay: 1 });
  expect(body).toMatchObject({
    exceeded: true,
    unpricedTokens: 1_000,
    limits: [
      { unit: 'usd', used: 0.5, left: 0, exceeded: true },
      { unit: 'sats', used: null, left: null, exceeded: false },
    ],
  });
});

test('80 and 100 percent are each reported once in a period, also after a restart, and again for a raised limit', {
  tags: 'slow',
}, async () => {
  const { set, get, spend, reached, server, serveAgain, clock } = await start();
  await set('scout', { usdPerDay: 1 });
  await spend('scout', 0.79);
  await get('scout');
  expect(reached).toEqual([]);
  await spend('scout', 0.01, 50_000);
  await get('scout');
  await get('scout');
  const mark = { agent: 'scout', unit: 'usd', period: 'day' };
  expect(reached).toEqual([{ ...mark, percent: 80 }]);
  await spend('scout', 5, 40_000);
  // Nobody asks now.
  clock.pass(30_000);
  await eventually(() =>
    expect(reached).toEqual([
      { ...mark, percent: 80 },
      { ...mark, percent: 100 },
    ]),
  );
  await server.close();
  reached.length = 0;
  const next = await serveAgain();
  expect((await next.call('GET', '/api/agents/scout/budget')).body.exceeded).toBe(true);
  expect(reached).toEqual([]);
  const operator = { Authorization: `Bearer ${next.operatorToken}` };
  await next.call('PUT', '/api/agents/scout/budget', { usdPerDay: 100 }, operator);
  await next.call('PUT', '/api/agents/scout/budget', { usdPerDay: 5 }, operator);
  expect(reached).toEqual([{ ...mark, percent: 100 }]);
  clock.pass(DAY_MS);
  await spend('scout', 5);
  await next.call('GET', '/api/agents/scout/budget');
  expect(reached).toHaveLength(2);
});

test('only the operator sets a budget, of an agent that exists, with amounts above zero', async () => {
  const { server, set } = await start();
  expect((await server.call('PUT', '/api/agents/scout/budget', { usdPerDay: 1 })).status).toBe(403);
  for (const limits of [{ usdPerDay: 0 }, { satsPerDay: 1.5 }, { usdPerDay: '1' }, { perWeek: 1 }])
    expect((await set('scout', limits)).status, JSON.stringify(limits)).toBe(400);
  expect((await set('nobody', { usdPerDay: 1 })).body.code).toBe('agent_not_found');
  expect((await server.call('GET', '/api/agents/nobody/budget')).body.code).toBe('agent_not_found');
});

test('a new agent doesn’t inherit the budget of a deleted one, which gets it back from the trash', {
  tags: 'slow',
}, async () => {
  const { server, serveAgain, root, set, get, operator, dataDirectory } = await start();
  await plant(root, { 'setup.sh': { script: '#!/bin/sh\nmkdir "$(dirname "$0")/agents/$2"\n' } });
  await trustRoot(server);
  const limits = async (agent: string) => (await get(agent)).limits.length;
  const erase = async (id: string) =>
    (await server.call('DELETE', `/api/agents/${id}`, { confirm: id }, operator)).body.ok;
  const make = async (id: string) =>
    (await server.call('POST', '/api/agents', { name: id }, operator)).status;
  const restore = async (entry: string, name: string) =>
    (await server.call('POST', `/api/trash/${encodeURIComponent(entry)}/restore?name=${name}`, {}, operator))
      .status;

  await set('courier', { usdPerDay: 1 });
  await set('scout', { usdPerDay: 2 });
  expect(await erase('courier')).toBe(true);
  expect(await make('courier')).toBe(201);
  expect(await limits('courier')).toBe(0);
  const [item] = (await server.call('GET', '/api/trash', undefined, operator)).body.entries;
  // Deleting and restoring an agent must not free it of its budget.
  expect(await restore(item.entry, 'courier-2')).toBe(200);
  expect((await get('courier-2')).limits).toMatchObject([{ limit: 1 }]);
  expect(await limits('courier')).toBe(0);

  // One that was removed outside dot-mi, and a copy.
  await rm(join(root, 'agents/courier-2'), { recursive: true });
  expect(await make('courier-2')).toBe(201);
  expect(await limits('courier-2')).toBe(0);
  expect((await server.call('POST', '/api/agents/scout/duplicate', { name: 'twin' }, operator)).status).toBe(
    201,
  );
  expect(await limits('twin')).toBe(0);

  await erase('scout');
  await server.close();
  const next = await serveAgain();
  const { entries } = (
    await next.call('GET', '/api/trash', undefined, { Authorization: `Bearer ${next.operatorToken}` })
  ).body;
  const { entry } = entries.find(({ id }: { id: string }) => id === 'scout');
  await next.asOperator('POST', `/api/trash/${encodeURIComponent(entry)}/restore`);
  expect((await next.call('GET', '/api/agents/scout/budget')).body.limits).toMatchObject([{ limit: 2 }]);
  expect(await readdir(join(dataDirectory, 'data/budgets'))).toHaveLength(1);
});

test('an agent can be called constructor, and has no budget until one is set', { tags: 'slow' }, async () => {
  const { server, root, set, get } = await start();
  await plant(root, { 'agents/constructor/SYSTEM.md': 'Hi', 'agents/toString/SYSTEM.md': 'Hi' });
  expect(await get('constructor')).toMatchObject({ agent: 'constructor', limits: [], exceeded: false });
  expect((await server.call('GET', '/api/agents/constructor/run-command')).status).toBe(200);
  expect((await set('constructor', { usdPerDay: 1 })).body.limits).toHaveLength(1);
  expect((await get('toString')).limits).toEqual([]);
  const { budgets } = (await server.call('GET', '/api/budgets')).body;
  expect(budgets).toMatchObject([{ agent: 'constructor' }]);
});

test('a damaged file is a response with advice, and nothing replaces it', { tags: 'slow' }, async () => {
  const { server, set, serveAgain, dataDirectory } = await start();
  await set('scout', { usdPerDay: 1 });
  const { rootId } = (await server.call('GET', '/api/health')).body;
  const path = join(dataDirectory, `data/budgets/${rootId}.json`);
  expect(JSON.parse(await readFile(path, 'utf8')).agents.scout.limits).toEqual({ usdPerDay: 1 });
  await server.close();
  await writeFile(path, '{"version":1,');
  const next = await serveAgain();
  const operator = { Authorization: `Bearer ${next.operatorToken}` };
  const answers = [
    await next.call('GET', '/api/agents/scout/budget'),
    await next.call('GET', '/api/budgets'),
    await next.call('PUT', '/api/agents/scout/budget', { usdPerDay: 2 }, operator),
  ];
  for (const { status, body } of answers) {
    expect([status, body.code]).toEqual([500, 'budgets_damaged']);
    expect(JSON.stringify(body)).not.toContain(dataDirectory);
  }
  expect(await readFile(path, 'utf8')).toBe('{"version":1,');
});
