import { createHash, createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { proofMessage, signInMessage } from '../../src/shared/api/sign-in.ts';
import { makeClock } from '../support/clock.ts';
import { flood } from '../support/flood.ts';
import { freePort } from '../support/free-port.ts';
import { keepLog } from '../support/kept-log.ts';
import { sendRaw } from '../support/raw-http.ts';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';
import { makeTempDirectory } from '../support/temp.ts';

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const hmac = (token: string, nonce: string, origin: string) =>
  createHmac('sha256', token).update(proofMessage(nonce, origin)).digest('hex');

const send = async (origin: string, path: string, body: unknown, token?: string) => {
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Origin: origin,
      ...(token === undefined ? {} : bearer(token)),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};

/** What a browser does: it has a key pair of its own, and shows the origin of its page. */
const makeBrowser = () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x, y } = publicKey.export({ format: 'jwk' });
  return {
    register: (origin: string, token: string) =>
      send(
        origin,
        '/api/page-keys',
        { name: 'Firefox', publicKey: { kty: 'EC', crv: 'P-256', x, y } },
        token,
      ),
    challenge: async (origin: string): Promise<string> =>
      (await (await fetch(`${origin}/api/sign-in/challenge`)).json()).challenge,
    signIn: (origin: string, keyId: string, challenge: string, signedFor = origin) => {
      const signature = sign('sha256', Buffer.from(signInMessage(challenge, signedFor)), {
        key: privateKey,
        dsaEncoding: 'ieee-p1363',
      }).toString('base64url');
      return send(origin, '/api/sign-in', { keyId, challenge, signature });
    },
  };
};

test('the printed link carries a token of this run only, never the operator token', async () => {
  const root = await makeRoot();
  const data = await makeTempDirectory();
  const first = await serve(root, { environment: { WALLET_DB_PATH: data } });
  const token = new URL(first.pageUrl).hash.slice('#token='.length);
  expect(token).toBe(first.pageToken);
  expect(token).not.toBe(first.operatorToken);
  expect(new URL(first.pageUrl).hostname).toMatch(/^[0-9a-f]{16}\.dot-mi\.localhost$/);
  expect((await first.call('GET', '/api/settings', undefined, bearer(token))).status).toBe(200);
  expect((await readFile(join(data, 'operator-token'), 'utf8')).trim()).toBe(first.operatorToken);
  await first.close();

  const second = await serve(root, { environment: { WALLET_DB_PATH: data } });
  expect(second.operatorToken).toBe(first.operatorToken);
  expect((await second.call('GET', '/api/settings', undefined, bearer(token))).status).toBe(401);
});

test('each start has a name of its own in the printed link, and answers no other', {
  tags: 'slow',
}, async () => {
  const root = await makeRoot();
  const [first, second] = [await serve(root), await serve(root)];
  const names = [first, second].map(({ pageUrl }) => new URL(pageUrl).hostname);
  expect(names[0]).not.toBe(names[1]);
  const answer = async (server: { url: string }, name: string) => {
    const { port } = new URL(server.url);
    const text = `GET /api/health HTTP/1.1\r\nHost: ${name}:${port}\r\nConnection: close\r\n\r\n`;
    return (await sendRaw(server.url, text)).status;
  };
  for (const [server, own, other] of [
    [first, names[0], names[1]],
    [second, names[1], names[0]],
  ] as const) {
    expect(await answer(server, own ?? '')).toBe(200);
    expect(await answer(server, 'dot-mi.localhost')).toBe(200);
    for (const wrong of [other ?? '', `x.${own}`, `${'0'.repeat(16)}.dot-mi.localhost`])
      expect([wrong, await answer(server, wrong)]).toEqual([wrong, 403]);
  }
});

test('a token that the operator pasted is exchanged for one of this run with the same rights', {
  tags: 'slow',
}, async () => {
  const secret = 'an-api-token-of-some-length';
  const server = await serve(await makeRoot(), { environment: { API_TOKEN: secret } });
  const exchange = async (token: string) => server.call('POST', '/api/sign-in/token', {}, bearer(token));
  expect((await exchange('wrong')).status).toBe(401);
  expect((await exchange(server.operatorToken)).body.token).toBe(server.pageToken);

  const open = await serve(await makeRoot());
  expect((await open.call('POST', '/api/sign-in/token', {}, bearer('wrong'))).status).toBe(401);

  const { token } = (await exchange(secret)).body;
  expect([secret, server.pageToken]).not.toContain(token);
  expect((await server.call('GET', '/api/agents', undefined, bearer(token))).status).toBe(200);
  expect((await server.call('GET', '/api/settings', undefined, bearer(token))).status).toBe(403);
});

test('health proves to a page that it is the same server, for origins where no other program can answer', async () => {
  const server = await serve(await makeRoot());
  const { port } = new URL(server.url);
  const prove = async (origin: string) => {
    const query = new URLSearchParams({ nonce: 'n1', origin });
    return (await server.call('GET', `/api/health?${query}`)).body.proofs;
  };
  const { hostname } = new URL(server.pageUrl);
  for (const name of ['127.0.0.1', 'localhost', 'dot-mi.localhost', hostname, '[::1]']) {
    const origin = `http://${name}:${port}`;
    expect([origin, await prove(origin)]).toEqual([
      origin,
      expect.arrayContaining([hmac(server.pageToken, 'n1', origin)]),
    ]);
  }
  // A script that has the operator token, of which the server may know only the hash.
  const scriptOrigin = `http://127.0.0.1:${port}`;
  const hashed = createHash('sha256').update(server.operatorToken).digest('hex');
  expect(await prove(scriptOrigin)).toContain(hmac(hashed, 'n1', scriptOrigin));
  // Somebody who listens at another port could pass the question on.
  for (const origin of [
    'http://127.0.0.1:1',
    `http://x.${hostname}:${port}`,
    `https://127.0.0.1:${port}`,
    'http://evil.example',
    'nonsense',
  ])
    expect([origin, await prove(origin)]).toEqual([origin, []]);
  expect((await server.call('GET', '/api/health')).body).not.toHaveProperty('proofs');
});

test('a browser signs in with its key after a restart, at its own origin only, each challenge once', async () => {
  const root = await makeRoot();
  const data = await makeTempDirectory();
  const port = String(await freePort());
  const environment = { WALLET_DB_PATH: data, PORT: port };
  const clock = makeClock();
  const browser = makeBrowser();
  const first = await serve(root, { environment });
  const { url } = first;
  const { status, body: key } = await browser.register(url, first.pageToken);
  expect([status, key]).toEqual([
    201,
    expect.objectContaining({ name: 'Firefox', origin: url, lastUsedAt: null }),
  ]);
  expect((await stat(join(data, 'page-keys.json'))).mode & 0o777).toBe(0o600);
  await first.close();

  const server = await serve(root, { environment, clock });
  const refused = { status: 403, body: expect.objectContaining({ code: 'sign_in_refused' }) };
  const challenge = await browser.challenge(url);
  // What a program signs that has the key's id and not the key.
  expect(await makeBrowser().signIn(url, key.id, challenge)).toEqual(refused);
  // What a page at another address signed, or a page of ours at another of our names.
  expect(await browser.signIn(url, key.id, await browser.challenge(url), 'http://127.0.0.1:1')).toEqual(
    refused,
  );
  expect(await browser.signIn(`http://localhost:${port}`, key.id, await browser.challenge(url))).toEqual(
    refused,
  );
  expect(await browser.signIn(url, key.id, 'a challenge of our own')).toEqual(refused);
  const old = await browser.challenge(url);
  clock.pass(61_000);
  expect(await browser.signIn(url, key.id, old)).toEqual(refused);

  // The program couldn't use up the browser's challenge.
  const late = await browser.challenge(url);
  expect(await makeBrowser().signIn(url, key.id, late)).toEqual(refused);
  expect(await browser.signIn(url, key.id, late)).toEqual({
    status: 200,
    body: { token: server.pageToken },
  });
  expect(await browser.signIn(url, key.id, late)).toEqual(refused);
  const [expiry, nonce, seal] = (await browser.challenge(url)).split('.');
  const longer = (Number.parseInt(expiry ?? '', 36) + 60_000).toString(36);
  for (const forged of [`${longer}.${nonce}.${seal}`, `${expiry}.${nonce}.`, `${expiry}.${nonce}`, '..', ''])
    expect([forged, await browser.signIn(url, key.id, forged)]).toEqual([forged, refused]);
  const list = () => server.call('GET', '/api/page-keys', undefined, bearer(server.pageToken));
  expect((await list()).body.keys).toEqual([{ ...key, lastUsedAt: new Date(clock.now()).toISOString() }]);

  const remove = () => server.call('DELETE', `/api/page-keys/${key.id}`, undefined, bearer(server.pageToken));
  expect((await remove()).status).toBe(200);
  expect((await remove()).body.code).toBe('page_key_not_found');
  const after = await browser.signIn(url, key.id, await browser.challenge(url));
  expect([after.status, after.body.code]).toEqual([404, 'page_key_not_found']);
  expect((await list()).body.keys).toEqual([]);
});

test('a browser signs in although a program requested 1,020 challenges after it', {
  tags: 'slow',
}, async () => {
  const server = await serve(await makeRoot());
  const browser = makeBrowser();
  const { body: key } = await browser.register(server.url, server.pageToken);
  const challenge = await browser.challenge(server.url);
  await flood(1_020, 16, () => browser.challenge(server.url));
  expect((await browser.signIn(server.url, key.id, challenge)).status).toBe(200);
});

test('a signature signs in once, of many that are sent together', async () => {
  const server = await serve(await makeRoot());
  const browser = makeBrowser();
  const { body: key } = await browser.register(server.url, server.pageToken);
  const challenge = await browser.challenge(server.url);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => browser.signIn(server.url, key.id, challenge)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});

test('a key is created only for an address that is ours, and a damaged or foreign file signs everybody out', async () => {
  const data = await makeTempDirectory();
  const server = await serve(await makeRoot(), {
    environment: { WALLET_DB_PATH: data, ALLOWED_HOSTS: 'box.example', API_TOKEN: 'x'.repeat(16) },
  });
  const browser = makeBrowser();
  const proxied = await server.call(
    'POST',
    '/api/page-keys',
    { name: 'x', publicKey: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } },
    bearer(server.pageToken),
  );
  expect([proxied.status, proxied.body.code]).toEqual([403, 'sign_in_refused']);

  const { body: key } = await browser.register(server.url, server.pageToken);
  const path = join(data, 'page-keys.json');
  const kept = await readFile(path, 'utf8');
  for (const spoil of [() => writeFile(path, 'x'), () => chmod(path, 0o666)]) {
    await writeFile(path, kept);
    await spoil();
    const answer = await browser.signIn(server.url, key.id, await browser.challenge(server.url));
    expect([answer.status, answer.body.code]).toEqual([404, 'page_key_not_found']);
  }
});

test('no key is created at the address of the printed link, which ends with the process', async () => {
  const server = await serve(await makeRoot());
  const { host, origin, port } = new URL(server.pageUrl);
  const body = JSON.stringify({ name: 'Firefox', publicKey: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } });
  const keyed = await sendRaw(
    server.url,
    [
      'POST /api/page-keys HTTP/1.1',
      `Host: ${host}`,
      `Origin: ${origin}`,
      'Content-Type: application/json',
      `Authorization: Bearer ${server.pageToken}`,
      `Content-Length: ${body.length}`,
      'Connection: close',
      `\r\n${body}`,
    ].join('\r\n'),
  );
  expect([keyed.status, keyed.body.code]).toEqual([403, 'sign_in_refused']);
  expect(keyed.body.error).toContain(`http://dot-mi.localhost:${port}`);
});

test('a browser stays signed in for seven days', async () => {
  const data = await makeTempDirectory();
  const clock = makeClock();
  const server = await serve(await makeRoot(), { environment: { WALLET_DB_PATH: data }, clock });
  const browser = makeBrowser();
  const { body: key } = await browser.register(server.url, server.pageToken);
  const signIn = async () => browser.signIn(server.url, key.id, await browser.challenge(server.url));
  const list = async () =>
    (await server.call('GET', '/api/page-keys', undefined, bearer(server.pageToken))).body.keys.length;
  clock.pass(7 * 24 * 3_600_000 - 1000);
  expect((await signIn()).status).toBe(200);
  expect(await list()).toBe(1);
  // Also if it was used in between.
  clock.pass(2000);
  const late = await signIn();
  expect([late.status, late.body.code]).toEqual([404, 'page_key_not_found']);
  expect(await list()).toBe(0);
});

test('renewing the operator token ends the old one at once, and no page', async () => {
  const data = await makeTempDirectory();
  const server = await serve(await makeRoot(), { environment: { WALLET_DB_PATH: data } });
  const read = (token: string) => server.call('GET', '/api/settings', undefined, bearer(token));
  const renewed = await server.call('POST', '/api/operator-token/renew', {}, bearer(server.operatorToken));
  expect([renewed.status, renewed.body]).toEqual([200, { ok: true }]);
  const token = (await readFile(join(data, 'operator-token'), 'utf8')).trim();
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  expect((await stat(join(data, 'operator-token'))).mode & 0o777).toBe(0o600);
  expect((await read(server.operatorToken)).status).toBe(401);
  expect((await read(token)).status).toBe(200);
  expect((await read(server.pageToken)).status).toBe(200);
});

test('if API_TOKEN is set, health names the root only to callers with a token', async () => {
  const secret = 'an-api-token-of-some-length';
  const root = await makeRoot();
  const server = await serve(root, { environment: { API_TOKEN: secret } });
  const { body } = await server.call('GET', '/api/health');
  expect([body.ok, body.dotMiRoot]).toEqual([true, undefined]);
  expect(JSON.stringify(body)).not.toContain(root);
  for (const token of [secret, server.pageToken, server.operatorToken])
    expect((await server.call('GET', '/api/health', undefined, bearer(token))).body.dotMiRoot).toBe(root);
});

test('no script of a service worker is served', async () => {
  const { call } = await serve(await makeRoot());
  for (const path of ['/sw.js', '/', '/api/health']) {
    const { status, body } = await call('GET', path, undefined, { 'Service-Worker': 'script' });
    expect([path, status, body.code]).toEqual([path, 403, 'forbidden_origin']);
  }
});

test('sign-ins with unknown keys cost one read, and one line in the log', async () => {
  const data = join(await makeTempDirectory(), 'wallet');
  const logLines = keepLog('sign-in');
  const server = await serve(await makeRoot(), { logLines, environment: { WALLET_DB_PATH: data } });
  await writeFile(join(data, 'page-keys.json'), 'x');
  const body = { keyId: randomUUID(), challenge: 'a.b.c', signature: 'A'.repeat(86) };
  const refused = await Promise.all(
    Array.from({ length: 20 }, () => server.call('POST', '/api/sign-in', body)),
  );
  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 404));
  expect(logLines.text().match(/page-keys\.json can’t be read/g)).toHaveLength(1);
});
