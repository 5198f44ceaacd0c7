import { existsSync } from 'node:fs';
import { chmod, readFile, realpath, utimes } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { MAX_SIGN_IN_GROUPS } from '../../../src/server/readiness/index.ts';
import { hasAuthCheck } from '../../../src/server/readiness/sign-in-check.ts';
import type { SignIns } from '../../../src/shared/api/readiness.ts';
import { makeClock } from '../../support/clock.ts';
import { firstQuick } from '../../support/first-quick.ts';
import { installPi, PATH_WITHOUT_PI } from '../../support/pi-program.ts';
import { plant, type Tree } from '../../support/plant.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { trustRoot } from '../../support/trust.ts';

/** A secret that pi would have, and that nothing may repeat. */
const SECRET = 'sk-not-for-anyone-1234567890';

const READY = `{"status":"ready","provider":"openai","authType":"api_key","credentials":"${SECRET}"}`;

const WITH_MODEL: Tree = { 'agents/scout/pi-args': '--model\nopenai/gpt-5.4\n' };

/** A program that notes how it was started, and reports what a file called `result` says. */
const programFor = (directory: string): string => `#!/usr/bin/env node
const { appendFileSync, readFileSync } = require('node:fs');
const here = ${JSON.stringify(directory)};
const { argv, env } = process;
appendFileSync(here + '/starts', JSON.stringify({ args: argv.slice(2), env, cwd: process.cwd() }) + '\\n');
const { exitCode, stdout } = JSON.parse(readFileSync(here + '/result', 'utf8'));
process.stdout.write(stdout);
process.exitCode = exitCode;
`;

interface Options {
  tree?: Tree;
  version?: string;
  result?: { exitCode: number; stdout: string };
  trusted?: boolean;
}

const serveReadiness = async ({
  tree = WITH_MODEL,
  version = '1.5.2',
  result = { exitCode: 0, stdout: `${READY}\n` },
  trusted = true,
}: Options = {}) => {
  const directory = await makeTempDirectory();
  const report = (next: { exitCode: number; stdout: string }) =>
    plant(directory, { result: JSON.stringify(next) });
  await report(result);
  const searchPath = await installPi(directory, version, programFor(directory));
  const rootPath = await makeRoot(tree);
  const clock = makeClock('2026-11-26T10:00:00.000Z');
  const server = await serve(rootPath, { clock, readSearchPath: async () => searchPath });
  if (trusted) await trustRoot(server);
  return {
    ...server,
    rootPath,
    clock,
    report,
    searchPath,
    ask: () => server.asOperator('GET', '/api/agents/scout/readiness'),
    async starts(): Promise<{ args: string[]; env: Record<string, string>; cwd: string }[]> {
      const text = await readFile(join(directory, 'starts'), 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line));
    },
  };
};

afterEach(() => vi.unstubAllEnvs());

test('an agent is ready when pi, its sign-in, its model, its tools and its links are', async () => {
  vi.stubEnv('DOT_MI_SECRET_OF_A_TEST', SECRET);
  vi.stubEnv('OPENAI_API_KEY', SECRET);
  vi.stubEnv('ANY_OTHER', SECRET);
  const { ask, starts, rootPath } = await serveReadiness();
  const { status, body } = await ask();
  expect([status, body]).toEqual([
    200,
    {
      ready: true,
      pi: { version: '1.5.2' },
      model: 'openai/gpt-5.4',
      signIn: { state: 'ready', provider: 'openai', method: 'api_key' },
      findings: [],
    },
  ]);
  expect(JSON.stringify(body)).not.toContain(SECRET);
  const [{ args, env, cwd } = { args: [], env: {}, cwd: '' }, ...more] = await starts();
  expect(more).toEqual([]);
  expect(args).toEqual(['auth', 'check', '--provider', 'openai', '--json', '--no-refresh']);
  expect(env.PI_CODING_AGENT_DIR).toBe(join(rootPath, 'agents/scout'));
  // pi also reads what is in its working directory.
  expect(cwd.startsWith(await realpath(rootPath))).toBe(false);
  expect(existsSync(cwd)).toBe(false);
  // Nothing of dot-mi reaches a command that models.json may name.
  expect(Object.keys(env).filter((name) => /^(DOT_MI_|API_TOKEN)/.test(name))).toEqual([]);
  // It also gets no other value, although pi sees which keys are set.
  expect(JSON.stringify(env)).not.toContain(SECRET);
  expect(env).toMatchObject({ OPENAI_API_KEY: 'set', ANY_OTHER: 'set' });
});

for (const [tags, rows] of firstQuick(1, [
  ['missing', 1, '{"status":"not_ready","provider":"openai","reason":"credentials_not_configured"}', false],
  ['invalid', 2, '{"status":"invalid","provider":"openai","reason":"invalid_state"}', false],
  ['unknown', 0, '', null],
  ['unknown', 1, 'Error: Unknown command', null],
  ['unknown', 0, '{"status":"not_ready"}', null],
  ['unknown', 3, READY, null],
]))
  test.each(rows)(
    'a sign-in is %s when pi ends with %i and prints %s',
    { tags },
    async (state, exitCode, stdout, ready) => {
      const { ask } = await serveReadiness({ result: { exitCode, stdout } });
      expect((await ask()).body).toMatchObject({
        ready,
        signIn: { state, provider: 'openai', ...(state === 'unknown' ? { reason: 'check_failed' } : {}) },
      });
    },
  );

test('pi is asked again when the credentials change, or after ten minutes, and not for each request', {
  tags: 'slow',
}, async () => {
  const { ask, report, starts, rootPath, clock } = await serveReadiness();
  await Promise.all([ask(), ask(), ask()]);
  expect(await starts()).toHaveLength(1);
  await report({ exitCode: 1, stdout: '{"status":"not_ready"}' });
  expect((await ask()).body.signIn.state).toBe('ready');
  await plant(rootPath, { 'agents/scout/auth.json': '{}' });
  expect((await ask()).body.signIn.state).toBe('missing');
  await report({ exitCode: 0, stdout: READY });
  expect((await ask()).body.signIn.state).toBe('missing');
  // Of the same size.
  await utimes(join(rootPath, 'agents/scout/auth.json'), 1_000, 1_000);
  expect((await ask()).body.signIn.state).toBe('ready');
  await report({ exitCode: 1, stdout: '{"status":"not_ready"}' });
  clock.pass(601_000);
  expect((await ask()).body.signIn.state).toBe('missing');
  expect(await starts()).toHaveLength(4);
});

test.each([
  ['no_model', { tree: {} }],
  ['no_provider', { tree: { 'agents/scout/pi-args': '--model\ngpt-5.4\n' } }],
  ['pi_too_old', { version: '0.84.0' }],
  ['root_not_trusted', { trusted: false }],
] as const)('pi is not run, and the reason is %s', { tags: 'slow' }, async (reason, options) => {
  const { ask, starts } = await serveReadiness(options);
  expect((await ask()).body).toMatchObject({ ready: null, signIn: { state: 'unknown', reason } });
  expect(await starts()).toEqual([]);
});

test('only the operator’s requests run pi, and others get the operator’s last result', async () => {
  const { call, asOperator, ask, starts, clock } = await serveReadiness();
  const { body } = await asOperator('POST', '/api/keys', {
    label: 'scout',
    agent: 'scout',
    scopes: ['read-agents', 'write-agent'],
  });
  const others = [{}, { Authorization: `Bearer ${body.key}` }];
  const signIns = () =>
    Promise.all(
      others.map(async (headers) => [
        (await call('GET', '/api/agents/scout/readiness', undefined, headers)).body.signIn,
        (await call('GET', '/api/readiness', undefined, headers)).body,
      ]),
    );
  const unchecked = { state: 'unknown', provider: 'openai', reason: 'not_checked' };
  const nothing = { pi: { version: '1.5.2' }, checking: false, agents: [] };
  expect(await signIns()).toEqual([
    [unchecked, nothing],
    [unchecked, nothing],
  ]);
  expect(await starts()).toEqual([]);
  await ask();
  const ready = { state: 'ready', provider: 'openai', method: 'api_key' };
  const known = { ...nothing, agents: [{ id: 'scout', state: 'ready' }] };
  expect(await signIns()).toEqual([
    [ready, known],
    [ready, known],
  ]);
  clock.pass(601_000);
  expect((await signIns())[0]).toEqual([unchecked, nothing]);
  expect(await starts()).toHaveLength(1);
});

test('a pi that another user can replace is never run', async (context) => {
  if (process.platform === 'win32') context.skip('Windows has no mode bits');
  const { ask, starts, searchPath } = await serveReadiness();
  await chmod(searchPath.split(delimiter)[0] ?? '', 0o777);
  expect((await ask()).body).toMatchObject({
    ready: null,
    pi: { version: '1.5.2' },
    signIn: { state: 'unknown', reason: 'pi_unsafe' },
  });
  expect(await starts()).toEqual([]);
});

test('a provider that reads like an option is never handed to pi', { tags: 'slow' }, async () => {
  const { ask, starts } = await serveReadiness({
    tree: { 'agents/scout/settings.json': '{"defaultProvider":"--credentials","defaultModel":"x"}' },
  });
  expect((await ask()).body.signIn).toEqual({
    state: 'unknown',
    provider: '--credentials',
    reason: 'check_failed',
  });
  expect(await starts()).toEqual([]);
});

test('without pi, no agent is ready', { tags: 'slow' }, async () => {
  const server = await serve(await makeRoot(WITH_MODEL), { environment: { PATH: PATH_WITHOUT_PI } });
  expect((await server.call('GET', '/api/agents/scout/readiness')).body).toMatchObject({
    ready: false,
    pi: null,
    signIn: { state: 'unknown', provider: 'openai', reason: 'pi_missing' },
  });
});

test('a broken link, an unknown tool and an unknown model stop an agent, and hints do not', {
  tags: 'slow',
}, async () => {
  const { ask } = await serveReadiness({
    tree: {
      'agents/scout/pi-args': '--model\nown/never-heard-of\n--tools\nread,bash,telepathy\n',
      'agents/scout/models.json':
        '{"providers":{"own":{"baseUrl":"http://127.0.0.1:9","api":"openai-completions","apiKey":"KEY","models":[{"id":"known"}]}}}',
      'agents/scout/skills/gone': { link: '../../../shared/skills/gone' },
    },
  });
  const { ready, findings } = (await ask()).body;
  expect(ready).toBe(false);
  expect(findings.map(({ rule }: { rule: string }) => rule).toSorted()).toEqual([
    'link-broken',
    'model-unknown',
    'tool-unknown',
  ]);
});

const settled = async (list: () => Promise<{ body: SignIns }>): Promise<SignIns> => {
  for (;;) {
    const { body } = await list();
    if (!body.checking) return body;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

test('agents with the same provider and credentials share one check, and the list responds at once', {
  tags: 'slow',
}, async () => {
  const login = { 'auth.json': '{"openai":{"type":"api_key","key":"x"}}' };
  const { asOperator, starts, ask, rootPath } = await serveReadiness({
    tree: {
      ...Object.fromEntries(
        Array.from({ length: 30 }, (_, at) => [`agents/a${at}/pi-args`, '--model\nopenai/gpt-5.4\n']),
      ),
      ...WITH_MODEL,
      'agents/other/pi-args': '--model\nanthropic/claude-sonnet-5\n',
      'agents/default/SYSTEM.md': 'No model.',
      'agents/unnamed/pi-args': '--model\ngpt-5.4\n',
      'agents/option/settings.json': '{"defaultProvider":"--x","defaultModel":"y"}',
      'shared-login.json': login['auth.json'],
      'agents/login1/pi-args': '--model\nopenai/gpt-5.4\n',
      'agents/login1/auth.json': { link: '../../shared-login.json' },
      'agents/login2/pi-args': '--model\nopenai/gpt-5.4\n',
      'agents/login2/auth.json': { link: '../../shared-login.json' },
    },
  });
  const list = () => asOperator('GET', '/api/readiness');
  const first = await list();
  expect([first.status, first.body]).toEqual([200, { pi: { version: '1.5.2' }, checking: true, agents: [] }]);
  const { agents, checking } = await settled(list);
  expect(checking).toBe(false);
  expect(agents.map(({ state }) => state)).toEqual(Array.from({ length: 34 }, () => 'ready'));
  const ids = agents.map(({ id }) => id);
  expect(ids).toEqual(ids.toSorted());
  for (const id of ['default', 'unnamed', 'option']) expect(ids).not.toContain(id);
  // openai without files, openai with the shared login, anthropic.
  expect((await starts()).map(({ args }) => args[3]).toSorted()).toEqual(['anthropic', 'openai', 'openai']);
  // The agent's own page uses the same results.
  expect((await ask()).body.signIn.state).toBe('ready');
  expect(await starts()).toHaveLength(3);
  // A file of its own is another group.
  await plant(rootPath, { 'agents/a1/auth.json': '{}' });
  expect((await list()).body.agents.map(({ id }: { id: string }) => id)).not.toContain('a1');
  await settled(list);
  expect(await starts()).toHaveLength(4);
});

test('no more than the largest groups are checked for the list', { tags: 'slow' }, async () => {
  const { asOperator, starts } = await serveReadiness({
    tree: Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        [`agents/a${at}/pi-args`, '--model\nopenai/gpt-5.4\n'],
        [`agents/a${at}/auth.json`, `{"number":${at}}`],
      ]).flat(),
    ),
  });
  const { agents } = await settled(() => asOperator('GET', '/api/readiness'));
  expect([agents.length, (await starts()).length]).toEqual([MAX_SIGN_IN_GROUPS, MAX_SIGN_IN_GROUPS]);
});

for (const [tags, rows] of firstQuick(1, [
  ['an untrusted root', { trusted: false }],
  ['an old pi', { version: '0.84.0' }],
] as const))
  test.each(rows)('the list runs no pi for %s', { tags }, async (_, options) => {
    const { asOperator, starts } = await serveReadiness(options);
    expect((await asOperator('GET', '/api/readiness')).body).toMatchObject({ checking: false, agents: [] });
    expect(await starts()).toEqual([]);
  });

test('only versions of pi that have the command are asked', () => {
  expect(['0.84.1', '0.85.0', '0.99.2', '1.0.0', '1.5.2', '2.0.0-beta.1'].filter(hasAuthCheck)).toHaveLength(
    6,
  );
  expect(['0.84.0', '0.73.1', '0.9.9', '', 'next', undefined].filter(hasAuthCheck)).toEqual([]);
});
