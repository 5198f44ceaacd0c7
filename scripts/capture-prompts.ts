import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { piArgsIn } from '../src/shared/run-command.ts';
import { DEFAULT_CWD, PROMPT_CASES, type PromptCase } from '../tests/support/pi-prompt-cases.ts';
import { plant } from '../tests/support/plant.ts';

/**
 * Captures what a real pi sends for each fixture agent, for tests/server/prompt. Run it for a new version:
 *
 *   npm pack @earendil-works/pi-coding-agent@1.6.0 && tar xzf earendil-works-*.tgz
 *   node scripts/capture-prompts.ts package
 *
 * A server on loopback plays the model and records each request. Nothing leaves this machine.
 */
const repository = fileURLToPath(new URL('..', import.meta.url));
const RUN_TIMEOUT_MS = 60_000;

interface Captured {
  readonly prompt: string;
  readonly tools: string[];
}

interface ChatRequest {
  messages: { role: string; content: string | { text: string }[] }[];
  tools?: { function: { name: string } }[];
}

const textOf = (content: ChatRequest['messages'][number]['content']): string =>
  typeof content === 'string' ? content : content.map(({ text }) => text).join('');

const ANSWER = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Done.' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 } },
]
  .map((part) => `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...part })}\n\n`)
  .join('');

/** A model server on loopback. `take` returns the first request since the last call. */
const startModel = async () => {
  let first: ChatRequest | undefined;
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    first ??= JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest;
    res.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(`${ANSWER}data: [DONE]\n\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    take() {
      const taken = first;
      first = undefined;
      return taken;
    },
    close: () => server.close(),
  };
};

const plantWorld = async (world: string, { tree }: PromptCase, modelUrl: string): Promise<void> => {
  await plant(world, { home: null, [DEFAULT_CWD]: null, 'root/shared/extensions': null, ...tree });
  await copyFile(
    join(repository, 'resources/starter-root/shared/extensions/agent-prompt.ts'),
    join(world, 'root/shared/extensions/agent-prompt.ts'),
  );
  const agent = join(world, 'root/agents/scout');
  const settings = await readFile(join(agent, 'settings.json'), 'utf8').catch(() => '{}');
  await writeFile(
    join(agent, 'settings.json'),
    JSON.stringify({ ...JSON.parse(settings), defaultProvider: 'capture', defaultModel: 'model' }),
  );
  const provider = {
    baseUrl: modelUrl,
    api: 'openai-completions',
    apiKey: 'none',
    models: [{ id: 'model' }],
  };
  await writeFile(join(agent, 'models.json'), JSON.stringify({ providers: { capture: provider } }));
};

const runPi = async (program: string, world: string, { cwd, trusted }: PromptCase): Promise<string> => {
  const agent = join(world, 'root/agents/scout');
  const piArgs = piArgsIn(await readFile(join(agent, 'pi-args'), 'utf8').catch(() => ''));
  const child = spawn(
    process.execPath,
    [program, ...piArgs, ...(trusted ? ['--approve'] : []), '-p', 'Hello'],
    {
      cwd: join(world, cwd ?? DEFAULT_CWD),
      env: {
        PATH: process.env.PATH,
        HOME: join(world, 'home'),
        USERPROFILE: join(world, 'home'),
        PI_CODING_AGENT_DIR: agent,
        PI_OFFLINE: '1',
        PI_TELEMETRY: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_TIMEOUT_MS,
    },
  );
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  await once(child, 'close');
  return output;
};

/** The session file of the run, if it left one. */
const readSession = async (world: string): Promise<string | undefined> => {
  const sessions = join(world, 'root/agents/scout/sessions');
  const files = await readdir(sessions, { recursive: true }).catch(() => []);
  const name = files.find((file) => file.endsWith('.jsonl'));
  return name === undefined ? undefined : readFile(join(sessions, name), 'utf8');
};

const capture = async (packageDirectory: string): Promise<void> => {
  const { version, bin } = JSON.parse(await readFile(join(packageDirectory, 'package.json'), 'utf8'));
  const program = join(packageDirectory, typeof bin === 'string' ? bin : bin.pi);
  const model = await startModel();
  const prompts: Record<string, Captured> = {};
  let session: string | undefined;
  for (const [name, promptCase] of Object.entries(PROMPT_CASES)) {
    const world = await realpath(await mkdtemp(join(tmpdir(), 'pi-world-')));
    try {
      await plantWorld(world, promptCase, model.url);
      const portable = (text: string) =>
        text
          .replaceAll(world, '{world}')
          .replaceAll(packageDirectory, '{pi}')
          .replaceAll(/^(Current date: ).*$/gm, '$1{date}');
      const output = await runPi(program, world, promptCase);
      const request = model.take();
      const system = request?.messages.find(({ role }) => role === 'system' || role === 'developer');
      if (!system) {
        console.log(`${name}: pi sent no prompt. ${portable(output).trim().slice(0, 300)}`);
        continue;
      }
      const tools = (request?.tools ?? []).map((tool) => tool.function.name);
      prompts[name] = { prompt: portable(textOf(system.content)), tools };
      console.log(`${name}: ${prompts[name].prompt.length} characters, tools: ${tools.join(' ')}`);
      if (name === 'agent-md') session = await readSession(world).then((text) => text && portable(text));
    } finally {
      await rm(world, { recursive: true, force: true });
    }
  }
  model.close();
  const directory = join(repository, 'tests/fixtures/pi-prompts');
  await mkdir(directory, { recursive: true });
  const about = { piVersion: version, capturedAt: new Date().toISOString().slice(0, 10), prompts };
  await writeFile(join(directory, `${version}.json`), `${JSON.stringify(about, null, 2)}\n`);
  if (session) await writeFile(join(directory, `session-${version}.jsonl`), session);
};

const [packageDirectory] = process.argv.slice(2);
if (packageDirectory === undefined) {
  console.error('Usage: node scripts/capture-prompts.ts <directory of the pi-coding-agent package>');
  process.exitCode = 1;
} else await capture(await realpath(resolve(packageDirectory)));
