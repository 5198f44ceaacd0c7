import { expect, test } from 'vitest';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { askAll } from './ask-all.ts';

/** All places, callers and routes take minutes: `slow/hidden-everywhere.test.ts`. */

const ROUTES = [
  ...[
    'files.read',
    'json-files.read',
    'files.entries',
    'pi-settings.get',
    'pi-models.get',
    'mcp.get',
    'mcp.list',
  ],
  ...['packages.get', 'checks.agent', 'agents.runCommand', 'search.prompts', 'profiles.list', 'prompt.get'],
  ...['catalog.prompts', 'catalog.themes.text'],
];

test('no route shows another agent’s models.json to a caller without a token', async () => {
  const { leaks, count, seen } = await askAll({ places: ['models'], routes: ROUTES });
  expect(leaks).toEqual([]);
  expect(count).toBeGreaterThan(90);
  // The same requests show what everybody may see.
  expect([...seen].sort()).toEqual(['zz-open-context-qx7', 'zz-open-skill-qx7', 'zz-open-system-qx7']);
});

test('a folder of links that leads to sessions lists none of their names', async () => {
  const { call } = await serve(
    await makeRoot({
      'agents/scout/themes': { link: '../writer/sessions' },
      'agents/writer/sessions/client-acme.md': 'private',
    }),
  );
  const { status, body } = await call('GET', '/api/agents/scout/links/themes');
  expect([status, body.code]).toEqual([403, 'outside_root']);
  for (const path of ['/api/agents', '/api/links/matrix?kind=themes'])
    expect(JSON.stringify((await call('GET', path)).body)).not.toContain('client-acme');
});

test('a preset shows the names of its MCP servers to everybody, and the rest only to the operator', async () => {
  const servers = { docs: { command: 'zq4T8vW1', args: ['--stdio'], description: 'Private docs' } };
  const { call, asOperator } = await serve(
    await makeRoot({ 'shared/presets/work.json': JSON.stringify({ skills: [], mcpServers: servers }) }),
  );
  for (const read of [
    async (ask: typeof call) => (await ask('GET', '/api/presets')).body.presets[0],
    async (ask: typeof call) => (await ask('GET', '/api/presets/work')).body,
  ]) {
    expect(await read(call)).toMatchObject({ mcpServers: { docs: {} }, etag: null });
    expect(JSON.stringify(await read(call))).not.toMatch(/zq4T8vW1|stdio|Private/);
    expect(await read(asOperator)).toMatchObject({ mcpServers: servers, etag: expect.any(String) });
  }
});

test('a prompt shows nobody a preset, which can have secrets of MCP servers', async () => {
  const preset = JSON.stringify({ skills: [], mcpServers: { docs: { env: { DOCS_TOKEN: 'zq4T8vW1' } } } });
  const { call, asOperator } = await serve(
    await makeRoot({
      'shared/presets/work.json': preset,
      'agents/scout/pi-args': '--append-system-prompt\n../../shared/presets/work.json\n',
      'agents/scout/APPEND_SYSTEM.md': { link: '../../shared/presets/work.json' },
    }),
  );
  for (const path of ['/api/agents/scout/prompt', '/api/agents/scout/file?path=APPEND_SYSTEM.md'])
    expect(JSON.stringify(await call('GET', path))).not.toContain('zq4T8vW1');
  expect((await asOperator('GET', '/api/agents/scout/prompt')).status).toBe(200);
});
