import { expect, test } from 'vitest';
import { amountOf } from '../../../src/server/cost/cost.service.ts';
import { plant } from '../../support/plant.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { modelsText, type PricingServerOptions, servePricing } from '../pricing/serve-pricing.ts';

const PRICES = {
  'gpt-5.4': [2.5, 15, 0.25],
  'anthropic/claude-opus-5': [5, 25, 0.5, 6.25],
  free: [0, 0],
} as const;

/** A server whose models file has {@link PRICES}, at a BTC price of 100,000 USD. */
const serveCosts = async (options: PricingServerOptions = {}) => {
  const directory = await makeTempDirectory();
  await plant(directory, { 'model_pricing.json': modelsText(PRICES) });
  const server = await servePricing({ directory, ...options });
  if (!options.early) {
    for (const price of [70_000, 77_000, 84_000, 92_000, 100_000]) {
      server.sources.playAll(price);
      await server.refresh();
    }
  }
  return { ...server, cost: (query = '') => server.get(`/api/agents/scout/cost${query}`) };
};

test('is tokens × price ÷ BTC price: a million tokens at 2.5 USD are 2,500 sats at 100,000 USD', () => {
  expect(amountOf(1_000_000, 2.5, 100_000)).toEqual({ usd: 2.5, sats: 2_500 });
  expect(amountOf(1, 2.5, 100_000)).toEqual({ usd: 0.0000025, sats: 0.0025 });
  expect(amountOf(1_000, 2.5, null)).toEqual({ usd: 0.0025, sats: null });
  expect(amountOf(0, 2.5, 100_000)).toEqual({ usd: 0, sats: 0 });
});

test('returns the cost with the model of the agent and with every priced model', {
  tags: 'slow',
}, async () => {
  const { cost, rootPath, get } = await serveCosts();
  await plant(rootPath, {
    'agents/scout/settings.json': '{"defaultProvider":"openai","defaultModel":"gpt-5.4"}',
  });
  const { totalTokens } = (await get('/api/agents/scout/prompt')).body;

  const { status, body } = await cost('?outputTokens=200');

  expect(status).toBe(200);
  expect(body).toMatchObject({
    promptTokens: totalTokens,
    complete: true,
    tokenizer: { name: 'o200k_base', approximate: false },
    outputTokens: 200,
    model: { name: 'openai/gpt-5.4', source: 'settings.json', priced: true },
    btc: { btc_price_usd: 100_000, source: 'coinbase', stale: false },
  });
  // By hand: 1 USD per million is 0.001 sats per token at 100,000 USD.
  expect(body.cost).toEqual({
    model: 'gpt-5.4',
    pricedIn: 'models_file',
    prompt: { usd: expect.closeTo(totalTokens * 2.5e-6, 12), sats: totalTokens * 0.0025 },
    promptCached: { usd: expect.closeTo(totalTokens * 0.25e-6, 12), sats: totalTokens * 0.00025 },
    outputPerThousand: { usd: expect.closeTo(0.015, 12), sats: 15 },
    call: {
      usd: expect.closeTo(totalTokens * 2.5e-6 + 0.003, 12),
      sats: totalTokens * 0.0025 + 3,
    },
  });
  expect(body.models.map(({ model }: { model: string }) => model)).toEqual(Object.keys(PRICES));
  expect(body.models[0]).toEqual(body.cost);
  expect(body.models[2]).toMatchObject({ prompt: { usd: 0, sats: 0 }, promptCached: null });
});

test('counts the MCP servers in the prompt from the moment that mcp.json names them', {
  tags: 'slow',
}, async () => {
  const { cost, rootPath, get } = await serveCosts();
  const before = (await cost()).body.promptTokens;
  await plant(rootPath, {
    'agents/scout/mcp.json': '{"mcpServers":{"docs":{"command":"x","description":"Searches the docs."}}}',
  });
  const { body } = await cost();
  expect(body.promptTokens).toBeGreaterThan(before);
  expect(body.promptTokens).toBe((await get('/api/agents/scout/prompt')).body.totalTokens);
});

test('takes the model in pi’s order: pi-args, AGENT.md with its extension, settings.json', {
  tags: 'slow',
}, async () => {
  const { cost, rootPath } = await serveCosts();
  const modelOf = async () => (await cost()).body.model;
  await plant(rootPath, {
    'agents/scout/pi-args': '',
    'agents/scout/settings.json': '{"defaultModel":"free"}',
    'agents/scout/AGENT.md': '---\nmodel: anthropic/claude-opus-5\n---\n',
  });
  expect(await modelOf()).toMatchObject({ name: 'free', source: 'settings.json', priced: true });
  await plant(rootPath, { 'agents/scout/extensions/agent-prompt.ts': '' });
  expect(await modelOf()).toMatchObject({
    name: 'anthropic/claude-opus-5',
    source: 'AGENT.md',
    priced: true,
  });
  await plant(rootPath, { 'agents/scout/pi-args': '--provider\nopenrouter\n--model\nopenai/gpt-5.4:high\n' });
  expect(await modelOf()).toMatchObject({
    name: 'openrouter/openai/gpt-5.4',
    source: 'pi-args',
    priced: true,
  });
});

test('never guesses: an unpriced model has no cost, an unknown one is refused, no BTC price leaves USD', {
  tags: 'slow',
}, async () => {
  const { cost, rootPath } = await serveCosts();
  expect((await cost()).body).toMatchObject({ model: null, cost: null });
  await plant(rootPath, { 'agents/scout/pi-args': '--model\nsonnet\n' });
  expect((await cost()).body).toMatchObject({
    model: { name: 'sonnet', source: 'pi-args', priced: false },
    cost: null,
  });
  expect((await cost('?model=anthropic/claude-opus-5')).body.cost.model).toBe('anthropic/claude-opus-5');
  expect((await cost('?model=nothing')).body.code).toBe('unknown_model');

  const early = await serveCosts({ early: true, setting: 'coinbase=http://127.0.0.1:9' });
  const { body } = await early.cost('?model=gpt-5.4');
  expect(body.btc).toBeNull();
  expect(body.cost.prompt).toEqual({ usd: expect.any(Number), sats: null });
});

/** A models.json with a model `home/large` at 2 USD per million for input and 10 for output. */
const modelsJson = (input = 2, model = 'large') =>
  JSON.stringify({
    providers: {
      home: {
        baseUrl: 'https://home.example/v1',
        api: 'openai-completions',
        apiKey: '$HOME_KEY',
        models: [{ id: model, cost: { input, output: 10, cacheRead: 0.5, cacheWrite: 0 } }],
      },
    },
  });

test('a price that an agent’s models.json has counts for this agent, and the models file wins', async () => {
  const { cost, rootPath, get, asOperator } = await serveCosts();
  await plant(rootPath, {
    'agents/scout/pi-args': '--provider\nhome\n--model\nlarge\n',
    // pi allows comments.
    'agents/scout/models.json': `// mine\n${modelsJson()}`,
    'agents/other/pi-args': '--provider\nhome\n--model\nlarge\n',
  });
  const { body } = await cost('?outputTokens=1000');
  expect(body.model).toMatchObject({ name: 'home/large', source: 'pi-args', priced: true });
  expect(body.cost).toMatchObject({
    model: 'home/large',
    pricedIn: 'models_json',
    prompt: { sats: expect.closeTo(body.promptTokens * 0.002, 9) },
    promptCached: { sats: expect.closeTo(body.promptTokens * 0.0005, 9) },
    outputPerThousand: { sats: 10 },
  });
  // It's no price of other agents, and not a public one.
  expect((await get('/api/agents/other/cost')).body).toMatchObject({ model: { priced: false }, cost: null });
  expect((await get('/api/pricing/models')).body.models).not.toHaveProperty(['home/large']);
  expect((await get('/api/pricing/quote?model=home/large&inputTokens=1')).body.code).toBe('unknown_model');

  await plant(rootPath, {
    'agents/scout/models.json': modelsJson(7, 'gpt-5.4'),
    'agents/scout/pi-args': '--provider\nhome\n--model\ngpt-5.4\n',
  });
  expect((await cost()).body.cost).toMatchObject({ model: 'gpt-5.4', pricedIn: 'models_file' });
  const { models } = (await asOperator('GET', '/api/agents/scout/cost')).body;
  expect(models.map(({ model }: { model: string }) => model)).toEqual(Object.keys(PRICES));
});

test('a link to another agent’s models.json or auth.json tells nothing of it', async () => {
  const { rootPath, get, asOperator } = await serveCosts();
  await plant(rootPath, {
    'agents/ben/models.json': modelsJson(123.25),
    'agents/ben/auth.json': '{"anthropic":{"type":"oauth"}}',
    'agents/ada/models.json': { link: '../ben/models.json' },
    'agents/ada/auth.json': { link: '../ben/auth.json' },
    'agents/ada/pi-args': '--provider\nhome\n--model\nlarge\n',
    'agents/eve/auth.json': { link: '../ben/auth.json' },
    'agents/eve/pi-args': '--provider\nanthropic\n--model\nclaude-opus-5\n',
  });
  const costOf = async (id: string, read = get) => (await read(`/api/agents/${id}/cost`)).body;
  expect(await costOf('ada')).toMatchObject({ model: { priced: false }, cost: null });
  expect((await costOf('eve')).model.coveredBySubscription).toBe(false);
  // Nor can anybody ask for each provider.
  const asked = '/api/agents/ben/cost?model=anthropic/claude-opus-5';
  const covered = async (
    read: (path: string) => Promise<{ body: { model?: { coveredBySubscription: boolean } } }>,
  ) => (await read(asked)).body.model?.coveredBySubscription;
  expect(await covered(get)).not.toBe(true);
  expect(await covered((path) => asOperator('GET', path))).not.toBe(false);
});

test('only the operator sees the prices of other models in models.json', async () => {
  const { cost, rootPath, asOperator } = await serveCosts();
  await plant(rootPath, { 'agents/scout/models.json': modelsJson() });
  const shown = (body: { models: { model: string; pricedIn: string }[] }) =>
    body.models.filter(({ pricedIn }) => pricedIn === 'models_json').map(({ model }) => model);
  expect(shown((await asOperator('GET', '/api/agents/scout/cost')).body)).toEqual(['home/large']);
  expect(shown((await cost()).body)).toEqual([]);
  expect((await cost('?model=home/large')).body.code).toBe('unknown_model');
  expect((await asOperator('GET', '/api/agents/scout/cost?model=home/large')).body.cost.model).toBe(
    'home/large',
  );
});

test('a models.json that pi ignores has no prices', async () => {
  const { cost, rootPath } = await serveCosts();
  const invalid = modelsJson().replace('"input":2', '"input":"2"');
  await plant(rootPath, {
    'agents/scout/pi-args': '--provider\nhome\n--model\nlarge\n',
    'agents/scout/models.json': invalid,
  });
  expect((await cost()).body).toMatchObject({ model: { priced: false }, cost: null });
});
