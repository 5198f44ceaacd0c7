import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { HOSTILE } from '../support/hostile-root.ts';
import { plant } from '../support/plant.ts';
import type { Figure, Section } from './figures.ts';
import { sampleDuring } from './measure-latency.ts';
import type { Plan } from './plan.ts';
import { type ServerKinds, settle, startServer } from './servers.ts';
import { percentile, spreadOf } from './statistics.ts';
import type { Workspace } from './workspace.ts';

const ANSWER_TARGET_MS = 1_000;
const WAIT_TARGET_MS = 50;

const idsIn = (tree: object): string[] => [
  ...new Set(Object.keys(tree).flatMap((path) => /^agents\/([^/]+)/.exec(path)?.[1] ?? [])),
];

/** The first checks of agents that were made to take long, and how long others wait meanwhile. */
export const benchHostile = async (
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  const rootPath = workspace.path('root-hostile');
  await plant(rootPath, HOSTILE);
  mkdirSync(join(rootPath, 'agents/circles/skills/loop'), { recursive: true });
  symlinkSync('..', join(rootPath, 'agents/circles/skills/loop/again'));
  symlinkSync('.', join(rootPath, 'agents/circles/skills/self'));
  const sampler = { module: workspace.plainModule('health-sampler'), cwd: workspace.path() };
  const slowest: number[] = [];
  const waits: number[] = [];
  const answered = new Map<string, number>();
  for (let round = 0; round < plan.checkRounds; round++) {
    tell(`checking a hostile root, round ${round + 1} of ${plan.checkRounds}`);
    // A new server knows nothing yet.
    const server = await startServer(kinds.ours(rootPath), workspace.plainModule('loop-probe'));
    await settle(server);
    const times: number[] = [];
    const samples = await sampleDuring(sampler, server.url, plan, async () => {
      for (const id of [...idsIn(HOSTILE), 'circles']) {
        const beganMs = performance.now();
        const answer = await fetch(`${server.url}/api/agents/${id}/checks`);
        await answer.arrayBuffer();
        if (answer.status !== 200) throw new Error(`the checks of ${id} answered ${answer.status}`);
        times.push(performance.now() - beganMs);
        answered.set(id, Math.max(answered.get(id) ?? 0, performance.now() - beganMs));
      }
    });
    await server.end();
    slowest.push(Math.max(...times));
    waits.push(Math.max(...samples));
  }
  const [worst] = [...answered].sort(([, a], [, b]) => b - a);
  const figure = (id: string, name: string, values: readonly number[], target: number): Figure => ({
    id,
    name,
    unit: 'ms',
    ours: percentile(values, 0.5),
    result: { kind: 'value', spread: spreadOf(values) },
    target: { at: 'most', value: target },
    judged: 'worst',
  });
  return {
    title: 'Checks of a hostile root, over HTTP',
    figures: [
      { ...figure('checks.hostile', 'the slowest agent', slowest, ANSWER_TARGET_MS), note: worst?.[0] },
      figure('checks.hostileWait', 'the longest wait of GET /api/health meanwhile', waits, WAIT_TARGET_MS),
    ],
  };
};
