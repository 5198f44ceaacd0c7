import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { plant } from '../tests/support/plant.ts';

/**
 * Captures the sessions that a real pi writes, and what it says about their usage, for tests/server/sessions.
 * Run it for a new version:
 *
 *   npm install --prefix /somewhere @earendil-works/pi-coding-agent@0.87.1
 *   node scripts/capture-sessions.ts /somewhere/node_modules/@earendil-works/pi-coding-agent
 *
 * A server on loopback plays the model. Nothing leaves this machine.
 */
const OUTPUT = fileURLToPath(new URL('../tests/fixtures/pi-sessions/', import.meta.url));

/** What the model charges, in USD per million tokens. */
const COST = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };

/** A model server on loopback. Each response uses other numbers of tokens, and some fail. */
const startModel = async () => {
  let calls = 0;
  const server = createServer(async (req, res) => {
    for await (const _chunk of req);
    calls += 1;
    if (calls === 3)
      return res.writeHead(400, { 'Content-Type': 'application/json' }).end('{"error":{"message":"no"}}');
    const usage = {
      prompt_tokens: 1_000 + calls * 37,
      completion_tokens: 11 * calls,
      prompt_tokens_details: { cached_tokens: 200 * (calls % 3) },
      total_tokens: 1_000 + calls * 48,
    };
    const parts = [
      {
        choices: [
          { index: 0, delta: { role: 'assistant', content: `Answer ${calls}.` }, finish_reason: null },
        ],
      },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
    ].map(
      (part) => `data: ${JSON.stringify({ id: `c${calls}`, object: 'chat.completion.chunk', ...part })}\n\n`,
    );
    return res
      .writeHead(200, { 'Content-Type': 'text/event-stream' })
      .end(`${parts.join('')}data: [DONE]\n\n`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () => server.close(),
  };
};

type Message = Record<string, unknown>;

/** The file of a session at a moment, and what pi said about it. */
interface Moment {
  sessionId: string;
  stats: { tokens: unknown; cost: unknown };
  fileName: string;
  text: string;
}

/** Starts pi in RPC mode. */
const startPi = (program: string, world: string) => {
  const child = spawn(process.execPath, [program, '--mode', 'rpc'], {
    cwd: join(world, 'work'),
    env: {
      PATH: process.env.PATH,
      HOME: join(world, 'home'),
      USERPROFILE: join(world, 'home'),
      PI_CODING_AGENT_DIR: join(world, 'agent'),
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = new Set<(message: Message) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as Message;
    for (const hear of waiting) hear(message);
  });
  const next = (isIt: (message: Message) => boolean) =>
    new Promise<Message>((done, fail) => {
      const timer = setTimeout(() => fail(new Error('pi did not answer')), 60_000);
      const hear = (message: Message) => {
        if (!isIt(message)) return;
        clearTimeout(timer);
        waiting.delete(hear);
        done(message);
      };
      waiting.add(hear);
    });
  let number = 0;
  const ask = async (command: Message): Promise<Message> => {
    const id = `r${++number}`;
    const answer = next((message) => message.type === 'response' && message.id === id);
    child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    const { success, data, error } = await answer;
    if (success !== true) throw new Error(`pi refused ${command.type}: ${error}`);
    return (data ?? {}) as Message;
  };
  const say = async (message: string) => {
    const end = next(({ type }) => type === 'agent_end');
    await ask({ type: 'prompt', message });
    await end;
  };
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { ask, say, stop };
};

const capture = async (packageDirectory: string): Promise<void> => {
  const { version, bin } = JSON.parse(await readFile(join(packageDirectory, 'package.json'), 'utf8'));
  const program = join(packageDirectory, typeof bin === 'string' ? bin : bin.pi);
  const model = await startModel();
  const world = await realpath(await mkdtemp(join(tmpdir(), 'pi-sessions-')));
  const provider = {
    baseUrl: model.url,
    api: 'openai-completions',
    apiKey: 'none',
    models: [{ id: 'model', contextWindow: 100_000, maxTokens: 1_000, cost: COST }],
  };
  await plant(world, {
    home: null,
    work: null,
    'agent/SYSTEM.md': 'You answer.\n',
    'agent/settings.json': JSON.stringify({
      defaultProvider: 'capture',
      defaultModel: 'model',
      retry: { enabled: false },
      compaction: { enabled: false, keepRecentTokens: 1 },
    }),
    'agent/models.json': JSON.stringify({ providers: { capture: provider } }),
  });
  const portable = (text: string) =>
    text
      .replaceAll(world, '{world}')
      .replaceAll(/--[^/"]*pi-sessions-\w+-work--/g, '--work--')
      .replaceAll(packageDirectory, '{pi}')
      .replaceAll(model.url, '{model}');
  const pi = startPi(program, world);
  const moments: Record<string, Moment> = {};
  const note = async (moment: string) => {
    const { sessionFile, sessionId, tokens, cost } = await pi.ask({ type: 'get_session_stats' });
    const path = String(sessionFile);
    moments[moment] = {
      sessionId: String(sessionId),
      stats: { tokens, cost },
      fileName: basename(path),
      text: portable(await readFile(path, 'utf8')),
    };
  };
  try {
    await pi.say('First.');
    await pi.say('Second.');
    await pi.say('This one fails.');
    await pi.say('Fourth.');
    await pi.ask({ type: 'set_session_name', name: 'Captured' });
    await note('before the summary');
    await pi.ask({ type: 'compact' });
    await pi.say('After the summary.');
    await note('after the summary');
    const { messages } = (await pi.ask({ type: 'get_fork_messages' })) as { messages: { entryId: string }[] };
    await pi.ask({ type: 'fork', entryId: messages.at(-1)?.entryId });
    await pi.say('In the fork.');
    await note('fork');
    await pi.ask({ type: 'new_session' });
    await pi.say('Another one.');
    await note('another session');
  } finally {
    await pi.stop();
    model.close();
  }
  await rm(world, { recursive: true, force: true });
  await writeFile(
    join(OUTPUT, `${version}.json`),
    `${JSON.stringify({ version, capturedAt: new Date().toISOString().slice(0, 10), moments }, null, 2)}\n`,
  );
  for (const [moment, { stats }] of Object.entries(moments)) console.log(version, moment, stats.cost);
};

const [packageDirectory] = process.argv.slice(2);
if (packageDirectory === undefined) throw new Error('Pass the directory of the installed package.');
await capture(resolve(packageDirectory));
