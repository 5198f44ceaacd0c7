import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { findChromium } from '../../scripts/chromium.ts';
import { expect, test } from './fixtures.ts';

/** The worker of a development server: it sees each request, passes it on, and reports its headers to the next page. */
const WORKER = `
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  const seen = { url: event.request.url, authorization: event.request.headers.get('authorization') };
  event.waitUntil(caches.open('seen').then((cache) =>
    cache.put('/seen/' + Math.random(), new Response(JSON.stringify(seen)))));
  event.respondWith(fetch(event.request));
});
`;

const developmentServer = (port: number, worker = WORKER): Promise<Server> => {
  const server = createServer((req, res) => {
    const isWorker = req.url === '/sw.js';
    res.setHeader('Content-Type', isWorker ? 'text/javascript' : 'text/html');
    res.end(isWorker ? worker : '<!doctype html><title>dev</title>');
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
};

test('a service worker that another program left at this origin sees no token', { tag: '@smoke' }, async ({
  served,
}) => {
  const { port } = new URL(served.url);
  await served.kill();
  const directory = await mkdtemp(join(tmpdir(), 'dot-mi-e2e-worker-'));
  const executablePath = findChromium();
  const context = await chromium.launchPersistentContext(directory, {
    ...(executablePath ? { executablePath } : {}),
  });
  try {
    const page = await context.newPage();
    const other = await developmentServer(Number(port));
    await page.goto(`${served.url}/`);
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/sw.js');
      await navigator.serviceWorker.ready;
    });
    await page.reload();
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));

    await served.startAgain();
    const seen = () =>
      page.evaluate(async () => {
        const cache = await caches.open('seen');
        const answers = await Promise.all((await cache.keys()).map((key) => cache.match(key)));
        return Promise.all(answers.map((answer) => answer?.json() as Promise<Record<string, unknown>>));
      });
    const signedIn = page.getByRole('heading', { name: 'Signed-in browsers' });
    const token = new URL(served.printedUrl).hash.slice('#token='.length);

    // The printed address is an origin of its own, which the worker knows nothing of.
    await page.goto(served.printedUrl.replace('/#', '/settings/keys#'));
    await expect(signedIn).toBeVisible();

    // At the worker's own address the page removes it before it uses the token.
    await page.goto(`${served.url}/settings/keys`);
    await page.getByLabel('Link or token').fill(served.printedUrl);
    await page.keyboard.press('Enter');
    await expect(signedIn).toBeVisible();
    expect(await page.evaluate(() => navigator.serviceWorker.controller)).toBeNull();
    expect(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)).toBe(
      0,
    );
    // It did work until then: it saw the page and its scripts.
    expect((await seen()).length).toBeGreaterThan(0);
    expect((await seen()).filter(({ authorization }) => authorization !== null)).toEqual([]);
    expect(JSON.stringify(await seen())).not.toContain(token);
  } finally {
    await context.close();
    await rm(directory, { recursive: true, force: true });
  }
});

/** A page and a worker that outlive their server: the worker answers with its page, which keeps the address with its token. */
const SQUATTER_WORKER = `
self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return;
  event.respondWith(new Response('<!doctype html><title>squatter</title><script>localStorage.seen = location.href</script>',
    { headers: { 'Content-Type': 'text/html' } }));
});
`;

test('a page and a worker of a program that had the port between two starts get no token of a new link', async ({
  served,
}) => {
  const { port } = new URL(served.url);
  const before = new URL(served.printedUrl).origin;
  await served.kill();
  const directory = await mkdtemp(join(tmpdir(), 'dot-mi-e2e-squatter-'));
  const executablePath = findChromium();
  const context = await chromium.launchPersistentContext(directory, {
    ...(executablePath ? { executablePath } : {}),
  });
  try {
    const page = await context.newPage();
    const squatter = await developmentServer(Number(port), SQUATTER_WORKER);
    // An open tab, a bookmark and a typed address bring people there.
    const origins = [before, served.steadyOrigin, served.url];
    for (const origin of origins) {
      await page.goto(`${origin}/`);
      await page.evaluate(async () => {
        await navigator.serviceWorker.register('/sw.js');
        await navigator.serviceWorker.ready;
      });
    }
    squatter.closeAllConnections();
    await new Promise((resolve) => squatter.close(resolve));

    await served.startAgain();
    const token = new URL(served.printedUrl).hash.slice('#token='.length);
    await page.goto(served.printedUrl.replace('/#', '/settings/keys#'));
    await expect(page.getByRole('heading', { name: 'Signed-in browsers' })).toBeVisible();
    for (const origin of origins) {
      await page.goto(`${origin}/`);
      await expect(page).toHaveTitle('squatter');
      expect(await page.evaluate(() => localStorage.getItem('seen'))).not.toContain(token);
    }
  } finally {
    await context.close();
    await rm(directory, { recursive: true, force: true });
  }
});
