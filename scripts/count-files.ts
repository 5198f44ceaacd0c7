// `npm run count-files`: counts the source files that one request executes. V8 reports which functions ran, in the main
// thread and in every other one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { startTestMint } from '../tests/support/mint/test-mint.ts';
import { plant, SMALL_ROOT } from '../tests/support/plant.ts';

const USAGE = `Counts the files of src that one request executes, by V8's coverage of functions.

Usage: npm run count-files -- [--list]

  --list                  also print the names of the files
${HELP_LINE}`;

const SOURCE = new URL('../src/', import.meta.url);
const ENTRY = fileURLToPath(new URL('server/headless.ts', SOURCE));
const AGENT = 'scout';
const LINK = { link: '../../../shared/skills/git-summary' };
const MAIN_THREAD = 'main';
/** Requests before the first that counts: they load modules, start threads and fill what is remembered. */
const WARM_UPS = 3;
/** A timer can run during a request. A file counts if each of these requests executes it. */
const ROUNDS = 5;
/** The server has nothing more to do once it executes no function for this long. */
const IDLE_MS = 200;
const MOST_LOOKS = 100;
const AMOUNT_SATS = 21;

/** The files that a span of time executed, by the name of the thread. */
type Executed = ReadonlyMap<string, ReadonlySet<string>>;

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

interface Coverage {
  readonly result: readonly ScriptCoverage[];
}

type Post = (method: string, params?: object) => Promise<unknown>;

/** The calls of one inspector session, through what sends its messages. */
const createSession = (send: (message: string) => void) => {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;
  const post: Post = (method, params = {}) => {
    const id = ++calls;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    send(JSON.stringify({ id, method, params }));
    return answer.promise;
  };
  return {
    post,
    /** Takes a response. Returns any other message. */
    receive(text: string) {
      const message = JSON.parse(text);
      const answer = waiting.get(message.id);
      if (!answer) return message;
      waiting.delete(message.id);
      if (message.error) answer.reject(new Error(message.error.message));
      else answer.resolve(message.result);
      return undefined;
    },
    end() {
      for (const { resolve } of waiting.values()) resolve(undefined);
      waiting.clear();
    },
  };
};

type Session = ReturnType<typeof createSession>;

const beginCoverage = async ({ post }: Session) => {
  await post('Profiler.enable');
  await post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
};

const wasCalled = ({ ranges }: ScriptCoverage['functions'][number]): boolean => (ranges[0]?.count ?? 0) > 0;

/** The files of src with a function that was called, by their paths in src. */
const executedIn = ({ result }: Coverage): Set<string> =>
  new Set(
    result
      .filter(({ url, functions }) => url.startsWith(SOURCE.href) && functions.some(wasCalled))
      .map(({ url }) => url.slice(SOURCE.href.length)),
  );

/** Follows the coverage of a process through its inspector. `take` returns what ran since the last call, and begins anew. */
const followCoverage = async (address: string) => {
  const socket = new WebSocket(address);
  const main = createSession((message) => socket.send(message));
  const threads = new Map<string, { readonly name: string; readonly session: Session }>();
  let begun: Promise<unknown> = Promise.resolve();

  const attach = (sessionId: string, url: string) => {
    const session = createSession(
      (message) =>
        // A thread that ended takes no message.
        void main.post('NodeWorker.sendMessageToWorker', { sessionId, message }).catch(session.end),
    );
    const name = url.replace(/^.*\/([\w-]+)-worker\.ts$/, '$1');
    threads.set(sessionId, { name, session });
    begun = Promise.all([begun, beginCoverage(session)]);
  };
  socket.onmessage = ({ data }) => {
    const { method, params } = main.receive(String(data)) ?? {};
    if (method === 'NodeWorker.attachedToWorker') attach(params.sessionId, params.workerInfo.url);
    if (method === 'NodeWorker.receivedMessageFromWorker')
      threads.get(params.sessionId)?.session.receive(params.message);
    if (method === 'NodeWorker.detachedFromWorker') {
      threads.get(params.sessionId)?.session.end();
      threads.delete(params.sessionId);
    }
  };
  await once(socket, 'open');
  await beginCoverage(main);
  await main.post('NodeWorker.enable', { waitForDebuggerOnStart: false });

  const takeOf = async (name: string, { post }: Session): Promise<[string, Set<string>]> => {
    const coverage = (await post('Profiler.takePreciseCoverage')) as Coverage | undefined;
    return [name, coverage ? executedIn(coverage) : new Set<string>()];
  };
  return {
    async take(): Promise<Executed> {
      await begun;
      const all = [{ name: MAIN_THREAD, session: main }, ...threads.values()];
      return new Map(await Promise.all(all.map(({ name, session }) => takeOf(name, session))));
    },
    close: () => socket.close(),
  };
};

type Coverages = Awaited<ReturnType<typeof followCoverage>>;

/** Waits until the server has nothing more to do, and returns what it executed until then. */
const untilIdle = async ({ take }: Coverages): Promise<Executed> => {
  const all = new Map<string, Set<string>>();
  for (let look = 0; look < MOST_LOOKS; look++) {
    const executed = await take();
    for (const [thread, files] of executed) all.set(thread, new Set([...(all.get(thread) ?? []), ...files]));
    if (look > 0 && [...executed.values()].every(({ size }) => size === 0)) return all;
    await sleep(IDLE_MS);
  }
  throw new Error('The server is never idle, so nothing can be counted.');
};

/** Waits until a stream has printed something that matches, and returns its first group. */
const printed = (stream: Readable, pattern: RegExp): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
      const [, found] = pattern.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    stream.on('end', () => reject(new Error(`The server ended. It printed: ${text}`)));
  });

/** Starts the server from source, so that each file is a script of its own. */
const startServer = async (directory: string, mintUrl: string) => {
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', ENTRY], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      PORT: '0',
      DOT_MI_ROOT: join(directory, 'root'),
      DEV_MODE: 'false',
      MINT_URL: mintUrl,
      // No machine but this one.
      BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:9',
    },
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const [url, inspector] = await Promise.all([
    printed(child.stdout, /api {3}(http:\S+)\/api/),
    printed(child.stderr, /(ws:\S+)/),
  ]);
  return {
    url,
    inspector,
    async end() {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
};

const startAll = async (directory: string) => {
  await plant(join(directory, 'root'), { ...SMALL_ROOT, [`agents/${AGENT}/skills/git-summary`]: LINK });
  const mint = await startTestMint({ directory: join(directory, 'mint') });
  const server = await startServer(directory, mint.url);
  const coverage = await followCoverage(server.inspector);
  return {
    mint,
    url: server.url,
    coverage,
    async close() {
      coverage.close();
      await server.end();
      await mint.close();
    },
  };
};

type All = Awaited<ReturnType<typeof startAll>>;

const ask = async (url: string, method = 'GET', body?: object): Promise<void> => {
  const response = await fetch(url, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } } : {}),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} answered ${response.status}: ${text}`);
};

/** Prepares the nth request of a kind, and returns what sends it. */
type Prepare = (all: All, nth: number) => () => Promise<void>;

const REQUESTS: Readonly<Record<string, Prepare>> = {
  'POST /api/wallet/receive': ({ url, mint }) => {
    const token = mint.issue(AMOUNT_SATS);
    return () => ask(`${url}/api/wallet/receive`, 'POST', { token });
  },
  'GET /api/health':
    ({ url }) =>
    () =>
      ask(`${url}/api/health`),
  [`GET /api/agents/${AGENT}/links/skills`]:
    ({ url }) =>
    () =>
      ask(`${url}/api/agents/${AGENT}/links/skills`),
  // Last, because the server reads links again for a while after a change.
  [`PUT /api/agents/${AGENT}/file`]: ({ url }, nth) => {
    const file = { path: 'SYSTEM.md', content: `You are number ${nth}.\n` };
    return () => ask(`${url}/api/agents/${AGENT}/file`, 'PUT', file);
  },
};

/** What each round executed. What only some did belongs to a timer. */
const inEachRound = (rounds: readonly Executed[]): Executed => {
  const [first = new Map<string, Set<string>>(), ...others] = rounds;
  return new Map(
    [...first].map(([thread, files]) => [
      thread,
      new Set([...files].filter((file) => others.every((round) => round.get(thread)?.has(file)))),
    ]),
  );
};

const measure = async (all: All, prepare: Prepare): Promise<Executed> => {
  for (let nth = 0; nth < WARM_UPS; nth++) await prepare(all, nth)();
  const rounds: Executed[] = [];
  for (let nth = 0; nth < ROUNDS; nth++) {
    const send = prepare(all, WARM_UPS + nth);
    await untilIdle(all.coverage);
    await send();
    rounds.push(await untilIdle(all.coverage));
  }
  return inEachRound(rounds);
};

const print = (results: ReadonlyMap<string, Executed>, lists: boolean) => {
  const width = Math.max(...[...results.keys()].map(({ length }) => length));
  console.log(`${'request'.padEnd(width)}  files  by thread`);
  for (const [name, executed] of results) {
    const threads = [...executed].filter(([, { size }]) => size > 0);
    const total = new Set(threads.flatMap(([, files]) => [...files])).size;
    const byThread = threads.map(([thread, { size }]) => `${thread} ${size}`).join(', ');
    console.log(`${name.padEnd(width)}  ${String(total).padStart(5)}  ${byThread}`);
  }
  if (!lists) return;
  for (const [name, executed] of results)
    for (const [thread, files] of executed)
      if (files.size > 0) console.log(`\n${[`${name}, ${thread}:`, ...[...files].sort()].join('\n  ')}`);
};

const { values } = readCommandLine(USAGE, { list: { type: 'boolean' } });
const directory = mkdtempSync(join(tmpdir(), 'dot-mi-count-'));
try {
  const all = await startAll(directory);
  try {
    const results = new Map<string, Executed>();
    for (const [name, prepare] of Object.entries(REQUESTS)) results.set(name, await measure(all, prepare));
    print(results, values.list === true);
  } finally {
    await all.close();
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
