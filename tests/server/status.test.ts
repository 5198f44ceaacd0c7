import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunChange, WaitingAgent } from '../../src/server/status/status.service.ts';
import { MOST_RUNS, type StatusList } from '../../src/shared/api/status.ts';
import { makeClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { followEvents } from '../support/follow.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

/** What agents do now, from the reports of their runs. */

const MINUTE_MS = 60_000;

const start = async () => {
  const root = await makeRoot({ 'agents/courier/SYSTEM.md': 'Hi' });
  const dataDirectory = await makeTempDirectory();
  const clock = makeClock();
  const changes: RunChange[] = [];
  const waiting: (readonly string[])[] = [];
  const shown: WaitingAgent[] = [];
  const statusListener = {
    onChange: (change: RunChange) => changes.push(change),
    onWaiting: (agents: readonly WaitingAgent[]) => {
      waiting.push(agents.map(({ agent }) => agent));
      shown.splice(0, shown.length, ...agents);
    },
  };
  const serveAgain = () => serve(root, { dataDirectory, clock, statusListener });
  const server = await serveAgain();
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  let current = server;
  return {
    root,
    server,
    operator,
    clock,
    changes,
    waiting,
    shown,
    dataDirectory,
    restart: async () => {
      await current.close();
      current = await serveAgain();
    },
    report: (agent: string, body: object, headers = {}) =>
      current.call('POST', `/api/agents/${agent}/status`, body, headers),
    list: async (headers = {}): Promise<StatusList> =>
      (await current.call('GET', '/api/status', undefined, headers)).body,
  };
};

const stateOf = ({ agents }: StatusList, id: string) => agents.find(({ agent }) => agent === id)?.state;

test('an agent runs, waits and is done as its run reports', async () => {
  const { report, list, clock } = await start();
  expect(await list()).toEqual({ running: 0, waiting: 0, agents: [] });
  await report('scout', { run: 'a', state: 'running', model: 'openai/gpt-5' });
  clock.pass(5_000);
  await report('scout', { run: 'a', state: 'running', forMs: 5_000, model: 'openai/gpt-5' });
  const run = { state: 'running', since: '2026-03-01T12:00:00.000Z', model: 'openai/gpt-5' };
  expect(await list()).toEqual({
    running: 1,
    waiting: 0,
    agents: [{ agent: 'scout', state: 'running', since: run.since, runs: [run] }],
  });
  await report('scout', { run: 'a', state: 'waiting', forMs: 1_000 });
  const asked = '2026-03-01T12:00:04.000Z';
  expect(await list()).toEqual({
    running: 0,
    waiting: 1,
    agents: [
      {
        agent: 'scout',
        state: 'waiting',
        since: asked,
        runs: [{ state: 'waiting', since: asked, model: null }],
      },
    ],
  });
  await report('scout', { run: 'a', state: 'done' });
  clock.pass(3 * MINUTE_MS);
  expect(await list()).toEqual({
    running: 0,
    waiting: 0,
    agents: [{ agent: 'scout', state: 'done', since: '2026-03-01T12:00:05.000Z', runs: [] }],
  });
  clock.pass(24 * 60 * MINUTE_MS);
  expect((await list()).agents).toEqual([]);
});

test('an agent with several runs waits while one of them does, and shows the others too', {
  tags: 'slow',
}, async () => {
  const { report, list, clock } = await start();
  await report('scout', { run: 'a', state: 'running' });
  clock.pass(1_000);
  await report('scout', { run: 'b', state: 'waiting' });
  await report('courier', { run: 'a', state: 'running' });
  const { running, waiting, agents } = await list();
  expect([running, waiting]).toEqual([1, 1]);
  expect(agents.map(({ agent, state, runs }) => [agent, state, runs.map((run) => run.state)])).toEqual([
    ['courier', 'running', ['running']],
    ['scout', 'waiting', ['waiting', 'running']],
  ]);
  await report('scout', { run: 'b', state: 'done' });
  expect(stateOf(await list(), 'scout')).toBe('running');
  await report('scout', { run: 'a', state: 'ended' });
  expect(stateOf(await list(), 'scout')).toBe('done');
});

test('a run that stops reporting ends after 25 s, and a run that a person stopped is not done', {
  tags: 'slow',
}, async () => {
  const { report, list, clock, changes } = await start();
  await report('scout', { run: 'a', state: 'running' });
  clock.pass(24_999);
  expect(stateOf(await list(), 'scout')).toBe('running');
  clock.pass(1);
  expect((await list()).agents).toEqual([]);
  await report('scout', { run: 'a', state: 'running', forMs: 30_000 });
  await report('scout', { run: 'a', state: 'ended' });
  await report('scout', { run: 'a', state: 'ended' });
  expect((await list()).agents).toEqual([]);
  expect(changes.map(({ state }) => state)).toEqual(['running', 'ended', 'running', 'ended']);
});

test('the next report restores a run after a restart, and the disk keeps when agents were done', {
  tags: 'slow',
}, async () => {
  const { report, list, restart } = await start();
  await report('scout', { run: 'a', state: 'waiting', forMs: 3_000 });
  await report('courier', { run: 'b', state: 'done', forMs: MINUTE_MS });
  await restart();
  expect((await list()).agents).toEqual([
    { agent: 'courier', state: 'done', since: '2026-03-01T11:59:00.000Z', runs: [] },
  ]);
  await report('scout', { run: 'a', state: 'waiting', forMs: 3_000 });
  expect(stateOf(await list(), 'scout')).toBe('waiting');
});

/** Starts, kills and restarts as many processes, and looks after each step at what is shown. */
const watchRuns = async (starts: number) => {
  const { report, list, clock, restart } = await start();
  const agents = ['scout', 'courier'];
  /** The same numbers each time. */
  let seed = 38;
  const below = (most: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * most);
  };
  const processes = new Map<string, { agent: string; startedMs: number; state: 'running' | 'waiting' }>();
  const lastEndMs = new Map<string, number>();
  const tooLong: string[] = [];
  let restored = 0;
  for (let started = 0; started < starts; ) {
    if (below(3) > 0) {
      const agent = agents[below(agents.length)] ?? '';
      started += 1;
      const state = below(4) === 0 ? 'waiting' : 'running';
      processes.set(`run-${started}`, { agent, startedMs: clock.now(), state });
      await report(agent, { run: `run-${started}`, state });
    }
    // A killed process says nothing.
    for (const [run, { agent }] of processes)
      if (below(3) === 0) {
        processes.delete(run);
        lastEndMs.set(agent, clock.now());
      }
    const isRestart = below(12) === 0;
    if (isRestart) await restart();
    clock.pass(10_000);
    for (const [run, { agent, startedMs, state }] of processes) {
      await report(agent, { run, state, forMs: clock.now() - startedMs });
      if (isRestart) restored += 1;
    }
    const shown = await list();
    for (const agent of agents) {
      const isLive = [...processes.values()].some((process) => process.agent === agent);
      const isShown = ['running', 'waiting'].includes(stateOf(shown, agent) ?? '');
      const endedAgoMs = clock.now() - (lastEndMs.get(agent) ?? clock.now());
      if (isLive && !isShown) tooLong.push(`${agent} runs, and isn't shown`);
      if (!isLive && isShown && endedAgoMs >= 30_000) tooLong.push(`${agent} ended ${endedAgoMs} ms ago`);
    }
  }
  expect(restored).toBeGreaterThan(5);
  expect(tooLong).toEqual([]);
};

test('no agent runs for longer than 30 s after its process ended, over 40 starts, kills and restarts', () =>
  watchRuns(40));

test(
  'no agent runs for longer than 30 s after its process ended, over 200 starts, kills and restarts',
  {
    tags: 'slow',
  },
  () => watchRuns(200),
);

test('only the operator learns in which directory an agent works', async () => {
  const { report, list, operator, server } = await start();
  await report('scout', { run: 'a', state: 'running', cwd: '/home/me/secret-client' });
  const create = { label: 'Watcher', scopes: ['read-agents'] };
  const { key } = (await server.call('POST', '/api/keys', create, operator)).body;
  for (const headers of [{}, { Authorization: `Bearer ${key}` }])
    expect(JSON.stringify(await list(headers))).not.toContain('secret-client');
  expect((await list(operator)).agents[0]?.runs[0]?.cwd).toBe('/home/me/secret-client');
});

test('a key reports for its own agent only, and for no agent of another root', async () => {
  const { report, list, operator, server, root } = await start();
  const create = { label: 'Scout', agent: 'scout', scopes: ['prices'] };
  const { key } = (await server.call('POST', '/api/keys', create, operator)).body;
  const headers = { Authorization: `Bearer ${key}` };
  const running = { run: 'a', state: 'running' };
  expect((await report('courier', running, headers)).body.code).toBe('forbidden_agent');
  const elsewhere = await report('scout', { ...running, directory: '/other/agents/scout' }, headers);
  expect(elsewhere.body.code).toBe('root_changed');
  expect((await list()).agents).toEqual([]);
  const own = { ...running, directory: join(root, 'agents/scout') };
  expect((await report('scout', own, headers)).body).toEqual({ ok: true });
  expect(stateOf(await list(), 'scout')).toBe('running');
});

test('a hostile holder of a key can neither fill the memory nor hide a run that waits', {
  tags: 'slow',
}, async () => {
  const { report, list } = await start();
  await report('scout', { run: 'asks', state: 'waiting' });
  for (let n = 0; n < 40; n++) await report('scout', { run: `r${n}`, state: 'running' });
  const [scout] = (await list()).agents;
  expect(scout?.runs.length).toBe(MOST_RUNS);
  expect(scout?.runs[0]?.state).toBe('waiting');
  const long = (length: number) => 'x'.repeat(length);
  for (const wrong of [
    { run: long(65) },
    { run: 'a b' },
    { model: long(201) },
    { cwd: long(1_025) },
    { forMs: -1 },
    { forMs: 1e15 },
    { state: 'busy' },
    { other: 1 },
  ])
    expect([wrong, (await report('scout', { run: 'a', state: 'running', ...wrong })).status]).toEqual([
      wrong,
      400,
    ]);
  expect((await report('scout', { run: 'a', state: 'running', model: long(20_000) })).status).toBe(413);
});

test('made-up runs of callers without a token never push out or change a run of a key or of the operator', async () => {
  const { report, list, operator, server, clock } = await start();
  const create = { label: 'Scout', agent: 'scout', scopes: ['prices'] };
  const { key } = (await server.call('POST', '/api/keys', create, operator)).body;
  const asScout = { Authorization: `Bearer ${key}` };
  const models = async () => (await list()).agents[0]?.runs.map(({ model }) => model) ?? [];
  await report('scout', { run: 'real', state: 'running', model: 'with/key' }, asScout);
  await report('scout', { run: 'mine', state: 'running', model: 'by/operator' }, operator);
  clock.pass(1_000);
  for (let n = 0; n < 30; n++)
    expect((await report('scout', { run: `r${n}`, state: 'waiting', model: 'made/up' })).status).toBe(200);
  expect((await models()).length).toBe(MOST_RUNS);
  expect(await models()).toEqual(expect.arrayContaining(['with/key', 'by/operator']));
  for (const state of ['running', 'done', 'ended'])
    await report('scout', { run: 'real', state, model: 'made/up' });
  expect(await models()).toContain('with/key');

  // Real runs replace made-up ones. Once all are real, made-up ones are ignored.
  for (let n = 0; n < MOST_RUNS; n++)
    await report('scout', { run: `key${n}`, state: 'running', model: 'with/key' }, asScout);
  await report('scout', { run: 'late', state: 'waiting', model: 'made/up' });
  expect((await models()).length).toBe(MOST_RUNS);
  expect(await models()).not.toContain('made/up');
});

test('the event names agents whose state changed, at most twice a second, and no repeated report', async () => {
  const { report, server, clock } = await start();
  const { events } = await followEvents(server.url);
  const seen = () => events.flatMap(({ name, data }) => (name === 'status' ? [data] : []));
  await report('scout', { run: 'a', state: 'running' });
  await eventually(() => expect(seen()).toEqual([{ ids: ['scout'] }]));
  await report('courier', { run: 'a', state: 'running' });
  await report('scout', { run: 'a', state: 'waiting' });
  expect(seen().length).toBe(1);
  clock.pass(500);
  await eventually(() => expect(seen()).toEqual([{ ids: ['scout'] }, { ids: ['courier', 'scout'] }]));
  clock.pass(500);
  await report('scout', { run: 'a', state: 'waiting', forMs: 500 });
  clock.pass(24_500);
  await eventually(() => expect(seen().slice(2)).toEqual([{ ids: ['courier'] }]));
});

test('the host hears which agents wait, and how long a run worked', async () => {
  const { report, waiting, changes, clock, restart } = await start();
  await report('scout', { run: 'a', state: 'running' });
  clock.pass(10_000);
  await report('scout', { run: 'a', state: 'waiting' });
  await report('courier', { run: 'b', state: 'waiting' });
  clock.pass(10_000);
  await report('scout', { run: 'a', state: 'running', forMs: 20_000 });
  await report('scout', { run: 'a', state: 'done' });
  expect(waiting).toEqual([[], ['scout'], ['courier', 'scout'], ['courier']]);
  expect(changes.at(-1)).toEqual({ agent: 'scout', run: 'a', state: 'done', workedMs: 20_000 });
  await restart();
  expect(waiting.at(-1)).toEqual([]);
});

test('a deleted agent takes its status along', { tags: 'slow' }, async () => {
  const { report, list, server } = await start();
  await report('courier', { run: 'a', state: 'done' });
  await report('courier', { run: 'b', state: 'running' });
  await server.call('DELETE', '/api/agents/courier', { confirm: 'courier' });
  expect(await list()).toEqual({ running: 0, waiting: 0, agents: [] });
  expect((await report('courier', { run: 'b', state: 'running' })).status).toBe(404);
});

test('a damaged file of the status costs only when agents were done', { tags: 'slow' }, async () => {
  const { report, list, restart, dataDirectory, server, clock } = await start();
  await report('scout', { run: 'a', state: 'done' });
  clock.pass(1_000);
  const { rootId } = (await server.call('GET', '/api/health')).body;
  const file = join(dataDirectory, `data/status/${rootId}.json`);
  // Within a second, so that a crash keeps it too.
  await eventually(async () =>
    expect(JSON.parse(await readFile(file, 'utf8')).done).toEqual({ scout: clock.now() - 1_000 }),
  );
  await writeFile(file, 'damaged');
  await restart();
  expect((await list()).agents).toEqual([]);
  await report('scout', { run: 'a', state: 'running' });
  expect(stateOf(await list(), 'scout')).toBe('running');
});

test('the request log leaves out reports that worked, because there are so many', {
  tags: 'slow',
}, async () => {
  const { report, server } = await start();
  await report('scout', { run: 'a', state: 'running' });
  await report('nobody', { run: 'a', state: 'running' });
  const { requests } = (
    await server.call('GET', '/api/requests', undefined, { Authorization: `Bearer ${server.operatorToken}` })
  ).body;
  expect(requests.map(({ status }: { status: number }) => status)).toEqual([404]);
});
