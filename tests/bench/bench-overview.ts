import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Usage } from '../../src/shared/api/usage.ts';
import { makeSession } from '../support/session-file.ts';
import { type Section, timeFigure } from './figures.ts';
import { agentId, makeRoot } from './make-roots.ts';
import { measureInTurn } from './rounds.ts';
import { type ServerKinds, settle, startServer } from './servers.ts';
import type { Workspace } from './workspace.ts';

const AGENTS = 2_000;
const SKILLS = 100;
const SESSIONS_OF_AN_AGENT = 5;
const CALLS_OF_A_SESSION = 12;
const ROUNDS = 11;
const DAY_MS = 24 * 60 * 60_000;
const TARGET_MS = 100;
const THREAD_TARGET_MS = 50;
/** Files that changed less than 3 s ago are read again at each request. */
const SETTLED_AFTER_MS = 4_000;
/** How often to ask whether all sessions are read. */
const POLL_MS = 500;

/** What the window reads for Overview. */
const READS = (since: string): readonly { id: string; name: string; path: string }[] => [
  { id: 'agents', name: 'the agents', path: '/api/agents' },
  { id: 'profiles', name: 'their prompts and models', path: '/api/profiles' },
  { id: 'links', name: 'their links', path: '/api/links' },
  { id: 'checks', name: 'their problems', path: '/api/checks' },
  { id: 'earnings', name: 'what each earned and spent', path: `/api/earnings?groupBy=agent&from=${since}` },
  { id: 'days', name: 'the same by day', path: `/api/earnings?groupBy=day&from=${since}` },
  { id: 'runs', name: 'when each ran last', path: '/api/usage/last-runs' },
  { id: 'budgets', name: 'the budgets', path: '/api/budgets' },
  { id: 'status', name: 'what each does now', path: '/api/status' },
  { id: 'readiness', name: 'whether each is ready to run', path: '/api/readiness' },
  { id: 'balance', name: 'the balance', path: '/api/wallet/balance' },
];

/** Writes the sessions of each agent, over the last week. Returns the path of one, and a line to add to it. */
const writeSessions = (root: string) => {
  let path = '';
  let line = '';
  for (let agent = 0; agent < AGENTS; agent++) {
    const directory = join(root, 'agents', agentId(agent), 'sessions/--work--');
    mkdirSync(directory, { recursive: true });
    for (let number = 0; number < SESSIONS_OF_AN_AGENT; number++) {
      const session = makeSession({ startedAtMs: Date.now() - (number + 0.5) * DAY_MS });
      for (let call = 0; call < CALLS_OF_A_SESSION; call++)
        session.call({ input: 1_000 + call, output: 50, usd: call % 2 === 0 ? 0.01 : 0 });
      path = join(directory, session.fileName);
      writeFileSync(path, session.text());
      line = JSON.stringify(session.entries.at(-1));
    }
  }
  return { path, line };
};

/** Reports that every agent runs. Each report expires after 25 s. */
const reportAll = async (url: string): Promise<void> => {
  const body = JSON.stringify({ run: 'bench', state: 'running', model: 'openai/gpt-5.4', cwd: '/work' });
  const headers = { 'Content-Type': 'application/json' };
  for (let agent = 0; agent < AGENTS; agent++) {
    const response = await fetch(`${url}/api/agents/${agentId(agent)}/status`, {
      method: 'POST',
      headers,
      body,
    });
    if (!response.ok) throw new Error(`the status of an agent got ${await response.text()}`);
    await response.arrayBuffer();
  }
};

/**
 * The figures of Overview: all it reads at once, when nothing is new and after a call was added, and each response alone, as
 * time and as processor time of one thread. All agents run.
 */
export const benchOverview = async (
  workspace: Workspace,
  kinds: ServerKinds,
  tell: (line: string) => void,
): Promise<Section> => {
  const root = workspace.path('root-overview');
  tell(`writing ${AGENTS} agents with ${AGENTS * SESSIONS_OF_AN_AGENT} sessions`);
  makeRoot(root, AGENTS, SKILLS);
  const { path, line } = writeSessions(root);
  const server = await startServer(kinds.ours(root), workspace.plainModule('loop-probe'));
  try {
    await settle(server);
    const { url } = server;
    const operatorToken = readFileSync(join(`${root}-wallet`, 'operator-token'), 'utf8').trim();
    const headers = { Authorization: `Bearer ${operatorToken}` };
    const read = async (of: string): Promise<string> => {
      const response = await fetch(`${url}${of}`, { headers });
      const text = await response.text();
      if (!response.ok) throw new Error(`${of} answered ${text}`);
      return text;
    };
    while ((JSON.parse(await read('/api/usage')) as Usage).reading) await sleep(POLL_MS);
    const reads = READS(new Date(Date.now() - 7 * DAY_MS).toISOString());
    const readAll = () => Promise.all(reads.map(({ path: of }) => read(of)));
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
      const begunAtMs = performance.now();
      await work();
      return performance.now() - begunAtMs;
    };
    await readAll();
    await sleep(SETTLED_AFTER_MS);
    await readAll();
    tell('Overview, with one more call and with nothing new');
    let added = 0;
    const rounds = await measureInTurn(
      ROUNDS,
      () => {
        added += 1;
        appendFileSync(path, `${line.replace(/"id":"[^"]*"/, `"id":"new-${added}"`)}\n`);
        return timed(readAll);
      },
      () => timed(readAll),
    );
    const alone: number[][] = reads.map(() => []);
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, { path: of }] of reads.entries()) alone[at]?.push(await timed(() => read(of)));
    tell('Overview, the processor time of each response');
    await reportAll(url);
    const { agents: live } = JSON.parse(await read('/api/status')) as { agents: unknown[] };
    if (live.length !== AGENTS) throw new Error(`${live.length} agents run, of ${AGENTS}`);
    const threads: number[][] = reads.map(() => []);
    for (let round = 0; round < ROUNDS; round++)
      for (const [at, { path: of }] of reads.entries()) {
        const { loop } = await server.during(() => read(of));
        // The other threads count as one, so no thread used more.
        threads[at]?.push(Math.max(loop.cpuMs, loop.processCpuMs - loop.cpuMs));
      }
    return {
      title: `Overview of ${AGENTS.toLocaleString('en')} agents with ${(AGENTS * SESSIONS_OF_AN_AGENT).toLocaleString('en')} sessions`,
      figures: [
        timeFigure(
          'overview.unchanged',
          'all answers at once, nothing new',
          rounds.map(({ baseline }) => baseline),
          TARGET_MS,
        ),
        timeFigure(
          'overview.added',
          'all answers at once, after one more call',
          rounds.map(({ ours }) => ours),
          TARGET_MS,
        ),
        ...reads.map(({ id, name }, at) => timeFigure(`overview.${id}`, name, alone[at] ?? [], TARGET_MS)),
        ...reads.map(({ id, name }, at) =>
          timeFigure(
            `overview.${id}.thread`,
            `${name}, on the busiest thread`,
            threads[at] ?? [],
            THREAD_TARGET_MS,
          ),
        ),
      ],
    };
  } finally {
    await server.end();
  }
};
