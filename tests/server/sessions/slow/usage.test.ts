import { appendFile, mkdir, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plant } from '../../../support/plant.ts';
import { makeRoot } from '../../../support/root.ts';
import { type ServeOptions, serve, type TestServer } from '../../../support/server.ts';
import { makeSession } from '../../../support/session-file.ts';
import { makeTempDirectory } from '../../../support/temp.ts';

/** What agents spent, from session files as pi writes them. */

const start = async (tree: Record<string, string> = {}, options: ServeOptions = {}) => {
  const root = await makeRoot(tree);
  const server = await serve(root, options);
  const sessions = join(root, 'agents/scout/sessions/--work--');
  await mkdir(sessions, { recursive: true });
  return { root, server, sessions };
};

const usageBy = async (server: TestServer, grouping = 'agent', more = '') => {
  const call = grouping === 'session' ? server.asOperator : server.call;
  const { status, body } = await call('GET', `/api/usage?groupBy=${grouping}${more}`);
  expect([status, body.reading]).toEqual([200, false]);
  return body;
};

const total = async (server: TestServer) => (await usageBy(server)).total;

const SPENT = { input: 1_000, output: 50, cacheRead: 200, usd: 0.25 };

describe('a session', () => {
  test('counts calls, failed calls, summaries, tools and cache warming, each with its model', async () => {
    const { server, sessions } = await start();
    const session = makeSession();
    session.say('Hello');
    session.call(SPENT);
    session.call({}, { stopReason: 'error' });
    session.call({ input: 10, output: 1, usd: 0.5 }, { provider: 'cloud', model: 'large' });
    session.compact({ input: 100, output: 20, usd: 0.125 });
    session.toolResult({ input: 5, usd: 0.0625 });
    session.warmCache({ cacheRead: 7, usd: 0.03125 });
    await writeFile(join(sessions, session.fileName), session.text());

    const { total: all, groups, problems } = await usageBy(server, 'model');
    expect(all).toMatchObject({
      calls: 2,
      errors: 1,
      input: 1_115,
      output: 71,
      cacheRead: 207,
      usdRecorded: 0.96875,
    });
    // The summary and the tool belong to the model in use.
    expect(groups).toMatchObject([
      { key: 'cloud/large', calls: 1, input: 115, usdRecorded: 0.6875 },
      { key: 'local/small', calls: 1, errors: 1, input: 1_000, cacheRead: 207, usdRecorded: 0.28125 },
    ]);
    expect(problems).toEqual([]);
  });

  test('is read on from where it ended, and a half-written line counts once it is whole', async () => {
    const { server, sessions } = await start();
    const session = makeSession();
    session.call(SPENT);
    const path = join(sessions, session.fileName);
    const whole = session.text();
    await writeFile(path, whole.slice(0, -30));
    expect((await total(server)).calls).toBe(0);
    await appendFile(path, whole.slice(-30));
    expect((await total(server)).calls).toBe(1);
    const before = session.text().length;
    session.call(SPENT);
    await appendFile(path, session.text().slice(before));
    expect(await total(server)).toMatchObject({ calls: 2, usdRecorded: 0.5 });
  });

  test('counts once with its forks and copies, also in another agent', async () => {
    const { root, server, sessions } = await start({ 'agents/other/SYSTEM.md': 'Hi' });
    const first = makeSession({ startedAtMs: Date.now() - 7_200_000 });
    first.call(SPENT);
    first.call(SPENT);
    await writeFile(join(sessions, first.fileName), first.text());
    const fork = makeSession({ parentSession: join(sessions, first.fileName) });
    fork.call(SPENT);
    await writeFile(join(sessions, fork.fileName), fork.text([...first.entries, ...fork.entries]));
    const copies = join(root, 'agents/other/sessions');
    await mkdir(copies);
    await writeFile(join(copies, first.fileName), first.text());
    expect(await total(server)).toMatchObject({ calls: 3, usdRecorded: 0.75 });
    expect((await usageBy(server, 'session')).groups).toMatchObject(
      [
        { key: first.id, calls: 2 },
        { key: fork.id, calls: 1 },
      ].sort((a, b) => (a.key < b.key ? -1 : 1)),
    );
  });

  test('that is deleted stays counted, and a new index counts the files that are there', async () => {
    const { root, server, sessions } = await start();
    for (const _ of [1, 2]) {
      const session = makeSession();
      session.call(SPENT);
      await writeFile(join(sessions, session.fileName), session.text());
    }
    expect((await total(server)).calls).toBe(2);
    const [name = ''] = await readdir(sessions);
    await rm(join(sessions, name));
    expect((await total(server)).calls).toBe(2);
    await server.close();
    const again = await serve(root, { dataDirectory: server.dataDirectory });
    expect((await total(again)).calls).toBe(2);
    await again.close();
    await rm(join(server.dataDirectory, 'data/sessions'), { recursive: true });
    const anew = await serve(root, { dataDirectory: server.dataDirectory });
    expect((await total(anew)).calls).toBe(1);
  });

  test('that is rewritten, truncated or upgraded by pi does not count twice', async () => {
    const { server, sessions } = await start();
    const session = makeSession();
    session.call(SPENT);
    session.call(SPENT);
    const path = join(sessions, session.fileName);
    await writeFile(path, session.text());
    expect((await total(server)).calls).toBe(2);
    // In place, with a name in front.
    await writeFile(path, session.text([{ type: 'session_info', name: 'New' }, ...session.entries]));
    expect((await total(server)).calls).toBe(2);
    await truncate(path, 40);
    expect((await total(server)).calls).toBe(2);
    await writeFile(path, session.text());
    expect((await total(server)).calls).toBe(2);

    const old = makeSession({ version: 1 });
    old.call(SPENT);
    const oldPath = join(sessions, old.fileName);
    await writeFile(oldPath, old.text());
    expect((await total(server)).calls).toBe(3);
    const [header = '', ...lines] = old.text().trim().split('\n');
    const upgraded = [
      JSON.stringify({ ...JSON.parse(header), version: 3 }),
      ...lines.map((line, at) => JSON.stringify({ ...JSON.parse(line), id: `id${at}`, parentId: null })),
    ];
    await writeFile(oldPath, `${upgraded.join('\n')}\n`);
    expect((await total(server)).calls).toBe(3);
  });
});

test('finds sessions in the directory that settings.json names and in workspaces, and reads nothing outside the root', async () => {
  const { root, server, sessions } = await start({
    'agents/named/settings.json': '{"sessionDir":"../../kept"}',
    'agents/outside/settings.json': '{"sessionDir":"../../../elsewhere"}',
    'agents/damaged/settings.json': '{',
  });
  const put = async (directory: string) => {
    const session = makeSession();
    session.call(SPENT);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, session.fileName), session.text());
  };
  await put(join(root, 'kept/--work--'));
  await put(join(root, '../elsewhere'));
  await put(join(root, 'workspaces/scout/2026-11-20/sessions'));
  await put(join(root, 'workspaces/scout/2026-11-20/notes'));
  await symlink(sessions, join(sessions, 'loop'), 'dir');
  await symlink(join(root, '../elsewhere'), join(root, 'agents/scout/sessions/linked'), 'dir');
  expect((await usageBy(server)).groups).toMatchObject([
    { key: 'named', calls: 1 },
    { key: 'scout', calls: 1 },
  ]);
  expect((await usageBy(server)).notCounted).toEqual(['named', 'outside', 'scout']);
});

test('says in usage, budgets and earnings whose sessions are not counted, until the operator adds their directory', async () => {
  const outside = await makeTempDirectory();
  const session = makeSession();
  session.call(SPENT);
  await writeFile(join(outside, session.fileName), session.text());
  const { root, server } = await start({
    'agents/outside/settings.json': JSON.stringify({ sessionDir: outside }),
    'agents/home/settings.json': '{"sessionDir":"~/pi-sessions"}',
    'agents/relative/settings.json': '{"sessionDir":"logs"}',
    'agents/linked/settings.json': '{"sessionDir":"sessions-elsewhere"}',
  });
  const settings = (sessionDir: string) => JSON.stringify({ sessionDir });
  await writeFile(join(root, 'agents/linked/settings.json'), settings(join(root, 'link')));
  await symlink(outside, join(root, 'link'), 'dir');
  // Before the first run, and without one.
  await mkdir(join(root, 'agents/fine'));
  await writeFile(join(root, 'agents/fine/settings.json'), settings(join(root, 'kept')));
  await mkdir(join(root, 'agents/none'));
  await writeFile(join(root, 'agents/none/settings.json'), settings(''));

  const ask = async (server: TestServer, path: string) => (await server.call('GET', `/api/${path}`)).body;
  const all = ['home', 'linked', 'outside', 'relative'];
  expect((await ask(server, 'usage')).notCounted).toEqual(all);
  expect((await ask(server, 'usage?agent=outside&groupBy=day')).notCounted).toEqual(['outside']);
  expect((await ask(server, 'usage?agent=fine')).notCounted).toEqual([]);
  const earnings = (await server.asOperator('GET', '/api/earnings')).body;
  expect(earnings).toMatchObject({ notCounted: all, total: { marginSats: null } });
  expect(await ask(server, 'agents/outside/budget')).toMatchObject({ notCounted: true });
  expect(await ask(server, 'agents/fine/budget')).toMatchObject({ notCounted: false });
  expect(JSON.stringify(await ask(server, 'usage'))).not.toContain(outside);
  await server.close();

  const SESSION_DIRECTORIES = `outside=${outside},home=~/pi-sessions,linked=${outside},relative=${join(root, 'x')}`;
  const again = await serve(root, {
    dataDirectory: server.dataDirectory,
    environment: { SESSION_DIRECTORIES },
  });
  const usage = await ask(again, 'usage');
  // Two agents have the same directory, and its session counts for the first.
  expect([usage.notCounted, usage.total.calls]).toEqual([['linked'], 1]);
  expect(await ask(again, 'agents/outside/budget')).toMatchObject({ notCounted: false });
});

test('reads the directories that the settings name, also through a link, and never moves their files', async () => {
  const outside = await makeTempDirectory();
  await mkdir(join(outside, 'kept/--work--'), { recursive: true });
  await symlink(join(outside, 'kept'), join(outside, 'link'), 'dir');
  const session = makeSession();
  session.call(SPENT);
  const path = join(outside, 'kept/--work--', session.fileName);
  await writeFile(path, session.text());
  const SESSION_DIRECTORIES = `scout=${join(outside, 'link')},gone=${join(outside, 'nowhere')}`;
  const { server } = await start({}, { environment: { SESSION_DIRECTORIES } });
  expect((await usageBy(server)).groups).toMatchObject([{ key: 'scout', calls: 1 }]);
  const ask = async (method: string) => {
    const operator = { Authorization: `Bearer ${server.operatorToken}` };
    return (await server.call(method, `/api/sessions/${session.id}`, undefined, operator)).body;
  };
  expect(await ask('GET')).toMatchObject({ agent: 'scout', path: null, entries: [{ type: 'assistant' }] });
  expect((await ask('DELETE')).code).toBe('session_outside_root');
});

test('a file that is no session, or holds garbage or enormous lines, is named and hides no other', {
  tags: 'slow',
}, async () => {
  const { server, sessions } = await start();
  const session = makeSession();
  session.call(SPENT);
  const [header = '', ...lines] = session.text().split('\n');
  await writeFile(join(sessions, 'a-garbage.jsonl'), '{"usage" broken\n'.repeat(100_000));
  await writeFile(
    join(sessions, 'b-long.jsonl'),
    `${header}\n{"x":"${'y'.repeat(33 * 1024 * 1024)}"}\n${lines.join('\n')}`,
  );
  await rename(join(sessions, 'b-long.jsonl'), join(sessions, session.fileName));
  const hostile = makeSession();
  hostile.call({ input: -5, output: 1e300, usd: Number.MAX_VALUE });
  await writeFile(join(sessions, hostile.fileName), hostile.text());
  await expect
    .poll(
      async () => {
        const {
          reading,
          notCounted,
          total: all,
          problems,
        } = (await server.asOperator('GET', '/api/usage')).body;
        return { reading, notCounted, calls: all.calls, usd: all.usdRecorded, problems };
      },
      { timeout: 20_000 },
    )
    .toEqual({
      reading: false,
      notCounted: ['scout'],
      calls: 1,
      usd: 0.25,
      problems: [
        {
          path: `agents/scout/sessions/--work--/${session.fileName}`,
          problem: 'A line in it is longer than 32 MiB, so that line was not counted.',
        },
        {
          path: `agents/scout/sessions/--work--/${hostile.fileName}`,
          problem: 'An amount in it is impossible, so it was counted as 0.',
        },
        {
          path: 'agents/scout/sessions/--work--/a-garbage.jsonl',
          problem: 'It doesn’t start like a pi session, so nothing in it was counted.',
        },
      ],
    });
});

describe('an estimate', () => {
  const PRICES = { models: { small: { input_usd_per_million: 2, output_usd_per_million: 10 } } };
  const withPrices = async () => {
    const started = await start();
    const { server } = started;
    const put = async (models: object) => {
      const { status } = await server.call('PUT', '/api/pricing/models', models, {
        Authorization: `Bearer ${server.operatorToken}`,
      });
      expect(status).toBe(200);
    };
    await put(PRICES);
    return { ...started, put };
  };

  test('stands apart from recorded costs, follows the prices, and is missing where there is no price', async () => {
    const { server, sessions, put } = await withPrices();
    const session = makeSession();
    session.call({ input: 1_000_000, output: 100_000 });
    session.call({ input: 300, usd: 0.5 });
    session.call({ input: 7 }, { provider: 'local', model: 'unheard-of' });
    await writeFile(join(sessions, session.fileName), session.text());
    const { total: all, groups } = await usageBy(server, 'model');
    // 1 million × $2 + 0.1 million × $10.
    expect(all).toMatchObject({ usdRecorded: 0.5, usdEstimated: 3, unpricedTokens: 7 });
    // No BTC price is known.
    expect(all).toMatchObject({ satsRecorded: null, satsEstimated: null });
    expect(groups).toMatchObject([
      { key: 'local/small', usdRecorded: 0.5, usdEstimated: 3, unpricedTokens: 0 },
      { key: 'local/unheard-of', usdRecorded: 0, usdEstimated: null, satsEstimated: null, unpricedTokens: 7 },
    ]);
    await put({ models: { 'local/small': { input_usd_per_million: 1, output_usd_per_million: 10 } } });
    expect((await total(server)).usdEstimated).toBe(2);
  });

  test('counts the cache at its own prices, else at the input price, and an hour of it at twice that', async () => {
    const { server, sessions, put } = await withPrices();
    const session = makeSession();
    session.call({ cacheRead: 1_000_000, cacheWrite: 1_000_000, cacheWrite1h: 500_000 });
    await writeFile(join(sessions, session.fileName), session.text());
    // $2 for reading, $1 for writing, $2 for an hour.
    expect((await total(server)).usdEstimated).toBe(5);
    const cache = { cache_read_usd_per_million: 0.25, cache_write_usd_per_million: 3 };
    await put({ models: { small: { ...PRICES.models.small, ...cache } } });
    expect((await total(server)).usdEstimated).toBe(0.25 + 1.5 + 2);
  });
});

test('sats use the BTC price within six hours of the call, else the current one, and say how much that was', async () => {
  const dataDirectory = await makeTempDirectory();
  const now = Date.now();
  const hours = (count: number) => count * 3_600_000;
  await plant(dataDirectory, {
    'data/btc_price_history.jsonl': [
      { at: now - hours(48), price: 50_000, source: 'kraken' },
      { at: now - 1_000, price: 100_000, source: 'kraken' },
    ]
      .map((point) => `${JSON.stringify(point)}\n`)
      .join(''),
  });
  const { server, sessions } = await start({}, { dataDirectory });
  // $5 at $50,000, $5 at $100,000, and $1 from a time without a price.
  for (const [agoMs, usd] of [
    [hours(50), 5],
    [hours(1), 5],
    [hours(20), 1],
  ] as const) {
    const session = makeSession({ startedAtMs: now - agoMs });
    session.call({ input: 1, usd });
    await writeFile(join(sessions, session.fileName), session.text());
  }
  const all = await total(server);
  expect(all.usdAtCurrentPrice).toBe(1);
  expect(all.satsRecorded).toBeCloseTo(10_000 + 5_000 + 1_000, 6);
  expect(all.satsEstimated).toBe(0);
});

test('groups add up to the same total, and a period takes its part', async () => {
  const { server, sessions } = await start({ 'agents/other/SYSTEM.md': 'Hi' });
  const now = Date.now();
  for (const daysAgo of [0, 1, 5]) {
    const session = makeSession({ startedAtMs: now - daysAgo * 86_400_000 - 600_000 });
    session.call({ input: 100 + daysAgo, usd: 0.25 });
    session.call({ input: 3, usd: 0.5 }, { model: `large-${daysAgo}` });
    await writeFile(join(sessions, session.fileName), session.text());
  }
  for (const grouping of ['agent', 'model', 'day', 'session']) {
    const { groups, total: all } = await usageBy(server, grouping);
    expect(all).toMatchObject({ calls: 6, usdRecorded: 2.25 });
    const sum = (name: string) =>
      groups.reduce((left: number, group: Record<string, number>) => left + Number(group[name]), 0);
    for (const name of ['calls', 'input', 'usdRecorded', 'unpricedTokens']) expect(sum(name)).toBe(all[name]);
  }
  // One agent alone is what it is among all, also after one of them called again.
  const call = makeSession({ startedAtMs: now - 300_000 });
  call.call({ input: 7, usd: 0.125 });
  const other = join(sessions, '../../../other/sessions');
  await mkdir(other);
  await writeFile(join(other, call.fileName), call.text());
  const { groups: agents } = await usageBy(server);
  expect(agents.map(({ key }: { key: string }) => key)).toEqual(['other', 'scout']);
  for (const { key, ...sums } of agents) {
    for (const grouping of ['agent', 'model', 'day', 'session'])
      expect((await usageBy(server, grouping, `&agent=${key}`)).total, key).toEqual(sums);
  }
  await rm(join(other, call.fileName));
  const from = new Date(now - 2 * 86_400_000).toISOString();
  const to = new Date(now - 86_400_000).toISOString();
  expect((await usageBy(server, 'day', `&agent=scout&from=${from}`)).total.calls).toBe(4);
  expect((await usageBy(server, 'day', `&agent=scout&from=${from}&to=${to}`)).total.calls).toBe(2);
});
