import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createApp } from '../../src/server/app.ts';
import { createAdmission } from '../../src/server/http/admission.ts';
import type { Routes } from '../../src/server/http/bind-endpoint.ts';
import { limitConnections } from '../../src/server/http/connections.ts';
import { createPage } from '../../src/server/http/page.ts';
import { createBodyThread } from '../../src/server/platform/body-thread.ts';
import type { Caller } from '../../src/server/platform/caller.ts';
import { requestNotes } from '../../src/server/platform/request-notes.ts';
import { listAgents } from '../../src/shared/api/agents.ts';
import { streamEvents } from '../../src/shared/api/events.ts';
import { writeFile as writeAgentFile } from '../../src/shared/api/files.ts';
import { searchPrompts } from '../../src/shared/api/search.ts';
import { signIn } from '../../src/shared/api/sign-in.ts';
import { type HeldConnection, holdConnections } from '../support/held-connections.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { trustRoot } from '../support/trust.ts';

/** A handler continues when its client leaves, and still counts. */

/** A third of the places is for anyone: 32, and 192 that all share. */
const PLACES = 224;

/** In place of tokens: the kind of caller, as the token. */
const checkAccess = (req: IncomingMessage): Caller => {
  const sender = req.headers.authorization?.slice('Bearer '.length);
  if (sender !== 'operator' && sender !== 'page') return { kind: 'anyone', isLetIn: true };
  requestNotes(req).sender = sender;
  return { kind: 'operator' };
};

/** Starts a server with some routes, set up like dot-mi's, until the test ends. */
const serveRoutes = async (routes: Routes, readTheme = async (): Promise<string | undefined> => 'dark') => {
  const directory = await makeTempDirectory();
  await writeFile(join(directory, 'index.html'), '<html></html>');
  const admission = createAdmission();
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const stopping = new AbortController();
  const connections = limitConnections(
    createApp({
      guard() {},
      checkAccess,
      admitToken: (_req, _res, handle) => handle(),
      rootId: 'root',
      routes: [routes],
      stopping: stopping.signal,
      admission,
      page: createPage(directory, admission, readTheme),
      logger,
      reportShortage() {},
    }),
  );
  const server = createServer(connections.handle);
  connections.watch(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    stopping.abort();
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const get = (path: string, sender = 'anyone') =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html, */*\r\nAuthorization: Bearer ${sender}\r\n\r\n`;

const send = (method: string, path: string, body: object, sender = 'anyone') => {
  const json = JSON.stringify(body);
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${sender}\r\nContent-Type: application/json\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
};

const closeAll = async (held: readonly HeldConnection[]) => {
  for (const { close } of held) close();
  await until(() => held.every(({ isClosed }) => isClosed()));
};

/** Sends a request on a connection of its own, and returns the status of its response. */
const ask = async (url: string, request: string) => {
  const [connection] = await holdConnections(url, 1, request);
  await until(() => connection?.status() !== undefined || connection?.isClosed() === true);
  const status = connection?.status();
  connection?.close();
  return status;
};

/** A handler that waits until the test lets it continue. */
const slowHandler = <T>(answer: T) => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  return {
    begun: () => begun,
    finish: () => resolve(),
    handle: async (): Promise<T> => {
      begun += 1;
      await promise;
      return answer;
    },
  };
};

test('a client that leaves keeps its place until the work for it ends', async () => {
  const slow = slowHandler({ agents: [] });
  const url = await serveRoutes((bind) => bind(listAgents, slow.handle));
  const held = await holdConnections(url, 16, get('/api/agents').repeat(15));
  await until(() => slow.begun() === PLACES);
  await closeAll(held);
  expect([await ask(url, get('/api/agents')), slow.begun()]).toEqual([503, PLACES]);
  slow.finish();
  await until(async () => (await ask(url, get('/api/agents'))) === 200);
});

test('the body of a client that leaves counts until the work for it ends', async () => {
  const slow = slowHandler({ ok: true as const, etag: '"x"', created: false });
  const url = await serveRoutes((bind) => bind(writeAgentFile, slow.handle));
  const body = JSON.stringify({ path: 'SYSTEM.md', content: 'x' });
  // Without a length, it counts as the largest body.
  const put = `PUT /api/agents/scout/file HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const held = await holdConnections(url, 20, put);
  await until(
    () => held.every(({ status }) => status() === 503) || held.some(({ status }) => status() === 503),
  );
  await until(() => slow.begun() + held.filter(({ status }) => status() === 503).length === 20);
  await closeAll(held);
  expect(await ask(url, put)).toBe(503);
  slow.finish();
  await until(async () => (await ask(url, put)) === 200);
});

test('an event stream behind another request ends with its connection', async () => {
  const slow = slowHandler({ agents: [] });
  let streams = 0;
  const url = await serveRoutes((bind, bindStream) => {
    bind(listAgents, slow.handle);
    bindStream(streamEvents, () => {
      streams += 1;
      return () => {
        streams -= 1;
      };
    });
  });
  const held = await holdConnections(url, 1, get('/api/agents') + get('/api/events'));
  await until(() => streams === 1);
  await closeAll(held);
  const end = performance.now() + 5_000;
  await until(() => streams === 0 || performance.now() > end);
  expect(streams).toBe(0);
});

test('sign-ins of others leave the page its places', async () => {
  const slow = slowHandler({ token: 'x' });
  const url = await serveRoutes((bind) => {
    bind(signIn, slow.handle);
    bind(listAgents, async () => ({ agents: [] }) as never);
  });
  const body = {
    keyId: '3b241101-e2bb-4255-8caf-4136c566a962',
    challenge: 'a.b.c',
    signature: 'A'.repeat(86),
  };
  const held = await holdConnections(url, 20, send('POST', '/api/sign-in', body).repeat(14));
  await until(() => slow.begun() >= 208);
  await until(async () => (await ask(url, send('POST', '/api/sign-in', body))) === 503);
  expect(await ask(url, get('/api/agents', 'page'))).toBe(200);
  await closeAll(held);
  slow.finish();
});

test('the page’s files need a place too, and leave those of others free', async () => {
  const theme = slowHandler<string | undefined>('dark');
  const url = await serveRoutes(
    (bind) => bind(listAgents, async () => ({ agents: [] }) as never),
    theme.handle,
  );
  const held = await holdConnections(url, 16, get('/').repeat(15));
  await until(() => theme.begun() === 208);
  await closeAll(held);
  expect([await ask(url, get('/')), await ask(url, get('/agents/scout')), theme.begun()]).toEqual([
    503, 503, 208,
  ]);
  for (const sender of ['anyone', 'operator', 'page'])
    expect(await ask(url, get('/api/agents', sender))).toBe(200);
  theme.finish();
  await until(async () => (await ask(url, get('/'))) === 200);
});

const MODULE = JSON.stringify(new URL('../../src/server/platform/thread.ts', import.meta.url).href);
/** A thread that answers "slow" only after "release", and everything with how many "slow" it got. */
const COUNTING = new URL(
  `data:text/javascript,import { handleRequests } from ${MODULE};
   let slow = 0;
   const { promise, resolve } = Promise.withResolvers();
   const answer = () => ({ kind: 'value', json: new TextEncoder().encode(JSON.stringify(
     { matches: [], truncated: false, unreadable: [], unreadableCount: slow })) });
   handleRequests(async ({ text }) => {
     if (text.startsWith('slow')) { slow += 1; await promise; }
     if (text === 'release') resolve();
     return answer();
   });`,
);

test('a thread gets few questions of a caller at once, and none of clients that left', async () => {
  const thread = createBodyThread<Record<string, never>, { text: string }>(COUNTING, null);
  onTestFinished(() => thread.close());
  const url = await serveRoutes((bind) => bind(searchPrompts, ({ query }) => thread.ask({ text: query.q })));
  const search = (text: string, sender?: string) => get(`/api/search?q=${text}`, sender);
  const hold = async (from: number) => {
    const texts = Array.from({ length: 10 }, (_, at) => search(`slow${from + at}`));
    return (await Promise.all(texts.map((text) => holdConnections(url, 1, text)))).flat();
  };
  const [gone, patient] = [await hold(0), await hold(10)];
  const count = async (text: string) => {
    const [connection] = await holdConnections(url, 1, search(text, 'operator'));
    await until(() => /"unreadableCount":\d+/.test(connection?.text() ?? ''));
    return Number(/"unreadableCount":(\d+)/.exec(connection?.text() ?? '')?.[1]);
  };
  await until(async () => (await count('first')) >= 2);
  expect(await count('second')).toBe(2);
  await closeAll(gone);
  await count('release');
  await until(() => patient.every(({ status }) => status() === 200));
  // Two had begun before their clients left.
  expect(await count('third')).toBe(12);
});

test('changes of one agent take turns between callers, and those of clients that left aren’t begun', async () => {
  const root = await makeRoot({
    'setup.sh': {
      script:
        '#!/bin/sh\nfor name; do :; done\ntouch started\nwhile [ ! -e go ]; do sleep 0.02; done\nmkdir -p "agents/$name"\n',
    },
  });
  await mkdir(join(root, 'agents'), { recursive: true });
  const server = await serve(root);
  await trustRoot(server);
  const created = server.asOperator('POST', '/api/agents', { name: 'new' });
  await until(async () => (await stat(join(root, 'started')).catch(() => undefined)) !== undefined);

  const health = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const put = (path: string, content: string, token?: string) =>
    send('PUT', '/api/agents/new/file', { path, content }, token).replace(
      /Authorization: Bearer anyone\r\n/,
      '',
    );
  /** Sends a change, and waits until the request before it was answered. */
  const begin = async (request: string) => {
    const [connection] = await holdConnections(server.url, 1, health + request);
    await until(() => connection?.status() === 200);
    return connection as HeldConnection;
  };
  const isDone = ({ text }: HeldConnection) => (text().match(/HTTP\/1\.1 /g)?.length ?? 0) === 2;
  const gone = [await begin(put('AGENT.md', 'of a client that left'))];
  const crowd: HeldConnection[] = [];
  for (let number = 0; number < 12; number++) crowd.push(await begin(put('SYSTEM.md', `change ${number}`)));
  const own = await begin(put('APPEND_SYSTEM.md', 'own', server.operatorToken));
  await closeAll(gone);
  await server.call('GET', '/api/health');
  await writeFile(join(root, 'go'), '');
  await until(() => isDone(own));
  expect(crowd.filter(isDone).length).toBeLessThan(12);
  expect((await created).status).toBe(201);
  await until(() => crowd.every(isDone));
  expect(await readFile(join(root, 'agents/new/SYSTEM.md'), 'utf8')).toBe('change 11');
  expect(await readFile(join(root, 'agents/new/APPEND_SYSTEM.md'), 'utf8')).toBe('own');
  await expect(stat(join(root, 'agents/new/AGENT.md'))).rejects.toThrow('ENOENT');
});
