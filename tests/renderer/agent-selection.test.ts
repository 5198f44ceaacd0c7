import { describe, expect, test } from 'vitest';
import { runEach } from '../../src/renderer/src/changes/run-each.ts';
import { filterAgents } from '../../src/renderer/src/features/agents/agents-sidebar.tsx';
import { extended, NO_SELECTION, toggled } from '../../src/renderer/src/features/agents/use-selection.ts';

describe('choosing several agents', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];

  test('adds and removes one agent, and a range starts at the last one', () => {
    const two = toggled(toggled(NO_SELECTION, 'd'), 'b');
    expect([...two.chosen].sort()).toEqual(['b', 'd']);
    expect([...toggled(two, 'd').chosen]).toEqual(['b']);
    expect([...extended(two, ids, 'c', null).chosen].sort()).toEqual(['b', 'c', 'd']);
    expect([...extended(two, ids, 'a', null).chosen].sort()).toEqual(['a', 'b', 'd']);
  });

  test('a range starts at the active agent when nothing was chosen, or when the last one is out of sight', () => {
    expect([...extended(NO_SELECTION, ids, 'a', 'c').chosen]).toEqual(['a', 'b', 'c']);
    expect([...extended(NO_SELECTION, ids, 'c', null).chosen]).toEqual(['c']);
    expect([...extended(toggled(NO_SELECTION, 'gone'), ids, 'e', 'd').chosen].sort()).toEqual([
      'd',
      'e',
      'gone',
    ]);
  });
});

const statusOf = (agent: string, state: 'running' | 'waiting' | 'done') => ({
  agent,
  state,
  since: '2026-01-01T00:00:00.000Z',
  runs: [],
});

describe('filters', () => {
  const agents = [
    { id: 'courier', workspace: true },
    { id: 'scout', workspace: false, missingFiles: ['SYSTEM.md' as const] },
    { id: 'writer', workspace: true },
  ];
  const links = new Map([['writer', { id: 'writer', links: 3, brokenLinks: 1 }]]);
  const checks = new Map([
    ['writer', { id: 'writer', errors: 0, warnings: 2, hints: 0, stopping: 0 }],
    // Nobody has to do anything about a hint.
    ['courier', { id: 'courier', errors: 0, warnings: 0, hints: 1, stopping: 0 }],
  ]);
  const statuses = new Map([
    ['scout', statusOf('scout', 'waiting')],
    ['writer', statusOf('writer', 'running')],
    ['courier', statusOf('courier', 'done')],
  ]);
  const about = { links, checks, statuses };
  const find = (query: string, ...filters: ('waiting' | 'running' | 'broken' | 'problems' | 'workspace')[]) =>
    filterAgents(agents, about, query, new Set(filters)).found.map(({ id }) => id);

  test('an agent has to pass all of them and match the text, and each counts what it would find alone', () => {
    expect(find('')).toEqual(['courier', 'scout', 'writer']);
    expect(find('', 'workspace')).toEqual(['courier', 'writer']);
    expect(find('', 'workspace', 'broken')).toEqual(['writer']);
    expect(find('cou', 'workspace')).toEqual(['courier']);
    expect(find('', 'problems')).toEqual(['scout', 'writer']);
    expect([find('', 'waiting'), find('', 'running')]).toEqual([['scout'], ['writer']]);
    expect(filterAgents(agents, about, 'x', new Set()).counts).toEqual({
      waiting: 1,
      running: 1,
      broken: 1,
      problems: 2,
      workspace: 2,
    });
  });
});

test('an action on many goes on after a failure, a few at a time, and keeps the order of the results', async () => {
  let running = 0;
  let most = 0;
  const progress: number[] = [];
  const { results, failures } = await runEach(
    Array.from({ length: 20 }, (_, index) => index),
    async (item) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      if (item % 5 === 3) throw new Error(`no ${item}`);
      return item;
    },
    (done) => progress.push(done),
  );
  expect(results).toEqual([0, 1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19]);
  expect(failures.map(({ item }) => item)).toEqual([3, 8, 13, 18]);
  expect(most).toBe(4);
  expect(progress).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});
