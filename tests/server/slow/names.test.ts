import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { endpoints } from '../../../src/shared/api/index.ts';
import { makeRoot, type Tree } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSession } from '../../support/session-file.ts';

/** Names that a plain object already has. */
const AGENTS = ['constructor', 'hasOwnProperty'];
const NAMES = [...AGENTS, 'toString', '__proto__'];

/** JSON with a member for each name. `JSON.stringify` would lose `__proto__`. */
const each = (value: (name: string) => unknown): string =>
  `{${NAMES.map((name) => `${JSON.stringify(name)}:${JSON.stringify(value(name))}`).join()}}`;

const model = (id: string) => ({ id, contextWindow: 1_000, cost: { input: 1, output: 1 } });

const agentFiles = (id: string): Tree => {
  const session = makeSession({ startedAtMs: Date.now() - 60_000 });
  session.call({ input: 1_000, usd: 1 }, { provider: 'constructor', model: '__proto__' });
  const texts = each((name) => name);
  return {
    [`agents/${id}/SYSTEM.md`]: `You are ${id}.`,
    [`agents/${id}/pi-args`]: '--provider\nconstructor\n--model\n__proto__\n--tools\ntoString,constructor\n',
    [`agents/${id}/settings.json`]: `{"packages":["npm:constructor"],${each(() => 1).slice(1)}`,
    [`agents/${id}/models.json`]: `{"providers":${each((name) => ({
      baseUrl: 'http://127.0.0.1:1',
      api: 'openai-completions',
      apiKey: '$CONSTRUCTOR',
      headers: { constructor: 'x' },
      models: NAMES.map(model),
      modelOverrides: { [name]: { contextWindow: 5 } },
    }))}}`,
    [`agents/${id}/mcp.json`]: `{"mcpServers":${each(() => ({ command: 'x', env: { toString: 'y' } }))},"constructor":${texts}}`,
    [`agents/${id}/sessions/--w--/${session.fileName}`]: session.text(),
  };
};

const frontmatter = (name: string) =>
  `---\nname: ${name}\ndescription: d\nconstructor: 1\ntoString: 2\n__proto__: 3\nmetadata:\n  constructor: x\n---\n\nHi\n`;

const shared: Tree = Object.assign(
  {},
  ...NAMES.map(
    (name): Tree => ({
      [`shared/skills/${name}/SKILL.md`]: frontmatter(name),
      [`shared/extensions/${name}.ts`]: 'export default () => {};\n',
      [`shared/prompts/${name}.md`]: frontmatter(name),
      [`shared/themes/${name}.json`]: `{"name":"${name}","vars":{"a":"constructor"},"colors":${each(() => 'toString')}}`,
      [`shared/presets/${name}.json`]: `{"skills":["${name}"],"mcpServers":${each(() => ({ command: 'x' }))}}`,
    }),
  ),
);

/** The value of each parameter that isn't an agent's or an entry's name. */
const QUERIES: Readonly<Record<string, string>> = {
  'files.read': '?path=SYSTEM.md',
  'search.prompts': '?q=constructor',
  'pricing.tokens': '?model=constructor',
  'pricing.quote': '?model=toString&input=1&output=1',
  'root.check': '?path=/tmp',
  'usage.get': '?groupBy=model',
};

test('agents, skills, presets, servers and models can have the names of properties that every object has', async () => {
  const root = await makeRoot(Object.assign({ ...shared }, ...AGENTS.map(agentFiles)));
  const server = await serve(root);
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  const call = (method: string, path: string, body?: unknown) => server.call(method, path, body, operator);
  const failed: unknown[] = [];
  const note = async (method: string, path: string, body?: unknown) => {
    const answer = await call(method, path, body);
    // The price of a Bitcoin is unknown here, which is no fault.
    if (answer.status >= 500 && answer.body.code !== 'price_unavailable')
      failed.push([method, path, answer.status, answer.body.code]);
    return answer;
  };
  const walk = async () => {
    for (const { id, method, path, access } of endpoints) {
      if (method !== 'GET' || path.endsWith('/events') || (access as string) === 'none') continue;
      const names = path.includes('/:') ? (path.includes('agents/:id') ? AGENTS : NAMES) : [''];
      for (const name of names) {
        const filled = path.replace(':file', 'models.json').replaceAll(/:\w+/g, encodeURIComponent(name));
        await note('GET', `${filled}${QUERIES[id] ?? ''}`);
      }
    }
  };

  for (const agent of AGENTS) {
    expect((await note('PUT', `/api/agents/${agent}/budget`, { usdPerDay: 1 })).status).toBe(200);
    expect((await note('GET', `/api/agents/${agent}/budget`)).body.limits).toHaveLength(1);
    expect(
      (await note('GET', `/api/agents/${agent}/mcp`)).body.servers.map((one: { name: string }) => one.name),
    ).toEqual(expect.arrayContaining(AGENTS));
    for (const kind of ['skills', 'extensions', 'prompts', 'themes'])
      for (const name of NAMES) {
        const entry =
          kind === 'extensions'
            ? `${name}.ts`
            : kind === 'prompts'
              ? `${name}.md`
              : kind === 'themes'
                ? `${name}.json`
                : name;
        expect((await note('POST', `/api/agents/${agent}/links/${kind}`, { name: entry })).status).toBe(201);
      }
    await note('POST', `/api/agents/${agent}/status`, {
      run: 'r1',
      state: 'running',
      directory: `${root}/agents/${agent}`,
    });
  }
  const one = 'scout';
  expect((await call('GET', `/api/agents/${one}/budget`)).body.limits).toEqual([]);
  const bulk = await note('POST', '/api/changes', {
    label: 'Switch off',
    items: AGENTS.map((agent) => ({
      agent,
      json: 'mcp.json',
      edits: AGENTS.map((name) => ({ path: ['mcpServers', name, 'enabled'], value: false })),
    })),
  });
  expect(bulk.body).toMatchObject({ applied: AGENTS.length, refused: [] });
  const saved = await note('PUT', '/api/presets/constructor', {
    skills: ['constructor'],
    extensions: [],
    prompts: [],
    themes: [],
    mcpServersFrom: {},
  });
  expect(saved.body.code).toBe(undefined);
  await note('POST', '/api/presets/toString/apply', { agents: AGENTS });
  await walk();
  expect(failed).toEqual([]);
  expect(
    Object.keys(JSON.parse(await readFile(`${root}/shared/presets/constructor.json`, 'utf8'))),
  ).toContain('skills');
});
