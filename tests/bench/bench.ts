// `npm run bench`: how fast our routes are beside bare Express and node:http, in one run on this machine. Timings are
// printed with their targets and are never a reason to fail: who reads them knows what else the machine did.
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from '../../scripts/build.ts';
import { saveAnswers } from './answers.ts';
import type { Section } from './figures.ts';
import { lookAtMachine } from './machine.ts';
import { agentId, makeRoot } from './make-roots.ts';
import { measureLatency } from './measure-latency.ts';
import { type LargeRoute, measureLoop } from './measure-loop.ts';
import { measureStart } from './measure-start.ts';
import { agentPaths, measureThroughput } from './measure-throughput.ts';
import { type Plan, readOptions } from './plan.ts';
import { endAllNow } from './processes.ts';
import { type Report, toJson, toTable } from './report.ts';
import { createServerKinds, settle, startServer } from './servers.ts';
import { makeWorkspace, type Workspace } from './workspace.ts';

/** Younger files are read again at each request; see src/server/platform/fingerprint.ts. */
const SETTLED_AFTER_MS = 3_500;

const HEALTH = '/api/health';
const AGENTS = '/api/agents';
const SKILLS = '/api/catalog/skills';

// Standard output is for the report alone, so that it can be kept.
const tell = (line: string) => process.stderr.write(`… ${line}\n`);

const makeRoots = (workspace: Workspace, { agentCounts, skills }: Plan) =>
  agentCounts.map((agents) => {
    tell(`making a root of ${agents} agents and ${skills} skills`);
    const path = workspace.path(`root-${agents}`);
    makeRoot(path, agents, skills);
    return { agents, path };
  });

const measureAll = async (workspace: Workspace, plan: Plan): Promise<Section[]> => {
  tell('building');
  if (!build()) throw new Error('the build failed');
  const roots = makeRoots(workspace, plan);
  const madeMs = performance.now();
  const kinds = createServerKinds(workspace);
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
    await measureThroughput(contenders, ids, plan, tell),
    await measureLoop([...lists, catalog], plan, tell),
    await measureLatency(loads, sampler, plan, tell),
  ];
  for (const { ours, express } of sites) await Promise.all([ours.end(), express.end()]);
  await Promise.all([contenders.expressEnd.end(), contenders.http.end()]);

  // A bare server of health alone: reading the large bodies would count as its start.
  const healthFile = workspace.path('answers-health.json');
  writeFileSync(healthFile, JSON.stringify({ [HEALTH]: '{"ok":true}' }));
  sections.push(await measureStart(kinds.ours(first.path), kinds.express(healthFile, 'json'), plan, tell));
  return sections;
};

const run = async () => {
  const { plan, jsonFile } = readOptions(process.argv.slice(2));
  const workspace = makeWorkspace();
  const cleanUp = () => {
    endAllNow();
    workspace.remove();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      cleanUp();
      process.exit(130);
    });
  }
  const begunMs = performance.now();
  const machine = lookAtMachine();
  try {
    const sections = await measureAll(workspace, plan);
    const report: Report = {
      machine,
      loadAverageAtEnd: lookAtMachine().loadAverage,
      plan,
      seconds: (performance.now() - begunMs) / 1000,
      sections,
    };
    console.log(toTable(report));
    if (jsonFile) writeFileSync(jsonFile, toJson(report));
  } finally {
    cleanUp();
  }
};

run().catch((error: unknown) => {
  process.stderr.write(`The bench could not finish: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
