import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { findChromium } from '../../scripts/chromium.ts';
import { editor, expectText, onDisk } from './editor.ts';
import { expect, type Served, test } from './fixtures.ts';

const NAME = 'box.example';

test.use({ environment: { ALLOWED_HOSTS: NAME, API_TOKEN: 'a-token-of-sixteen-and-more' } });

/** A certificate that openssl makes for this run; undefined where there is no openssl. */
const makeCertificate = (): { key: string; cert: string } | undefined => {
  const directory = mkdtempSync(join(tmpdir(), 'dot-mi-certificate-'));
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  try {
    const { status } = spawnSync(
      'openssl',
      ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
        .concat(['-subj', `/CN=${NAME}`, '-addext', `subjectAltName=DNS:${NAME}`])
        .concat(['-keyout', key, '-out', cert]),
      { stdio: 'ignore' },
    );
    return status === 0 ? { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') } : undefined;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
};

/** The port that a browser sees, and how the proxy passes its Host on. */
const PROXIES: readonly [
  publicPort: 'port 443' | 'another port',
  how: string,
  passHost: (host: string) => string,
][] = [
  ['port 443', 'as it came', (host) => host],
  ['another port', 'without its port (nginx: $host)', (host) => host.replace(/:\d+$/, '')],
];

/** A TLS proxy in front of a server, in as few lines as a proxy has. */
const startProxy = async (served: Served, certificate: object, passHost: (host: string) => string) => {
  const { hostname, port } = new URL(served.url);
  const answers: string[] = [];
  const server = createServer(certificate, (req, res) => {
    const headers: IncomingHttpHeaders = { ...req.headers, host: passHost(req.headers.host ?? '') };
    const onward = request({ hostname, port, method: req.method, path: req.url, headers }, (answer) => {
      answers.push(`${req.method} ${req.url} ${answer.statusCode}`);
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      res.flushHeaders();
      answer.pipe(res);
    });
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** What the server answered to whom, as `<method> <path> <status>`. */
    answers,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
};

const launch = (proxyPort: number): Promise<Browser> => {
  const executablePath = findChromium();
  return chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    // Port 443 needs rights that tests don't have, so it is another one here. The browser knows nothing of it.
    args: [
      `--host-resolver-rules=MAP *.example:443 127.0.0.1:${proxyPort}, MAP *.example 127.0.0.1`,
      '--disable-background-networking',
    ],
  });
};

for (const [publicPort, how, passHost] of PROXIES) {
  test(`every view reads and writes through a TLS proxy on ${publicPort} that passes Host ${how}`, async ({
    served,
  }) => {
    const certificate = makeCertificate();
    test.skip(certificate === undefined, 'there is no openssl to make a certificate');
    const proxy = await startProxy(served, certificate ?? {}, passHost);
    const browser = await launch(proxy.port);
    const problems: string[] = [];
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      context.on('console', (message) => {
        // A refused request is looked at below; there is no BTC price here, which is an answer too.
        const isAnswer = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !isAnswer) problems.push(message.text());
      });
      context.on('weberror', (error) => problems.push(String(error.error())));
      context.on('response', (response) => {
        if ([401, 403].includes(response.status())) problems.push(`${response.status()} ${response.url()}`);
      });
      const origin = publicPort === 'port 443' ? `https://${NAME}` : `https://${NAME}:${proxy.port}`;
      const page = await context.newPage();
      const connected = () => expect(page.getByText('Connected')).toBeAttached();
      await page.goto(`${origin}/${new URL(served.pageUrl).hash}`);
      await connected();
      for (const path of [
        '/',
        '/agents/scout/extensions',
        '/agents/scout/skills',
        '/catalog',
        '/wallet',
        '/pricing',
        '/trash',
        '/settings',
        '/agents/scout/files/pi-args',
        '/agents/scout/files/SYSTEM.md',
      ]) {
        await page.goto(`${origin}${path}`);
        await connected();
        await expect(page.getByRole('main')).toBeVisible();
      }
      await expectText(editor(page), 'You are a scout.\n');
      await editor(page).fill('Written through the proxy.\n');
      await page.keyboard.press('ControlOrMeta+s');
      await expect.poll(() => onDisk(served)).toBe('Written through the proxy.\n');
      expect(problems).toEqual([]);

      // Another name that leads to the same proxy is another site, whatever it sends.
      await page.goto('about:blank');
      const other = await page.goto('https://evil.example/');
      expect(other?.status()).toBe(403);
      // What a web page may send without asking first.
      await page.evaluate(
        (url) => fetch(url, { method: 'POST', mode: 'no-cors', body: '{"name":"evil"}' }).catch(() => {}),
        `${origin}/api/agents`,
      );
      expect(proxy.answers.at(-1)).toBe('POST /api/agents 403');
    } finally {
      await browser.close();
      proxy.close();
    }
  });
}
