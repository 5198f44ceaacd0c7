import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { expect, showTab, test } from './fixtures.ts';

/** A program that takes the port, answers everything with 200, and keeps each request. */
const takePort = async (
  port: number,
  host: string,
  relayTo?: string,
): Promise<{ server: Server; seen: string[] }> => {
  const seen: string[] = [];
  const server = createServer((req: IncomingMessage, res) => {
    let body = '';
    req.on('data', (chunk) => {
      body += chunk;
    });
    req.on('end', () => {
      seen.push(JSON.stringify([req.method, req.url, req.headers, body]));
      if (relayTo === undefined && !req.url?.startsWith('/api')) {
        res.writeHead(404).end();
        return;
      }
      if (relayTo === undefined) {
        const proofs = ['0'.repeat(64)];
        res.setHeader('Content-Type', 'application/json');
        res.end(
          JSON.stringify({
            ok: true,
            version: '0',
            devMode: true,
            firstRun: false,
            rootTrusted: true,
            asksForToken: false,
            uptimeSeconds: 1,
            proofs,
          }),
        );
        return;
      }
      // The clever one: it passes everything on to the real server, as if it were called itself.
      const { port: at } = new URL(relayTo);
      const headers = { ...req.headers, host: `127.0.0.1:${at}` };
      delete headers.origin;
      const onward = request(
        { host: '127.0.0.1', port: at, method: req.method, path: req.url, headers },
        (answer) => {
          res.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(res);
        },
      );
      onward.on('error', () => res.destroy());
      onward.end(body);
    });
  });
  // The server may still have the port for a moment.
  await expect(async () => {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  }).toPass();
  return { server, seen };
};

const release = async (server: Server) => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
};

/** Every text in what the other program saw that could be a token. */
const tokensIn = (seen: readonly string[]): string[] => [
  ...new Set(seen.flatMap((text) => [...text.matchAll(/Bearer (\S+?)"/g)].map(([, token]) => token ?? ''))),
];

const worksAt = async (url: string, token: string): Promise<boolean> =>
  (await fetch(`${url}/api/settings`, { headers: { Authorization: `Bearer ${token}` } })).status === 200;

for (const isHidden of [false, true])
  test(`after SIGKILL, a program that takes the port gets no token that works afterwards${isHidden ? ', also if the tab was hidden' : ''}`, async ({
    page,
    served,
  }) => {
    const settings = `${served.steadyOrigin}/settings/keys`;
    await page.goto(settings);
    await page.getByLabel('Link or token').fill(served.printedUrl);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Keep this browser signed in' }).click();
    await expect(page.getByText('(this browser)')).toBeVisible();
    const port = Number(new URL(served.url).port);

    if (isHidden) await showTab(page, false);
    await served.kill();
    const [four, six] = [await takePort(port, '127.0.0.1'), await takePort(port, '::1')];
    const seen = () => [...four.seen, ...six.seen];
    if (isHidden) await showTab(page, true);
    // The page reconnects on its own, and asks for a proof.
    await expect.poll(() => seen().some((text) => text.includes('nonce='))).toBe(true);
    await expect.poll(() => seen().length).toBeGreaterThan(3);
    expect(tokensIn(seen())).toEqual([]);
    await release(four.server);
    await release(six.server);

    await served.startAgain();
    await page.goto(settings);
    await expect(page.getByRole('heading', { name: 'Signed-in browsers' })).toBeVisible();
  });

test.describe('another port', () => {
  // Not one of the environment, which could not be changed.
  test.use({ environment: { PORT: '' }, settings: { port: 20_000 + Math.floor(Math.random() * 20_000) } });

  test('after the server moved, a program at the old port that forwards everything gets no token that works', async ({
    page,
    context,
    served,
  }) => {
    const settings = `${new URL(served.printedUrl).origin}/settings/keys`;
    await page.goto(served.printedUrl);
    // This tab doesn't know of the move.
    const other = await context.newPage();
    await other.goto(served.printedUrl);
    await other.goto(settings);
    await expect(other.getByRole('heading', { name: 'Signed-in browsers' })).toBeVisible();
    const token = new URL(served.printedUrl).hash.slice('#token='.length);
    const oldPort = Number(new URL(served.url).port);
    const free = await takePort(0, '127.0.0.1');
    const newPort = (free.server.address() as { port: number }).port;
    await release(free.server);

    const answer = await fetch(`${served.url}/api/settings`, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify({ port: newPort }),
    });
    const { url, pageToken } = await answer.json();
    expect([answer.status, url]).toEqual([200, `http://127.0.0.1:${newPort}`]);
    const [four, six] = [await takePort(oldPort, '127.0.0.1', url), await takePort(oldPort, '::1', url)];
    const seen = () => [...four.seen, ...six.seen];
    await expect.poll(() => seen().some((text) => text.includes('nonce='))).toBe(true);
    await expect.poll(() => seen().length).toBeGreaterThan(3);
    for (const shown of [token, ...tokensIn(seen())]) expect(await worksAt(url, shown)).toBe(false);
    expect(await worksAt(url, pageToken)).toBe(true);
    // A request that was already on its way brings the token of before, which no longer works.
    expect(tokensIn(seen()).filter((shown) => shown !== token)).toEqual([]);
    await release(four.server);
    await release(six.server);
  });
});

test.describe('a server for the network, which leaves [::1] to another program', () => {
  test.use({ environment: { HOST: '0.0.0.0', API_TOKEN: 'an-api-token-of-tests' } });

  test('gives nothing to that program from a page at the printed address', async ({ page, served }) => {
    const port = Number(new URL(served.url).port);
    const six = await takePort(port, '::1', served.url);
    expect(new URL(served.printedUrl).hostname).toBe('127.0.0.1');
    const token = new URL(served.printedUrl).hash.slice('#token='.length);
    await page.goto(served.printedUrl);
    await page.goto(`${served.url}/settings/keys`);
    await expect(page.getByRole('heading', { name: 'Signed-in browsers' })).toBeVisible();
    expect(six.seen).toEqual([]);

    // A page at a name that the browser looks up on ::1 first reaches the other program, which passes everything on.
    await page.goto(`http://dot-mi.localhost:${port}/settings/keys`);
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
    expect(six.seen.length).toBeGreaterThan(0);
    expect(six.seen.join()).not.toContain(token);
    expect(tokensIn(six.seen)).toEqual([]);
    await release(six.server);
  });
});
