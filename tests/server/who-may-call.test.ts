import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendRaw } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

const request = (line: string, headers: readonly string[], body = '') =>
  [`${line} HTTP/1.1`, ...headers, 'Connection: close', '', body].join('\r\n');

test('Host must name this machine, once, whatever its port', async () => {
  const { url } = await serve(await makeRoot());
  const { port } = new URL(url);
  const status = async (...headers: string[]) =>
    (await sendRaw(url, request('GET /api/agents', headers))).status;

  for (const host of [`127.0.0.1:${port}`, 'localhost', 'LOCALHOST:1', '[::1]:9999', 'localhost:80']) {
    expect([host, await status(`Host: ${host}`)]).toEqual([host, 200]);
  }
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.2',
    '0.0.0.0',
    'localhost:',
    'localhost:abc',
    'a@localhost',
    'localhost, evil.example',
    '',
  ]) {
    const answer = await sendRaw(url, request('GET /api/agents', [`Host: ${host}`]));
    expect([host, answer.status, answer.body?.code]).toEqual([host, 403, 'forbidden_host']);
  }
  expect(await status()).toBe(403);
  expect(await status('Host: localhost', 'Host: localhost')).toBe(403);
  expect(await status('Host: localhost', 'host: evil.example')).toBe(403);
  const absolute = await sendRaw(url, request('GET http://evil.example/api/agents', ['Host: localhost']));
  expect(absolute.status).toBe(403);
});

test('the page and unknown paths are guarded too', async () => {
  const { url } = await serve(await makeRoot());
  for (const path of ['/', '/assets/x.js', '/api/nothing', '/api/health', '/api/openapi.json']) {
    const answer = await sendRaw(url, request(`GET ${path}`, ['Host: evil.example']));
    expect([path, answer.status, answer.body?.code]).toEqual([path, 403, 'forbidden_host']);
  }
});

test('the link of an earlier start says in words that it stopped working, to a browser as a page', async () => {
  const { url } = await serve(await makeRoot());
  const earlier = `0123456789abcdef.dot-mi.localhost:${new URL(url).port}`;
  const program = await sendRaw(url, request('GET /api/agents', [`Host: ${earlier}`]));
  expect(program).toMatchObject({ status: 403, body: { code: 'forbidden_host' } });
  expect(program.body?.error).toBe(
    'dot-mi has restarted, so this link doesn’t work anymore. Open the new link that it printed.',
  );
  const asBrowser = (host: string) =>
    sendRaw(url, request('GET /agents/scout', [`Host: ${host}`, 'Accept: text/html,*/*']));
  const { status, head, body } = await asBrowser(earlier);
  expect([status, body]).toEqual([403, undefined]);
  expect(head).toContain('Content-Type: text/html; charset=utf-8');
  expect(head).toMatch(/Content-Security-Policy: default-src 'none'; style-src 'sha256-/);
  // No other name gets a page.
  expect((await asBrowser('evil.example')).body.code).toBe('forbidden_host');
});

test('an Origin must be exactly ours', async () => {
  const { url } = await serve(await makeRoot());
  const { host, port } = new URL(url);
  const answer = (origin: string) =>
    sendRaw(url, request('GET /api/agents', [`Host: ${host}`, `Origin: ${origin}`]));

  expect((await answer(`http://${host}`)).status).toBe(200);
  for (const origin of [
    'null',
    'http://evil.example',
    `https://${host}`,
    `http://localhost:${port}`,
    'http://127.0.0.1',
    `http://${host}.evil.example`,
    `http://${host}/`,
    'file://',
  ]) {
    const { status, body } = await answer(origin);
    expect([origin, status, body.code]).toEqual([origin, 403, 'forbidden_origin']);
  }
});

test('a request that the browser calls cross-site is refused on the API, and a link to the page is not', {
  tags: 'slow',
}, async () => {
  const { url } = await serve(await makeRoot());
  const { host } = new URL(url);
  const status = async (path: string, site: string) =>
    (await sendRaw(url, request(`GET ${path}`, [`Host: ${host}`, `Sec-Fetch-Site: ${site}`]))).status;
  expect(await status('/api/agents', 'cross-site')).toBe(403);
  expect(await status('/api/agents', 'same-origin')).toBe(200);
  expect(await status('/api/agents', 'none')).toBe(200);
  expect(await status('/', 'cross-site')).not.toBe(403);
});

test('a request that a foreign page can send without a preflight changes nothing', async () => {
  const root = await makeRoot();
  const { url, call } = await serve(root);
  const { host } = new URL(url);
  const foreign = [`Host: ${host}`, 'Origin: http://evil.example', 'Sec-Fetch-Site: cross-site'];
  const body = '{"name":"evil"}';

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json',
  ]) {
    const headers = [...foreign, `Content-Type: ${type}`, `Content-Length: ${body.length}`];
    const answer = await sendRaw(url, request('POST /api/agents', headers, body));
    expect([type, answer.status, answer.body.code]).toEqual([type, 403, 'forbidden_origin']);
    expect(answer.head.toLowerCase()).not.toContain('access-control');
  }
  // A form of an old browser says neither Origin nor Sec-Fetch-Site; its type gives it away.
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    '',
  ]) {
    const headers = [
      `Host: ${host}`,
      ...(type ? [`Content-Type: ${type}`] : []),
      `Content-Length: ${body.length}`,
    ];
    const answer = await sendRaw(url, request('POST /api/agents', headers, body));
    expect([type, answer.status, answer.body.code]).toEqual([type, 415, 'unsupported_media_type']);
  }
  const preflight = await sendRaw(
    url,
    request('OPTIONS /api/agents', [...foreign, 'Access-Control-Request-Method: DELETE']),
  );
  expect([preflight.status, preflight.head.toLowerCase().includes('access-control')]).toEqual([403, false]);
  expect((await call('GET', '/api/agents')).body.agents).toMatchObject([{ id: 'scout', workspace: false }]);
});

test('refuses before it reads a body: the guard responds before the body arrives', async () => {
  const { url } = await serve(await makeRoot());
  const answer = await sendRaw(
    url,
    request('POST /api/agents', [
      'Host: evil.example',
      'Content-Type: application/json',
      'Content-Length: 1000000',
    ]),
  );
  expect(answer.status).toBe(403);
});

test('with API_TOKEN every route except health and the OpenAPI document needs it', async () => {
  const { call, operatorToken } = await serve(await makeRoot(), {
    environment: { API_TOKEN: 'a-secret-of-tests' },
  });
  expect((await call('GET', '/api/health')).status).toBe(200);
  expect((await call('GET', '/api/openapi.json')).status).toBe(200);
  for (const [method, path] of [
    ['GET', '/api/agents'],
    ['POST', '/api/agents'],
    ['GET', '/api/agents/-bad'],
    ['GET', '/api/events'],
    ['GET', '/api/nothing'],
    ['PATCH', '/api/agents'],
  ] as const) {
    const none = await call(method, path);
    expect([path, none.status, none.body.code]).toEqual([path, 401, 'unauthorized']);
    expect(none.headers.get('www-authenticate')).toBe('Bearer');
    const wrong = await call(method, path, undefined, { Authorization: 'Bearer a-secre' });
    expect([path, wrong.status]).toEqual([path, 401]);
  }
  for (const token of ['a-secret-of-tests', operatorToken]) {
    expect((await call('GET', '/api/agents', undefined, { Authorization: `Bearer ${token}` })).status).toBe(
      200,
    );
  }
});

test('the operator token is created once, 256 bits, for its owner only', async () => {
  const root = await makeRoot();
  const data = join(root, '..', 'wallet');
  const first = await serve(root, { environment: { WALLET_DB_PATH: data } });
  expect(first.operatorToken).toMatch(/^[0-9a-f]{64}$/);
  expect((await readFile(join(data, 'operator-token'), 'utf8')).trim()).toBe(first.operatorToken);
  const { stat } = await import('node:fs/promises');
  expect((await stat(join(data, 'operator-token'))).mode & 0o777).toBe(0o600);
  await first.close();
  const second = await serve(root, { environment: { WALLET_DB_PATH: data } });
  expect(second.operatorToken).toBe(first.operatorToken);
});

test('ALLOWED_HOSTS lets further names in, and only those', async () => {
  const { url } = await serve(await makeRoot(), {
    environment: { ALLOWED_HOSTS: 'Box.Local', API_TOKEN: 'x'.repeat(16) },
  });
  const status = async (host: string) =>
    (await sendRaw(url, request('GET /api/health', [`Host: ${host}`, `Origin: http://${host}`]))).status;
  expect(await status('box.local:8000')).toBe(200);
  expect(await status('other.local:8000')).toBe(403);
});
