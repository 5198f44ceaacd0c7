import { Agent, request } from 'node:http';
import { networkInterfaces } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { makeRoot } from '../support/root.ts';
import { serve } from '../support/server.ts';

/**
 * What a Host and an Origin make together:
 * - `yes`: accepted, whatever the browser says of the site (but see below)
 * - `vouched`: accepted only when the browser itself calls the request same-origin
 * - `no`: forbidden_origin
 * - `host`: forbidden_host, whatever the Origin
 *
 * In addition `Sec-Fetch-Site: cross-site` is forbidden_origin on every path below /api.
 */
type Cell = 'yes' | 'vouched' | 'no' | 'host';

/** `P` is the port we listen on; `-` sends no Origin. */
const ORIGINS = [
  '-',
  'null',
  'http://127.0.0.1:P',
  'http://localhost:P',
  'http://[::1]:P',
  'http://dot-mi.localhost:P',
  'http://localhost:5173',
  'http://127.0.0.2:P',
  'https://127.0.0.1:P',
  'https://localhost:5173',
  'http://box.example:P',
  'http://box.example',
  'https://box.example',
  'https://box.example:443',
  'https://box.example:8443',
  'https://box.example:P',
  'https://other.example',
  'https://box.example.evil.example',
  'https://evil.example',
  'http://evil.example:P',
  'http://x.dot-mi.localhost:P',
  'file://',
] as const;
type Origin = (typeof ORIGINS)[number];

/** A page on loopback whose Host a development proxy changed: the browser has to vouch for it. */
const LOOPBACK_PAGES = {
  '-': 'yes',
  'http://127.0.0.1:P': 'vouched',
  'http://localhost:P': 'vouched',
  'http://[::1]:P': 'vouched',
  'http://dot-mi.localhost:P': 'vouched',
  'http://localhost:5173': 'vouched',
} as const;

/** A TLS proxy whose own port isn't in Host: the browser has to vouch for it. */
const BOX_PAGES = {
  '-': 'yes',
  'https://box.example': 'vouched',
  'https://box.example:443': 'vouched',
  'https://box.example:8443': 'vouched',
  'https://box.example:P': 'vouched',
} as const;

/** An Origin that isn't named here is `no`; a string stands for all of them. */
const TABLE: Readonly<Record<string, Partial<Record<Origin, Cell>> | 'host'>> = {
  '127.0.0.1:P': { ...LOOPBACK_PAGES, 'http://127.0.0.1:P': 'yes' },
  'localhost:P': { ...LOOPBACK_PAGES, 'http://localhost:P': 'yes' },
  'LOCALHOST:P': { ...LOOPBACK_PAGES, 'http://localhost:P': 'yes' },
  '[::1]:P': { ...LOOPBACK_PAGES, 'http://[::1]:P': 'yes' },
  'dot-mi.localhost:P': { ...LOOPBACK_PAGES, 'http://dot-mi.localhost:P': 'yes' },
  'dot-mi.localhost': LOOPBACK_PAGES,
  'localhost:5173': { ...LOOPBACK_PAGES, 'http://localhost:5173': 'yes' },
  // HOST: the literal address we listen on. It is no name of the page, so no proxy is expected in front of it.
  '127.0.0.2:P': { '-': 'yes', 'http://127.0.0.2:P': 'yes' },
  'box.example': {
    ...BOX_PAGES,
    'http://box.example': 'yes',
    'https://box.example': 'yes',
    'https://box.example:443': 'yes',
  },
  'BOX.example:443': { ...BOX_PAGES, 'https://box.example': 'yes', 'https://box.example:443': 'yes' },
  'box.example:8443': { ...BOX_PAGES, 'https://box.example:8443': 'yes' },
  'box.example:P': { ...BOX_PAGES, 'http://box.example:P': 'yes', 'https://box.example:P': 'yes' },
  'evil.example': 'host',
  'evil.example:P': 'host',
  'x.dot-mi.localhost:P': 'host',
  'dot-mi.localhost.:P': 'host',
  'dot-mi.localhost.evil.example:P': 'host',
  'xdot-mi.localhost:P': 'host',
  'other.localhost:P': 'host',
  'x.box.example': 'host',
  'box.example.': 'host',
  '127.0.0.3:P': 'host',
  '0.0.0.0:P': 'host',
  '[::]:P': 'host',
};

const SITES = ['-', 'same-origin', 'same-site', 'cross-site', 'none', 'same-origin, same-origin'] as const;
const PATHS = [
  '/',
  '/assets/none.js',
  '/agents/scout',
  '/api/health',
  '/api/agents',
  '/api/nothing',
] as const;

const expected = (cell: Cell, site: string, path: string): string => {
  if (cell === 'host') return 'forbidden_host';
  if (cell === 'no' || (cell === 'vouched' && site !== 'same-origin')) return 'forbidden_origin';
  return site === 'cross-site' && path.startsWith('/api') ? 'forbidden_origin' : 'accepted';
};

test('the whole matrix of Host, Origin, Sec-Fetch-Site and path', { tags: 'slow' }, async ({ skip }) => {
  skip(process.platform === 'darwin', 'macOS has 127.0.0.1 only');
  const { url } = await serve(await makeRoot(), {
    environment: { HOST: '127.0.0.2', ALLOWED_HOSTS: 'Box.Example', API_TOKEN: 'a-token-of-sixteen' },
  });
  const { hostname, port } = new URL(url);
  expect(hostname).toBe('127.0.0.2');
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());

  const ask = (path: string, headers: Record<string, string>): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ agent, hostname, port, path, headers }, (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          const code = response.statusCode === 403 ? JSON.parse(text).code : 'accepted';
          const hasCors = Object.keys(response.headers).some((name) => name.startsWith('access-control'));
          resolve(hasCors ? 'a CORS header' : code);
        });
      })
        .on('error', reject)
        .end();
    });

  const withPort = (text: string) => text.replace(/:P$/, `:${port}`);
  const wrong: string[] = [];
  const rows = Object.entries(TABLE).flatMap(([host, row]) =>
    ORIGINS.flatMap((origin) => {
      const cell = row === 'host' ? row : (row[origin] ?? 'no');
      return SITES.flatMap((site) => PATHS.map((path) => ({ host, origin, site, path, cell })));
    }),
  );
  await Promise.all(
    rows.map(async ({ host, origin, site, path, cell }) => {
      const answer = await ask(path, {
        Host: withPort(host),
        ...(origin === '-' ? {} : { Origin: withPort(origin) }),
        ...(site === '-' ? {} : { 'Sec-Fetch-Site': site }),
      });
      const right = expected(cell, site, path);
      if (answer !== right) wrong.push(`${host} | ${origin} | ${site} | ${path}: ${answer}, not ${right}`);
    }),
  );
  expect(wrong).toEqual([]);
  expect(rows.length).toBe(Object.keys(TABLE).length * ORIGINS.length * SITES.length * PATHS.length);
});

test.for<[host: string, printed: string | RegExp]>([
  ['127.0.0.2', '127.0.0.2'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
  ['::1', '[::1]'],
  ['0:0:0:0:0:0:0:1', '[::1]'],
  ['localhost', /^(127\.0\.0\.1|\[::1\])$/],
])('HOST=%s prints an address that answers', async ([host, printed], { skip }) => {
  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ family }) => family === 'IPv6'),
  );
  skip(host.includes(':') && !hasIpv6, 'this machine has no IPv6');
  skip(host === '127.0.0.2' && process.platform === 'darwin', 'macOS has 127.0.0.1 only');
  const { url, call } = await serve(await makeRoot(), {
    environment: { HOST: host, API_TOKEN: 'a-token-of-sixteen' },
  });
  expect(new URL(url).hostname).toMatch(printed);
  const origin = { Origin: url, 'Sec-Fetch-Site': 'same-origin' };
  expect((await call('GET', '/api/health', undefined, origin)).status).toBe(200);
});
