import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ServerEvent } from '../../../src/shared/api/events.ts';
import { followEvents } from '../../support/follow.ts';
import { plant } from '../../support/plant.ts';
import { until } from '../../support/raw-http.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';
import { makeTempDirectory } from '../../support/temp.ts';

/** What agents spend with a subscription, which doesn't bill each call. */

const SECRET = 'sk-ant-oat-never-shown';

const oauth = { type: 'oauth', access: SECRET, refresh: SECRET, expires: 1 };

const AUTH = JSON.stringify({
  anthropic: oauth,
  // pi signs in to it with OAuth, but it bills each call.
  radius: oauth,
  openrouter: { type: 'api_key', key: SECRET },
});

const start = async (tree: Record<string, string> = {}) => {
  const root = await makeRoot({ 'agents/ada/auth.json': AUTH, 'agents/ben/SYSTEM.md': 'Hi', ...tree });
  const dataDirectory = await makeTempDirectory();
  const point = { at: Date.now() - 1_000, price: 100_000, source: 'kraken' };
  await plant(dataDirectory, { 'data/btc_price_history.jsonl': `${JSON.stringify(point)}\n` });
  const server = await serve(root, { dataDirectory });
  const spend = async (agent: string, provider: string, usd: number) => {
    const session = makeSession({ startedAtMs: Date.now() - 60_000 });
    session.call({ input: 1_000, usd }, { provider, model: 'large' });
    const directory = join(root, 'agents', agent, 'sessions/--x--');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, session.fileName), session.text());
  };
  const read = async (path: string) => {
    const { status, body } = await server.asOperator('GET', path);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    return body;
  };
  const count = (text: string | null) =>
    server.asOperator('PUT', '/api/preferences', { preferences: { 'count-subscriptions': text } });
  return { root, server, spend, read, count };
};

test('calls that it covers aren’t spent, unless the operator counts them', async () => {
  const { server, spend, read, count } = await start();
  await spend('ada', 'anthropic', 3);
  await spend('ada', 'openrouter', 1);
  await spend('ada', 'radius', 1);
  await spend('ben', 'anthropic', 4);
  await server.asOperator('PUT', '/api/agents/ada/budget', { usdPerDay: 5 });

  const covered = { calls: 1, usd: 3, sats: 3_000, counted: false };
  const counted = { ...covered, counted: true };
  const { groups, total } = await read('/api/usage');
  expect(groups).toMatchObject([
    { key: 'ada', calls: 3, usdRecorded: 2, satsRecorded: 2_000, coveredBySubscription: covered },
    { key: 'ben', usdRecorded: 4 },
  ]);
  expect(groups[1]).not.toHaveProperty('coveredBySubscription');
  expect(total).toMatchObject({ usdRecorded: 6, coveredBySubscription: covered });
  const byModel = await read('/api/usage?groupBy=model&agent=ada');
  expect(byModel.groups).toMatchObject([
    { key: 'anthropic/large', usdRecorded: 0, coveredBySubscription: covered },
    { key: 'openrouter/large', usdRecorded: 1 },
    { key: 'radius/large', usdRecorded: 1 },
  ]);
  const budget = () => read('/api/agents/ada/budget');
  // A budget counts them either way.
  expect(await budget()).toMatchObject({
    limits: [{ used: 5 }],
    exceeded: true,
    coveredBySubscription: counted,
  });
  const margin = async () => (await read('/api/earnings')).groups[0];
  expect(await margin()).toMatchObject({ marginSats: -2_000, coveredBySubscription: covered });

  const { events } = await followEvents(server.url);
  await count('yes');
  // Pages fetch the amounts again.
  const isReported = ({ name, data }: ServerEvent) => name === 'sessions' && data.ids?.length === 0;
  await until(() => events.some(isReported));
  expect((await read('/api/usage')).groups[0]).toMatchObject({
    usdRecorded: 5,
    coveredBySubscription: counted,
  });
  expect(await budget()).toMatchObject({
    limits: [{ used: 5 }],
    exceeded: true,
    coveredBySubscription: counted,
  });
  expect(await margin()).toMatchObject({ marginSats: -5_000 });
  await count(null);
  expect((await read('/api/usage')).total.usdRecorded).toBe(6);
});

test('a sign-in that an agent writes itself gives it no budget back', async () => {
  const { root, server, spend, read } = await start();
  await spend('ben', 'anthropic', 5);
  await server.asOperator('PUT', '/api/agents/ben/budget', { usdPerDay: 1, satsPerMonth: 100 });
  const budget = () => read('/api/agents/ben/budget');
  const used = {
    exceeded: true,
    limits: [
      { used: 5, left: 0, exceeded: true },
      { used: 5_000, left: 0 },
    ],
  };
  expect(await budget()).toMatchObject(used);
  await plant(root, { 'agents/ben/auth.json': '{"anthropic":{"type":"oauth"}}' });
  expect((await read('/api/usage')).total).toMatchObject({
    usdRecorded: 0,
    coveredBySubscription: { usd: 5 },
  });
  expect(await budget()).toMatchObject(used);
  expect((await read('/api/budgets')).budgets).toMatchObject([{ agent: 'ben', ...used }]);
});

test('tokens that it covers need no price', { tags: 'slow' }, async () => {
  const { spend, read, count } = await start();
  await spend('ada', 'anthropic', 0);
  expect((await read('/api/usage')).total).toMatchObject({
    unpricedTokens: 0,
    usdEstimated: 0,
    coveredBySubscription: { calls: 1, usd: null, sats: null },
  });
  await count('yes');
  expect((await read('/api/usage')).total).toMatchObject({ unpricedTokens: 1_000, usdEstimated: null });
});

test('the next request knows that an agent signed out, or that its arguments have a key', {
  tags: 'slow',
}, async () => {
  const { root, spend, read } = await start();
  await spend('ada', 'anthropic', 3);
  const spent = async () => (await read('/api/usage')).total.usdRecorded;
  expect(await spent()).toBe(0);
  await plant(root, { 'agents/ada/pi-args': '--provider\nanthropic\n--api-key\n$KEY\n' });
  expect(await spent()).toBe(3);
  await plant(root, { 'agents/ada/pi-args': '--provider\nanthropic\n--model\nlarge\n' });
  expect(await spent()).toBe(0);
  await rm(join(root, 'agents/ada/auth.json'));
  expect(await spent()).toBe(3);
  await plant(root, { 'agents/ada/auth.json': '{"anthropic":{"type":"api_key","key":"x"}}' });
  expect(await spent()).toBe(3);
});

test('the cost of a call and each message say that it covers them', { tags: 'slow' }, async () => {
  const { root, spend, read } = await start();
  await spend('ada', 'anthropic', 3);
  const cost = async () => (await read('/api/agents/ada/cost')).model;
  await plant(root, { 'agents/ada/pi-args': '--provider\nanthropic\n--model\nlarge\n' });
  expect(await cost()).toMatchObject({ name: 'anthropic/large', coveredBySubscription: true });
  const [session] = (await read('/api/agents/ada/sessions')).sessions;
  const { entries } = await read(`/api/sessions/${session.id}?agent=ada`);
  const usage = entries.find((entry: { usage?: object }) => entry.usage)?.usage;
  expect(usage).toMatchObject({ usd: 3, coveredBySubscription: true });
  await plant(root, { 'agents/ada/pi-args': '--provider\nopenrouter\n--model\nlarge\n' });
  expect(await cost()).toMatchObject({ coveredBySubscription: false });
});
