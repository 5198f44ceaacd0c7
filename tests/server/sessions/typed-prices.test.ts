import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plant } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';

/** What agents spent with a model whose price is only in their models.json. */

const withModels = (models: object[]) =>
  JSON.stringify({
    providers: {
      home: {
        baseUrl: 'https://home.example/v1',
        api: 'openai-completions',
        apiKey: '$HOME_KEY',
        models,
      },
    },
  });

const costOf = (input: number, tiers: object[] = []) => ({
  input,
  output: 10,
  cacheRead: 0.5,
  cacheWrite: 0,
  tiers,
});

const modelsJson = (input: number, tiers?: object[]) =>
  withModels([{ id: 'large', cost: costOf(input, tiers) }]);

const tierAbove = (inputTokensAbove: number, input: number) => ({
  inputTokensAbove,
  input,
  output: 10,
  cacheRead: 0,
  cacheWrite: 0,
});

const start = async (tree: Record<string, string>) => {
  const root = await makeRoot({ 'agents/ada/SYSTEM.md': 'Hi', 'agents/ben/SYSTEM.md': 'Hi', ...tree });
  const server = await serve(root);
  const spend = async (agent: string, input: number) => {
    const session = makeSession({ startedAtMs: Date.now() - 60_000 });
    session.call({ input }, { provider: 'home', model: 'large' });
    const directory = join(root, 'agents', agent, 'sessions/--x--');
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, session.fileName), session.text());
  };
  const usage = async (query = '') => {
    const { status, body } = await server.asOperator('GET', `/api/usage${query}`);
    expect([status, body.reading]).toEqual([200, false]);
    return body;
  };
  const estimated = async (query = '') => {
    const { groups, total } = await usage(query);
    return [...groups, { key: 'total', ...total }].map(({ key, usdEstimated, unpricedTokens }) => [
      key,
      usdEstimated,
      unpricedTokens,
    ]);
  };
  return { root, server, spend, estimated };
};

test('count for the agent with that models.json and not for others, and change with the file', async () => {
  const { root, server, spend, estimated } = await start({ 'agents/ada/models.json': modelsJson(2) });
  await spend('ada', 1_000_000);
  await spend('ben', 1_000_000);
  expect(await estimated()).toEqual([
    ['ada', 2, 0],
    ['ben', null, 1_000_000],
    ['total', 2, 1_000_000],
  ]);
  expect(await estimated('?groupBy=model')).toEqual([
    ['home/large', 2, 1_000_000],
    ['total', 2, 1_000_000],
  ]);
  await server.asOperator('PUT', '/api/agents/ada/budget', { usdPerDay: 1 });
  const budget = (await server.call('GET', '/api/agents/ada/budget')).body;
  expect(budget).toMatchObject({ exceeded: true, unpricedTokens: 0, limits: [{ used: 2 }] });
  const [session] = (await server.asOperator('GET', '/api/agents/ada/sessions')).body.sessions;
  expect(session).toMatchObject({ usdEstimated: 2, unpricedTokens: 0 });
  const { entries } = (await server.asOperator('GET', `/api/sessions/${session.id}?agent=ada`)).body;
  expect(entries.find(({ usage }: { usage?: object }) => usage)?.usage).toMatchObject({
    usd: 2,
    estimated: true,
  });

  // The next request counts a price that changed, and calls that came since.
  await plant(root, { 'agents/ada/models.json': modelsJson(3), 'agents/ben/models.json': modelsJson(5) });
  expect((await estimated()).at(-1)).toEqual(['total', 8, 0]);
  await spend('ada', 1_000_000);
  expect(await estimated()).toEqual([
    ['ada', 6, 0],
    ['ben', 5, 0],
    ['total', 11, 0],
  ]);
  // A price in the models file counts for all.
  await server.asOperator('PUT', '/api/pricing/models', {
    models: { 'home/large': { input_usd_per_million: 1, output_usd_per_million: 1 } },
  });
  expect((await estimated()).at(-1)).toEqual(['total', 3, 0]);
});

test('count from a models.json that agents share, with other prices for long requests', async () => {
  const tiers = [tierAbove(500_000, 4)];
  const { root, spend, estimated } = await start({ 'shared/models.json': modelsJson(2, tiers) });
  for (const agent of ['ada', 'ben']) {
    await symlink('../../shared/models.json', join(root, 'agents', agent, 'models.json'));
    await spend(agent, 500_000);
    await spend(agent, 1_000_000);
  }
  expect(await estimated()).toEqual([
    ['ada', 5, 0],
    ['ben', 5, 0],
    ['total', 10, 0],
  ]);
  await writeFile(join(root, 'shared/models.json'), modelsJson(1));
  expect((await estimated()).at(-1)).toEqual(['total', 3, 0]);
});

test('of many lengths in one agent’s file, only 32 count, and many agents’ lengths take none from others', async () => {
  const tiersFrom = (length: number) => Array.from({ length: 8 }, (_, at) => tierAbove(length + at, 2));
  const models = ['a', 'b', 'c', 'd', 'large'].map((id, at) => ({
    id,
    cost: costOf(1, tiersFrom(at * 1_000)),
  }));
  // Each has two lengths of its own, fewer than ben.
  const crowd = Array.from({ length: 20 }, (_, at) => [
    `agents/crowd-${at}/models.json`,
    modelsJson(1, [tierAbove(10_000 + at, 2), tierAbove(20_000 + at, 3)]),
  ]);
  const benTiers = [tierAbove(300_000, 2), tierAbove(400_000, 3), tierAbove(500_000, 4)];
  const { root, spend, estimated } = await start({
    ...Object.fromEntries(crowd),
    'agents/ada/models.json': withModels(models),
    'agents/ben/models.json': modelsJson(1, benTiers),
  });
  await spend('ada', 1_000_000);
  await spend('ben', 1_000_000);
  // An amount is unknown rather than too low.
  expect(await estimated()).toEqual([
    ['ada', null, 1_000_000],
    ['ben', 4, 0],
    ['total', 4, 1_000_000],
  ]);
  expect((await estimated('?agent=ben')).at(-1)).toEqual(['total', 4, 0]);
  await plant(root, { 'agents/ada/models.json': withModels(models.slice(1)) });
  await spend('crowd-7', 20_007);
  await spend('crowd-7', 20_008);
  const all = [
    ['ada', 2, 0],
    ['ben', 4, 0],
    ['crowd-7', 0.100038, 0],
  ];
  expect((await estimated()).slice(0, 3)).toEqual(all);
  for (const one of all) expect((await estimated(`?agent=${one[0]}`))[0]).toEqual(one);
  // A sum that is known grows by the same price.
  await spend('crowd-7', 20_008);
  expect((await estimated())[2]).toEqual(['crowd-7', 0.160062, 0]);
});
