import { chmod, chown, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { host } from '../support/host.ts';
import { plant } from '../support/plant.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

interface Root {
  path: string;
  agents: number | null;
  openedAt: string | null;
  current: boolean;
}

test('lists the current root, the ones that were chosen, and the usual folders that hold agents', {
  tags: 'slow',
}, async () => {
  const [first, second] = [await makeRoot(), await makeRoot({ 'agents/other/SYSTEM.md': 'o' })];
  const server = await host({});
  const home = server.dataDirectory;
  await plant(home, { 'dot-mi/agents/mine': null, 'dot-mi/agents/notes.txt': '', '.pi/agent': null });
  const list = async (): Promise<Root[]> => (await server.call('GET', '/api/roots')).body.roots;

  // Nobody chose the starter root yet, but it is the current one.
  expect(await list()).toEqual([
    { path: join(home, 'data/dot-mi-root'), agents: 3, openedAt: null, current: true },
    { path: join(home, 'dot-mi'), agents: 1, openedAt: null, current: false },
  ]);

  for (const [started, root] of [
    [2, first],
    [3, second],
    [4, first],
  ] as const) {
    expect((await server.call('PUT', '/api/settings', { root })).status).toBe(200);
    await server.untilStarted(started);
  }
  expect((await list()).map(({ path, agents, current }) => [path, agents, current])).toEqual([
    [first, 1, true],
    [second, 2, false],
    [join(home, 'dot-mi'), 1, false],
  ]);
  const file = join(home, 'data/recent-roots.json');
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(JSON.parse(await readFile(file, 'utf8')).roots).toHaveLength(2);

  // A folder that disappeared isn't offered, and a damaged file costs only the memory of it.
  await rm(second, { recursive: true });
  expect((await list()).map(({ path }) => path)).not.toContain(second);
  await writeFile(file, '{');
  expect((await list()).map(({ path }) => path)).toEqual([first, join(home, 'dot-mi')]);
});

test.skipIf(process.platform === 'win32')(
  'a list of roots that others can write names none of them',
  async () => {
    const [current, planted] = [await makeRoot(), await makeRoot()];
    const server = await host({ DOT_MI_ROOT: current });
    const file = join(server.dataDirectory, 'data/recent-roots.json');
    const roots = [{ path: planted, openedAt: '2026-01-01T00:00:00.000Z' }];
    await writeFile(file, JSON.stringify({ version: 1, roots }));
    const list = async () =>
      (await server.call('GET', '/api/roots')).body.roots.map(({ path }: Root) => path);
    expect(await list()).toEqual([current, planted]);
    await chmod(file, 0o666);
    expect(await list()).toEqual([current]);
    if (process.getuid?.() !== 0) return;
    await chmod(file, 0o644);
    await chown(file, 12_345, 12_345);
    expect(await list()).toEqual([current]);
  },
);

test('only the operator sees where roots are', async () => {
  const { call } = await serve(await makeRoot());
  expect((await call('GET', '/api/roots')).body.code).toBe('operator_required');
});
