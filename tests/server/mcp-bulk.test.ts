import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { itemsOf, type McpAction } from '../../src/renderer/src/features/matrix/mcp-changes.ts';
import { contextWithoutWatch } from '../../src/server/root-model/coverage.ts';
import type { ChangeResult } from '../../src/shared/api/changes.ts';
import type { McpOverview } from '../../src/shared/api/mcp.ts';
import type { JsonObject } from '../../src/shared/json-object.ts';
import { serveOperator as serve } from '../support/as-operator.ts';
import { firstQuick } from '../support/first-quick.ts';
import { followEvents } from '../support/follow.ts';
import { rootViews } from '../support/fresh-scans.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot, type Tree } from '../support/root.ts';

const SECRET = 'Zq4T8vW1nB6x';

const mcp = (servers: object) => JSON.stringify({ mcpServers: servers }, null, 2);
const GITHUB = { command: 'npx', args: ['-y', 'github-mcp'], env: { GITHUB_TOKEN: '$GITHUB_TOKEN' } };

const serveAll = async (agents: Readonly<Record<string, string>>, more: Tree = {}) => {
  const rootPath = await makeRoot({
    ...Object.fromEntries(Object.entries(agents).map(([id, text]) => [`agents/${id}/mcp.json`, text])),
    ...more,
  });
  const server = await serve(rootPath);
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  return {
    ...server,
    text: (id: string) => readFile(join(rootPath, 'agents', id, 'mcp.json'), 'utf8'),
    write: (id: string, text: string) => writeFile(join(rootPath, 'agents', id, 'mcp.json'), text),
    remove: (id: string) => rm(join(rootPath, 'agents', id, 'mcp.json')),
    overview: async (): Promise<McpOverview> => (await server.call('GET', '/api/mcp')).body,
    /** Changes servers as the matrix does: from the list that it shows, and the files to copy from. */
    change: async (
      action: McpAction['action'],
      steps: McpAction['steps'],
      seen?: McpOverview,
    ): Promise<ChangeResult> => {
      const overview = seen ?? (await server.call('GET', '/api/mcp')).body;
      const sources = new Map<string, JsonObject>();
      for (const { from } of steps)
        if (from !== undefined) {
          const { body } = await server.call('GET', `/api/agents/${from}/json/mcp.json?reveal=true`);
          sources.set(from, body.value.mcpServers);
        }
      const items = itemsOf(overview, { action, steps }, sources);
      if (items.length === 0) return { change: null, applied: 0, unchanged: 0, refused: [] };
      const { status, body } = await server.call('POST', '/api/changes', { label: 'x', items }, operator);
      expect([status, body.error]).toEqual([200, undefined]);
      return body;
    },
    undo: async (id: string | null) =>
      (await server.call('POST', `/api/changes/${id}/undo`, undefined, operator)).body,
  };
};

test('the list says which agents have which servers, on or off, and where their definitions differ', {
  tags: 'slow',
}, async () => {
  const { overview, call } = await serveAll({
    a: mcp({ github: GITHUB, docs: { url: 'https://docs.example/mcp' } }),
    // The same with another order of keys, and off.
    b: mcp({ github: { enabled: false, env: GITHUB.env, args: GITHUB.args, command: 'npx', type: 'stdio' } }),
    c: mcp({ github: { ...GITHUB, args: ['-y', 'github-mcp', '--read-only'] }, 'my docs': { command: 'x' } }),
    d: mcp({ docs: { type: 'sse', url: 'https://docs.example/mcp' } }),
    e: '{',
    f: mcp({
      github: { ...GITHUB, env: { GITHUB_TOKEN: SECRET } },
      docs: { url: `https://docs.example/mcp?api_key=${SECRET}`, headers: { 'X-Team': SECRET } },
    }),
    // Another secret is not another definition, so that nobody can guess it.
    g: mcp({ github: { ...GITHUB, env: { GITHUB_TOKEN: `${SECRET}9` } } }),
  });
  const { servers, agents } = await overview();
  const target = 'npx -y github-mcp';
  const none = { on: [], off: [], refused: [] };
  expect(servers).toEqual([
    {
      name: 'docs',
      definitions: [
        {
          ...none,
          transport: 'http',
          target: 'https://docs.example/mcp',
          copyable: true,
          on: ['a'],
          refused: ['d'],
        },
        {
          ...none,
          transport: 'http',
          target: 'https://docs.example/•••',
          copyable: false,
          on: ['f'],
        },
      ],
    },
    {
      name: 'github',
      definitions: [
        { ...none, transport: 'stdio', target, copyable: true, on: ['a'], off: ['b'] },
        { ...none, transport: 'stdio', target, copyable: false, on: ['f', 'g'] },
        { ...none, transport: 'stdio', target: `${target} --read-only`, copyable: true, on: ['c'] },
      ],
    },
    {
      name: 'my docs',
      definitions: [{ ...none, transport: 'stdio', target: 'x', copyable: true, refused: ['c'] }],
    },
  ]);
  expect(agents.map(({ id, problem }) => [id, problem?.code ?? null])).toEqual([
    ...['a', 'b', 'c', 'd'].map((id) => [id, null]),
    ['e', 'unreadable'],
    ...['f', 'g', 'scout'].map((id) => [id, null]),
  ]);
  expect(agents[0]?.etag).toBe((await call('GET', '/api/agents/a/mcp')).body.etag);
  expect(agents.at(-1)?.etag).toBeNull();
  expect(JSON.stringify([servers, agents])).not.toContain(SECRET);
});

test('the list follows every change of the files', { tags: 'slow' }, async () => {
  const { overview, write, remove } = await serveAll({ a: mcp({ github: GITHUB }) });
  const using = async () =>
    (await overview()).servers.map(({ name, definitions: [first] }) => [name, first?.on, first?.off]);
  expect(await using()).toEqual([['github', ['a'], []]]);
  await write('a', mcp({ github: { ...GITHUB, enabled: false } }));
  expect(await using()).toEqual([['github', [], ['a']]]);
  await write('scout', mcp({ docs: { command: 'x' } }));
  expect(await using()).toEqual([
    ['docs', ['scout'], []],
    ['github', [], ['a']],
  ]);
  await remove('a');
  expect(await using()).toEqual([['docs', ['scout'], []]]);
});

test('copies an entry on, as pi reads it, never over another, and undoes all of it', async () => {
  const extra = { future: { a: [1, { b: null }] }, toolExposure: { search: 'direct' }, timeout: 7, cwd: 'x' };
  const entry = { ...GITHUB, ...extra, env: { GITHUB_TOKEN: '$GITHUB_TOKEN', LOG: 'debug' } };
  const before = {
    a: mcp({ github: { ...entry, enabled: false } }),
    same: mcp({ github: entry }),
    other: mcp({ github: { command: 'mine' } }),
    odd: '{"mcpServers" : { "z": {"command":"z"}   }, "last": null}',
    bad: '[]',
  };
  const { change, undo, text, overview } = await serveAll(before);
  const agents = ['same', 'other', 'odd', 'scout', 'bad', 'nobody', 'a'];
  const made = await change('copy', [{ names: ['github'], from: 'a', agents }]);
  expect(made).toMatchObject({
    applied: 2,
    unchanged: 0,
    refused: [
      { path: 'agents/bad/mcp.json', code: 'mcp_unreadable' },
      { path: 'agents/nobody/mcp.json', code: 'agent_not_found' },
    ],
  });
  const { mcpServers } = JSON.parse(await text('scout'));
  expect(mcpServers).toEqual({ github: entry });
  expect((await text('odd')).startsWith('{"mcpServers" : { "z": {"command":"z"}, "github": {')).toBe(true);
  for (const id of ['a', 'same', 'other'] as const) expect(await text(id)).toBe(before[id]);
  expect((await overview()).servers[0]?.definitions[0]).toMatchObject({
    on: ['odd', 'same', 'scout'],
    off: ['a'],
  });
  expect(await undo(made.change)).toMatchObject({ applied: 2, refused: [] });
  expect(await text('odd')).toBe(before.odd);
  await expect(text('scout')).rejects.toThrow('ENOENT');
  expect(await undo(made.change)).toMatchObject({ change: null, applied: 0, unchanged: 2 });
});

test('switches and removes a server everywhere, and leaves the agents without it alone', {
  tags: 'slow',
}, async () => {
  const before = {
    a: mcp({ github: GITHUB, x: { command: 'x' } }),
    b: mcp({ github: { ...GITHUB, enabled: false } }),
  };
  const { change, text, undo, write } = await serveAll(before);
  const agents = ['a', 'b', 'scout'];
  const off = await change('off', [{ names: ['github'], agents }]);
  expect(off).toMatchObject({ applied: 1, unchanged: 0, refused: [] });
  expect(await text('b')).toBe(before.b);
  await expect(text('scout')).rejects.toThrow('ENOENT');
  const on = await change('on', [{ names: ['github'], agents }]);
  expect(on.applied).toBe(2);
  const gone = await change('remove', [
    { names: ['github'], agents },
    { names: ['x'], agents: ['b'] },
  ]);
  expect(JSON.parse(await text('a'))).toEqual({ mcpServers: { x: { command: 'x' } } });
  // One that another program changed meanwhile stays, and can be tried again.
  const mine = mcp({ mine: { command: 'x' } });
  const after = await text('b');
  await write('b', mine);
  expect(await undo(gone.change)).toMatchObject({
    applied: 1,
    refused: [{ path: 'agents/b/mcp.json', code: 'file_changed' }],
  });
  expect(await text('b')).toBe(mine);
  await write('b', after);
  expect(await undo(gone.change)).toMatchObject({ applied: 1, refused: [] });
  expect(JSON.parse(await text('b'))).toEqual({ mcpServers: { github: GITHUB } });
  expect(await undo(on.change)).toMatchObject({ applied: 2, refused: [] });
  expect(await undo(off.change)).toMatchObject({ applied: 1, refused: [] });
  expect([await text('a'), await text('b')]).toEqual([before.a, before.b]);
});

for (const [tags, rows] of firstQuick<[string, object]>(1, [
  ['a variable', { ...GITHUB, env: { GITHUB_TOKEN: SECRET } }],
  ['a header', { url: 'https://x.example', headers: { Authorization: `Bearer ${SECRET}` } }],
  ['an argument', { command: 'x', args: [`--token=${SECRET}`] }],
  ['an address', { url: `https://x.example/?api_key=${SECRET}` }],
  ['an unknown key', { command: 'x', future: { apiKey: SECRET } }],
  [
    'a key that nobody knows',
    { command: 'x', future: { deep: ['ghp_a8Kd73Lq0Zx92Mv51Nb64CwHt83Rf02Yp5Qw'] } },
  ],
]))
  test.each(rows)('does not copy an entry with a secret in %s', { tags }, async (_, entry) => {
    const { change, text } = await serveAll({ a: mcp({ held: entry }) });
    const copying = change('copy', [{ names: ['held'], from: 'a', agents: ['scout'] }]);
    await expect(copying).rejects.toThrow('$NAME');
    await expect(text('scout')).rejects.toThrow('ENOENT');
  });

test('adds a server only to the files that were seen', { tags: 'slow' }, async () => {
  const { change, overview, write, text } = await serveAll({ a: mcp({ github: GITHUB }), b: mcp({}) });
  const seen = await overview();
  const theirs = mcp({ github: { command: 'another' } });
  for (const id of ['b', 'scout']) await write(id, theirs);
  const made = await change('copy', [{ names: ['github'], from: 'a', agents: ['b', 'scout'] }], seen);
  expect([made.applied, made.refused.map(({ code }) => code)]).toEqual([0, ['file_changed', 'file_changed']]);
  for (const id of ['b', 'scout']) expect(await text(id)).toBe(theirs);
});

test('an entry that pi would leave out next to another is not copied', { tags: 'slow' }, async () => {
  const { change } = await serveAll({
    a: mcp({ 'git-hub': GITHUB, 'my docs': { command: 'x' } }),
    b: mcp({ git_hub: GITHUB }),
  });
  for (const name of ['git-hub', 'my docs']) {
    const { refused } = await change('copy', [{ names: [name], from: 'a', agents: ['b'] }]);
    expect(refused.map(({ code }) => code)).toEqual(['mcp_server_refused']);
  }
});

test('one event names all agents of a change', { tags: 'slow' }, async () => {
  const agents = ['a', 'b', 'c', 'd'];
  const { change, url } = await serveAll(
    { z: mcp({ github: GITHUB }) },
    Object.fromEntries(agents.map((id) => [`agents/${id}/SYSTEM.md`, ''])),
  );
  const { events } = await followEvents(url);
  // The watches of a new root may still be on their way.
  const actions: McpAction['action'][] = ['off', 'on'];
  await change('copy', [{ names: ['github'], from: 'z', agents }]);
  await until(async () => {
    await change(actions.reverse()[0] ?? 'on', [{ names: ['github'], agents }]);
    return events.some(({ name, data }) => name === 'entries' && data.ids?.toSorted().join() === 'a,b,c,d');
  });
});

test('a scan returns the same object while nothing changes', async () => {
  const path = await makeRoot({ 'agents/a/mcp.json': mcp({ github: GITHUB }), 'agents/b/SYSTEM.md': '' });
  const { views } = rootViews(path);
  let nowMs = Date.now() + 60_000;
  const again = () => {
    nowMs += 60_000;
    return views.mcpServers(contextWithoutWatch(nowMs));
  };
  const first = again();
  expect(again()).toBe(first);
  // A write that changes nothing in the list changes its etag.
  await writeFile(join(path, 'agents/a/mcp.json'), `${mcp({ github: GITHUB })}\n`);
  const second = again();
  expect(second).not.toBe(first);
  expect(second.servers).toEqual(first.servers);
  expect(again()).toBe(second);
});
