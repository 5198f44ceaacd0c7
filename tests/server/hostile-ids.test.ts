import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endpoints } from '../../src/shared/api/index.ts';
import { readJson } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve, type TestServer } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const BODIES: Readonly<Record<string, unknown>> = {
  'agents.delete': (id: string) => ({ confirm: id }),
  'agents.duplicate': () => ({ name: 'copy' }),
  'budgets.set': () => ({ usdPerDay: 1 }),
  'files.write': () => ({ path: 'SYSTEM.md', content: 'written' }),
  'status.report': () => ({ run: '1-a', state: 'running' }),
  'links.extensions.create': () => ({ name: 'say.ts' }),
  'links.skills.create': () => ({ name: 'git-summary' }),
  'links.prompts.create': () => ({ name: 'review.md' }),
  'links.themes.create': () => ({ name: 'quiet.json' }),
  'checks.fix': () => ({
    findings: [{ rule: 'x', file: 'pi-args', line: 1, column: 1 }],
    etags: { 'pi-args': '"x"' },
  }),
  'drafts.write': () => ({
    path: 'SYSTEM.md',
    text: 'typed',
    base: { content: '', etag: null },
    typedAt: '2026-01-01T00:00:00.000Z',
  }),
  'pi-models.find': () => ({ baseUrl: 'http://127.0.0.1:1/v1' }),
  'pi-models.test': () => ({ baseUrl: 'http://127.0.0.1:1/v1', model: 'm' }),
};

const QUERIES: Readonly<Record<string, string>> = {
  'files.read': '?path=SYSTEM.md',
  'drafts.read': '?path=SYSTEM.md',
  'drafts.delete': '?path=SYSTEM.md&version=1',
};

const routesOfOneAgent = endpoints.filter(({ path }) => path.includes('/:id'));
// A draft is kept while its agent is gone.
const routesOfAgentsThere = routesOfOneAgent.filter(({ id }) => !id.startsWith('drafts.'));

const call = async ({ url, operatorToken }: TestServer, endpoint: (typeof endpoints)[number], id: string) => {
  const path = endpoint.path
    .replace(':id', encodeURIComponent(id))
    .replace(':name', 'git-summary')
    .replace(':file', 'mcp.json')
    .replace(':writer', 'writer-one');
  const body = BODIES[endpoint.id];
  const response = await fetch(`${url}${path}${QUERIES[endpoint.id] ?? ''}`, {
    method: endpoint.method,
    headers: {
      Authorization: `Bearer ${operatorToken}`,
      ...(typeof body === 'function' ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(typeof body === 'function' ? { body: JSON.stringify(body(id)) } : {}),
  });
  return { status: response.status, code: (await readJson(response)).code };
};

test('the contract has routes of one agent to try', () => {
  expect(routesOfOneAgent.length).toBeGreaterThanOrEqual(10);
});

test.each([
  'a..b',
  'x'.repeat(300),
  '-x',
  '.hidden',
  'CON',
  'con',
  'nul.txt',
  'COM1',
  'lpt9.log',
  'end.',
  'a/b',
  '../scout',
  'a\\b',
  'a b',
  'a\0b',
  'é',
  '%2e%2e',
  'a:b',
  '*',
])('the id %j is refused in the same way on every route', async (id) => {
  const server = await serve(await makeRoot());
  for (const endpoint of routesOfOneAgent) {
    expect([endpoint.id, await call(server, endpoint, id)]).toEqual([
      endpoint.id,
      { status: 400, code: 'invalid_agent_id' },
    ]);
  }
  const created = await fetch(`${server.url}/api/agents`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: id }),
  });
  expect([created.status, (await readJson(created)).code]).toEqual([400, 'invalid_agent_id']);
});

test('".." and "." as a whole segment reach no route', async () => {
  const { call: send } = await serve(await makeRoot());
  for (const id of ['%2e%2e', '%2e', '..%2f..']) {
    const { status } = await send('GET', `/api/agents/${id}/file?path=SYSTEM.md`);
    expect([400, 404]).toContain(status);
  }
});

test('no route accepts a symlink, a plain file or a missing entry as an agent, and nothing is written', async () => {
  const outside = await makeTempDirectory();
  await writeFile(join(outside, 'SYSTEM.md'), 'outside');
  const root = await makeRoot({
    'agents/linked-out': { link: outside },
    'agents/linked-in': { link: 'scout' },
    'agents/plain': 'a file',
    'agents/dangling': { link: 'nowhere' },
  });
  const server = await serve(root);
  const before = await readdir(join(root, 'agents'));
  for (const id of ['linked-out', 'linked-in', 'plain', 'dangling', 'unknown', '__proto__', 'constructor']) {
    for (const endpoint of routesOfAgentsThere) {
      const expected =
        id === '__proto__'
          ? { status: 400, code: 'invalid_agent_id' }
          : { status: 404, code: 'agent_not_found' };
      expect([id, endpoint.id, await call(server, endpoint, id)]).toEqual([id, endpoint.id, expected]);
    }
  }
  expect(await readdir(join(root, 'agents'))).toEqual(before);
  expect(await readdir(outside)).toEqual(['SYSTEM.md']);
  expect(await readFile(join(outside, 'SYSTEM.md'), 'utf8')).toBe('outside');
  expect(await readFile(join(root, 'agents/plain'), 'utf8')).toBe('a file');
});
