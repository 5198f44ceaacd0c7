import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import type { AgentModels } from '../../../src/shared/api/pi-models.ts';
import type { Edited } from '../../support/json-edits.ts';
import { type ModelsChange, serveModels } from '../../support/pi-models.ts';
import { PI_VERSIONS } from '../../support/real-pi.ts';
import { makeSharedDirectory, makeTempDirectory } from '../../support/temp.ts';

// A real pi lists the models that the API added, and exactly those of a models.json that the API says it accepts.

const run = promisify(execFile);
const PI = PI_VERSIONS['1.6.0'];

let program: string | undefined;
let reason = '';

beforeAll(async () => {
  const { directory, remove } = await makeSharedDirectory();
  try {
    program = await PI.install(directory);
  } catch (error) {
    reason = `npm can't get ${PI.name}: ${(error as Error).message.split('\n')[0]}`;
  }
  return remove;
});

/** What `pi --list-models` says of each model: its context window, the most tokens of an answer, thinking, images. */
const listedBy = async (pi: string, rootPath: string): Promise<ReadonlyMap<string, string>> => {
  const work = await makeTempDirectory();
  const { stdout } = await run(process.execPath, [pi, '--list-models'], {
    cwd: work,
    env: {
      PATH: process.env.PATH,
      HOME: work,
      PI_CODING_AGENT_DIR: join(rootPath, 'agents/scout'),
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      LOCAL_KEY: 'from the environment',
    },
  });
  return new Map(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([provider, model, ...facts]) => [`${provider}/${model}`, facts.join(' ')]),
  );
};

const acceptedIn = ({ providers }: AgentModels): string[] =>
  providers.flatMap(({ id, models }) =>
    models.filter(({ accepted }) => accepted).map((model) => `${id}/${model.id}`),
  );

test('pi lists what the API adds, changes and removes', async (context) => {
  if (program === undefined) return context.skip(reason);
  const { rootPath, change, undo } = await serveModels('{ // mine\n  "providers": {},\n}\n');
  const put = async (body: ModelsChange): Promise<Edited> => {
    const made = await change(body);
    expect(made.error).toBe(undefined);
    return made;
  };
  await put({
    provider: 'local',
    change: { baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions', apiKey: '$LOCAL_KEY' },
  });
  await put({
    provider: 'local',
    model: 'qwen/3:free',
    change: {
      reasoning: true,
      input: ['text', 'image'],
      contextWindow: 64_000,
      maxTokens: 8000,
      cost: { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 },
    },
  });
  await put({ provider: 'local', model: 'gone', change: {} });
  const removed = await put({ provider: 'local', model: 'gone', change: null });
  await put({ provider: 'openai', change: { apiKey: '$LOCAL_KEY' } });
  await put({ provider: 'openai', override: 'gpt-5.4', change: { contextWindow: 12_000 } });
  const listed = await listedBy(program, rootPath);
  expect(listed.get('local/qwen/3:free')).toBe('64K 8K yes yes');
  expect(listed.has('local/gone')).toBe(false);
  expect(listed.get('openai/gpt-5.4')).toMatch(/^12K /);

  const renamed = await put({ provider: 'local', newId: 'home', change: {} });
  expect((await listedBy(program, rootPath)).has('home/qwen/3:free')).toBe(true);
  await undo(renamed);
  expect((await listedBy(program, rootPath)).has('local/qwen/3:free')).toBe(true);
  expect((await undo(removed)).body.refused[0].code).toBe('file_changed');
});

const local = { baseUrl: 'http://127.0.0.1:1/v1', api: 'openai-completions', apiKey: 'k' };

test.for<[string, object | string]>([
  [
    'comments and commas',
    '{ // x\n "providers": { "a": { "baseUrl": "http://a", "api": "x", "apiKey": "k", "models": [ {"id": "m"}, ] }, }, }',
  ],
  [
    'a later model of the same id',
    { a: { ...local, models: [{ id: 'm', maxTokens: 5 }, { id: 'n' }, { id: 'm' }] } },
  ],
  [
    'no api',
    {
      a: { apiKey: 'k', baseUrl: 'http://a', models: [{ id: 'm' }] },
      b: { ...local, models: [{ id: 'm' }] },
    },
  ],
  [
    'no address',
    { a: { apiKey: 'k', api: 'x', models: [{ id: 'm' }] }, b: { ...local, models: [{ id: 'm' }] } },
  ],
  ['an api of its own', { a: { apiKey: 'k', models: [{ id: 'm', api: 'x', baseUrl: 'http://a' }] } }],
  ['nothing of use', { a: { name: 'A' }, b: { ...local, models: [{ id: 'm' }] } }],
  [
    'OAuth without an address',
    { a: { oauth: 'radius', apiKey: 'k' }, b: { ...local, models: [{ id: 'm' }] } },
  ],
  [
    'providers of pi',
    { openai: { apiKey: 'k', models: [{ id: 'm' }] }, azure: { apiKey: 'k', models: [{ id: 'm' }] } },
  ],
  ['one that pi brings without models', { typesafe: { apiKey: 'k', models: [{ id: 'm' }] } }],
  [
    'a wrong value',
    { a: { ...local, models: [{ id: 'm', contextWindow: 0 }] }, b: { ...local, models: [{ id: 'm' }] } },
  ],
  ['a cost without a price', { a: { ...local, models: [{ id: 'm', cost: { input: 1 } }] } }],
  [
    'an override with one price',
    { a: { ...local, models: [{ id: 'm' }], modelOverrides: { m: { cost: { input: 1 } } } } },
  ],
  [
    'a wrong override',
    { a: { ...local, models: [{ id: 'm' }], modelOverrides: { m: { input: ['audio'] } } } },
  ],
  ['a provider that is no object', { a: 'x', b: { ...local, models: [{ id: 'm' }] } }],
])('of a file with %s, pi lists the models that the API says it accepts', async ([, providers], context) => {
  if (program === undefined) return context.skip(reason);
  const { rootPath, list, path } = await serveModels();
  await writeFile(path, typeof providers === 'string' ? providers : JSON.stringify({ providers }));
  const read = await list();
  const listed = await listedBy(program, rootPath);
  const named = read.providers.flatMap(({ id, models }) => models.map((model) => `${id}/${model.id}`));
  expect(new Set(named.filter((name) => listed.has(name)))).toEqual(new Set(acceptedIn(read)));
});
