import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { makeTempDirectory } from './temp.ts';

const run = promisify(execFile);

/** A version of pi, and how to get its program into a directory. */
export interface PiVersion {
  name: string;
  install(directory: string): Promise<string>;
}

const PROGRAM = /^[\w./-]+\.js$/;

const programIn = async (directory: string): Promise<string> => {
  const { bin } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8'));
  if (!PROGRAM.test(bin.pi)) throw new Error(`${bin.pi} is no script`);
  return join(directory, bin.pi);
};

const NPM_OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent'];

const installed = (name: string): PiVersion => ({
  name,
  async install(directory) {
    await run('npm', ['install', '--prefix', directory, ...NPM_OPTIONS, name], { cwd: directory });
    return programIn(join(directory, 'node_modules', name.slice(0, name.lastIndexOf('@'))));
  },
});

/** A version that npm can't install, because a dependency is missing. Its bundle needs only one, for extensions. */
const packed = (name: string): PiVersion => ({
  name,
  async install(directory) {
    await run('npm', ['pack', '--silent', name], { cwd: directory });
    const [archive = ''] = (await readdir(directory)).filter((file) => file.endsWith('.tgz'));
    await run('tar', ['-xzf', archive], { cwd: directory });
    await run('npm', ['install', '--prefix', directory, ...NPM_OPTIONS, 'jiti@2.7.0'], { cwd: directory });
    return programIn(join(directory, 'package'));
  },
});

/** The versions of pi that tests run. */
export const PI_VERSIONS = {
  '1.6.0': packed('@earendil-works/pi-coding-agent@1.6.0'),
  '1.5.2': packed('@earendil-works/pi-coding-agent@1.5.2'),
  '0.87.1': installed('@earendil-works/pi-coding-agent@0.87.1'),
  '0.73.1': installed('@mariozechner/pi-coding-agent@0.73.1'),
} satisfies Record<string, PiVersion>;

/** One answer of the model: a text, a call of the tool bash, a failure, or a text without an end. */
export type ModelAnswer =
  | string
  | { bash: string }
  | { status: number }
  | { endless: string }
  | { parts: readonly string[]; wait: Promise<void> };

/** A model on loopback that gives these answers in turn, with other numbers of tokens each time. */
export const startModel = async (answers: readonly ModelAnswer[]) => {
  let calls = 0;
  const prompts: string[] = [];
  /** The limit for output tokens that each call sent. */
  const limits: (number | undefined)[] = [];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const asked = JSON.parse(body);
    prompts.push(JSON.stringify(asked.messages));
    limits.push(asked.max_completion_tokens ?? asked.max_tokens);
    const answer = answers[Math.min(calls, answers.length - 1)] ?? '';
    calls += 1;
    if (typeof answer === 'object' && 'status' in answer)
      return res
        .writeHead(answer.status, { 'Content-Type': 'application/json' })
        .end('{"error":{"message":"not today"}}');
    if (typeof answer === 'object' && 'endless' in answer) {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      const choice = { index: 0, delta: { role: 'assistant', content: answer.endless }, finish_reason: null };
      const chunk = { id: `c${calls}`, object: 'chat.completion.chunk', choices: [choice] };
      const more = (): void => {
        if (!res.closed && res.write(`data: ${JSON.stringify(chunk)}\n\n`)) setImmediate(more);
      };
      return res.on('drain', more) && more();
    }
    if (typeof answer === 'object' && 'parts' in answer) {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const [index, content] of answer.parts.entries()) {
        if (index > 0) await answer.wait;
        const isLast = index === answer.parts.length - 1;
        const choice = { index: 0, delta: { content }, finish_reason: isLast ? 'stop' : null };
        res.write(
          `data: ${JSON.stringify({ id: `c${calls}`, object: 'chat.completion.chunk', choices: [choice] })}\n\n`,
        );
      }
      return res.end('data: [DONE]\n\n');
    }
    const call = { index: 0, id: `t${calls}`, type: 'function' };
    const delta =
      typeof answer === 'string'
        ? { content: answer }
        : {
            tool_calls: [
              { ...call, function: { name: 'bash', arguments: JSON.stringify({ command: answer.bash }) } },
            ],
          };
    const usage = {
      prompt_tokens: 1_000 + calls * 37,
      completion_tokens: 11 * calls,
      prompt_tokens_details: { cached_tokens: 200 * calls },
      total_tokens: 1_000 + calls * 48,
    };
    const parts = [
      { choices: [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }] },
      {
        choices: [{ index: 0, delta: {}, finish_reason: typeof answer === 'string' ? 'stop' : 'tool_calls' }],
      },
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
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, prompts, limits };
};

/** Starts pi for an agent and speaks its RPC protocol. */
export const startRpc = async (program: string, agent: string) => {
  const home = await makeTempDirectory();
  const child = spawn(process.execPath, [program, '--mode', 'rpc', '--no-session'], {
    cwd: home,
    env: {
      PATH: process.env.PATH,
      HOME: home,
      PI_CODING_AGENT_DIR: agent,
      PI_OFFLINE: '1',
      LOOPBACK_KEY: 'x',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const until = async (isIt: (message: { type: string; id?: string }) => boolean) => {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error('pi ended');
      const message = JSON.parse(value);
      if (isIt(message)) return message;
    }
  };
  const send = (message: object) => child.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    async commands(): Promise<{ name: string; description?: string; source: string }[]> {
      send({ id: 'commands', type: 'get_commands' });
      return (await until(({ id }) => id === 'commands')).data.commands;
    },
    async prompt(message: string) {
      send({ id: 'prompt', type: 'prompt', message });
      await until(({ type }) => type === 'agent_end');
    },
  };
};
