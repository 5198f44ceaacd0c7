import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { saveAnswers } from './answers.ts';
import type { Figure, Section } from './figures.ts';
import type { HealthSamples } from './health-sampler.ts';
import { type Sampler, sampleDuring } from './measure-latency.ts';
import { measureThroughput } from './measure-throughput.ts';
import type { Plan } from './plan.ts';
import { measureInTurn } from './rounds.ts';
import { type Server, type ServerKinds, settle, startServer } from './servers.ts';
import { percentile, spreadOf } from './statistics.ts';
import type { Workspace } from './workspace.ts';

const MODELS = 1_000;
const PATH = '/api/pricing/tokens?model=model-500';

/** Public sources take about as long. */
const SOURCE_MS = 80;

/** A source of the BTC price that takes its time. */
const startSource = async () => {
  const source = createServer(async (_, res) => {
    await sleep(SOURCE_MS);
    res.end(JSON.stringify({ time: Math.floor(Date.now() / 1000), USD: 100_000 }));
  }).listen(0, '127.0.0.1');
  await once(source, 'listening');
  return {
    url: `http://127.0.0.1:${(source.address() as AddressInfo).port}`,
    end: () => {
      source.close();
      source.closeAllConnections();
    },
  };
};

const writeModels = (path: string) => {
  const rows = Array.from({ length: MODELS }, (_, n) => [
    `model-${n}`,
    { input_usd_per_million: n / 100, output_usd_per_million: n / 25 },
  ]);
  writeFileSync(path, JSON.stringify({ models: Object.fromEntries(rows) }, null, 2));
};

const waitForPrice = async (url: string) => {
  while (!(await fetch(`${url}${PATH}`)).ok) await sleep(50);
};

/** Asks for refreshes one after the other, so that one is under way all the time. */
const refreshWithoutPause = async (url: string, during: Promise<unknown>) => {
  let over = false;
  void during.then(() => {
    over = true;
  });
  while (!over) await (await fetch(`${url}/api/pricing/refresh`, { method: 'POST' })).arrayBuffer();
};

const measureRefresh = async (server: Server, sampler: Sampler, plan: Plan): Promise<Section> => {
  const sample = (beside: (during: Promise<unknown>) => Promise<unknown>): Promise<HealthSamples> =>
    sampleDuring(
      sampler,
      server.url,
      plan,
      async () => {
        const during = sleep(plan.latency.seconds * 1000);
        await Promise.all([during, beside(during)]);
      },
      PATH,
    );
  const rounds = await measureInTurn(
    Math.max(5, plan.latency.rounds),
    () => sample((during) => refreshWithoutPause(server.url, during)),
    () => sample((during) => during),
  );
  const p99s = rounds.map(({ ours, baseline }) => ({
    ours: percentile(ours, 0.99),
    baseline: percentile(baseline, 0.99),
  }));
  const figure: Figure = {
    id: 'pricing.refresh',
    name: 'tokens, a refresh under way : none',
    unit: 'ms',
    ours: spreadOf(p99s.map(({ ours }) => ours)).median,
    baseline: spreadOf(p99s.map(({ baseline }) => baseline)).median,
    result: { kind: 'ratio', spread: spreadOf(p99s.map(({ ours, baseline }) => ours / baseline)) },
    target: { at: 'most', value: 1.2 },
  };
  return {
    title: `p99 of GET /api/pricing/tokens, one request every ${plan.latency.everyMs} ms; beside: no refresh under way`,
    figures: [figure],
  };
};

/** The figures of prices: a models file of 1,000, looked at on every request. */
export const benchPricing = async (
  workspace: Workspace,
  kinds: ServerKinds,
  plan: Plan,
  tell: (line: string) => void,
): Promise<Section[]> => {
  const root = workspace.path('root-pricing');
  mkdirSync(root);
  const models = workspace.path('models.json');
  writeModels(models);
  const source = await startSource();
  const probe = workspace.plainModule('loop-probe');
  const run = kinds.ours(root);
  const ours = await startServer(
    {
      ...run,
      environment: {
        ...run.environment,
        MODEL_PRICING_PATH: models,
        BTC_PRICE_SOURCES: `mempool=${source.url}`,
        // None but those that are asked for.
        BTC_PRICE_REFRESH_INTERVAL: '86400',
      },
    },
    probe,
  );
  try {
    await settle(ours);
    await waitForPrice(ours.url);
    const answers = await saveAnswers(ours.url, [PATH], workspace.path('answers-pricing.json'));
    const contenders = {
      ours,
      express: await startServer(kinds.express(answers, 'json'), probe),
      expressEnd: await startServer(kinds.express(answers, 'end'), probe),
      http: await startServer(kinds.http(answers), probe),
    };
    const throughput = await measureThroughput(
      contenders,
      [
        {
          id: 'pricing.tokens',
          name: `tokens, ${MODELS.toLocaleString('en')} models`,
          paths: [PATH],
          isTarget: true,
          least: 0.5,
        },
      ],
      plan,
      tell,
    );
    await Promise.all([contenders.express, contenders.expressEnd, contenders.http].map((each) => each.end()));
    tell('p99 of prices beside a refresh');
    const sampler = { module: workspace.plainModule('health-sampler'), cwd: workspace.path('data') };
    return [throughput, await measureRefresh(ours, sampler, plan)];
  } finally {
    await ours.end();
    source.end();
  }
};
