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

const developmentServer = (port: number): Promise<Server> => {
  const server = createServer((req, res) => {
    const isWorker = req.url === '/sw.js';
    res.setHeader('Content-Type', isWorker ? 'text/javascript' : 'text/html');
    res.end(isWorker ? WORKER : '<!doctype html><title>dev</title>');
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
