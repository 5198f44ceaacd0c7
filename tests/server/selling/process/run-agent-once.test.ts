import { readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeEach, describe, expect, test } from 'vitest';
import { rpcCommand } from '../../../../src/server/selling/process/run-agent-once.ts';
import { openRunDirectory } from '../../../../src/server/selling/process/run-directory.ts';
import { eventually } from '../../../support/eventually.ts';
import { plant } from '../../../support/plant.ts';
import { isRunning, makeSoldAgent } from '../../../support/sold-agent.ts';

const REPORTED = { isEstimated: false };
const USAGE = {
  inputTokens: 100,
  outputTokens: 10,
  cacheReadTokens: 5,
  cacheWriteTokens: 3,
  requests: 1,
  largestInputTokens: 108,
  ...REPORTED,
};
/** A call to the model began, and nothing came of it. */
const NONE = {
  inputTokens: countTokens('Hello.'),
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  // The request that was being answered.
  requests: 1,
  largestInputTokens: countTokens('Hello.'),
  isEstimated: true,
};
/** The same, if a slow computer may not even have begun the call. */
const MAYBE_NONE = {
  ...NONE,
  inputTokens: expect.any(Number),
  requests: expect.any(Number),
  largestInputTokens: expect.any(Number),
  isEstimated: expect.any(Boolean),
};

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
      stopped: null,
      usage: USAGE,
    });
    await expectNothingLeft(agent, 1);
  });

  test('counts everything that pi counts: failed messages, tools, cache warming and compactions', async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('use everything')).toMatchObject({
      kind: 'answered',
      text: 'Here.',
      usage: { inputTokens: 3_200, outputTokens: 320, cacheReadTokens: 40, cacheWriteTokens: 9, requests: 5 },
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
      stopped: null,
      // The call whose counts are none was one too.
      usage: { ...USAGE, inputTokens: 100 + countTokens('Hello.'), requests: 2, isEstimated: true },
    });
  });

  test('says that the model reached its limit', { tags: 'slow' }, async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('cut off')).toMatchObject({
      kind: 'answered',
      text: 'Half of',
      stopped: 'max_output_tokens',
    });
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
      usage: {
        ...USAGE,
        inputTokens: 200,
        outputTokens: 20,
        cacheReadTokens: 10,
        cacheWriteTokens: 6,
        requests: 2,
      },
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
  test('runs in a private temporary workspace with the directories of its workspace.conf', {
    tags: 'slow',
  }, async () => {
    const agent = await makeSoldAgent();
    const controller = new AbortController();
    const running = agent.run('hang', {
      signal: controller.signal,
      workspaceDirectories: ['notes/today', '../escaped'],
    });
    await eventually(() => expect(agent.ids()).toHaveLength(1));
    const [name = ''] = readdirSync(join(agent.world, 'temporary'));
    const place = join(agent.world, 'temporary', name);
    expect(readdirSync(place).sort()).toEqual(['agent', 'calls.js', 'workspace']);
    expect(readdirSync(join(place, 'workspace'))).toEqual(['notes']);
    expect(statSync(place).mode & 0o777).toBe(0o700);
    controller.abort();
    expect(await running).toMatchObject({ reason: 'aborted' });
    expect(readdirSync(agent.world)).not.toContain('escaped');
    await expectNothingLeft(agent, 1);
  });

  test('is its private copy, with the sign-ins of the agent, and a limit for each call', async () => {
    const agent = await makeSoldAgent();
    const models = { providers: { p: { models: [{ id: 'm', name: 'M', maxTokens: 64_000 }], x: 1 }, q: {} } };
    await plant(join(agent.world, 'agent'), {
      'SYSTEM.md': 'Sold.\n',
      'models.json': `// pi reads comments\n${JSON.stringify(models)}`,
    });
    await plant(join(agent.world, 'live'), { 'SYSTEM.md': 'Changed.\n', 'auth.json': '{"a":1}' });
    const files = {
      agent: 'translator',
      directory: join(agent.world, 'agent'),
      liveDirectory: join(agent.world, 'live'),
      sessionsDirectory: join(agent.world, 'sessions'),
      workspaceDirectories: [],
    };
    const limit = { provider: 'p', model: 'm', maxTokens: 7 };
    const run = await openRunDirectory(files, join(agent.world, 'temporary'), limit);
    const read = (name: string) => readFileSync(join(run.agentDirectory, name), 'utf8');
    expect(basename(run.agentDirectory)).toBe('translator');
    expect(read('SYSTEM.md')).toBe('Sold.\n');
    expect(read('auth.json')).toBe('{"a":1}');
    expect(JSON.parse(read('models.json'))).toEqual({
      providers: {
        p: {
          models: [{ id: 'm', name: 'M', maxTokens: 7 }],
          modelOverrides: { m: { maxTokens: 7 } },
          x: 1,
        },
        q: {},
      },
    });
    // pi refreshes a sign-in in place.
    await writeFile(join(run.agentDirectory, 'auth.json'), '{"a":2}');
    const sessions = realpathSync(join(run.agentDirectory, 'sessions'));
    await writeFile(join(run.agentDirectory, 'sessions/one.jsonl'), '{}\n');
    await run.close();
    expect(readFileSync(join(agent.world, 'live/auth.json'), 'utf8')).toBe('{"a":2}');
    expect(readdirSync(join(agent.world, 'live')).sort()).toEqual(['SYSTEM.md', 'auth.json']);
    expect(readdirSync(sessions)).toEqual(['one.jsonl']);
    expect(statSync(sessions).mode & 0o777).toBe(0o700);
    expect(dirname(sessions)).toBe(join(agent.world, 'sessions'));
    expect(basename(sessions)).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(readFileSync(join(agent.world, 'agent/models.json'), 'utf8')).toContain('64000');
    expect(readdirSync(join(agent.world, 'temporary'))).toEqual([]);
  });

  test('gets what pi needs and the variables that the operator named, whatever its files name', async () => {
    const agent = await makeSoldAgent();
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
    });
    const { NODE_COMPILE_CACHE, PWD, OLDPWD, SHLVL, _, DOT_MI_SELL_RUN, __CF_USER_TEXT_ENCODING, ...rest } =
      env;
    const { PI_CODING_AGENT_DIR, ...given } = rest;
    expect(PI_CODING_AGENT_DIR).toMatch(
      new RegExp(`^${realpathSync(join(agent.world, 'temporary'))}/dot-mi-sell-\\w+/agent/translator$`),
    );
    expect(DOT_MI_SELL_RUN).toMatch(/^[0-9a-f-]{36}$/);
    expect(given).toEqual({
      ...agent.environment,
      OWN_MODEL_KEY: 'own',
    });
  });

  test('keeps its arguments, except those that choose a mode or a session', () => {
    const args = ['-p', 'Say hi', '--mode', 'text', '-c', '--session', 'a.jsonl', '--fork', 'b', '-r', '-h'];
    const kept = ['--tools', 'read', '--no-session', '-e', './x.ts', '--plan', 'on'];
    expect(
      rpcCommand(
        ['/usr/bin/node', '/lib/pi/cli.js'],
        [...args, '--session-dir', 'theirs', ...kept, '--list-models', '@notes.md', 'Hello', '--', '-c'],
        ['--session-dir', 'ours'],
      ),
    ).toEqual(['/usr/bin/node', '/lib/pi/cli.js', '--mode', 'rpc', '--session-dir', 'ours', ...kept]);
  });
});

test('the usage of a run that is cut off includes what its last call wrote', async () => {
  const agent = await makeSoldAgent();
  const limits = { timeoutMs: 120_000, mostOutputBytes: 50_000 };
  const { usage } = await agent.run('write on', { limits });
  expect(usage.isEstimated).toBe(true);
  expect(usage.outputTokens).toBeGreaterThan(1_000);
});

describe('text as it is written', () => {
  /** Collects the parts, and lets the agent write on once the first one is there. */
  const collect = async (behavior: string, work: object = {}, budget = {}) => {
    const agent = await makeSoldAgent();
    const until = join(agent.world, 'go');
    const parts: string[] = [];
    const run = agent.run(behavior, {
      prompt: JSON.stringify({ until, ...work }),
      budget,
      onText: (part) => {
        parts.push(part);
        writeFileSync(until, '');
      },
    });
    return { outcome: await run, parts };
  };

  test('comes in parts, which are the whole text', async () => {
    const { outcome, parts } = await collect('stream', { parts: ['Guten ', 'Mor', 'gen 🦊'] });
    expect(outcome).toMatchObject({ kind: 'answered', text: 'Guten Morgen 🦊' });
    expect(parts).toEqual(['Guten ', 'Mor', 'gen 🦊']);
  });

  test('has what the agent writes between its tools, and nothing that its extensions made it say before', async () => {
    const { outcome, parts } = await collect('write between tools');
    expect(outcome).toMatchObject({ text: 'Then I write.' });
    expect(parts.join('')).toBe('First I look.\n\nThen I write.');
  });

  test('never has more than was paid for', async () => {
    const { parts } = await collect('write on', {}, { maxOutputTokens: 10 });
    expect(parts.join('')).toMatch(/^(word )+word$/);
    expect(countTokens(parts.join(''))).toBe(10);
    const whole = await collect('write too much', {}, { maxOutputTokens: 5 });
    expect(whole.parts).toEqual(['01234']);
    // More characters to a token than usual come once the provider has counted them.
    const message = { usage: { input: 10, output: 4 } };
    const long = await collect(
      'stream',
      { parts: ['0123456789', '0123456789'], message },
      { maxOutputTokens: 4 },
    );
    expect(long.parts).toEqual(['0123456789', '0123456789']);
  });

  test('fails with its call, because pi would write its next attempt behind it', async () => {
    const message = { stopReason: 'error', errorMessage: 'overloaded' };
    const { outcome, parts } = await collect('stream', { parts: ['Guten ', 'Mor'], message });
    expect(parts.join('')).toBe('Guten Mor');
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'model_error' });
    const { outcome: other } = await collect('stream', {
      parts: ['Guten '],
      message: { content: 'No.' },
    });
    expect(other).toMatchObject({ kind: 'failed', reason: 'model_error' });
    // Nobody has seen anything of a call that failed before its first word.
    expect((await collect('use everything')).parts).toEqual(['Here.']);
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
    // A busy computer may have read nothing of the agent yet.
    const usage = MAYBE_NONE;
    expect(await running).toEqual({ kind: 'failed', reason: 'aborted', usage, detail: '' });
    await expectNothingLeft(agent, 3);
  });

  test('after a timeout', { tags: 'slow' }, async () => {
    const agent = await makeSoldAgent();
    const limits = { timeoutMs: 300, mostOutputBytes: 1e6 };
    expect(await agent.run('hang', { limits })).toEqual({
      kind: 'failed',
      reason: 'timeout',
      // A slow machine may not even have accepted the prompt.
      usage: MAYBE_NONE,
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

describe('a run ends early', () => {
  test('before a call to the model that could cost more than the customer paid', async () => {
    const agent = await makeSoldAgent();
    const seen: number[] = [];
    const budget = {
      isTooMuch: ({ inputTokens }: { inputTokens: number }) => {
        seen.push(inputTokens);
        return inputTokens > 2_000;
      },
    };
    const outcome = await agent.run('call tools', { budget });
    expect(outcome).toMatchObject({ kind: 'answered', stopped: 'payment_used' });
    // Calls of 100, 300, 500 and so on. The next one is counted with all that it reads, before it is made.
    expect(outcome.usage.inputTokens).toBeLessThanOrEqual(2_000);
    expect(Math.max(...seen)).toBeGreaterThan(2_000);
    await expectNothingLeft(agent, 1);
  });

  test('after as many calls as its price counts', async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('call tools', { budget: { maxCalls: 3 } })).toMatchObject({
      kind: 'answered',
      text: 'Call at 500.',
      stopped: 'too_many_calls',
      usage: { inputTokens: 900, outputTokens: 30 },
    });
    expect(agent.calls()).toBe(3);
  });

  test('before the call after a tool whose result was long, which never begins', async () => {
    const agent = await makeSoldAgent();
    // What the second call read and wrote fits once more, but not what the tool returned.
    const isTooMuch = ({ inputTokens }: { inputTokens: number }) => inputTokens > 800;
    expect(await agent.run('call tools', { budget: { isTooMuch } })).toMatchObject({
      kind: 'answered',
      stopped: 'payment_used',
    });
    expect(agent.calls()).toBe(2);
  });

  test('after as many output tokens as the customer paid for, and the text ends there', async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('use many tokens', { budget: { maxOutputTokens: 15 } })).toMatchObject({
      kind: 'answered',
      text: 'Twice.',
      stopped: 'max_output_tokens',
      usage: { outputTokens: 20 },
    });
    expect(await agent.run('write too much', { budget: { maxOutputTokens: 5 } })).toMatchObject({
      kind: 'answered',
      text: '01234',
      stopped: 'max_output_tokens',
    });
  });

  test('when the provider writes on beyond the limit, and reports no usage', async () => {
    const agent = await makeSoldAgent();
    const outcome = await agent.run('write on', { budget: { maxOutputTokens: 10 } });
    expect(outcome).toMatchObject({ kind: 'answered', stopped: 'max_output_tokens' });
    expect(outcome.kind === 'answered' && countTokens(outcome.text)).toBe(10);
    expect(outcome.usage).toMatchObject({ outputTokens: countTokens('word '.repeat(60)), isEstimated: true });
  });

  test('never, if pi doesn’t limit its calls: then nothing is sent to the model', async () => {
    const agent = await makeSoldAgent();
    expect(await agent.run('ignore limits', { budget: { maxOutputTokens: 100 } })).toMatchObject({
      kind: 'failed',
      reason: 'not_ready',
      usage: { outputTokens: 0 },
    });
  });
});

describe('usage that a provider doesn’t report', () => {
  test('is counted as predicted prompts are, input and output', async () => {
    const agent = await makeSoldAgent();
    const prompt = 'Übersetze ins Deutsche: Donaudampfschifffahrtsgesellschaft';
    const text = 'Twelve words of an answer that a local model server did not count.';
    expect(await agent.run('uncounted', { prompt, promptTokens: 700 })).toMatchObject({
      kind: 'answered',
      stopped: null,
      usage: {
        inputTokens: 700 + countTokens(prompt),
        // The model thought, too.
        outputTokens: countTokens(`Hmm.${text}`),
        requests: 1,
        largestInputTokens: 700 + countTokens(prompt),
        isEstimated: true,
      },
    });
  });

  test('is counted in each call, which reads all that came before', async () => {
    const agent = await makeSoldAgent();
    const text = '翻訳の結果はここにあります。';
    const result = 'Notes from a file. '.repeat(50);
    const prompt = JSON.stringify({ text, result });
    const first = 700 + countTokens(prompt);
    const call = countTokens('read{"path":"notes.txt"}');
    const second = first + call + countTokens(result);
    expect((await agent.run('report nothing of a tool', { prompt, promptTokens: 700 })).usage).toEqual({
      inputTokens: first + second,
      outputTokens: call + countTokens(`Hmm.${text}`),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      requests: 2,
      largestInputTokens: second,
      isEstimated: true,
    });
  });

  test('ends the text at what the customer paid for', async () => {
    const agent = await makeSoldAgent();
    const outcome = await agent.run('uncounted', { budget: { maxOutputTokens: 4 } });
    expect(outcome).toMatchObject({ kind: 'answered', stopped: 'max_output_tokens' });
    // Four of 17 tokens.
    expect(outcome).toMatchObject({ text: 'Twelve words of ' });
  });
});

describe('a run fails', () => {
  test.each([
    ['flood', 'too_much_output'],
    ['flood errors', 'too_much_output'],
    ['one endless line', 'too_much_output'],
    ['refuse', 'not_ready'],
    ['have no model', 'not_ready'],
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
