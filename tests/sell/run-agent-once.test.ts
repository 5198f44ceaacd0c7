import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { mkdir, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { rpcCommand } from '../../src/sell/run-agent-once.ts';
import { openWorkspace } from '../../src/sell/workspace.ts';
import { eventually } from '../support/eventually.ts';
import { isRunning, makeSoldAgent } from '../support/sold-agent.ts';

const USAGE = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 5, cacheWriteTokens: 3 };
const NONE = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

beforeEach((context) => {
  if (process.platform === 'win32') context.skip('the program of these tests is a shell script');
});

/** What the agent that echoes says about itself. */
const echo = async (agent: Awaited<ReturnType<typeof makeSoldAgent>>, ...rest: [object?]) => {
  const outcome = await agent.run('echo', ...rest);
  if (outcome.kind !== 'answered') throw new Error(JSON.stringify(outcome));
  return JSON.parse(outcome.text) as {
    prompt: string;
    args: string[];
    cwd: string;
    env: Record<string, string>;
  };
};

/** Expects that nothing is left of `processes` processes, or of the workspace. */
const expectNothingLeft = async (
  { ids, world }: Awaited<ReturnType<typeof makeSoldAgent>>,
  processes: number,
) => {
  expect(ids()).toHaveLength(processes);
  // The system takes a moment to end a process that was killed.
  await eventually(() => expect(ids().filter(isRunning)).toEqual([]));
  expect(readdirSync(join(world, 'temporary'))).toEqual([]);
};

describe('an answer', () => {
  test('is the text of the last message, without what the model thought or said before the prompt', {
    tags: 'slow',
  }, async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('exit after settling')).toEqual({
      kind: 'answered',
      text: 'In time.',
      isCutOff: false,
      usage: USAGE,
    });
    await expectNothingLeft(agent, 1);
  });

  test('counts everything that pi counts: failed messages, tools, cache warming and compactions', async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('use everything')).toMatchObject({
      kind: 'answered',
      text: 'Here.',
      usage: { inputTokens: 3_200, outputTokens: 320, cacheReadTokens: 40, cacheWriteTokens: 9 },
    });
  });

  test('keeps characters that are split between chunks, and separators that are no line ends', {
    tags: 'slow',
  }, async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('split characters')).toMatchObject({ text: 'Zoë \u2028\u2029 ☕ 🦊' });
  });

  test('survives garbage, lines of 10 MB, JSON that is nested 100,000 levels deep and counts that are none', {
    tags: 'slow',
  }, async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('write garbage')).toEqual({
      kind: 'answered',
      text: 'Still here.',
      isCutOff: false,
      usage: USAGE,
    });
  });

  test('says that the model reached its limit', { tags: 'slow' }, async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('cut off')).toMatchObject({ kind: 'answered', text: 'Half of', isCutOff: true });
  });

  test('comes although extensions ask questions, which are cancelled', { tags: 'slow' }, async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('ask questions')).toMatchObject({
      text: 'q-select true, q-confirm true, q-input true, q-editor true',
    });
  });

  test('of pi 0.73 comes after its retries and compactions, which it does not announce', {
    tags: 'slow',
  }, async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('be old')).toMatchObject({
      kind: 'answered',
      text: 'Old, and done.',
      usage: { ...USAGE, inputTokens: 200, outputTokens: 20, cacheReadTokens: 10, cacheWriteTokens: 6 },
    });
  });
});

describe('a prompt', () => {
  test('arrives as it is, whatever characters it has', async () => {
    const prompt = 'One "line"\nand\r\nanother\u2028 one \u0000 🦊 \ud800';
    const agent = await makeSoldAgent();
    expect((await echo(agent, { prompt })).prompt).toBe(prompt);
  });

  test('that begins with a slash is no command', { tags: 'slow' }, async () => {
    const agent = await makeSoldAgent();
    expect((await echo(agent, { prompt: '/skill:secrets now' })).prompt).toBe(' /skill:secrets now');
  });
});

describe('an agent', () => {
  test('without a workspace runs in a private temporary one with the directories of its run', {
    tags: 'slow',
  }, async () => {
    const agent = await makeSoldAgent();
    const controller = new AbortController();
    const running = agent.run('hang', {
      signal: controller.signal,
      run: {
        argv: ['pi', '--behave', 'hang'],
        env: {},
        cwd: null,
        directories: ['notes/today', '../escaped'],
      },
    });
    await eventually(() => expect(agent.ids()).toHaveLength(1));
    const [name = ''] = readdirSync(join(agent.world, 'temporary'));
    expect(readdirSync(join(agent.world, 'temporary', name))).toEqual(['notes']);
    expect(statSync(join(agent.world, 'temporary', name)).mode & 0o777).toBe(0o700);
    controller.abort();
    expect(await running).toMatchObject({ reason: 'aborted' });
    expect(readdirSync(agent.world)).not.toContain('escaped');
    await expectNothingLeft(agent, 1);
  });

  test('with a workspace gets a new dated one each time, which is kept', { tags: 'slow' }, async () => {
    const agent = await makeSoldAgent();
    const parent = join(agent.world, 'workspaces/scout');
    const run = {
      argv: ['pi', '--behave', 'echo'],
      env: {},
      cwd: join(parent, '2026-01-01_00-00-00'),
      directories: ['notes'],
    };
    const seen = await Promise.all([1, 2, 3].map(() => echo(agent, { run })));
    const used = seen.map(({ cwd }) => cwd).sort();
    expect(
      readdirSync(parent)
        .map((name) => join(parent, name))
        .sort(),
    ).toEqual(used);
    for (const path of used) {
      expect(path.slice(parent.length)).toMatch(/^\/\d{4}(-\d\d){2}_\d\d(-\d\d){2}(-\d)?$/);
      expect(statSync(path).mode & 0o777).toBe(0o700);
      expect(readdirSync(path)).toEqual(['notes']);
    }
  });

  test('gets what pi needs and the variables that the operator named, whatever its files name', async () => {
    const agent = await makeSoldAgent();
    await mkdir(join(agent.world, 'agent'), { recursive: true });
    await writeFile(
      join(agent.world, 'agent/models.json'),
      '{"providers":{"own":{"apiKey":"$GITHUB_TOKEN","x":"$DOT_MI_KEY $OPENAI_API_KEY API_TOKEN"}}}',
    );
    const { env } = await echo(agent, {
      environment: {
        ...agent.environment,
        OPENAI_API_KEY: 'openai',
        OWN_MODEL_KEY: 'own',
        GITHUB_TOKEN: 'not for agents',
        PI_SECRET: 'not for agents',
        LC_SECRET: 'not for agents',
        NODE_OPTIONS: '--no-warnings',
        ELECTRON_RUN_AS_NODE: '1',
        API_TOKEN: 'operator',
        DOT_MI_KEY: 'key',
        DOT_MI_ROOT: '/root',
        WALLET_DB_PATH: '/wallet',
        EMPTY: undefined,
      },
      // No name gives an agent dot-mi's own variables.
      variables: ['PI_TEST_IDS', 'OWN_MODEL_KEY', 'EMPTY', 'DOT_MI_KEY', 'API_TOKEN'],
      run: {
        argv: ['pi', '--behave', 'echo'],
        env: { PI_CODING_AGENT_DIR: join(agent.world, 'agent'), DOT_MI_URL: 'http://127.0.0.1:8000' },
        cwd: null,
        directories: [],
      },
    });
    const { NODE_COMPILE_CACHE, PWD, OLDPWD, SHLVL, _, DOT_MI_SELL_RUN, __CF_USER_TEXT_ENCODING, ...given } =
      env;
    expect(DOT_MI_SELL_RUN).toMatch(/^[0-9a-f-]{36}$/);
    expect(given).toEqual({
      ...agent.environment,
      OWN_MODEL_KEY: 'own',
      PI_CODING_AGENT_DIR: join(agent.world, 'agent'),
    });
  });

  test('never runs in a directory that a link replaced, and nothing is created there', async () => {
    const agent = await makeSoldAgent();
    await mkdir(join(agent.world, 'private'));
    for (const [link, target] of [
      ['workspaces/scout', '../private'],
      ['others', 'private'],
    ] as const) {
      await mkdir(dirname(join(agent.world, link)), { recursive: true });
      await symlink(target, join(agent.world, link));
      const cwd = join(agent.world, link.includes('/') ? link : `${link}/scout`, '2026-01-01_00-00-00');
      const run = { argv: ['pi', '--behave', 'echo'], env: {}, cwd, directories: ['notes'] };
      expect(await agent.run('echo', { run })).toMatchObject({ kind: 'failed', reason: 'not_startable' });
    }
    expect(readdirSync(join(agent.world, 'private'))).toEqual([]);
    expect(agent.ids()).toEqual([]);
  });

  test('stays in its workspace when somebody moves that away before pi starts', async (context) => {
    if (process.platform !== 'linux') context.skip('only Linux has paths of open directories');
    const agent = await makeSoldAgent();
    const parent = join(agent.world, 'workspaces/scout');
    const secret = join(agent.world, 'private');
    await mkdir(secret);
    const workspace = await openWorkspace(
      { cwd: join(parent, '2026-01-01_00-00-00'), directories: [] },
      agent.world,
    );
    await rename(parent, `${parent}-moved`);
    await symlink(secret, parent);
    const { stdout } = spawnSync('pwd', ['-P'], { cwd: workspace.path, encoding: 'utf8' });
    await workspace.close();
    expect(stdout.startsWith(`${await realpath(`${parent}-moved`)}/`)).toBe(true);
  });

  test('keeps the arguments of its run, except those that choose a mode or a session', () => {
    const args = ['-p', 'Say hi', '--mode', 'text', '-c', '--session', 'a.jsonl', '--fork', 'b', '-r', '-h'];
    const kept = [
      '--session-dir',
      'sessions',
      '--tools',
      'read',
      '--no-session',
      '-e',
      './x.ts',
      '--plan',
      'on',
    ];
    expect(
      rpcCommand(
        ['/usr/bin/node', '/lib/pi/cli.js'],
        ['pi', ...args, ...kept, '--list-models', '@notes.md', 'Hello', '--', '-c'],
      ),
    ).toEqual(['/usr/bin/node', '/lib/pi/cli.js', '--mode', 'rpc', ...kept]);
  });
});

describe('nothing is left', () => {
  test('after an answer, also of processes that ignore signals and left the group', async (context) => {
    if (process.platform !== 'linux') context.skip('only Linux shows which processes an agent started');
    const agent = await makeSoldAgent();
    expect(await agent.run('leave processes')).toMatchObject({ kind: 'answered', text: 'Done.' });
    await expectNothingLeft(agent, 3);
  });

  test('after the caller has left', { tags: 'slow' }, async (context) => {
    if (process.platform !== 'linux') context.skip('only Linux shows which processes an agent started');
    const agent = await makeSoldAgent();
    const controller = new AbortController();
    const running = agent.run('hang with processes', { signal: controller.signal });
    await eventually(() => expect(agent.ids()).toHaveLength(3));
    controller.abort();
    expect(await running).toEqual({ kind: 'failed', reason: 'aborted', usage: NONE, detail: '' });
    await expectNothingLeft(agent, 3);
  });

  test('after a timeout', { tags: 'slow' }, async () => {
    const agent = await makeSoldAgent();
    const limits = { timeoutMs: 300, mostOutputBytes: 1e6 };
    expect(await agent.run('hang', { limits })).toEqual({
      kind: 'failed',
      reason: 'timeout',
      usage: NONE,
      detail: '',
    });
    // A slow machine may not even have started it.
    await expectNothingLeft(agent, agent.ids().length);
  });

  test('of an agent that ignores SIGTERM', { tags: 'slow' }, async () => {
    const agent = await makeSoldAgent();
    const controller = new AbortController();
    const running = agent.run('ignore SIGTERM', { signal: controller.signal });
    await eventually(() => expect(agent.ids()).toHaveLength(1));
    controller.abort();
    expect(await running).toMatchObject({ reason: 'aborted' });
    await expectNothingLeft(agent, 1);
  });
});

describe('a run fails', () => {
  test.each([
    ['flood', 'too_much_output'],
    ['flood errors', 'too_much_output'],
    ['one endless line', 'too_much_output'],
    ['refuse', 'not_ready'],
    ['handle it', 'no_answer'],
    ['say nothing', 'no_answer'],
    ['fail', 'model_error'],
  ])('when the agent does this: %s', { tags: 'slow' }, async (behavior, reason) => {
    const agent = await makeSoldAgent();
    expect(await agent.run(behavior)).toMatchObject({ kind: 'failed', reason });
    await expectNothingLeft(agent, 1);
  });

  test('for a line of more than 16 MiB, however much output is allowed', { tags: 'slow' }, async () => {
    const agent = await makeSoldAgent();
    const limits = { timeoutMs: 120_000, mostOutputBytes: Number.POSITIVE_INFINITY };
    expect(await agent.run('one endless line', { limits })).toMatchObject({ reason: 'too_much_output' });
    await expectNothingLeft(agent, 1);
  });

  test('with the last error output for the operator, without secrets or control characters', async () => {
    const agent = await makeSoldAgent();
    const environment = { ...agent.environment, OPENAI_API_KEY: 'sk-secret-of-the-operator' };
    expect(
      await agent.run('exit early', { environment, variables: ['PI_TEST_IDS', 'OPENAI_API_KEY'] }),
    ).toEqual({
      kind: 'failed',
      reason: 'exited',
      usage: NONE,
      detail: expect.stringMatching(/^pi ended with 3\.\ncan't read \/.*, key \[secret\]$/),
    });
    await expectNothingLeft(agent, 1);
  });

  test('when it has used too many tokens and wants to use more', async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('use many tokens', { maxOutputTokens: 15 })).toMatchObject({
      kind: 'failed',
      reason: 'too_many_tokens',
      usage: { outputTokens: 20 },
    });
  });

  test('but not for a last message that is longer than agreed, because the work is done', {
    tags: 'slow',
  }, async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('exit after settling', { maxOutputTokens: 1 })).toMatchObject({
      kind: 'answered',
    });
  });

  test('at once if the caller has left already', async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('echo', { signal: AbortSignal.abort() })).toMatchObject({ reason: 'aborted' });
    await expectNothingLeft(agent, 0);
  });

  test('without pi', async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('echo', { pi: [join(agent.world, 'home/pi')] })).toMatchObject({
      kind: 'failed',
      reason: 'not_found',
    });
    await expectNothingLeft(agent, 0);
  });

  test('without a place for its workspace', async () => {
    const agent = await makeSoldAgent();
    const temporaryDirectory = join(agent.world, 'nowhere');
    expect(await agent.run('echo', { temporaryDirectory })).toMatchObject({ reason: 'not_startable' });
  });
});
