import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, type TestContext, test } from 'vitest';
import type { TokenUsage } from '../../../../../src/server/selling/process/run-agent-once.ts';
import { parseFields, sessionLineOf } from '../../../../../src/server/sessions/session-line.ts';
import { plant, type Tree } from '../../../../support/plant.ts';
import { type ModelAnswer, PI_VERSIONS, startModel } from '../../../../support/real-pi.ts';
import { isRunning, makeSoldAgent } from '../../../../support/sold-agent.ts';
import { SOLD, sell, serveShop } from '../../../../support/sold-service.ts';
import { makeSharedDirectory, makeTempDirectory } from '../../../../support/temp.ts';

const run = promisify(execFile);

const settings = (compaction: boolean) =>
  JSON.stringify({
    defaultProvider: 'loopback',
    defaultModel: 'model',
    retry: { enabled: true, maxRetries: 2, baseDelayMs: 10 },
    compaction: { enabled: compaction, keepRecentTokens: 1, reserveTokens: compaction ? 99_500 : 0 },
  });

/** Session files don't add these up. */
const REQUESTS = { requests: expect.any(Number), largestInputTokens: expect.any(Number) };

/** An agent to sell on a real pi, whose model gives these answers. */
const makeRealAgent = async (
  program: string,
  answers: readonly ModelAnswer[],
  { files = {}, compaction = false }: { files?: Tree; compaction?: boolean } = {},
) => {
  const model = await startModel(answers);
  const agent = await makeSoldAgent([process.execPath, program]);
  const models = [{ id: 'model', contextWindow: 100_000, maxTokens: 1_000 }];
  const loopback = { baseUrl: model.url, api: 'openai-completions', apiKey: 'LOOPBACK_KEY', models };
  await plant(join(agent.world, 'agent'), {
    'SYSTEM.md': 'You answer.\n',
    'settings.json': settings(compaction),
    'models.json': JSON.stringify({ providers: { loopback } }),
    ...files,
  });
  /** The usage in the session files, as dot-mi counts it, and the processes that those name. */
  const sessions = async () => {
    const directory = join(agent.world, 'sessions');
    const paths = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
    const texts = await Promise.all(paths.map((name) => readFile(join(directory, name), 'utf8')));
    const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    for (const line of texts.join('').split('\n')) {
      const entry = sessionLineOf(parseFields(line) ?? {});
      if (entry?.kind !== 'usage') continue;
      usage.inputTokens += entry.input;
      usage.outputTokens += entry.output;
      usage.cacheReadTokens += entry.cacheRead;
      usage.cacheWriteTokens += entry.cacheWrite;
    }
    return { usage, files: paths.length, text: texts.join('') };
  };
  return { ...agent, model, sessions, left: () => readdir(join(agent.world, 'temporary')) };
};

describe.each([PI_VERSIONS['1.6.0'], PI_VERSIONS['1.5.2'], PI_VERSIONS['0.73.1']])('$name', (version) => {
  let program: string | undefined;
  let reason = '';
  let isOld = false;

  beforeAll(async () => {
    const { directory, remove } = await makeSharedDirectory();
    isOld = version.name.endsWith('0.73.1');
    try {
      program = await version.install(directory);
    } catch (error) {
      reason = `npm can't get ${version.name}: ${(error as Error).message.split('\n')[0]}`;
    }
    return remove;
  });

  const piOf = (context: TestContext): string => {
    if (process.platform === 'win32') context.skip('the program of these tests is a shell script');
    if (program === undefined) context.skip(reason);
    return program as string;
  };

  test('answers with the usage that its session file has, after a call of a tool', async (context) => {
    const agent = await makeRealAgent(piOf(context), [
      { bash: 'sleep 1000 & setsid sleep 1000 & echo $! && cat AGENTS.md' },
      'The answer \u2028 is ☕.',
    ]);
    const outcome = await agent.run(null);
    const { usage, files, text } = await agent.sessions();
    expect(outcome).toEqual({
      kind: 'answered',
      text: 'The answer \u2028 is ☕.',
      stopped: null,
      usage: { ...usage, ...REQUESTS, isEstimated: false },
    });
    expect(usage).toEqual({
      inputTokens: 1_511,
      outputTokens: 33,
      cacheReadTokens: 600,
      cacheWriteTokens: 0,
    });
    expect(files).toBe(1);
    expect(await agent.left()).toEqual([]);
    if (process.platform !== 'linux') return;
    const [, id] = /"text":"(\d+)/.exec(text) ?? [];
    expect(Number(id)).toBeGreaterThan(1);
    expect(isRunning(Number(id))).toBe(false);
  });

  test('passes its text on as the model writes it', async (context) => {
    const { promise: wait, resolve: go } = Promise.withResolvers<void>();
    const answer = { parts: ['The ', 'ans', 'wer ☕.'], wait };
    const agent = await makeRealAgent(piOf(context), [{ bash: 'true' }, answer]);
    const parts: string[] = [];
    const outcome = await agent.run(null, {
      onText(part) {
        parts.push(part);
        go();
      },
    });
    expect(outcome).toMatchObject({ kind: 'answered', text: 'The answer ☕.' });
    expect([parts[0], parts.join('')]).toEqual(['The ', 'The answer ☕.']);
  });

  test('asks its model for no more output than the customer pays for', async (context) => {
    const agent = await makeRealAgent(piOf(context), ['The answer.']);
    expect(await agent.run(null, { budget: { maxOutputTokens: 17 } })).toMatchObject({ kind: 'answered' });
    expect(agent.model.limits).toEqual([17]);
  });

  test('ends a text that goes on beyond the limit, and one call of a tool after another', async (context) => {
    const program = piOf(context);
    const endless = await makeRealAgent(program, [{ endless: 'word '.repeat(20) }]);
    const outcome = await endless.run(null, { budget: { maxOutputTokens: 20 } });
    if (!isOld) {
      // pi 0.73 repeats the whole message in each update, so a long one ends by the limit for output or time.
      expect(outcome).toMatchObject({ kind: 'answered', stopped: 'max_output_tokens' });
      expect(outcome.kind === 'answered' && countTokens(outcome.text)).toBeLessThanOrEqual(20);
    }
    const looping = await makeRealAgent(program, [{ bash: 'echo again' }]);
    expect(await looping.run(null, { budget: { maxCalls: 3 } })).toMatchObject({
      kind: 'answered',
      stopped: 'too_many_calls',
    });
    expect(looping.model.prompts).toHaveLength(3);
  });

  test('makes no call after a tool whose result the payment may not cover', async (context) => {
    const agent = await makeRealAgent(piOf(context), [
      { bash: 'head -c 40000 /dev/zero | tr "\\0" x' },
      'Never.',
    ]);
    const isTooMuch = ({ inputTokens }: TokenUsage) => inputTokens > 10_000;
    expect(await agent.run(null, { budget: { isTooMuch } })).toMatchObject({
      kind: 'answered',
      stopped: 'payment_used',
      usage: { outputTokens: 11, isEstimated: false },
    });
    expect(agent.model.prompts).toHaveLength(1);
  });

  test('answers several customers at once, each in its own session', async (context) => {
    const agent = await makeRealAgent(piOf(context), ['The answer.']);
    const outcomes = await Promise.all([agent.run(null), agent.run(null), agent.run(null)]);
    const { usage, files } = await agent.sessions();
    expect(outcomes.map(({ kind }) => kind)).toEqual(['answered', 'answered', 'answered']);
    expect(outcomes.reduce((sum, outcome) => sum + outcome.usage.outputTokens, 0)).toBe(usage.outputTokens);
    expect(files).toBe(3);
    expect(await agent.left()).toEqual([]);
  });

  test('counts failed calls as its session file does, and ends before a summary that nobody reads', async (context) => {
    const agent = await makeRealAgent(piOf(context), [{ status: 503 }, 'The answer.', 'The summary.'], {
      compaction: true,
    });
    const outcome = await agent.run(null, { prompt: 'A long question. '.repeat(2_000) });
    const { usage, text } = await agent.sessions();
    expect(outcome).toEqual({
      kind: 'answered',
      text: 'The answer.',
      stopped: null,
      usage: { ...usage, ...REQUESTS, isEstimated: false },
    });
    expect(text).not.toContain('"type":"compaction"');
    expect(usage.outputTokens).toBe(22);
    expect(agent.model.prompts).toHaveLength(2);
  });

  test('says nothing of a failed model to customers', async (context) => {
    const agent = await makeRealAgent(piOf(context), [{ status: 400 }]);
    const outcome = await agent.run(null);
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'model_error', usage: { inputTokens: 0 } });
    expect(outcome.kind === 'failed' && outcome.detail).toContain('not today');
  });

  test('is not ready without a model', async (context) => {
    const agent = await makeRealAgent(piOf(context), [''], {
      files: { 'models.json': '{"providers":{}}', 'settings.json': '{}' },
    });
    expect(await agent.run(null)).toMatchObject({ kind: 'failed', reason: 'not_ready' });
  });

  test('runs no command, skill or template that a customer names', async (context) => {
    const extension = `import { writeFileSync } from 'node:fs';
      export default (pi) => pi.registerCommand('leak', { description: 'x', handler: async () => writeFileSync(process.env.HOME + '/leaked', '') });`;
    const files = {
      'extensions/leak.ts': extension,
      'skills/secret/SKILL.md': '---\nname: secret\ndescription: A skill.\n---\n\nThe secret text.\n',
      'prompts/template.md': 'The template’s text.\n',
    };
    for (const prompt of ['/leak', '/skill:secret', '/template']) {
      const agent = await makeRealAgent(piOf(context), ['Fine.'], { files });
      expect(await agent.run(null, { prompt })).toMatchObject({ kind: 'answered', text: 'Fine.' });
      const [sent = ''] = agent.model.prompts;
      expect(sent).toContain(prompt);
      expect(sent).not.toMatch(/The secret text|The template’s text/);
      expect(await readdir(join(agent.world, 'home'))).not.toContain('leaked');
    }
  });

  test('goes on when an extension asks a question', async (context) => {
    const extension = `export default (pi) => pi.on('before_agent_start', async (_event, ctx) => {
      const answers = [await ctx.ui.confirm('Sure?', 'Really?'), await ctx.ui.select('Which?', ['a']), await ctx.ui.input('What?')];
      return { message: { customType: 'answers', content: JSON.stringify(answers), display: true } };
    });`;
    const agent = await makeRealAgent(piOf(context), ['Fine.'], {
      files: { 'extensions/ask.ts': extension },
    });
    expect(await agent.run(null)).toMatchObject({ kind: 'answered', text: 'Fine.' });
    expect((await agent.sessions()).text).toContain('"[false,null,null]"');
  });

  test('ends with its tools when the time is over', async (context) => {
    const agent = await makeRealAgent(piOf(context), [{ bash: 'echo $$ > "$HOME/id"; sleep 1000' }]);
    const controller = new AbortController();
    const running = agent.run(null, { signal: controller.signal });
    const path = join(agent.world, 'home/id');
    const id = await expect
      .poll(() => readFile(path, 'utf8').catch(() => ''), { timeout: 60_000 })
      .toMatch(/^\d+\n$/)
      .then(() => readFile(path, 'utf8'));
    controller.abort();
    expect(await running).toMatchObject({ kind: 'failed', reason: 'aborted', usage: { outputTokens: 11 } });
    expect(isRunning(Number(id))).toBe(false);
    expect(await agent.left()).toEqual([]);
  });

  test('buys from a service with a prepaid key in its models.json', async (context) => {
    const program = piOf(context);
    const { mint, server } = await serveShop();
    const { body: service } = await sell(server, { priceSats: 5 });
    const opened = await fetch(`${service.url}/v1/balance/create`, {
      method: 'POST',
      body: JSON.stringify({ cashu_token: mint.issue(32) }),
    });
    const { api_key: apiKey } = await opened.json();
    const directory = await makeTempDirectory();
    const models = [{ id: SOLD, contextWindow: 100_000, maxTokens: 2_000 }];
    const provider = { baseUrl: `${service.url}/v1`, api: 'openai-completions', apiKey, models };
    await plant(directory, { 'models.json': JSON.stringify({ providers: { shop: provider } }) });
    const asked = ['--provider', 'shop', '--model', SOLD, '--no-tools', '-p', 'Good morning'];
    const buying = run(process.execPath, [program, ...asked], {
      cwd: directory,
      env: { ...process.env, PI_CODING_AGENT_DIR: directory, PI_OFFLINE: '1' },
    });
    // pi reads its input to the end first.
    buying.child.stdin?.end();
    const { stdout } = await buying;
    expect(stdout).toContain('Good morning');
    const info = await fetch(`${service.url}/v1/balance/info`, {
      headers: { Authorization: `Bearer ${apiKey}` },
    });
    expect(await info.json()).toMatchObject({ balance: 27_000, reserved: 0, total_spent: 5_000 });
  });
});
