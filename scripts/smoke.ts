// `npm run smoke -- PATH`: starts a packed program and uses each part that packing can break. PATH is the packager's
// output folder (dist by default), an installed program, or its folder. Node runs no code in the program, because
// the fuses forbid it, so the API answers for every part.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { HELP_LINE, readCommandLine } from '../src/server/command-line.ts';
import { startTestMint } from '../tests/support/mint/test-mint.ts';

const START_TIMEOUT_MS = 90_000;
const REQUEST_TIMEOUT_MS = 20_000;
/** The program gives its server 20 s to end. */
const EXIT_TIMEOUT_MS = 40_000;
const POLL_MS = 200;
const AMOUNT_SATS = 21;

const isArm = process.arch === 'arm64';
/** electron-builder's folders for this machine, and the program in them. */
const PACKED: Readonly<Record<string, readonly string[]>> = {
  linux: [isArm ? 'linux-arm64-unpacked' : 'linux-unpacked', 'dot-mi'],
  darwin: [isArm ? 'mac-arm64' : 'mac', 'dot-mi.app', 'Contents', 'MacOS', 'dot-mi'],
  win32: [isArm ? 'win-arm64-unpacked' : 'win-unpacked', 'dot-mi.exe'],
};

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

const findProgram = (given: string): string => {
  const parts = PACKED[process.platform] ?? [];
  const path = resolve(given);
  // From the output folder down to the program itself.
  const candidates = parts.map((_, nth) => join(path, ...parts.slice(nth)));
  const found = [...candidates, path].find(isFile);
  if (found === undefined) throw new Error(`There is no packed program in ${path}. Run "npm run package".`);
  return found;
};

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

/** Asks the program to quit as the system does: SIGTERM, or on Windows a message to its windows. */
const askToQuit = async (program: ChildProcess): Promise<void> => {
  if (process.platform !== 'win32') return void program.kill('SIGTERM');
  // It fails while no window is there yet.
  const taskkill = join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', 'taskkill.exe');
  const message = () => spawnSync(taskkill, ['/PID', String(program.pid)], { stdio: 'ignore' }).status === 0;
  while (program.exitCode === null && !message())
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
};

const within = async <T>(ms: number, task: Promise<T>, message: string): Promise<T> => {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(message)), ms);
  try {
    return await Promise.race([task, late.promise]);
  } finally {
    clearTimeout(timer);
  }
};

const smoke = async (path: string, directory: string): Promise<void> => {
  const mint = await startTestMint({ directory: join(directory, 'mint') });
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const userData = join(directory, 'user-data');
  const program = spawn(path, [`--user-data-dir=${userData}`], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PORT: String(port),
      DEV_MODE: 'false',
      MINT_URL: mint.url,
      // No machine but this one.
      BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:9',
      DOT_MI_ROOT: '',
      WALLET_DB_PATH: '',
      API_TOKEN: '',
      HOST: '',
    },
  });
  let output = '';
  for (const stream of [program.stdout, program.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const ended = new Promise<string>((end) => {
    program.once('error', (error) => end(`couldn't be started: ${error.message}`));
    program.once('exit', (code, signal) => end(`ended with ${code ?? signal}`));
  });
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });

  const ask = async (path: string, init: RequestInit = {}): Promise<string> => {
    const response = await fetch(new URL(path, origin), {
      ...init,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const body = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${body}`);
    return body;
  };
  const check = (isRight: boolean, body: string) => {
    if (!isRight) throw new Error(`the answer was ${body.slice(0, 500)}`);
  };

  const steps: Readonly<Record<string, () => Promise<void>>> = {
    'The program starts and its API answers': async () => {
      const deadlineMs = Date.now() + START_TIMEOUT_MS;
      for (;;) {
        if (isEnded) throw new Error(`the program ${await ended}`);
        if (Date.now() > deadlineMs) throw new Error(`no answer within ${START_TIMEOUT_MS / 1000} s`);
        try {
          return void (await ask('/api/health'));
        } catch {
          await new Promise((resolve) => setTimeout(resolve, POLL_MS));
        }
      }
    },
    'It serves the page': async () => {
      const page = await ask('/', { headers: { Accept: 'text/html' } });
      check(page.includes('<title>dot-mi</title>'), page);
      const [script = ''] = /\/assets\/[\w.-]+\.js/.exec(page) ?? [];
      check((await ask(script)).length > 0, page);
    },
    'The disk thread lists the agents of the starter root': async () => {
      const body = await ask('/api/agents');
      const { agents } = JSON.parse(body) as { agents: { id: string }[] };
      check(
        agents.some(({ id }) => id === 'scout'),
        body,
      );
    },
    'The mint thread receives a token and SQLite keeps it': async () => {
      await ask('/api/wallet/receive', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'smoke' },
        body: JSON.stringify({ token: mint.issue(AMOUNT_SATS) }),
      });
      const body = await ask('/api/wallet/balance');
      check((JSON.parse(body) as { balance: number }).balance === AMOUNT_SATS, body);
    },
    'It calculates with WebAssembly': async () => {
      // The thread warns, and calculates in JavaScript.
      if (output.includes('secp256k1.wasm')) throw new Error('the mint thread could not load it');
    },
    'It quits in order': async () => {
      const quitting = askToQuit(program).then(() => ended);
      const end = await within(EXIT_TIMEOUT_MS, quitting, `still running after ${EXIT_TIMEOUT_MS / 1000} s`);
      if (end !== 'ended with 0') throw new Error(`the program ${end}`);
    },
  };

  try {
    for (const [name, step] of Object.entries(steps)) {
      try {
        await step();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${name}: failed, because ${reason}\n${output}${logOf(userData)}`);
      }
      console.log(`ok  ${name}.`);
    }
  } finally {
    if (!isEnded) program.kill('SIGKILL');
    await ended;
    // A helper process that is still ending would hold them open.
    for (const stream of [program.stdout, program.stderr]) stream.destroy();
    await mint.close();
  }
};

const logOf = (userData: string): string => {
  try {
    return readFileSync(join(userData, 'logs', 'dot-mi.log'), 'utf8');
  } catch {
    return '';
  }
};

const USAGE = `Starts a packed program and uses each of its parts.

Usage: npm run smoke -- [PATH]

  PATH                    the program, or a folder with it; dist without it
${HELP_LINE}`;

const {
  positionals: [path = 'dist'],
} = readCommandLine(USAGE, {}, { positionals: /./ });
const directory = mkdtempSync(join(tmpdir(), 'dot-mi-smoke-'));
try {
  const program = findProgram(path);
  console.log(`Testing ${program}`);
  await smoke(program, directory);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}
