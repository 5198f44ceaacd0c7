import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { firstQuick } from '../support/first-quick.ts';
import { holdConnections } from '../support/held-connections.ts';
import { installPi } from '../support/pi-program.ts';
import { until } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve, type TestServer } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';
import { trustRoot } from '../support/trust.ts';

/** One kind of caller can't use the places of another. The requests of the others are served while the first ones wait. */

const get = (path: string, token?: string) =>
  `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${token === undefined ? '' : `Authorization: Bearer ${token}\r\n`}\r\n`;

const HALF_A_BODY =
  'POST /api/agents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":';

/** Each on a connection of its own, as those of other programs. */
const ask = async (server: TestServer, path: string, token?: string) => {
  const [connection] = await holdConnections(server.url, 1, get(path, token));
  await until(() => connection?.status() !== undefined || connection?.isClosed() === true);
  const status = connection?.status();
  connection?.close();
  return status;
};

const agentKey = async ({ call, operatorToken }: TestServer): Promise<string> => {
  const key = { label: 'scout', agent: 'scout', scopes: ['read-agents'] };
  const { status, body } = await call('POST', '/api/keys', key, { Authorization: `Bearer ${operatorToken}` });
  expect([status, body.code]).toEqual([201, undefined]);
  return body.key;
};

test('300 wrong tokens at once use nobody’s place', { tags: 'slow' }, async () => {
  const server = await serve(await makeRoot());
  const wrong = await holdConnections(server.url, 300, get('/api/settings', 'wrong'));
  expect(await ask(server, '/api/settings', server.operatorToken)).toBe(200);
  expect(await ask(server, '/api/settings', server.pageToken)).toBe(200);
  expect(await ask(server, '/api/agents')).toBe(200);
  await until(() => wrong.every(({ isClosed, status }) => isClosed() || status() === 401));
});

test('the event streams of callers without a token leave room for those of others', async () => {
  const server = await serve(await makeRoot());
  const key = await agentKey(server);
  const streams = await holdConnections(server.url, 40, get('/api/events'));
  await until(() => streams.every(({ status }) => status() !== undefined));
  for (const token of [server.operatorToken, server.pageToken, key])
    expect(await ask(server, '/api/events', token)).toBe(200);
  expect(streams.filter(({ status, isClosed }) => status() === 200 && !isClosed())).toHaveLength(24);
});

test('300 requests in progress of callers without a token leave room for those of others', {
  tags: 'slow',
}, async () => {
  const directory = await makeTempDirectory();
  const searchPath = await installPi(
    directory,
    '1.5.2',
    `#!/bin/sh\nwhile [ ! -e '${directory}/go' ]; do sleep 0.05; done\necho '{"status":"ready"}'\n`,
  );
  const root = await makeRoot({ 'agents/scout/pi-args': '--model\nopenai/gpt-5.4\n' });
  const server = await serve(root, { readSearchPath: async () => searchPath });
  await trustRoot(server);
  const key = await agentKey(server);
  const slow = await holdConnections(server.url, 300, get('/api/agents/scout/readiness'));
  const refused = () => slow.filter(({ status, isClosed }) => status() === 503 || isClosed());
  await until(() => refused().length >= 44);
  expect(await ask(server, '/api/settings', server.operatorToken)).toBe(200);
  await until(() => refused().length === 76);
  expect(slow.find(({ status }) => status() === 503)?.text()).toContain('"too_many_connections"');
  for (const token of [server.operatorToken, server.pageToken])
    expect(await ask(server, '/api/settings', token)).toBe(200);
  expect(await ask(server, '/api/agents/scout', key)).toBe(200);
  // A page asks this before it signs in.
  expect(await ask(server, '/api/health')).toBe(200);
  expect(await ask(server, '/api/sign-in/challenge')).toBe(200);
  expect(await ask(server, '/api/agents')).toBe(503);
  await writeFile(join(directory, 'go'), '');
  await until(() => slow.filter(({ status }) => status() === 200).length === 224);
  expect(await ask(server, '/api/agents')).toBe(200);
});

for (const [tags, rows] of firstQuick(1, [
  ['heads that never end', 400, get('/api/agents').slice(0, -2)],
  ['bodies that never end', 400, HALF_A_BODY],
  ['connections without a request', 520, ''],
]))
  test.each(rows)(
    '%s are closed for new connections, before any of those',
    { tags },
    async (_, count, beginning) => {
      const server = await serve(await makeRoot());
      const hogs = await holdConnections(server.url, count, beginning);
      // Browsers open several before they send.
      const own = await holdConnections(server.url, 20);
      for (const { write } of own) write(get('/api/settings', server.operatorToken));
      await until(() => own.every(({ status, isClosed }) => status() !== undefined || isClosed()));
      expect(own.map(({ status }) => status())).toEqual(own.map(() => 200));
      expect(hogs.filter(({ isClosed }) => !isClosed()).length).toBeGreaterThan(200);
    },
  );

test('a body of the operator that is still arriving is not cut off for other connections', async () => {
  const server = await serve(await makeRoot());
  const body = JSON.stringify({ unknown: 'x' });
  const [upload] = await holdConnections(
    server.url,
    1,
    `PUT /api/agents/scout/file?path=SYSTEM.md HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.operatorToken}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n{`,
  );
  await holdConnections(server.url, 400, HALF_A_BODY);
  upload?.write(body.slice(1));
  await until(() => upload?.status() !== undefined || upload?.isClosed() === true);
  expect(upload?.status()).toBe(400);
});

test('bodies that never end hold a part of the memory, and leave room for those of others', async () => {
  const server = await serve(await makeRoot());
  const begun = (token?: string) =>
    [
      'PUT /api/agents/scout/file HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      `Content-Length: ${5 * 1024 * 1024}`,
      '\r\n{"path":',
    ].join('\r\n');
  const held = await holdConnections(server.url, 20, begun());
  const refused = () => held.filter(({ status }) => status() === 503);
  // 16 MiB are reserved for callers without a token, and 64 MiB are for all.
  await until(() => refused().length === 4);
  expect(refused()[0]?.text()).toContain('"code":"too_many_connections"');

  const large = { path: 'SYSTEM.md', content: 'x'.repeat(1024 * 1024) };
  expect((await server.call('PUT', '/api/agents/scout/file', large)).status).toBe(503);
  expect((await server.asOperator('PUT', '/api/agents/scout/file', large)).status).toBe(200);
  const small = { path: 'SYSTEM.md', content: 'small' };
  expect((await server.call('PUT', '/api/agents/scout/file', small)).status).toBe(200);

  for (const { close } of held) close();
  await until(async () => (await server.call('PUT', '/api/agents/scout/file', large)).status === 200);
});
