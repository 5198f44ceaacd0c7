import { describe, expect, it } from 'vitest';
import { findAttention } from '../../src/renderer/src/attention.ts';
import {
  moneyOfNoAgent,
  overviewRows,
  shortLine,
  shortModel,
} from '../../src/renderer/src/features/overview/agent-rows.ts';
import { type AgentSorting, COLUMNS, sortRows } from '../../src/renderer/src/features/overview/columns.tsx';
import { overview } from '../../src/renderer/src/strings/overview.ts';
import { nextSorting } from '../../src/renderer/src/ui/long-table.tsx';
import type { AgentBudget } from '../../src/shared/api/budgets.ts';
import type { Balance } from '../../src/shared/api/wallet.ts';

/** Only the server creates these fields. */
type Completeness = Pick<AgentBudget, 'complete' | 'reading' | 'notCounted'>;

const BALANCE: Balance = {
  balance: 5,
  pending: 0,
  mint: 'https://mint.example',
  unit: 'sat',
  devMode: false,
  seed: 'present',
  backedUpAt: '2026-01-01T00:00:00.000Z',
};
const PRICE = {
  btc_price_usd: 100_000,
  source: 'kraken',
  updated_at: '2026-01-01T00:00:00.000Z',
  stale: false,
  age_seconds: 60,
};
const MINT = { mint: 'https://mint.example', state: 'reachable', checkedAt: null } as const;

describe('what needs attention', () => {
  it('is nothing while nothing is known, and while all is well', () => {
    expect(findAttention({})).toEqual([]);
    const agents = [{ id: 'a', workspace: false }];
    const links = [{ id: 'a', links: 3, brokenLinks: 0 }];
    expect(findAttention({ agents, links, balance: BALANCE, mint: MINT, price: PRICE })).toEqual([]);
    expect(findAttention({ mint: { ...MINT, state: 'simulated' } })).toEqual([]);
  });

  it('is a backup while the wallet holds real sats and nobody has confirmed its words', () => {
    const { backedUpAt: _, ...unconfirmed } = BALANCE;
    const kinds = (balance: Balance) => findAttention({ balance }).map(({ kind }) => kind);
    expect(kinds(unconfirmed)).toEqual(['not-backed-up']);
    expect(kinds({ ...unconfirmed, balance: 0 })).toEqual([]);
    expect(kinds({ ...unconfirmed, devMode: true })).toEqual([]);
  });

  it('is a budget of which 80 percent are used, and never more than was used', () => {
    const budgetOf = (agent: string, used: number | null) => ({
      agent,
      limits: [
        {
          unit: 'usd' as const,
          period: 'day' as const,
          limit: 3,
          used,
          left: null,
          exceeded: (used ?? 0) >= 3,
          resetsAt: '2026-11-24T00:00:00.000Z',
        },
      ],
      exceeded: (used ?? 0) >= 3,
      unpricedTokens: 0,
      ...({ complete: true, reading: false, notCounted: false } as Completeness),
    });
    const budgets = [budgetOf('a', 2.39), budgetOf('b', 2.4), budgetOf('c', 2.999), budgetOf('d', 3)];
    expect(findAttention({ budgets: [...budgets, budgetOf('e', null)] })).toEqual([
      { view: 'agents', kind: 'budget', agent: 'b', percent: 80 },
      { view: 'agents', kind: 'budget', agent: 'c', percent: 99 },
      { view: 'agents', kind: 'budget', agent: 'd', percent: 100 },
    ]);
  });

  it('is first each agent that waits for a person, and none that runs or is done', () => {
    const statusOf = (agent: string, state: 'running' | 'waiting' | 'done') => ({
      agent,
      state,
      since: '2026-01-01T00:00:00.000Z',
      runs: [],
    });
    const statuses = [statusOf('a', 'running'), statusOf('b', 'waiting'), statusOf('c', 'done')];
    expect(findAttention({ statuses, hasNoPrice: true })).toEqual([
      { view: 'agents', kind: 'waiting', agent: 'b' },
      { view: 'pricing', kind: 'no-price' },
    ]);
    const agents = [{ id: 'b', workspace: false }];
    const [row] = overviewRows(agents, [], { statuses: new Map(statuses.map((one) => [one.agent, one])) });
    expect(row?.status).toBe(statuses[1]);
  });

  it('is each shared skill with errors, and none with warnings alone', () => {
    const skillOf = (name: string, errors: number) => ({ name, errors, warnings: 1, hints: 1 });
    expect(findAttention({ skills: [skillOf('a', 0)] })).toEqual([]);
    const skills = [skillOf('a', 1), skillOf('b', 0), skillOf('c', 2)];
    expect(findAttention({ skills })).toEqual([{ view: 'catalog', kind: 'skills', count: 2 }]);
    expect(overview.attention.skills(2)).toBe('2 shared skills have errors');
  });

  it('names the wallet first, then prices, then each agent with its problems', () => {
    const found = findAttention({
      agents: [
        { id: 'a', workspace: false, missingFiles: ['SYSTEM.md'] },
        { id: 'b', workspace: false },
        { id: 'c', workspace: false },
        { id: 'd', workspace: false },
      ],
      links: [
        { id: 'b', links: 2, brokenLinks: 2 },
        { id: 'c', links: 1, brokenLinks: 0 },
      ],
      // A broken link is an error of the checks too. Warnings can wait.
      checks: [
        { id: 'b', errors: 2, warnings: 0, hints: 0, stopping: 2 },
        { id: 'c', errors: 0, warnings: 3, hints: 1, stopping: 0 },
        { id: 'd', errors: 1, warnings: 1, hints: 0, stopping: 1 },
      ],
      balance: { ...BALANCE, seed: 'missing', pending: 7, expired: 8 },
      mint: { ...MINT, state: 'unreachable' },
      price: { ...PRICE, stale: true },
    });
    expect(found.map((item) => (item.kind === 'agent' ? item.agent : item.kind))).toEqual([
      'seed-missing',
      'mint',
      'expired',
      'pending',
      'stale-price',
      { id: 'a', missingFiles: ['SYSTEM.md'], brokenLinks: 0, errors: 0, warnings: 0 },
      { id: 'b', missingFiles: [], brokenLinks: 2, errors: 0, warnings: 0 },
      { id: 'd', missingFiles: [], brokenLinks: 0, errors: 1, warnings: 1 },
    ]);
    expect(findAttention({ hasNoPrice: true }).map(({ view }) => view)).toEqual(['pricing']);
  });
});

describe('the rows of the overview', () => {
  const rows = overviewRows(
    [
      { id: 'agent-10', workspace: true, changedAt: '2026-01-02T00:00:00.000Z' },
      { id: 'agent-9', workspace: false, missingFiles: ['SYSTEM.md'] },
      { id: 'scout', workspace: false, changedAt: '2026-01-03T00:00:00.000Z' },
    ],
    [
      { id: 'scout', links: 4, brokenLinks: 2 },
      { id: 'agent-10', links: 4, brokenLinks: 0 },
    ],
    {
      profiles: [
        { id: 'agent-9', model: { name: 'gpt-5.10', source: 'pi-args' } },
        { id: 'agent-10', firstLine: 'You carry messages.' },
        { id: 'scout', model: { name: 'gpt-5.9', source: 'AGENT.md' }, firstLine: 'You look.' },
      ],
    },
  );
  const ids = (sorting: Parameters<typeof sortRows>[1]) => sortRows(rows, sorting).map(({ id }) => id);

  it('sort by each column, with equal ones by name', () => {
    expect(ids({ column: 'name', direction: 'ascending' })).toEqual(['agent-9', 'agent-10', 'scout']);
    expect(ids({ column: 'problems', direction: 'descending' })).toEqual(['scout', 'agent-9', 'agent-10']);
    expect(ids({ column: 'links', direction: 'descending' })).toEqual(['agent-10', 'scout', 'agent-9']);
    expect(ids({ column: 'model', direction: 'ascending' })).toEqual(['scout', 'agent-9', 'agent-10']);
    expect(ids({ column: 'model', direction: 'descending' })).toEqual(['agent-10', 'agent-9', 'scout']);
    expect(ids({ column: 'changed', direction: 'descending' })).toEqual(['scout', 'agent-10', 'agent-9']);
  });

  it('have the same problems as the list of agents, warnings too', () => {
    const checks = [
      { id: 'a', errors: 2, warnings: 3, hints: 1, stopping: 2 },
      { id: 'b', errors: 0, warnings: 1, hints: 0, stopping: 0 },
      { id: 'c', errors: 0, warnings: 0, hints: 4, stopping: 0 },
    ];
    const links = [{ id: 'a', links: 2, brokenLinks: 1 }];
    const agents = ['a', 'b', 'c'].map((id) => ({ id, workspace: false }));
    const rows = overviewRows(agents, links, { checks });
    expect(rows.map(({ problems }) => problems && overview.agents.problems(problems))).toEqual([
      '1 broken link, 1 error, 3 warnings',
      '1 warning',
      undefined,
    ]);
    expect(sortRows(rows, { column: 'problems', direction: 'descending' }).map(({ id }) => id)).toEqual([
      'a',
      'b',
      'c',
    ]);
  });

  it('say what stops a run, or what is known of the sign-in, and nothing before it is read', () => {
    const agents = ['ready', 'missing', 'invalid', 'errors', 'unchecked', 'unread'].map((id) => ({
      id,
      workspace: false,
      ...(id === 'unread'
        ? { problem: { code: 'permission_denied', message: 'dot-mi may not read it.' } as const }
        : {}),
    }));
    const checks = [
      { id: 'errors', errors: 1, warnings: 1, hints: 0, stopping: 2 },
      { id: 'missing', errors: 1, warnings: 0, hints: 0, stopping: 1 },
      { id: 'ready', errors: 0, warnings: 1, hints: 0, stopping: 0 },
    ];
    const signIns = {
      pi: { version: '1.5.2' },
      checking: false,
      agents: [
        { id: 'errors', state: 'ready' as const },
        { id: 'invalid', state: 'invalid' as const },
        { id: 'missing', state: 'missing' as const },
        { id: 'ready', state: 'ready' as const },
      ],
    };
    const told = (reads: Parameters<typeof overviewRows>[2]) =>
      overviewRows(agents, [], reads).map((row) => COLUMNS.ready.cell(row).children);
    expect(told({ checks, signIns })).toEqual([
      'Ready',
      'Not signed in',
      'Sign-in broken',
      '2 problems',
      'Not checked',
      'Can’t be read',
    ]);
    expect(told({ checks, signIns: { ...signIns, checking: true } }).slice(3, 5)).toEqual([
      '2 problems',
      'Checking…',
    ]);
    expect(told({ checks, signIns: { ...signIns, pi: null } }).slice(0, 5)).toEqual(
      Array.from({ length: 5 }, () => 'pi missing'),
    );
    expect(told({ checks }).slice(0, 5)).toEqual(Array.from({ length: 5 }, () => undefined));
    const sorted = sortRows(overviewRows(agents, [], { checks, signIns }), {
      column: 'ready',
      direction: 'descending',
    });
    expect(sorted.map(({ id }) => id)).toEqual([
      'unread',
      'missing',
      'invalid',
      'errors',
      'unchecked',
      'ready',
    ]);
  });

  it('leave out what every row would repeat of a model and of a first line', () => {
    expect(['openrouter/anthropic/claude-opus-5', 'gpt-5.4'].map(shortModel)).toEqual([
      'claude-opus-5',
      'gpt-5.4',
    ]);
    expect(shortLine('scout', 'You are **scout**: you read `code`.')).toBe('you read code.');
    expect(shortLine('scout', 'You are Scout. You read.')).toBe('You read.');
    expect(shortLine('scout', 'You are scouting.')).toBe('You are scouting.');
    expect(shortLine('scout', 'You are scout.')).toBe('You are scout.');
  });

  it('show what was earned and spent, mark estimates, and know nothing where a cost or everything is missing', () => {
    const sums = { earnedSats: 0, payments: 0, unpricedTokens: 0, calls: 1 };
    const earnings = [
      { ...sums, key: 'agent-9', spentSatsRecorded: null, spentSatsEstimated: 0, marginSats: null },
      { ...sums, key: 'scout', earnedSats: 50, spentSatsRecorded: 20, spentSatsEstimated: 5, marginSats: 25 },
      { ...sums, key: null, earnedSats: 9, spentSatsRecorded: 0, spentSatsEstimated: 0, marginSats: 9 },
    ];
    const agents = ['agent-9', 'agent-10', 'scout'].map((id) => ({ id, workspace: false }));
    const known = overviewRows(agents, [], { earnings });
    expect(known.map(({ money }) => money)).toEqual([
      { earned: 0, spent: null, isEstimate: false, isLeast: false, margin: null },
      { earned: 0, spent: 0, isEstimate: false, isLeast: false, margin: 0 },
      { earned: 50, spent: 25, isEstimate: true, isLeast: false, margin: 25 },
    ]);
    const byMargin = sortRows(known, { column: 'margin', direction: 'descending' });
    expect(byMargin.map(({ id }) => id)).toEqual(['scout', 'agent-10', 'agent-9']);
    expect(overviewRows(agents, [])[0]?.money).toBeUndefined();
  });

  it('count what has a price where a model has none, and the money of no agent', () => {
    const sums = { payments: 0, calls: 2, spentSatsEstimated: 0 };
    const earnings = [
      { ...sums, key: 'a', earnedSats: 0, spentSatsRecorded: 1800, unpricedTokens: 7, marginSats: null },
      { ...sums, key: null, earnedSats: 9, spentSatsRecorded: 0, unpricedTokens: 0, marginSats: 9 },
      {
        ...sums,
        key: 'b',
        earnedSats: 50,
        spentSatsRecorded: 20,
        spentSatsEstimated: null,
        unpricedTokens: 7,
        marginSats: null,
      },
    ];
    const [row, other] = overviewRows(
      ['a', 'b'].map((id) => ({ id, workspace: false })),
      [],
      { earnings },
    );
    expect(row?.money).toMatchObject({ spent: 1800, isLeast: true, margin: -1800 });
    // Where no model has a price, what pi recorded still counts.
    expect(other?.money).toMatchObject({ spent: 20, isLeast: true, margin: 30 });
    expect(moneyOfNoAgent(earnings)).toMatchObject({ earned: 9, spent: 0, margin: 9 });
    expect(moneyOfNoAgent(earnings.slice(0, 1))).toBeNull();
  });

  it('know when their agents ran last, and sort those that never ran last', () => {
    const agents = ['a', 'b', 'c'].map((id) => ({ id, workspace: false }));
    const lastRuns = [
      { id: 'b', lastRunAt: '2026-11-20T10:00:00.000Z' },
      { id: 'c', lastRunAt: '2026-11-23T10:00:00.000Z' },
    ];
    const rows = overviewRows(agents, [], { lastRuns });
    expect(rows.map(({ lastRunAt }) => lastRunAt)).toEqual([
      null,
      '2026-11-20T10:00:00.000Z',
      '2026-11-23T10:00:00.000Z',
    ]);
    const sorted = sortRows(rows, { column: 'ran', direction: 'descending' });
    expect(sorted.map(({ id }) => id)).toEqual(['c', 'b', 'a']);
    expect(overviewRows(agents, [])[0]?.lastRunAt).toBeUndefined();
    const words = overview;
    expect([
      words.sats(1204, false),
      words.sats(24.6, true),
      words.sats(-3, false),
      words.sats(0.2, true),
    ]).toEqual(['1,204', '≈ 25', '−3', '< 1']);
  });

  it('begin with the agents that wait, then those that run, when the last run comes first', () => {
    const agents = ['a', 'b', 'c', 'd'].map((id) => ({ id, workspace: false }));
    const since = '2026-11-26T10:00:00.000Z';
    const statuses = new Map(
      (['done', 'running', 'waiting'] as const).map((state, index) => {
        const agent = 'abc'.charAt(index);
        return [agent, { agent, state, since, runs: [] }];
      }),
    );
    const rows = overviewRows(agents, [], { statuses, lastRuns: [{ id: 'd', lastRunAt: since }] });
    const ids = (direction: 'ascending' | 'descending') =>
      sortRows(rows, { column: 'ran', direction }).map(({ id }) => id);
    expect(ids('descending')).toEqual(['c', 'b', 'd', 'a']);
    expect(ids('ascending')).toEqual(['a', 'd', 'b', 'c']);
  });

  it('begin with the largest number, and reverse on a second press', () => {
    const press = (sorting: AgentSorting, column: AgentSorting['column']) =>
      nextSorting(sorting, column, COLUMNS[column].first);
    const links = press({ column: 'name', direction: 'ascending' }, 'links');
    expect(links).toEqual({ column: 'links', direction: 'descending' });
    expect(press(links, 'links').direction).toBe('ascending');
    expect(press(links, 'name')).toEqual({ column: 'name', direction: 'ascending' });
  });
});
