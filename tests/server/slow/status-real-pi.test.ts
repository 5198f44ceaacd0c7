/** resources/starter-root/shared/extensions/dot-mi-status.ts in real versions of pi, with a model on loopback. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, onTestFinished, type TestContext, test } from 'vitest';
import { systemClock } from '../../../src/server/platform/clock.ts';
import { LIVE_AFTER_REPORT_MS, type StatusList } from '../../../src/shared/api/status.ts';
import { STARTER_ROOT } from '../../resources/support.ts';
import { eventually } from '../../support/eventually.ts';
import { plant } from '../../support/plant.ts';
import { type ModelAnswer, PI_VERSIONS, startModel } from '../../support/real-pi.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSharedDirectory, makeTempDirectory } from '../../support/temp.ts';

/** Asks before each call of a tool. */
const ASKS = `export default (pi) => pi.on('tool_call', async (_event, ctx) => {
  if (ctx.hasUI) await ctx.ui.confirm('Run it?', 'Really?');
});`;

const start = async (program: string, answers: readonly ModelAnswer[]) => {
  const model = await startModel(answers);
  const models = [{ id: 'model', contextWindow: 100_000, maxTokens: 1_000 }];
  const loopback = { baseUrl: model.url, api: 'openai-completions', apiKey: 'LOOPBACK_KEY', models };
  const root = await makeRoot();
  const agentDir = join(root, 'agents/scout');
  await plant(agentDir, {
    'settings.json': JSON.stringify({ defaultProvider: 'loopback', defaultModel: 'model' }),
    'models.json': JSON.stringify({ providers: { loopback } }),
    'extensions/asks.ts': ASKS,
    'extensions/dot-mi-status.ts': { link: join(STARTER_ROOT, 'shared/extensions/dot-mi-status.ts') },
  });
  let laterMs = 0;
  const clock = { ...systemClock, now: () => Date.now() + laterMs };
  const server = await serve(root, { clock });
  const operator = { Authorization: `Bearer ${server.operatorToken}` };
  const cwd = await makeTempDirectory();
  const runPi = (...args: string[]): ChildProcess => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd,
      env: {
        PATH: process.env.PATH,
        HOME: cwd,
        PI_CODING_AGENT_DIR: agentDir,
        PI_OFFLINE: '1',
        PI_TELEMETRY: '0',
        DOT_MI_URL: server.url,
      },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const list = async (): Promise<StatusList> =>
    (await server.call('GET', '/api/status', undefined, operator)).body;
  return {
    cwd,
    runPi,
    list,
    shows: (state: string | undefined) =>
      eventually(async () => expect((await list()).agents[0]?.state).toBe(state), 50),
    passLive: () => {
      laterMs += LIVE_AFTER_REPORT_MS;
    },
  };
};

describe.each(Object.values(PI_VERSIONS))('$name', (version) => {
  let program: string | undefined;
  let reason = '';

  beforeAll(async () => {
    const { directory, remove } = await makeSharedDirectory();
    try {
      program = await version.install(directory);
    } catch (error) {
      reason = `npm can't get ${version.name}: ${(error as Error).message.split('\n')[0]}`;
    }
    return remove;
  });

  const piOf = (context: TestContext): string => {
    if (program === undefined) context.skip(reason);
    return program as string;
  };

  test('a run without an interface runs in its directory with its model, and is done', async (context) => {
    const { runPi, shows, list, cwd } = await start(piOf(context), [{ bash: 'sleep 2' }, 'Done.']);
    const child = runPi('-p', 'Work');
    child.stdin?.end();
    await shows('running');
    expect((await list()).agents[0]?.runs).toMatchObject([{ model: 'loopback/model', cwd }]);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect((await list()).agents).toMatchObject([{ agent: 'scout', state: 'done', runs: [] }]);
  });

  test('a killed run is neither live nor done once its reports stop', async (context) => {
    const { runPi, shows, passLive, list } = await start(piOf(context), [{ bash: 'sleep 30' }]);
    const child = runPi('-p', 'Work');
    child.stdin?.end();
    await shows('running');
    child.kill('SIGKILL');
    await once(child, 'exit');
    passLive();
    expect((await list()).agents).toEqual([]);
  });

  test('a run that asks a person waits until they answer', async (context) => {
    if (version === PI_VERSIONS['0.73.1']) context.skip('pi 0.73 has no event for questions');
    const { runPi, shows } = await start(piOf(context), [{ bash: 'true' }, 'Done.']);
    const child = runPi('--mode', 'rpc');
    const { stdin, stdout } = child;
    if (!stdin || !stdout) throw new Error('no pipes');
    const say = (message: object) => stdin.write(`${JSON.stringify(message)}\n`);
    const asked = new Promise<string>((resolve) => {
      createInterface({ input: stdout }).on('line', (line) => {
        const { type, method, id } = JSON.parse(line);
        if (type === 'extension_ui_request' && method === 'confirm') resolve(id);
      });
    });
    say({ type: 'prompt', message: 'Work' });
    const id = await asked;
    await shows('waiting');
    say({ type: 'extension_ui_response', id, confirmed: true });
    await shows('done');
  });
});
