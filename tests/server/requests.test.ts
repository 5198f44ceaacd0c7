import { connect } from 'node:net';
import { join } from 'node:path';
import { createParser } from 'eventsource-parser';
import { expect, onTestFinished, test } from 'vitest';
import { KEPT_REQUESTS, type LoggedRequest } from '../../src/shared/api/requests.ts';
import { makeClock } from '../support/clock.ts';
import { plant } from '../support/plant.ts';
import { sendRaw, until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve, type TestServer } from '../support/server.ts';

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const readLog = async (
  server: TestServer,
  query = '',
): Promise<{ requests: LoggedRequest[]; nextCursor?: string }> => {
  const { status, body } = await server.call(
    'GET',
    `/api/requests${query}`,
    undefined,
    bearer(server.operatorToken),
  );
  expect([status, body.code]).toEqual([200, undefined]);
  return body;
};

/** A line for each request, oldest first: who, method, route, agent, status, code. */
const linesOf = (requests: readonly LoggedRequest[]) =>
  requests
    .map(({ method, route, agent, status, code, caller: { kind, label } }) =>
      [label ?? kind, method, route, agent, status, code].filter((part) => part !== null).join(' '),
    )
    .reverse();

const createKey = async (server: TestServer, key: object): Promise<string> => {
  const body = { label: 'Test', scopes: ['read-agents'], ...key };
  return (await server.call('POST', '/api/keys', body, bearer(server.operatorToken))).body.key;
};

test('the log says who requested what, also when the response was a refusal, and filters by agent and errors', async () => {
  const root = await makeRoot();
  await plant(join(root, 'agents', 'other'), { 'SYSTEM.md': 'Hi.\n', 'pi-args': '' });
  const server = await serve(root);
  expect((await server.call('GET', '/api/requests')).status).toBe(403);
  const key = await createKey(server, { label: 'Night shift', agent: 'other' });

  await server.call('GET', '/api/agents/scout');
  await server.call('GET', '/api/agents', undefined, bearer(key));
  await server.call('GET', '/api/agents', undefined, bearer(server.pageToken));
  await server.call('GET', '/api/health', undefined, bearer(server.pageToken));
  // Any program can send the headers of a browser.
  await server.call('GET', '/api/health', undefined, { 'Sec-Fetch-Site': 'same-origin' });
  await server.call('PUT', '/api/agents/scout/file', '{"path":');
  await server.call('GET', '/api/agents/nobody');
  await server.call('PATCH', '/api/agents/scout');
  await server.call('GET', '/api/agent');
  await server.call('GET', '/api/settings', undefined, bearer(key));
  await sendRaw(server.url, 'GET /api/agents HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
  await server.call('GET', '/not-of-the-api').catch(() => {});

  const { requests } = await readLog(server);
  expect(linesOf(requests)).toEqual([
    'other GET /api/requests 403 operator_required',
    'operator POST /api/keys 201',
    'other GET /api/agents/:id scout 200',
    'Night shift GET /api/agents 200',
    'other GET /api/health 200',
    'other PUT /api/agents/:id/file scout 400 invalid_json',
    'other GET /api/agents/:id 404 agent_not_found',
    'other PATCH /api/agents/:id 405 method_not_allowed',
    'other GET 404 not_found',
    'Night shift GET /api/settings 403 operator_required',
    'other GET 403 forbidden_host',
  ]);
  expect(requests.every(({ durationMs }) => durationMs >= 0 && durationMs < 60_000)).toBe(true);

  expect(linesOf((await readLog(server, '?page=true')).requests)).toEqual(
    expect.arrayContaining(['page GET /api/agents 200', 'page GET /api/health 200']),
  );
  expect(linesOf((await readLog(server, '?agent=other')).requests)).toEqual([
    'Night shift GET /api/agents 200',
    'Night shift GET /api/settings 403 operator_required',
  ]);
  expect(linesOf((await readLog(server, '?agent=scout&errors=true')).requests)).toEqual([
    'other PUT /api/agents/:id/file scout 400 invalid_json',
  ]);

  const first = await readLog(server, '?limit=4');
  const second = await readLog(server, `?limit=500&cursor=${first.nextCursor}`);
  expect([...first.requests, ...second.requests]).toEqual(requests);
  expect(second.nextCursor).toBeUndefined();
  const newer = await readLog(server, `?after=${requests[2]?.id}`);
  expect(newer.requests).toEqual(requests.slice(0, 2));
});

test('a request that its client gave up, and one about an agent that is deleted, are in the log', async () => {
  const root = await makeRoot();
  const server = await serve(root);
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname, () =>
    socket.write(
      'PUT /api/agents/scout/file HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ),
  );
  // The server reads the body by now.
  await server.call('GET', '/api/health');
  await server.call('GET', '/api/health');
  socket.destroy();
  const isLogged = async () => (await readLog(server)).requests.some(({ method }) => method === 'PUT');
  await until(isLogged);
  expect(linesOf((await readLog(server, '?errors=true')).requests)).toEqual([
    'other PUT /api/agents/:id/file scout',
  ]);

  await server.call('GET', '/api/agents/scout');
  await server.call('DELETE', '/api/agents/scout', { confirm: 'scout' });
  expect(linesOf((await readLog(server, '?limit=2')).requests)).toEqual([
    'other GET /api/agents/:id scout 200',
    'other DELETE /api/agents/:id scout 200',
  ]);
});

test('nobody can push out the requests of the operator or of agents', { tags: 'slow' }, async () => {
  const server = await serve(await makeRoot());
  const key = await createKey(server, { label: 'Night shift' });
  await server.call('GET', '/api/agents', undefined, bearer(key));
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let i = 0; i < KEPT_REQUESTS / 8 + 1; i++) await server.call('GET', '/api/settings');
    }),
  );
  const { nextCursor } = await readLog(server, '?limit=500');
  const second = await readLog(server, `?limit=500&cursor=${nextCursor}`);
  const last = await readLog(server, `?limit=500&cursor=${second.nextCursor}`);
  expect(linesOf(last.requests)).toEqual(['operator POST /api/keys 201', 'Night shift GET /api/agents 200']);
});

test(`the log keeps ${KEPT_REQUESTS} requests of programs, whatever dot-mi's page asks for`, {
  tags: 'slow',
}, async () => {
  const server = await serve(await makeRoot());
  const ask = (path: string, count: number, headers: Record<string, string> = {}) =>
    Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let i = worker; i < count; i += 8) await server.call('GET', path, undefined, headers);
      }),
    );
  await server.call('GET', '/api/agents/scout');
  await ask('/api/health', KEPT_REQUESTS - 1);
  await ask('/api/catalog/skills', 50, bearer(server.pageToken));
  const count = async (query: string) => {
    let total = 0;
    let cursor = '';
    for (;;) {
      const { requests, nextCursor } = await readLog(server, `?limit=500${query}${cursor}`);
      total += requests.length;
      if (nextCursor === undefined) return total;
      cursor = `&cursor=${nextCursor}`;
    }
  };
  expect([await count(''), await count('&page=true')]).toEqual([KEPT_REQUESTS, KEPT_REQUESTS + 50]);
  expect(await count('&agent=scout')).toBe(1);
  await server.call('GET', '/api/health');
  expect([await count(''), await count('&agent=scout')]).toEqual([KEPT_REQUESTS, 0]);
});

test('the event stream announces new requests only to those who read the log, and gathers them', {
  tags: 'slow',
}, async () => {
  const clock = makeClock();
  const server = await serve(await makeRoot(), { clock });
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  const names: string[] = [];
  const { body } = await fetch(`${server.url}/api/events`, {
    signal: leave.signal,
    headers: { Authorization: `Bearer ${server.operatorToken}` },
  });
  const parser = createParser({ onEvent: ({ event }) => names.push(event ?? '') });
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
  })().catch(() => {});
  const announced = () => names.filter((name) => name === 'requests').length;
  await until(() => names.length > 0);
  const before = announced();

  /** Waits until the stream said everything that is due now. */
  const settle = async () => {
    const seen = names.length;
    await server.call('POST', '/api/keys', { label: 'x', scopes: ['prices'] }, bearer(server.operatorToken));
    await until(() => names.slice(seen).includes('keys'));
  };
  await server.call('GET', '/api/health');
  clock.pass(1000);
  await settle();
  expect(announced()).toBe(before);

  await readLog(server);
  await readLog(server);
  for (let i = 0; i < 20; i++) await server.call('GET', '/api/health');
  clock.pass(1000);
  await until(() => announced() === before + 1);
  await server.call('GET', '/api/health');
  clock.pass(1000);
  await settle();
  expect(announced()).toBe(before + 1);

  // Requests of a page don't concern a reader who leaves them out.
  await readLog(server);
  await server.call('GET', '/api/health', undefined, bearer(server.pageToken));
  clock.pass(1000);
  expect(announced()).toBe(before + 1);
});

test('no secret of a request is in the log, in an event or in the log of the process, wherever it was sent', {
  tags: 'slow',
}, async () => {
  const lines: string[] = [];
  const root = await makeRoot();
  const server = await serve(root, {
    environment: { LOG_LEVEL: 'trace', API_TOKEN: 'SECRETapiTokenOfTests' },
    logLines: { write: (line: string) => void lines.push(line) },
  });
  const key = await createKey(server, { label: 'Test', scopes: ['read-agents', 'prices', 'receive'] });
  const secrets = [
    'SECRETapiTokenOfTests',
    'SECRETpath',
    'SECRETquery',
    'SECRETheader',
    'SECRETbody',
    'SECREThost',
    'SECRETmethod',
    server.operatorToken,
    server.pageToken,
    key,
  ];
  const leave = new AbortController();
  onTestFinished(() => leave.abort());
  let streamed = '';
  const stream = await fetch(`${server.url}/api/events`, {
    signal: leave.signal,
    headers: bearer(server.operatorToken),
  });
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of stream.body ?? []) streamed += decoder.decode(chunk, { stream: true });
  })().catch(() => {});
  await readLog(server, '?page=true');

  const senders = [
    server.operatorToken,
    server.pageToken,
    key,
    'SECRETapiTokenOfTests',
    'SECRETheader',
    undefined,
  ];
  for (const token of senders) {
    const headers = {
      ...(token === undefined ? {} : bearer(token)),
      'Idempotency-Key': 'SECRETheader',
      'If-Match': '"SECRETheader"',
      'Dot-Mi-Root': 'SECRETheader',
      'X-Other': 'SECRETheader',
    };
    const asked: Promise<unknown>[] = [];
    const ask = (...call: Parameters<TestServer['call']>) => asked.push(server.call(...call));
    for (const secret of ['SECRETpath', server.operatorToken, key, 'SECRETapiTokenOfTests']) {
      const file = `/api/agents/${secret}/file?path=SECRETquery`;
      for (const path of [
        file,
        `/api/agents/${secret}`,
        `/api/agents/${secret}/drafts/SYSTEM.md?token=SECRETquery`,
        `/api/${secret}?token=SECRETquery`,
        `/api/wallet/operations/${secret}`,
        `/api/pricing/tokens?model=${secret}`,
      ]) {
        ask('GET', path, undefined, headers);
        ask('DELETE', path, { confirm: 'SECRETbody', token: secret }, headers);
      }
      ask('PUT', file, { path: 'SYSTEM.md', content: 'SECRETbody' }, headers);
    }
    for (const body of [{ token: 'cashuBSECRETbody' }, { SECRETbody: 1 }, '{"token": "SECRETbody'])
      ask('POST', '/api/wallet/validate', body, headers);
    await Promise.all(asked);
  }
  for (const request of [
    'GET /api/agents?token=SECRETquery HTTP/1.1\r\nHost: SECREThost\r\n',
    'GET http://SECREThost/api/SECRETpath HTTP/1.1\r\nHost: localhost\r\n',
    'SECRETmethod /api/agents HTTP/1.1\r\nHost: localhost\r\n',
    'GET /api/%E0%A4%A?SECRETquery HTTP/1.1\r\nHost: localhost\r\n',
    'GET /api/agents HTTP/1.1\r\nHost: localhost\r\nOrigin: http://SECREThost\r\n',
    `GET /api/agents HTTP/1.1\r\nHost: localhost\r\nCookie: ${'SECRETheader'.repeat(2000)}\r\n`,
  ])
    await sendRaw(server.url, `${request}Connection: close\r\n\r\n`);
  await until(() => streamed.includes('event: requests'));

  let answers = '';
  for (let cursor = ''; ; ) {
    const page = await readLog(server, `?page=true&limit=500${cursor}`);
    answers += JSON.stringify(page);
    if (page.nextCursor === undefined) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  // It isn't empty: the routes are there.
  expect(answers).toContain('/api/agents/:id/file');
  for (const [name, text] of Object.entries({ answers, streamed, lines: lines.join('\n') }))
    for (const secret of secrets) expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
});
