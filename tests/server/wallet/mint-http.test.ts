import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { MintError } from '../../../src/server/wallet/mint/mint.ts';
import { requestMint } from '../../../src/server/wallet/mint/mint-http.ts';

/** A server of this process that ends with the test. */
const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const ask = (url: string, timeoutMs = 2000) => requestMint({ url, method: 'GET' }, timeoutMs);

/** How a request fails. */
const failureOf = async (request: Promise<unknown>): Promise<MintError> => {
  const error: unknown = await request.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof MintError) return error;
  throw error;
};

test('sends the body and the headers once, and returns the text', async () => {
  const seen: unknown[] = [];
  const url = await listen(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { 'content-type': type, 'user-agent': agent, 'x-y': own } = request.headers;
    seen.push([request.method, request.url, type, agent, own, text]);
    response.end('{"ok":"é"}');
  });
  const text = await requestMint({
    url: `${url}/v1/swap`,
    method: 'POST',
    body: '{"a":1}',
    headers: { 'x-y': 'z' },
  });
  expect(text).toBe('{"ok":"é"}');
  expect(seen).toEqual([['POST', '/v1/swap', 'application/json', 'dot-mi', 'z', '{"a":1}']]);
});

test.each([301, 302, 303, 307, 308])('a redirect by %d is refused and not followed', async (status) => {
  let asked = 0;
  const elsewhere = await listen((_request, response) => {
    asked += 1;
    response.end('{}');
  });
  const url = await listen((_request, response) => {
    response.writeHead(status, { Location: `${elsewhere}/v1/swap` }).end();
  });
  const { kind, message } = await failureOf(requestMint({ url, method: 'POST', body: '{}' }));
  expect([kind, asked]).toEqual(['invalid', 0]);
  expect(message).toContain('MINT_URL');
});

test('an endless answer is cut off, announced or not', async () => {
  let sent = 0;
  const url = await listen((_request, response) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const write = () => {
      let hasRoom = true;
      while (hasRoom && !response.destroyed) {
        hasRoom = response.write(chunk);
        sent += 1;
      }
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  });
  const { kind } = await failureOf(ask(url, 20_000));
  expect(kind).toBe('invalid');
  expect(sent).toBeLessThan(64);
});

test('a request that was never sent is unreachable: no program listens, or no such name', async () => {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  const refused = await failureOf(ask(`http://127.0.0.1:${port}`));
  expect([refused.kind, refused.message]).toEqual(['unreachable', expect.stringContaining('ECONNREFUSED')]);
});

test('a host that accepts the connection and stays silent is unreachable as long as nothing could be sent', async () => {
  const silent = createTcpServer((socket) => socket.on('error', () => undefined));
  onTestFinished(() => void silent.close());
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const { kind, message } = await failureOf(ask(`https://127.0.0.1:${port}`, 200));
  expect([kind, message]).toEqual([
    'unreachable',
    'The wallet can’t reach the mint (the connection timed out).',
  ]);
});

test('a mint that does not prove its identity learns nothing: no handshake, or an untrusted certificate', async () => {
  const heard: string[] = [];
  const mute = createTcpServer((socket) => socket.end());
  const fixture = (name: string) => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url));
  const impostor = createTlsServer(
    { key: fixture('self-signed.key'), cert: fixture('self-signed.crt') },
    (request, response) => {
      heard.push(request.url ?? '');
      response.end('{}');
    },
  );
  for (const server of [mute, impostor]) {
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const { kind } = await failureOf(
      requestMint({ url: `https://127.0.0.1:${port}/v1/swap`, method: 'POST', body: '{"inputs":1}' }),
    );
    expect(kind).toBe('unreachable');
  }
  expect(heard).toEqual([]);
});

test('one connection serves requests in a row, without listeners piling up', async () => {
  const warnings: string[] = [];
  const note = ({ name }: Error) => warnings.push(name);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const ports = new Set<number | undefined>();
  const url = await listen((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('{}');
  });
  for (let count = 0; count < 30; count++) expect(await ask(url)).toBe('{}');
  expect([ports.size, warnings]).toEqual([1, []]);
});

/** A server that answers a first request, and then treats requests on the connection it kept as `act` says. */
const reusing = async (
  act: (request: IncomingMessage, response: ServerResponse, isReused: boolean) => void,
) => {
  const paths: (string | undefined)[] = [];
  let kept: unknown;
  const url = await listen((request, response) => {
    paths.push(request.url);
    const isReused = kept === request.socket;
    kept ??= request.socket;
    if (paths.length === 1) response.end('{}');
    else act(request, response, isReused);
  });
  await ask(`${url}/first`);
  return { url, paths };
};

test('a reading request on a connection that the mint has closed is sent again, on a new one', async () => {
  for (const [method, path] of [
    ['GET', '/v1/keys'],
    ['POST', '/v1/checkstate'],
    ['POST', '/Bitcoin/v1/restore'],
  ] as const) {
    const { url, paths } = await reusing((request, response, isReused) => {
      if (isReused) request.socket.destroy();
      else response.end('{"ok":1}');
    });
    const body = method === 'POST' ? { body: '{}' } : {};
    expect(await requestMint({ url: `${url}${path}`, method, ...body })).toBe('{"ok":1}');
    expect(paths).toEqual(['/first', path, path]);
  }
});

test('it is sent at most twice, and not when a byte of an answer has arrived or time is up', async () => {
  const dropping = await reusing((request) => void request.socket.destroy());
  expect((await failureOf(ask(dropping.url))).kind).toBe('unanswered');
  expect(dropping.paths).toHaveLength(3);

  const half = await reusing((_request, response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('{', () => void response.destroy());
  });
  expect((await failureOf(ask(half.url))).kind).toBe('unanswered');
  expect(half.paths).toHaveLength(2);

  const silent = await reusing(() => undefined);
  expect((await failureOf(ask(silent.url, 200))).kind).toBe('unanswered');
  expect(silent.paths).toHaveLength(2);
});

test('a swap is never sent twice', async () => {
  const { url, paths } = await reusing((request) => void request.socket.destroy());
  const { kind } = await failureOf(requestMint({ url: `${url}/v1/swap`, method: 'POST', body: '{}' }));
  expect([kind, paths]).toEqual(['unanswered', ['/first', '/v1/swap']]);
});

test('a request that may have been executed is unanswered: a timeout, a dropped connection, half an answer', async () => {
  const silent = await listen(() => undefined);
  const slow = await listen((_request, response) => void response.write('{'));
  const dropping = await listen((request) => void request.socket.destroy());
  const half = await listen((_request, response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('{', () => void response.destroy());
  });
  for (const [what, url] of Object.entries({ silent, slow, dropping, half })) {
    expect([what, (await failureOf(ask(url, 300))).kind]).toEqual([what, 'unanswered']);
  }
});

test('HTTP 101 is unanswered, on a new connection and on one that is used again', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const fresh = await listen((request) => void request.socket.write(upgrade));
  const used = await reusing((request) => void request.socket.write(upgrade));
  for (const url of [fresh, used.url]) {
    const swap = requestMint({ url: `${url}/v1/swap`, method: 'POST', body: '{}' }, 2_000);
    expect((await failureOf(swap)).kind).toBe('unanswered');
  }
  expect(used.paths).toEqual(['/first', '/v1/swap']);
});

test.each([
  [400, 'refused'],
  [401, 'refused'],
  [403, 'refused'],
  [404, 'refused'],
  [409, 'refused'],
  [413, 'refused'],
  [422, 'refused'],
  [408, 'unanswered'],
  [425, 'unanswered'],
  [429, 'limited'],
  [500, 'unanswered'],
  [502, 'unanswered'],
  [503, 'unanswered'],
  [504, 'unanswered'],
  [524, 'unanswered'],
])('HTTP %d is %s', async (status, kind) => {
  const url = await listen((_request, response) => {
    response.writeHead(status).end('{"code":11001,"detail":"Token already spent."}');
  });
  const error = await failureOf(ask(url));
  expect([error.kind, error.details.status]).toEqual([kind, status]);
  if (kind === 'refused')
    expect([error.message, error.details.mintCode]).toEqual(['Token already spent.', 11001]);
});
