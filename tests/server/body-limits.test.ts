import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

const HUNDRED_MB = 100 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, 'x');

/** Sends a head, then as much of a body as the server takes, and tells what came back and how much it took. */
const pour = async (url: string, head: string, frame: (chunk: Buffer) => Buffer) => {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  // A connection that is cut while we still send is what we want to see.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  let sent = 0;
  socket.write(head);
  while (sent < HUNDRED_MB && !socket.destroyed && socket.writable) {
    const more = socket.write(frame(CHUNK));
    sent += CHUNK.length;
    if (!more) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
  }
  socket.end();
  await closed;
  return { answer, sent };
};

const chunked = (chunk: Buffer) =>
  Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);

/** What kernel buffers of both sides may hold beyond what the server read. */
const BUFFERS = 12 * 1024 * 1024;

test.each([
  ['POST', '/api/agents', 2 * 1024 * 1024],
  ['PUT', '/api/agents/scout/file', 13 * 1024 * 1024],
  ['DELETE', '/api/agents/scout', 2 * 1024 * 1024],
  ['POST', '/api/agents/scout/links/skills', 2 * 1024 * 1024],
])(
  '%s %s refuses 100 MB: at once if announced, at its limit otherwise',
  { tags: 'slow' },
  async (method, path, limit) => {
    const { url, call } = await serve(await makeRoot());
    const { host } = new URL(url);
    const head = (length: string) =>
      `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
    const before = process.memoryUsage.rss();

    const announced = await pour(url, head(`Content-Length: ${HUNDRED_MB}`), (chunk) => chunk);
    expect(announced.answer).toContain('HTTP/1.1 413');
    expect(announced.answer).toContain('"code":"body_too_large"');
    expect(announced.sent).toBeLessThan(BUFFERS);

    const unannounced = await pour(url, head('Transfer-Encoding: chunked'), chunked);
    expect(unannounced.answer).toContain('"code":"body_too_large"');
    expect(unannounced.sent).toBeLessThan(limit + BUFFERS);

    // Neither was kept: far less than one such body was added.
    expect(process.memoryUsage.rss() - before).toBeLessThan(HUNDRED_MB / 2 + limit);
    expect((await call('GET', '/api/health')).status).toBe(200);
  },
);

test('a route without a body, and an error before the body, do not read 100 MB either', {
  tags: 'slow',
}, async () => {
  const { url } = await serve(await makeRoot());
  const { host } = new URL(url);
  for (const line of ['GET /api/health', 'POST /api/nothing', 'PUT /api/agents/-x/file']) {
    const head = `${line} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${HUNDRED_MB}\r\n\r\n`;
    const { answer, sent } = await pour(url, head, (chunk) => chunk);
    expect([line, /^HTTP\/1\.1 (413|404|400)/.test(answer)]).toEqual([line, true]);
    expect(sent).toBeLessThan(BUFFERS);
  }
});

test('a client that asks first is refused before it sends', async () => {
  const { url } = await serve(await makeRoot());
  const { hostname, host, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(
    `PUT /api/agents/scout/file HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${HUNDRED_MB}\r\nExpect: 100-continue\r\n\r\n`,
  );
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('HTTP/1.1 413');
  socket.destroy();
});

test('a client that asks first and may send gets 100 Continue', async () => {
  const { url } = await serve(await makeRoot());
  const { hostname, host, port } = new URL(url);
  const body = JSON.stringify({ path: 'AGENT.md', content: 'asked first' });
  const socket = connect(Number(port), hostname);
  socket.write(
    `PUT /api/agents/scout/file HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
  );
  const [goOn] = await once(socket, 'data');
  expect(String(goOn)).toContain('HTTP/1.1 100 Continue');
  socket.write(body);
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('HTTP/1.1 200');
  socket.destroy();
});

test('fetch gets the response to a body that is too large', async () => {
  const { call } = await serve(await makeRoot());
  const { status, body } = await call('POST', '/api/agents', 'x'.repeat(20 * 1024 * 1024));
  expect([status, body.code]).toEqual([413, 'body_too_large']);
});
