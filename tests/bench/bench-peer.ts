import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveAnswers } from './answers.ts';
import type { Figure, Section, Target } from './figures.ts';
import { putLoad } from './load.ts';
import { addLinkedAgent, agentId, LINKED_AGENT, makeRoot } from './make-roots.ts';
import { type Sampler, sampleBeside } from './measure-latency.ts';
import { type StartedServer, startAtPort, startFigure, startInTurns } from './measure-start.ts';
import { agentPaths } from './measure-throughput.ts';
import type { Plan } from './plan.ts';
import { type Run, residentMB } from './processes.ts';
import { measureInTurn, type Pair } from './rounds.ts';
import type { ServerKinds } from './servers.ts';
import { percentile, spreadOf } from './statistics.ts';
import type { Workspace } from './workspace.ts';

/** Our housekeeping begins 2.5 s after a start, and files younger than 3 s are read again at each request. */
const SETTLED_AFTER_MS = 4_000;
/** The root for which the lists have a higher target, and the memory one of its own. */
const LARGE = 10_000;
const LARGE_LEAST = 20;
const LINKS_LEAST = 1.5;
const HTTP_LEAST = 0.6;
const MOST_RESIDENT_MB = 150;

const HEALTH = '/api/health';
const SKILLS = '/api/catalog/skills';
const { summary: SUMMARY, file: FILE } = agentPaths(agentId(0));

interface Route {
  id: string;
  name: string;
  path: string;
  least: number;
  /** At {@link LARGE} agents. */
  leastLarge?: number;
}

const ROUTES: readonly Route[] = [
  { id: 'health', name: 'health', path: HEALTH, least: 1 },
  { id: 'summary', name: 'agent summary', path: SUMMARY, least: 1 },
  { id: 'file', name: 'file read', path: FILE, least: 1 },
  ...(['extensions', 'skills'] as const).map((kind) => ({
    id: `links.${kind}`,
    name: `${kind} links of an agent, 20 entries`,
    path: `/api/agents/${LINKED_AGENT}/links/${kind}`,
    least: LINKS_LEAST,
  })),
  { id: 'agents', name: 'list of agents', path: '/api/agents', least: 1, leastLarge: LARGE_LEAST },
  { id: 'extensions', name: 'extensions catalog', path: '/api/catalog/extensions', least: 1 },
  { id: 'skills', name: 'skills catalog', path: SKILLS, least: 1, leastLarge: LARGE_LEAST },
];

/** What is compared with what bare node:http answers with the same bytes. */
const BESIDE_HTTP = [HEALTH, FILE];

const ratioOf = (
  pairs: readonly Pair<number>[],
  { id, name, unit, target }: Pick<Figure, 'id' | 'name' | 'unit' | 'target'>,
): Figure => ({
  id,
  name,
  unit,
  ours: spreadOf(pairs.map(({ ours }) => ours)).median,
  baseline: spreadOf(pairs.map(({ baseline }) => baseline)).median,
  result: { kind: 'ratio', spread: spreadOf(pairs.map(({ ours, baseline }) => ours / baseline)) },
  target,
});

const least = (value: number): Target => ({ at: 'least', value });
const most = (value: number): Target => ({ at: 'most', value });

const perSecond = async ({ url }: { url: string }, path: string, plan: Plan, seconds: number) =>
  (await putLoad(url, { paths: [path], connections: plan.connections, seconds })).perSecond;

const lengthOf = async ({ url }: StartedServer, path: string) =>
  (await (await fetch(`${url}${path}`)).arrayBuffer()).byteLength;

/** Long enough for a few answers on each connection, also of a server that gives one answer at a time. */
const secondsFor = async (server: StartedServer, path: string, plan: Plan) => {
  const ANSWERS = 3;
  const times: number[] = [];
  for (let i = 0; i < ANSWERS; i++) {
    const begunMs = performance.now();
    await lengthOf(server, path);
    times.push(performance.now() - begunMs);
  }
  const answerSeconds = Math.min(...times) / 1000;
  return Math.min(
    plan.peer.mostSeconds,
    Math.max(plan.peer.seconds, ANSWERS * plan.connections * answerSeconds),
  );
};

const compare = async (ours: StartedServer, beside: StartedServer, path: string, plan: Plan) => {
  for (const server of [ours, beside]) await perSecond(server, path, plan, plan.warmSeconds);
  const seconds = [await secondsFor(ours, path, plan), await secondsFor(beside, path, plan)] as const;
  const isSlow = Math.max(...seconds) > plan.peer.seconds;
  return measureInTurn(
    isSlow ? plan.peer.slowRounds : plan.peer.rounds,
    () => perSecond(ours, path, plan, seconds[0]),
    () => perSecond(beside, path, plan, seconds[1]),
  );
};

const measureRoutes = async (
  agents: number,
  ours: StartedServer,
  peer: StartedServer,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const server of [ours, peer]) await perSecond(server, HEALTH, plan, plan.peer.warmSeconds);
  for (const route of ROUTES) {
    tell(`${route.name}, ${agents} agents`);
    const wanted = agents === LARGE ? (route.leastLarge ?? route.least) : route.least;
    const figure = ratioOf(await compare(ours, peer, route.path, plan), {
      id: `peer.${agents}.${route.id}`,
      name: route.name,
      unit: 'per second',
      target: least(wanted),
    });
    const [bytes, peerBytes] = [await lengthOf(ours, route.path), await lengthOf(peer, route.path)];
    figures.push({ ...figure, note: `bodies of ${bytes} : ${peerBytes} bytes` });
  }
  return figures;
};

const measureBesideHttp = async (
  agents: number,
  ours: StartedServer,
  httpRun: (answersFile: string) => Run,
  answersFile: string,
  plan: Plan,
): Promise<Figure[]> => {
  await saveAnswers(ours.url, BESIDE_HTTP, answersFile);
  const http = await startAtPort(httpRun(answersFile));
  const figures: Figure[] = [];
  for (const { id, name, path } of ROUTES.filter(({ path }) => BESIDE_HTTP.includes(path)))
    figures.push(
      ratioOf(await compare(ours, http, path, plan), {
        id: `peer.${agents}.http.${id}`,
        name: `${name}, beside bare node:http`,
        unit: 'per second',
        target: least(HTTP_LEAST),
      }),
    );
  await http.end();
  return figures;
};

const measureHealth = async (
  agents: number,
  ours: StartedServer,
  peer: StartedServer,
  sampler: Sampler,
  plan: Plan,
): Promise<Figure> => {
  const p99 = async (server: StartedServer) => {
    const samples = await sampleBeside(sampler, server, SKILLS, plan);
    // A server that answered nothing in all that time.
    return samples.length === 0 ? Number.POSITIVE_INFINITY : percentile(samples, 0.99);
  };
  const pairs = await measureInTurn(
    plan.latency.rounds,
    () => p99(ours),
    () => p99(peer),
  );
  return ratioOf(pairs, {
    id: `peer.${agents}.latency`,
    name: 'p99 of health while four connections read the skills catalog',
    unit: 'ms',
    target: most(1),
  });
};

const memoryFigure = (id: string, name: string, ours: number, peer: number, target?: Target): Figure => ({
  id,
  name,
  unit: 'MB',
  ours,
  baseline: peer,
  result: { kind: 'value', spread: spreadOf([ours]) },
  target,
});

/** The memory of a server that was just started, after each route was asked a few times, by one client after another. */
const memoryAfterLists = async (run: Run): Promise<number> => {
  const TIMES = 5;
  const CALM_MS = 1_000;
  const server = await startAtPort(run);
  for (let i = 0; i < TIMES; i++) for (const { path } of ROUTES) await lengthOf(server, path);
  await sleep(CALM_MS);
  const resident = residentMB(server.pid);
  await server.end();
  return resident;
};

/** Our routes beside another server of the same routes, on the same roots. */
export const benchPeer = async (
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  const { command, agentCounts, rounds, starts } = plan.peer;
  const sampler = { module: workspace.plainModule('health-sampler'), cwd: workspace.path('data') };
  const cwd = process.cwd();
  const sections: Section[] = [];
  for (const agents of agentCounts) {
    tell(`making a root of ${agents} agents and ${plan.skills} skills`);
    const path = workspace.path(`root-${agents}`);
    makeRoot(path, agents, plan.skills);
    addLinkedAgent(path);
    const oursRun = kinds.ours(path);
    const peerRun: Run = { module: command, command, cwd, environment: { DOT_MI_ROOT: path } };
    // The first start creates the data folder.
    const first = await startAtPort(oursRun);
    await lengthOf(first, SKILLS);
    await first.end();
    const [ours, peer] = [await startAtPort(oursRun), await startAtPort(peerRun)];
    await sleep(SETTLED_AFTER_MS);
    const figures = await measureRoutes(agents, ours, peer, plan, tell);
    figures.push(
      ...(await measureBesideHttp(agents, ours, kinds.http, workspace.path(`answers-${agents}.json`), plan)),
      await measureHealth(agents, ours, peer, sampler, plan),
      memoryFigure(
        `peer.${agents}.memory.load`,
        'resident memory after all this',
        residentMB(ours.pid),
        residentMB(peer.pid),
      ),
    );
    await Promise.all([ours.end(), peer.end()]);
    tell(`memory and start, ${agents} agents`);
    figures.push(
      memoryFigure(
        `peer.${agents}.memory.lists`,
        'resident memory after each route was asked 5 times',
        await memoryAfterLists(oursRun),
        await memoryAfterLists(peerRun),
        most(MOST_RESIDENT_MB),
      ),
      startFigure(`peer.${agents}.start`, 1, await startInTurns(oursRun, peerRun, starts)),
    );
    sections.push({
      title: `Beside the peer, ${agents.toLocaleString('en')} agents, ${plan.connections} connections, up to ${rounds} rounds; result: median of each round's ours / peer`,
      figures,
    });
  }
  return sections;
};
