import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { listenProvider, PROVIDER_KEY } from '../support/model-provider.ts';
import { makeRoot } from '../support/root.ts';
import { type ServeOptions, serve } from '../support/server.ts';

/** The operator asks a provider for its models, and sends one of them a prompt. */

const braced = (name: string): string => `\${${name}}`;

afterEach(() => vi.unstubAllEnvs());

const start = async (models?: object, options: ServeOptions = {}) => {
  const provider = await listenProvider();
  onTestFinished(provider.close);
  const text = models && JSON.stringify(models).replaceAll('ORIGIN', provider.origin);
  const root = await makeRoot(text === undefined ? {} : { 'agents/scout/models.json': text });
  const server = await serve(root, options);
  const post = (what: 'find' | 'test', body: object, id = 'scout') =>
    server.asOperator('POST', `/api/agents/${id}/models/${what}`, body);
  return {
    root,
    server,
    provider,
    find: (body: object, id?: string) => post('find', body, id),
    tryOut: (body: object, id?: string) => post('test', { model: 'qwen3-8b', ...body }, id),
  };
};

test('lists the models of LM Studio with their context windows, and leaves out those that can’t chat', async () => {
  const { provider, find } = await start();
  const { status, body } = await find({ baseUrl: provider.url });
  expect([status, body]).toEqual([
    200,
    {
      models: [
        { id: 'qwen3-8b', contextWindow: 8_192 },
        { id: 'gemma-3-4b', contextWindow: 131_072 },
      ],
      leftOut: 2,
    },
  ]);
  expect(provider.calls[0]).toEqual({ path: '/v1/models', authorization: undefined, body: undefined });
  // A slash at the end, and the name of this computer.
  for (const baseUrl of [`${provider.url}/`, provider.url.replace('127.0.0.1', 'localhost')])
    expect((await find({ baseUrl })).body.models).toHaveLength(2);
});

test('sends one short prompt to a model, and returns the first words and the time', async () => {
  const { provider, tryOut } = await start();
  const { status, body } = await tryOut({ baseUrl: provider.url });
  expect([status, body]).toEqual([
    200,
    { text: 'Hello! You said: Say hello in one short sentence.', durationMs: expect.any(Number) },
  ]);
  expect(provider.calls).toEqual([
    {
      path: '/v1/chat/completions',
      authorization: undefined,
      body: {
        model: 'qwen3-8b',
        messages: [{ role: 'user', content: 'Say hello in one short sentence.' }],
        max_tokens: 200,
      },
    },
  ]);
  expect((await tryOut({ baseUrl: provider.url, model: 'thinker' })).body.text).toBe('');
  expect((await tryOut({ baseUrl: provider.url, api: 'openai-responses' })).body.text).toBe(
    'Hello from responses',
  );
  expect((await tryOut({ baseUrl: provider.origin, api: 'anthropic-messages' })).body.text).toBe(
    'Hello from messages',
  );
});

test('calls only this computer or https, and sends nothing anywhere else', async () => {
  const { provider, find, tryOut } = await start();
  const addresses = [
    'http://192.168.1.1/v1',
    'http://169.254.169.254/latest/meta-data',
    'http://models.example/v1',
    'http://localhost.evil.example/v1',
    'http://127.0.0.1.evil.example/v1',
    'http://0.0.0.0:1234/v1',
    'http://[::ffff:192.168.1.1]/v1',
    'file:///etc/passwd',
    'ftp://127.0.0.1/v1',
    '/etc/passwd',
    provider.url.replace('//', '//user:pass@'),
    `${provider.url}?x=1`,
    `${provider.url}#x`,
  ];
  for (const baseUrl of addresses)
    for (const answer of [await find({ baseUrl }), await tryOut({ baseUrl })])
      expect.soft([baseUrl, answer.status, answer.body.code]).toEqual([baseUrl, 422, 'provider_refused']);
  expect(provider.calls).toEqual([]);
});

test('returns only ids and sizes, whatever the address responds', async () => {
  const { provider, find } = await start();
  const secret = await find({ baseUrl: `${provider.origin}/secret/v1` });
  expect(secret.body).toEqual({ models: [{ id: 'm' }], leftOut: 0 });
  const html = await find({ baseUrl: `${provider.origin}/html/v1` });
  expect([html.status, html.body.code]).toEqual([502, 'provider_failed']);
  expect(html.body.error).toContain('didn’t respond with JSON');
  expect(JSON.stringify(html.body)).not.toContain('hunter2');
});

test('follows no redirect, and reads no endless response', async () => {
  const { provider, find, tryOut } = await start();
  const host = provider.origin.slice('http://'.length);
  const sentences = {
    redirect: `${host} redirects to another address. dot-mi doesn’t follow it. Enter that address instead.`,
    huge: `${host} sent more than 8 MB. Check the address: most end with /v1.`,
    cut: `dot-mi can’t reach ${host} (ECONNRESET). Check the address.`,
  };
  for (const [prefix, sentence] of Object.entries(sentences))
    for (const ask of [find, tryOut]) {
      const asked = { baseUrl: `${provider.origin}/${prefix}/v1`, apiKey: PROVIDER_KEY };
      const { status, body } = await ask(asked);
      expect.soft([status, body.code, body.error]).toEqual([502, 'provider_failed', sentence]);
    }
  expect(provider.calls.filter(({ path }) => path.startsWith('/stolen'))).toEqual([]);
});

test('waits for no silent server, and for none that never finishes', async () => {
  const { provider, find, tryOut } = await start(undefined, { providerTimes: { listMs: 100, testMs: 100 } });
  const host = provider.origin.slice('http://'.length);
  const answers = await Promise.all(
    ['hang', 'drip'].flatMap((prefix) =>
      [find, tryOut].map((ask) => ask({ baseUrl: `${provider.origin}/${prefix}/v1` })),
    ),
  );
  for (const { status, body } of answers)
    expect
      .soft([status, body.error])
      .toEqual([502, `${host} didn’t respond within 0.1 seconds. Check the server, then try again.`]);
});

test('says in plain words why a provider doesn’t respond, and what to do', async () => {
  const { provider, server, find, tryOut } = await start();
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as { port: number };
  await new Promise((resolve) => closed.close(resolve));
  expect((await find({ baseUrl: `http://127.0.0.1:${port}/v1` })).body.error).toBe(
    `Nothing responds at 127.0.0.1:${port}. Start the server there, then try again.`,
  );
  const host = provider.origin.slice('http://'.length);
  expect((await find({ baseUrl: provider.origin })).body.error).toBe(
    `${host} has no such API (404). Check the address: most end with /v1.`,
  );
  expect((await tryOut({ baseUrl: provider.url, model: 'too-big' })).body.error).toBe(
    `${host} refused the request (400). It says: Failed to load model "too-big". Not enough memory.`,
  );
  const own = await find({ baseUrl: `${server.url}/v1` });
  expect([own.status, own.body.error]).toEqual([
    502,
    `dot-mi itself responds at ${server.url.slice('http://'.length)}. vLLM has the same default port. Start vLLM with another one, such as --port 8001, and enter that address.`,
  ]);
});

test('resolves a key as pi does, without commands and dot-mi’s own tokens, and repeats no key', async () => {
  const { provider, find } = await start(undefined, { environment: {} });
  vi.stubEnv('LM_TEST_KEY', PROVIDER_KEY);
  vi.stubEnv('DOT_MI_KEY', 'dmk_secret');
  vi.stubEnv('API_TOKEN', 'a-secret-token');
  const baseUrl = `${provider.origin}/locked/v1`;
  const host = provider.origin.slice('http://'.length);
  for (const apiKey of [PROVIDER_KEY, '$LM_TEST_KEY', braced('LM_TEST_KEY')])
    expect((await find({ baseUrl, apiKey })).status).toBe(200);
  provider.calls.length = 0;
  const answers = [
    await find({ baseUrl }),
    await find({ baseUrl, apiKey: 'sk-proj-Zq4T8vW1nB6xZq4T8vW1nB6x' }),
    await find({ baseUrl, apiKey: '$LM_OTHER_KEY' }),
    await find({ baseUrl, apiKey: '!cat /etc/passwd' }),
    await find({ baseUrl, apiKey: '$DOT_MI_KEY' }),
    await find({ baseUrl, apiKey: braced('API_TOKEN') }),
    await find({ baseUrl, apiKey: 'two\nlines' }),
  ];
  expect(answers.map(({ body }) => body.error)).toEqual([
    `${host} needs an API key (401). It says: Incorrect API key provided: undefined. See the docs.`,
    `${host} refused the API key (401). It says: Incorrect API key provided: •••. See the docs.`,
    'dot-mi’s environment has no LM_OTHER_KEY. Start dot-mi from a terminal where it’s set, or test the model in pi.',
    'dot-mi doesn’t run the command that gets the API key. Test the model in pi.',
    'DOT_MI_KEY is dot-mi’s own, so no provider gets it. Use another variable.',
    'API_TOKEN is dot-mi’s own, so no provider gets it. Use another variable.',
    'The API key has a character that no key can have, such as a space. Enter it again.',
  ]);
  expect(provider.calls.filter(({ path }) => path.endsWith('/models'))).toHaveLength(2);
});

test('uses the hidden key of a provider only for the address that the file has', async () => {
  const { root, provider, find, tryOut } = await start({
    providers: { lab: { baseUrl: 'ORIGIN/locked/v1', api: 'openai-completions', apiKey: PROVIDER_KEY } },
  });
  const baseUrl = `${provider.origin}/locked/v1`;
  expect((await find({ baseUrl, provider: 'lab' })).status).toBe(200);
  expect((await tryOut({ baseUrl, provider: 'lab' })).status).toBe(200);
  expect((await find({ baseUrl, provider: 'other' })).body.code).toBe('provider_failed');
  provider.calls.length = 0;
  expect((await find({ baseUrl: provider.url, provider: 'lab' })).status).toBe(200);
  expect(new Set(provider.calls.map(({ authorization }) => authorization))).toEqual(new Set([undefined]));
  // Nothing was written.
  expect(await readFile(join(root, 'agents/scout/models.json'), 'utf8')).toContain(PROVIDER_KEY);
  expect((await find({ baseUrl }, 'nobody')).body.code).toBe('agent_not_found');
});

test('only the operator asks a provider', async () => {
  const { server, provider } = await start();
  for (const what of ['find', 'test']) {
    const { status, body } = await server.call('POST', `/api/agents/scout/models/${what}`, {
      baseUrl: provider.url,
      model: 'qwen3-8b',
    });
    expect([status, body.code]).toEqual([403, 'operator_required']);
  }
  expect(provider.calls).toEqual([]);
});
