import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { limitConnections } from '../../src/server/http/connections.ts';
import { keepLog } from '../support/kept-log.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const HOG = fileURLToPath(new URL('../support/connection-hog.ts', import.meta.url));

/** What a hog says of itself. */
interface HogState {
  open: number;
  streams: number;
  refusals: number;
}

/** Why this machine can't show what a limit of file handles does, if so. */
const noLimits = (): string | undefined => {
  if (process.platform === 'win32') return 'Windows has no limit of file handles';
  return spawnSync('sh', ['-c', 'ulimit -n 3000']).status === 0
    ? undefined
    : 'ulimit -n 3000 is not permitted';
};

/** Starts a program that takes connections; resolves once it has tried them all. It ends with the test. */
const startHog = async (url: string, count: number, kind: string) => {
  const child = spawn(
    'sh',
    ['-c', 'ulimit -n 3000; exec "$0" "$@"', process.execPath, HOG, url, String(count), kind],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  child.stderr.on('data', keepLog(`hog-${kind.replaceAll(' ', '-')}`).write);
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(stop);
  const state = (): HogState => JSON.parse(text.trimEnd().split('\n').at(-1) ?? '');
  await until(() => text.includes('\n'));
  return { state, stop };
};

const MAX_HANDLES = 512;

/** Changes how many file handles a process may have; only Linux can. */
const limitHandles = ({ pid }: ChildProcess, count: number): boolean =>
  spawnSync('prlimit', ['--pid', String(pid), `--nofile=${count}:${MAX_HANDLES}`]).status === 0;

/** With fewer handles than the hogs want: on a server without bounds they run out. */
const startServer = async (): Promise<ServerProcess & { root: string }> => {
  const root = await makeRoot({ 'agents/scout/AGENT.md': 'x'.repeat(1024 * 1024) });
  const server = await startServerProcess({ DOT_MI_ROOT: root });
  limitHandles(server.child, MAX_HANDLES);
  return { ...server, root };
};

/** The answer once the server has a place. Until then it answers "try again", or closes the connection at once. */
const untilPlaced = async (request: () => Promise<Response>): Promise<Response> => {
  let placed: Response | undefined;
  await until(async () => {
    const response = await request().catch(() => undefined);
    if (response?.status !== 503) placed = response;
    else {
      const { code } = await response.clone().json();
      if (code !== 'too_many_connections') placed = response;
      else await response.body?.cancel();
    }
    return placed !== undefined;
  });
  if (!placed) throw new Error('there was no answer');
  return placed;
};

/** Each request has a connection of its own, as another program's has. */
const ask = async (url: string, method: string, path: string, body?: unknown) => {
  const response = await untilPlaced(() =>
    fetch(`${url}${path}`, {
      method,
      headers: { Connection: 'close', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  await response.arrayBuffer();
  return response.status;
};

const expectAllAnswer = async (url: string) => {
  expect(await ask(url, 'GET', '/api/health')).toBe(200);
  expect(await ask(url, 'GET', '/api/agents')).toBe(200);
  expect(await ask(url, 'GET', '/api/agents/scout')).toBe(200);
  expect(await ask(url, 'GET', '/api/catalog/skills')).toBe(200);
  expect(await ask(url, 'GET', '/api/wallet/balance')).toBe(200);
  const file = { path: 'SYSTEM.md', content: 'written meanwhile' };
  expect(await ask(url, 'PUT', '/api/agents/scout/file', file)).toBe(200);
  expect(await ask(url, 'GET', '/api/agents/scout/file?path=SYSTEM.md')).toBe(200);
};

/** The messages of a log that came more than once. */
const repeated = (log: string): string[] => {
  const messages = log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => String(JSON.parse(line).msg));
  return messages.filter((message, i) => messages.indexOf(message) !== i);
};

const openStream = async (url: string) => {
  const stop = new AbortController();
  const response = await untilPlaced(() => fetch(`${url}/api/events`, { signal: stop.signal }));
  return { response, stop: () => stop.abort() };
};

test('1,000 connections and 200 event streams of one program: others get answers, and the server recovers', async ({
  skip,
}) => {
  const why = noLimits();
  skip(why !== undefined, why);
  const server = await startServer();
  const streams = await startHog(server.url, 200, 'stream');
  await until(() => streams.state().streams === 24 && streams.state().refusals === 176);
  const silent = await startHog(server.url, 1000, 'silent');
  await expectAllAnswer(server.url);
  await until(() => silent.state().open <= 352);
  expect(streams.state().streams).toBe(24);

  const refused = await openStream(server.url);
  expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await refused.response.json()).toMatchObject({
    code: 'too_many_streams',
    error: expect.any(String),
  });
  await expectAllAnswer(server.url);

  await Promise.all([streams.stop(), silent.stop()]);
  await until(async () => {
    const { response, stop } = await openStream(server.url);
    stop();
    return response.status === 200;
  });
  await expectAllAnswer(server.url);
  expect(repeated(server.stderr())).toEqual([]);
  expect(server.stderr()).not.toContain('"level":50');
});

test.for(['half a head', 'half a body', 'answered once', 'unread'])(
  'a program that keeps 600 connections with %s doesn’t lock out any other program',
  { tags: 'slow' },
  async (kind, { skip }) => {
    const why = noLimits();
    skip(why !== undefined, why);
    const server = await startServer();
    const hog = await startHog(server.url, 600, kind);
    await expectAllAnswer(server.url);
    // Who doesn't read doesn't notice that a connection was closed either.
    if (kind !== 'unread') await until(() => hog.state().open <= 352);
    const { response, stop } = await openStream(server.url);
    expect(response.status).toBe(200);
    stop();
    await hog.stop();
    await expectAllAnswer(server.url);
    expect(repeated(server.stderr())).toEqual([]);
  },
);

test('a running request is not cut off for a new connection', { tags: 'slow' }, async ({ skip }) => {
  const why = noLimits();
  skip(why !== undefined, why);
  const server = await startServer();
  const followed = await openStream(server.url);
  const reader = followed.response.body?.getReader();
  await startHog(server.url, 600, 'half a head');
  let text = '';
  const arrived = (event: string) =>
    until(async () => {
      text += new TextDecoder().decode((await reader?.read())?.value);
      return text.includes(event);
    });
  // Once the root is followed, which the first events say, changes are named.
  await arrived('event: presets');
  // The stream is still read: what changes arrives.
  await ask(server.url, 'PUT', '/api/agents/scout/file', { path: 'pi-args', content: '--changed' });
  await arrived('"files":["pi-args"]');
  followed.stop();
});

test('without file handles every route returns 503 with a code, and one line is logged', {
  tags: 'slow',
}, async ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux changes the limit of a process that runs');
  skip(spawnSync('prlimit', ['--version']).status !== 0, 'there is no prlimit');
  const server = await startServer();
  const { hostname, port, host } = new URL(server.url);
  const { pid } = server.child;
  /** The limit counts the numbers of handles, not the handles: those below it must all be in use. */
  const lowestFree = async () => {
    const used = new Set((await readdir(`/proc/${pid}/fd`)).map(Number));
    for (let number = 0; ; number++) if (!used.has(number)) return number;
  };

  // One connection, opened before: a new one would need a handle of its own.
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  const answer = async (
    path: string,
  ): Promise<[status: number, retryAfter: string | undefined, code: unknown]> => {
    received = '';
    socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await until(() => {
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1]);
      return received.length - received.indexOf('\r\n\r\n') - 4 >= length;
    });
    const [head = '', body = ''] = received.split('\r\n\r\n');
    return [Number(head.slice(9, 12)), /retry-after: (\d+)/i.exec(head)?.[1], JSON.parse(body).code];
  };
  expect((await answer('/api/agents'))[0]).toBe(200);
  expect((await answer('/api/catalog/skills'))[0]).toBe(200);
  await symlink('away', join(server.root, 'agents/scout/skills/new'));

  expect(limitHandles(server.child, await lowestFree())).toBe(true);
  for (let round = 0; round < 5; round++) {
    for (const path of ['/api/agents/scout/file?path=SYSTEM.md', '/api/agents/scout/links/skills'])
      expect([path, ...(await answer(path))]).toEqual([path, 503, '1', 'too_many_open_files']);
    expect((await answer('/api/health'))[0]).toBe(200);
  }
  const other = connect(Number(port), hostname);
  onTestFinished(() => void other.destroy());
  other.on('error', () => undefined);
  await new Promise((resolve) => other.once('connect', resolve));
  expect((await answer('/api/health'))[0]).toBe(200);

  limitHandles(server.child, MAX_HANDLES);
  expect((await answer('/api/agents/scout/file?path=SYSTEM.md'))[0]).toBe(200);
  await expectAllAnswer(server.url);
  const lines = server
    .stderr()
    .split('\n')
    .filter((line) => /out of file handles/.test(line));
  expect(lines).toHaveLength(1);
  expect(repeated(server.stderr())).toEqual([]);
});

/** Clients that send a request and read nothing. */
const silentReaders = async (url: string, count: number, requests: string) => {
  const { hostname, port } = new URL(url);
  for (let number = 0; number < count; number++) {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.pause().write(requests);
  }
};

test('responses that nobody reads hold a limited amount of memory, and the oldest ones go first', {
  tags: 'slow',
}, async () => {
  const large = Buffer.alloc(10 * 1024 * 1024);
  const connections = limitConnections((_req, res) => void res.end(large));
  const server = createServer(connections.handle);
  connections.watch(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  let sent = 0;
  server.on('request', () => sent++);
  await silentReaders(`http://127.0.0.1:${port}`, 20, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  const open = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
  // 64 MiB.
  await until(async () => sent === 20 && (await open()) === 6);
  const response = await fetch(`http://127.0.0.1:${port}`);
  expect((await response.arrayBuffer()).byteLength).toBe(large.length);
});

test('a connection with many pending requests is closed, and the page’s files hold no handles', {
  tags: 'slow',
}, async ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux lists the file handles of a process');
  const server = await startServer();
  const page = await (await fetch(server.url, { headers: { Accept: 'text/html' } })).text();
  const asset = /\/assets\/first-view-[^"]+/.exec(page)?.[0];
  const get = `GET ${asset} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const handles = async () => (await readdir(`/proc/${server.child.pid}/fd`)).length;
  await (await fetch(`${server.url}${asset}`)).arrayBuffer();
  const before = await handles();
  await silentReaders(server.url, 5, get.repeat(900));
  await silentReaders(server.url, 5, get.repeat(10));
  await expectAllAnswer(server.url);
  // The few that are left are those of open connections.
  await until(async () => (await handles()) <= before + 20);
});
