import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveAnswers } from './answers.ts';
import type { Section } from './figures.ts';
import { agentId, makeRoot } from './make-roots.ts';
import { measureLatency } from './measure-latency.ts';
import { type LargeRoute, measureLoop } from './measure-loop.ts';
import { measureRequestLog } from './measure-request-log.ts';
import { measureStart } from './measure-start.ts';
import { agentPaths, measureThroughput, routeCases } from './measure-throughput.ts';
import type { Plan } from './plan.ts';
import { type ServerKinds, settle, startServer } from './servers.ts';
import type { Workspace } from './workspace.ts';

/** Younger files are read again at each request; see src/server/platform/fingerprint.ts. */
const SETTLED_AFTER_MS = 3_500;

const HEALTH = '/api/health';
const AGENTS = '/api/agents';
const SKILLS = '/api/catalog/skills';

const makeRoots = (workspace: Workspace, { agentCounts, skills }: Plan, tell: (line: string) => void) =>
  agentCounts.map((agents) => {
    tell(`making a root of ${agents} agents and ${skills} skills`);
    const path = workspace.path(`root-${agents}`);
    makeRoot(path, agents, skills);
    return { agents, path };
  });

/** The figures of agents, files and catalogs beside bare servers. */
export const benchRoutes = async (
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  const roots = makeRoots(workspace, plan, tell);
  const madeMs = performance.now();
  const probe = workspace.plainModule('loop-probe');
  await sleep(Math.max(0, SETTLED_AFTER_MS - (performance.now() - madeMs)));

  tell('starting the servers');
  const step = Math.max(1, Math.floor((roots[0]?.agents ?? 1) / plan.spread));
  const ids = Array.from({ length: plan.spread }, (_, i) => agentId(i * step));
  const spreadPaths = ids.map(agentPaths).flatMap(({ summary, file }) => [summary, file]);
  const sites = await Promise.all(
    roots.map(async ({ agents, path }) => {
      const ours = await startServer(kinds.ours(path), probe);
      await settle(ours);
      const answersFile = workspace.path(`answers-${agents}.json`);
      await saveAnswers(ours.url, [HEALTH, AGENTS, SKILLS, ...spreadPaths], answersFile);
      const express = await startServer(kinds.express(answersFile, 'json'), probe);
      return { agents, path, ours, express, answersFile };
    }),
  );
  const [first] = sites;
  if (!first) throw new Error('the plan has no root');
  const contenders = {
    ours: first.ours,
    express: first.express,
    expressEnd: await startServer(kinds.express(first.answersFile, 'end'), probe),
    http: await startServer(kinds.http(first.answersFile), probe),
  };

  const lists: LargeRoute[] = sites.map(({ agents, ours, express }) => ({
    id: `agents.${agents}`,
    name: `list of ${agents.toLocaleString('en')} agents`,
    path: AGENTS,
    ours,
    express,
  }));
  const catalog: LargeRoute = {
    id: `skills.${plan.skills}`,
    name: `catalog of ${plan.skills.toLocaleString('en')} skills`,
    path: SKILLS,
    ours: first.ours,
    express: first.express,
  };
  const loads = [
    {
      id: 'idle',
      name: 'no load: what the machine itself adds',
      route: { ours: first.ours, express: first.express },
      isTarget: false,
    },
    { id: catalog.id, name: catalog.name, route: catalog, isTarget: true },
    ...lists.slice(-1).map((route) => ({ id: route.id, name: route.name, route, isTarget: false })),
  ];
  const sampler = { module: workspace.plainModule('health-sampler'), cwd: workspace.path('data') };

  const sections = [
    await measureThroughput(contenders, routeCases(ids), plan, tell),
    await measureLoop([...lists, catalog], plan, tell),
    await measureLatency(loads, sampler, plan, tell),
    await measureRequestLog(first.ours, plan, tell),
  ];
  for (const { ours, express } of sites) await Promise.all([ours.end(), express.end()]);
  await Promise.all([contenders.expressEnd.end(), contenders.http.end()]);

  // A bare server of health alone: reading the large bodies would count as its start.
  const healthFile = workspace.path('answers-health.json');
  writeFileSync(healthFile, JSON.stringify({ [HEALTH]: '{"ok":true}' }));
  sections.push(await measureStart(kinds.ours(first.path), kinds.express(healthFile, 'json'), plan, tell));
  return sections;
};
