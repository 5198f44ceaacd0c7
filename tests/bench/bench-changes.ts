import { readFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ChangeList, ChangeResult } from '../../src/shared/api/changes.ts';
import { type Figure, type Section, timeFigure } from './figures.ts';
import { agentId, makeRoot } from './make-roots.ts';
import type { Plan } from './plan.ts';
import { type ServerKinds, startServer } from './servers.ts';
import { percentile, spreadOf } from './statistics.ts';
import type { Workspace } from './workspace.ts';

const AGENTS = 2_000;
const SKILLS = 50;
const ENTRIES = 10_000;
const LISTED = 100;
const LIST_TARGET_MS = 100;
const LINKS_TARGET_MS = 2_000;
/** The first ones are for the compiler. */
const IGNORED = 100;
/** When dot-mi first looks at the agents once it runs, and how long that takes at least. */
const LOOK = { beginsMs: 3_000, endsMs: 13_000 };
/** Saves and plain writes take turns in rounds, because others use the disk, too. */
const ROUND = 25;

const promptOf = (version: number): string =>
  `Version ${version}.\n${'A line of a prompt that says what to do, and when.\n'.repeat(60)}${version % 2 === 0 ? 'Even.\n' : ''}`;

const medianOf = (values: readonly number[]): number => percentile(values, 0.5);

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
};

const flush = async (path: string): Promise<void> => {
  const file = await open(path, 'r');
  await file.sync();
  await file.close();
};

/** Replaces a file atomically, as a save does, without a request or a journal. */
const plainWrite = async (path: string, text: string): Promise<void> => {
  const made = `${path}.tmp`;
  const file = await open(made, 'w');
  await file.writeFile(text);
  await file.sync();
  await file.close();
  await rename(made, path);
  await flush(dirname(path));
};

const worstFigure = (id: string, name: string, values: readonly number[]): Figure =>
  timeFigure(id, name, [percentile(values, 0.99)]);

/** The figures of the history: a save with its entry, lists of a long one, and a change set of many agents. */
export const benchChanges = async (
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  const path = workspace.path('root-changes');
  tell(`writing ${AGENTS} agents`);
  makeRoot(path, AGENTS, SKILLS);
  const directory = `${path}-wallet`;
  const startedMs = performance.now();
  const server = await startServer(kinds.ours(path, { directory }), workspace.plainModule('loop-probe'));
  const token = readFileSync(`${directory}/operator-token`, 'utf8').trim();
  const call = async <T>(method: string, route: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${server.url}${route}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${route}: ${JSON.stringify(answer)}`);
    return answer as T;
  };
  let versions = 0;
  const save = (): Promise<number> =>
    timed(() =>
      call('PUT', `/api/agents/${agentId(0)}/file`, { path: 'SYSTEM.md', content: promptOf(versions++) }),
    );
  const saves = async (count: number): Promise<number[]> => {
    const times: number[] = [];
    while (times.length < count) times.push(await save());
    return times;
  };
  try {
    tell(`saving while ${AGENTS} agents are looked at for the first time`);
    await saves(IGNORED);
    const during: number[] = [];
    for (let nowMs = 0; nowMs < LOOK.endsMs; nowMs = performance.now() - startedMs) {
      const ms = await save();
      if (nowMs > LOOK.beginsMs) during.push(ms);
    }
    tell(`saving a file ${ENTRIES} times`);
    const all: number[] = [];
    const ratios: number[] = [];
    const plain: number[] = [];
    while (versions < ENTRIES) {
      const [ours, bare]: [number[], number[]] = [await saves(ROUND), []];
      while (bare.length < ROUND)
        bare.push(await timed(() => plainWrite(join(path, 'agents', agentId(1), 'AGENT.md'), promptOf(1))));
      all.push(...ours);
      plain.push(...bare);
      ratios.push(medianOf(ours) / medianOf(bare));
    }
    const lists = async (query: string): Promise<number[]> => {
      const times: number[] = [];
      for (let round = 0; round < plan.throughput.rounds; round++)
        times.push(
          await timed(async () => {
            const { changes } = await call<ChangeList>('GET', `/api/changes?limit=${LISTED}${query}`);
            if (changes.length !== LISTED) throw new Error(`${changes.length} entries were listed`);
          }),
        );
      return times;
    };
    const ofAll = await lists('');
    const ofAgent = await lists(`&agent=${agentId(0)}`);
    const link = { kind: 'skills', name: `skill-${String(SKILLS - 1).padStart(5, '0')}` };
    const items = Array.from({ length: AGENTS }, (_, i) => ({ agent: agentId(i), link, to: 'shared' }));
    const links = await timed(async () => {
      const { refused } = await call<ChangeResult>('POST', '/api/changes', { label: 'Link', items });
      if (refused.length > 0) throw new Error(`${refused.length} links were refused`);
    });
    return [
      {
        title: `History of an agent with ${ENTRIES} entries, among ${AGENTS} agents, beside a plain atomic write`,
        figures: [
          {
            id: 'changes.save',
            name: 'a save with its entry',
            unit: 'ms',
            ours: medianOf(all),
            baseline: medianOf(plain),
            result: { kind: 'ratio', spread: spreadOf(ratios) },
          },
          worstFigure('changes.saveWorst', 'a save, 99th percentile', all),
          worstFigure('changes.plainWorst', 'a plain write, 99th percentile', plain),
          timeFigure('changes.saveDuringLook', 'a save during the first look', during),
          worstFigure('changes.saveDuringLookWorst', 'the same, 99th percentile', during),
          timeFigure('changes.list', `${LISTED} entries of all agents`, ofAll, LIST_TARGET_MS),
          timeFigure('changes.listAgent', `${LISTED} entries with costs`, ofAgent, LIST_TARGET_MS),
          timeFigure('changes.links', `${AGENTS} links in one set`, [links], LINKS_TARGET_MS),
        ],
      },
    ];
  } finally {
    await server.end();
  }
};
