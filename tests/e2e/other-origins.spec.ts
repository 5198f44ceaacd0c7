import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Page } from '@playwright/test';
import { findChromium } from '../../scripts/chromium.ts';
import { onDisk } from './editor.ts';
import { expect, test } from './fixtures.ts';

/** A web page of another origin, as anybody could make it. */
const startForeignPage = async (): Promise<{ server: Server; url: string }> => {
  const server = createServer((_req, res) =>
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><p>foreign</p>'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
};

test('a page of another origin can neither read nor change anything', async ({ browser, served }) => {
  const foreign = await startForeignPage();
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await page.goto(foreign.url);
    const tries = await page.evaluate(async (api) => {
      const attempt = async (name: string, init: RequestInit & { path?: string }) => {
        const { path = '/api/agents', ...rest } = init;
        try {
          const response = await fetch(`${api}${path}`, rest);
          return [name, response.type === 'opaque' ? 'opaque' : await response.text()];
        } catch {
          return [name, 'refused'];
        }
      };
      const json = { 'Content-Type': 'application/json' };
      return Promise.all([
        attempt('read', {}),
        attempt('read opaque', { mode: 'no-cors' }),
        attempt('read health', { path: '/api/health' }),
        attempt('simple POST', { method: 'POST', body: '{"name":"evil1"}' }),
        attempt('opaque POST', { method: 'POST', mode: 'no-cors', body: '{"name":"evil2"}' }),
        attempt('JSON POST', { method: 'POST', headers: json, body: '{"name":"evil3"}' }),
        attempt('PUT', {
          path: '/api/agents/scout/file',
          method: 'PUT',
          headers: json,
          body: '{"path":"SYSTEM.md","content":"evil"}',
        }),
        attempt('DELETE', {
          path: '/api/agents/scout',
          method: 'DELETE',
          headers: json,
          body: '{"confirm":"scout"}',
        }),
        new Promise<string[]>((resolve) => {
          const source = new EventSource(`${api}/api/events`);
          source.onopen = () => resolve(['events', 'open']);
          source.onerror = () => resolve(['events', 'refused']);
        }),
      ]);
    }, served.url);
    for (const [name, result] of tries)
      expect([name, ['refused', 'opaque'].includes(result ?? '')]).toEqual([name, true]);

    // A form, which browsers send without asking anybody.
    await page.setContent(
      `<form method="post" enctype="text/plain" action="${served.url}/api/agents"><input name='{"name":"evil4","x":"' value='"}'></form>`,
    );
    const answer = page.waitForResponse('**/api/agents');
    await page.locator('form').evaluate((form) => (form as HTMLFormElement).submit());
    expect((await answer).status()).toBe(403);
    await page.waitForURL('**/api/agents');

    // A sandboxed frame says `Origin: null`.
    await page.goto(foreign.url);
    const said = await page.evaluate(
      (api) =>
        new Promise((resolve) => {
          addEventListener('message', (event) => resolve(event.data));
          const frame = document.createElement('iframe');
          frame.setAttribute('sandbox', 'allow-scripts');
          const tell = (word: string) => `() => parent.postMessage('${word}', '*')`;
          const post = `fetch('${api}/api/agents', { method: 'POST', body: '{}' })`;
          frame.srcdoc = `<script>${post}.then(${tell('in')}, ${tell('refused')})</script>`;
          document.body.append(frame);
        }),
      served.url,
    );
    expect(said).toBe('refused');
  } finally {
    await context.close();
    foreign.server.close();
  }
  const agents = await (await fetch(`${served.url}/api/agents`)).json();
  expect(agents).toMatchObject({ agents: [{ id: 'scout', workspace: false }] });
  const file = (await (await fetch(`${served.url}/api/agents/scout/file?path=SYSTEM.md`)).json()) as {
    content: string;
  };
  expect(file.content).toBe('You are a scout.\n');
});

test('a host name that was rebound to this machine gets nothing', async ({ served }) => {
  const { port } = new URL(served.url);
  const executablePath = findChromium();
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--host-resolver-rules=MAP evil.example 127.0.0.1', '--disable-background-networking'],
  });
  try {
    const page = await browser.newPage();
    const answer = await page.goto(`http://evil.example:${port}/api/agents`);
    expect(answer?.status()).toBe(403);
    expect(await page.textContent('body')).not.toContain('scout');
    expect((await page.goto(`http://evil.example:${port}/`))?.status()).toBe(403);
  } finally {
    await browser.close();
  }
});

/** A development proxy, as Vite has one: it serves the page's origin and changes Host on the way to the API. */
const startDevProxy = async (target: string) => {
  const { hostname, port, host } = new URL(target);
  const server = createServer((req, res) => {
    const headers = { ...req.headers, host };
    const onward = request({ hostname, port, method: req.method, path: req.url, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port };
};

test('a development proxy that changes Host serves only pages on loopback', async ({ served }) => {
  const { server, port } = await startDevProxy(served.url);
  const executablePath = findChromium();
  const browser = await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    args: ['--host-resolver-rules=MAP evil.example 127.0.0.1', '--disable-background-networking'],
  });
  const write = (page: Page, content: string) =>
    page.evaluate(
      (body) =>
        fetch('/api/agents/scout/file', {
          method: 'PUT',
          headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
          body,
        }).then((response) => response.status),
      JSON.stringify({ path: 'SYSTEM.md', content }),
    );
  try {
    const page = await browser.newPage();
    for (const host of ['localhost', '127.0.0.1', 'dot-mi.localhost']) {
      await page.goto(`http://${host}:${port}/`);
      expect([host, await write(page, host)]).toEqual([host, 200]);
    }
    // Rebound to the proxy, which hides the name in Host. The Origin still has it, and scripts can't set Sec-Fetch-Site.
    await page.goto(`http://evil.example:${port}/`);
    expect(await write(page, 'evil')).toBe(403);
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
  expect(await onDisk(served)).toBe('dot-mi.localhost');
});

test('the page cannot be framed', async ({ browser, served }) => {
  const foreign = await startForeignPage();
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(foreign.url);
  await page.setContent(`<iframe src="${served.url}/"></iframe>`);
  await expect.poll(() => page.frames().at(1)?.url()).toMatch(/^chrome-error:/);
  await context.close();
  foreign.server.close();
});
