import { setTimeout as sleep } from 'node:timers/promises';
import type { Figure, Section } from './figures.ts';
import type { HealthSamples } from './health-sampler.ts';
import { putLoad } from './load.ts';
import type { LargeRoute } from './measure-loop.ts';
import type { Plan } from './plan.ts';
import { start } from './processes.ts';
import type { Server } from './servers.ts';
import { percentile, spreadOf } from './statistics.ts';

/** A load beside which health is asked; no path is an idle server. */
export interface LoadBeside {
  id: string;
  name: string;
  route: Pick<LargeRoute, 'ours' | 'express'> & { path?: string };
  isTarget: boolean;
}

/** How the sampler is run. */
export interface Sampler {
  module: string;
  cwd: string;
}

const TARGET = { at: 'most', value: 20 } as const;
const LOAD_CONNECTIONS = 4;
/** The load runs a little before and after, so that every sample is taken under it. */
const MARGIN_SECONDS = 0.2;

/** How long health, or another path, took to answer while `work` ran. */
export const sampleDuring = async (
  sampler: Sampler,
  url: string,
  plan: Plan,
  work: () => Promise<unknown>,
  path?: string,
): Promise<HealthSamples> => {
  const args = [url, String(plan.latency.everyMs), ...(path === undefined ? [] : [path])];
  const child = start({ ...sampler, args });
  try {
    await child.ask('begin');
    await work();
    return (await child.ask('end')) as HealthSamples;
  } finally {
    await child.end();
  }
};

const sample = (sampler: Sampler, url: string, plan: Plan) =>
  sampleDuring(sampler, url, plan, () => sleep(plan.latency.seconds * 1000));

/** How long health took to answer while other connections read `path`. */
export const sampleBeside = async (
  sampler: Sampler,
  server: Pick<Server, 'url'>,
  path: string | undefined,
  plan: Plan,
) => {
  if (path === undefined) return sample(sampler, server.url, plan);
  // The sampler's own start takes a part of the margin.
  const seconds = plan.latency.seconds + 4 * MARGIN_SECONDS;
  const load = putLoad(server.url, { paths: [path], connections: LOAD_CONNECTIONS, seconds });
  const samples = sleep(MARGIN_SECONDS * 1000).then(() => sample(sampler, server.url, plan));
  const [taken] = await Promise.all([samples, load]);
  return taken;
};

const p99sOf = (rounds: readonly HealthSamples[]) =>
  spreadOf(rounds.map((samples) => percentile(samples, 0.99)));

const toFigure = (
  { id, name, isTarget }: LoadBeside,
  ours: readonly HealthSamples[],
  express: readonly HealthSamples[],
): Figure => {
  const all = ours.flat();
  const p50Ms = percentile(all, 0.5);
  const maxMs = Math.max(...all);
  const spread = p99sOf(ours);
  return {
    id: `latency.${id}`,
    name,
    unit: 'ms',
    ours: spread.median,
    baseline: p99sOf(express).median,
    result: { kind: 'value', spread },
    target: isTarget ? TARGET : undefined,
    note: `p50 ${p50Ms.toFixed(1)} ms, longest ${maxMs.toFixed(0)} ms, ${all.length} samples`,
    details: { p50Ms, maxMs, samples: all.length, expressP99Ms: p99sOf(express).rounds },
  };
};

/** How long health takes to answer, while other connections read large answers without a pause. */
export const measureLatency = async (
  loads: readonly LoadBeside[],
  sampler: Sampler,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section> => {
  // Load by load in each round: what others do on the machine then falls on all of them alike.
  const taken = loads.map((load) => ({ load, ours: [] as HealthSamples[], express: [] as HealthSamples[] }));
  for (let round = 1; round <= plan.latency.rounds; round++) {
    for (const { load, ours, express } of taken) {
      tell(`p99 of health, round ${round}: ${load.name}`);
      ours.push(await sampleBeside(sampler, load.route.ours, load.route.path, plan));
      express.push(await sampleBeside(sampler, load.route.express, load.route.path, plan));
    }
  }
  const figures = taken.map(({ load, ours, express }) => toFigure(load, ours, express));
  return {
    title: `p99 of GET /api/health, one request every ${plan.latency.everyMs} ms, ${LOAD_CONNECTIONS} connections of load beside; result: ours`,
    figures,
  };
};
