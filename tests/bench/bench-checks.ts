import { setTimeout as sleep } from 'node:timers/promises';
import { createChecks } from '../../src/server/checks/checks-scan.ts';
import { createRoot } from '../../src/server/platform/root.ts';
import { createSettledWatch } from '../../src/server/platform/settled-watch.ts';
import type { Figure, Section } from './figures.ts';
import { agentId, makeRoot } from './make-roots.ts';
import type { Plan } from './plan.ts';
import { processorMs } from './processor-time.ts';
import type { ServerKinds } from './servers.ts';
import { spreadOf } from './statistics.ts';
import type { Workspace } from './workspace.ts';

const AGENTS = 1_000;
const REQUESTS = 200;
/** A file this new is read again, because its times are too coarse to show another change. */
const SETTLED_MS = 3_500;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const beganMs = processorMs();
  await work();
  return processorMs() - beganMs;
};

const figure = (id: string, name: string, values: readonly number[], targetMs?: number): Figure => {
  const spread = spreadOf(values);
  return {
    id,
    name,
    unit: 'ms',
    ours: spread.median,
    result: { kind: 'value', spread },
    target: targetMs === undefined ? undefined : { at: 'most', value: targetMs },
  };
};

/** The figures of the checks, as processor time of the thread that they have in the server. */
export const benchChecks = async (
  workspace: Workspace,
  _kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  const path = workspace.path('root-checks');
  tell(`writing ${AGENTS} agents and ${plan.skills} skills to check`);
  makeRoot(path, AGENTS, plan.skills);
  await sleep(SETTLED_MS);
  const cold: number[] = [];
  const counts: number[] = [];
  const lookedUp: number[] = [];
  const agent: number[] = [];
  for (let round = 0; round < plan.checkRounds; round++) {
    tell(`checking, round ${round + 1} of ${plan.checkRounds}`);
    const watch = createSettledWatch(path, workspace.path('markers'));
    const watching = { watch, lookEveryMs: Number.POSITIVE_INFINITY };
    const checks = createChecks(createRoot(path), workspace.path('no-home'), () => [], watching);
    cold.push(await timed(checks.counts));
    const allCounts = await timed(async () => {
      for (let i = 0; i < REQUESTS; i++) await checks.counts();
    });
    counts.push(allCounts / REQUESTS);
    const all = await timed(async () => {
      for (let i = 0; i < REQUESTS; i++) await checks.agent(agentId(i));
    });
    agent.push(all / REQUESTS);
    watch?.close();
    const unwatched = createChecks(createRoot(path), workspace.path('no-home'), () => []);
    await unwatched.counts();
    lookedUp.push(await timed(unwatched.counts));
  }
  return [
    {
      title: `Checks of ${AGENTS} agents and ${plan.skills} skills, processor time of their thread`,
      figures: [
        figure('checks.cold', 'everything for the first time', cold, 2_000),
        figure('checks.agent', 'an agent, nothing changed', agent, 2),
        figure('checks.counts', 'the counts of everything, nothing changed', counts, 2),
        figure('checks.lookedUp', 'the same where no watch can be trusted', lookedUp),
      ],
    },
  ];
};
