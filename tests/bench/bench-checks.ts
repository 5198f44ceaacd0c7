import { setTimeout as sleep } from 'node:timers/promises';
import { OPERATOR_READER } from '../../src/server/platform/caller.ts';
import { contextWithoutWatch, createWatchedScan } from '../../src/server/root-model/coverage.ts';
import { createRootWatch } from '../../src/server/root-model/watch.ts';
import { rootViews } from '../support/fresh-scans.ts';
import { benchHostile } from './bench-hostile.ts';
import { benchPrompts } from './bench-prompts.ts';
import { type Figure, type Section, timeFigure } from './figures.ts';
import { putLoad } from './load.ts';
import { agentId, makeRoot } from './make-roots.ts';
import type { Plan } from './plan.ts';
import { processorMs } from './processor-time.ts';
import { type ServerKinds, settle, startServer } from './servers.ts';
import type { Workspace } from './workspace.ts';

const AGENTS = 1_000;
const REQUESTS = 200;
const LOAD_SECONDS = 3;
/** A file this new is read again, because its times are too coarse to show another change. */
const SETTLED_MS = 3_500;

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const beganMs = processorMs();
  await work();
  return processorMs() - beganMs;
};

/** How long one request takes over HTTP, with the watch and the looks after answers as they are. */
const measureRequests = async (
  rootPath: string,
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
): Promise<Figure[]> => {
  const server = await startServer(kinds.ours(rootPath), workspace.plainModule('loop-probe'));
  await settle(server);
  const measure = async (id: string, name: string, paths: readonly string[]) => {
    const times: number[] = [];
    for (let round = 0; round < plan.checkRounds; round++) {
      const { perSecond } = await putLoad(server.url, { paths, connections: 1, seconds: LOAD_SECONDS });
      times.push(1_000 / perSecond);
    }
    return timeFigure(id, name, times, 2);
  };
  // The first answer reads everything.
  await fetch(`${server.url}/api/checks`);
  const agents = Array.from({ length: AGENTS }, (_, i) => `/api/agents/${agentId(i)}/checks`);
  const figures = [
    await measure('checks.countsRequest', 'GET /api/checks', ['/api/checks']),
    await measure('checks.agentRequest', 'GET /api/agents/:id/checks', agents),
  ];
  await server.end();
  return figures;
};

/** The figures of checks and prompts: as processor time of their threads, over HTTP, and of a hostile root. */
export const benchChecks = async (
  workspace: Workspace,
  kinds: ServerKinds,
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
    const watch = createRootWatch(path, workspace.path('markers'));
    const { checks } = rootViews(path, { home: workspace.path('no-home') });
    const options = { lookEveryMs: Number.POSITIVE_INFINITY, dependsOn: checks.facts };
    const watched = createWatchedScan(checks.counts, watch, options);
    const count = async () => watched.run((await watch?.catchUp()) ?? false);
    cold.push(await timed(count));
    const allCounts = await timed(async () => {
      for (let i = 0; i < REQUESTS; i++) await count();
    });
    counts.push(allCounts / REQUESTS);
    const all = await timed(async () => {
      for (let i = 0; i < REQUESTS; i++) await checks.agent(agentId(i), OPERATOR_READER);
    });
    agent.push(all / REQUESTS);
    watch?.close();
    const unwatched = rootViews(path, { home: workspace.path('no-home') }).checks;
    const lookUp = () => unwatched.counts(contextWithoutWatch(Date.now()));
    await lookUp();
    lookedUp.push(await timed(lookUp));
  }
  tell('checks over HTTP');
  const requests = await measureRequests(path, workspace, kinds, plan);
  return [
    {
      title: `Checks of ${AGENTS} agents and ${plan.skills} skills, processor time of their thread`,
      figures: [
        timeFigure('checks.cold', 'everything for the first time', cold, 2_000),
        timeFigure('checks.agent', 'an agent, nothing changed', agent, 2),
        timeFigure('checks.counts', 'the counts of everything, nothing changed', counts, 2),
        timeFigure('checks.lookedUp', 'the same where no watch can be trusted', lookedUp),
      ],
    },
    { title: 'The same over HTTP, one request after the other', figures: requests },
    await benchHostile(workspace, kinds, plan, tell),
    ...(await benchPrompts(workspace, kinds, plan, tell)),
  ];
};
