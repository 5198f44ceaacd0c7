import { execFile } from 'node:child_process';
import { chmod, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { PATH_WITHOUT_PI } from '../../support/pi-program.ts';
import { plant } from '../../support/plant.ts';
import { PI_VERSIONS, startModel } from '../../support/real-pi.ts';
import { makeRoot } from '../../support/root.ts';
import { serve } from '../../support/server.ts';
import { makeSharedDirectory, makeTempDirectory } from '../../support/temp.ts';
import { trustRoot } from '../../support/trust.ts';

// The API says of a sign-in what a real pi does when it starts with it.

const run = promisify(execFile);
const PI = PI_VERSIONS['1.6.0'];
const KEY = 'sk-not-for-anyone-1234567890';

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

test('an agent is ready exactly when a real pi finds a key for its model', async (context) => {
  context.skip(process.platform === 'win32', 'a symlink to a script starts nothing on Windows');
  if (program === undefined) return context.skip(reason);
  const bin = await makeTempDirectory();
  await chmod(program, 0o755);
  await symlink(program, join(bin, 'pi'));
  const searchPath = [bin, PATH_WITHOUT_PI].join(delimiter);
  const model = await startModel(['Hello.']);
  const modelOf: Readonly<Record<string, string>> = {
    'signed-in': 'groq/llama-3.3-70b-versatile',
    'signed-out': 'groq/llama-3.3-70b-versatile',
    local: 'home/qwen',
  };
  // No request leaves this computer.
  const nearby = JSON.stringify({ providers: { groq: { baseUrl: model.url } } });
  const home = { baseUrl: model.url, api: 'openai-completions', apiKey: KEY, models: [{ id: 'qwen' }] };
  const signedIn = JSON.stringify({ groq: { type: 'api_key', key: KEY } });
  const rootPath = await makeRoot({
    ...Object.fromEntries(
      Object.entries(modelOf).map(([id, name]) => [`agents/${id}/pi-args`, `--model\n${name}\n`]),
    ),
    'agents/signed-in/models.json': nearby,
    'agents/signed-in/auth.json': signedIn,
    'agents/signed-out/models.json': nearby,
    'agents/local/models.json': JSON.stringify({ providers: { home } }),
  });
  const server = await serve(rootPath, { readSearchPath: async () => searchPath });
  await trustRoot(server);

  const stateOf = async (id: string): Promise<string> => {
    const { body } = await server.asOperator('GET', `/api/agents/${id}/readiness`);
    expect(JSON.stringify(body)).not.toContain(KEY);
    expect(body.pi).toEqual({ version: '1.6.0' });
    return body.signIn.state;
  };
  /** Whether pi calls the agent's model. It ends with a sentence about a missing key otherwise. */
  const callsItsModel = async (id: string): Promise<boolean> => {
    const work = await makeTempDirectory();
    const before = model.prompts.length;
    const running = run('pi', ['-p', '--no-session', '--model', modelOf[id] ?? '', 'hello'], {
      cwd: work,
      env: {
        PATH: searchPath,
        HOME: work,
        PI_CODING_AGENT_DIR: join(rootPath, 'agents', id),
        PI_OFFLINE: '1',
        PI_TELEMETRY: '0',
      },
    });
    // pi reads its standard input to the end first.
    running.child.stdin?.end();
    await running.catch((error: { stderr: string }) => expect(error.stderr).toMatch(/API key|login/i));
    return model.prompts.length > before;
  };

  for (const [id, state] of [
    ['signed-in', 'ready'],
    ['signed-out', 'missing'],
    ['local', 'ready'],
  ] as const) {
    expect([id, await stateOf(id)]).toEqual([id, state]);
    expect([id, await callsItsModel(id)]).toEqual([id, state === 'ready']);
  }

  // The next response knows a new sign-in.
  await plant(rootPath, {
    'agents/signed-out/auth.json': signedIn,
  });
  expect(await stateOf('signed-out')).toBe('ready');
  expect(await callsItsModel('signed-out')).toBe(true);
});
