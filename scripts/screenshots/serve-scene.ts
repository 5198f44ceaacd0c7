import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestMint } from '../../tests/support/mint/test-mint.ts';
import { fillRoot, writePriceHistory } from './scene.ts';

const HEADLESS = fileURLToPath(new URL('../../out/main/headless.js', import.meta.url));
const BTC_USD = 96_412;

/** Which server a picture is of: one after some weeks, one that never was started before, one with nothing in its root. */
export type Site = 'used' | 'new' | 'empty';

/** The built server with a root, a wallet and prices as a person has them after some weeks, and two at their beginning. */
export interface Scene {
  /** The printed addresses, with the operator token. */
  readonly pageUrls: Readonly<Record<Site, string>>;
  /** The root after some weeks. */
  readonly root: string;
  close(): Promise<void>;
}

/** A source of the BTC price on this machine. */
const startBtcSource = async () => {
  const server = createServer((_request, response) =>
    response.end(JSON.stringify({ time: Math.floor(Date.now() / 1000), USD: BTC_USD })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { setting: `mempool=http://127.0.0.1:${port}`, close: () => server.close() };
};

const startServer = async (cwd: string, environment: Record<string, string>) => {
  const child = spawn(process.execPath, [HEADLESS], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, PORT: '0', ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pageUrl = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
      const found = /page {2}(\S+)[\s\S]*root/.exec(text);
      if (found?.[1]) resolve(found[1]);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const close = async () => {
    child.removeAllListeners('exit');
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  };
  return { pageUrl, close };
};

/** Receives what agents earned, and sends some of it. */
const fillWallet = async (pageUrl: string, issue: (amount: number, memo: string) => string) => {
  const { origin, hash } = new URL(pageUrl);
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${origin}/api/wallet/${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get('token') ?? ''}`,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  };
  for (const [amount, memo] of [
    [2_100, 'code review, 3 files'],
    [350, 'release notes'],
    [12_000, 'translation of the manual'],
    [64, 'a price, asked once'],
  ] as const) {
    await post('receive', { token: issue(amount, memo) });
  }
  await post('send', { amount: 500, memo: 'for the courier' });
};

/** Starts all of it in a temp directory, which goes in the end. */
export const serveScene = async (): Promise<Scene> => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'dot-mi-')));
  const data = join(directory, 'data');
  await mkdir(data);
  await writePriceHistory(data, Date.now(), BTC_USD);
  const [mint, btc] = await Promise.all([
    startTestMint({ keysets: [{ inputFeePpk: 100 }] }),
    startBtcSource(),
  ]);
  const root = join(data, 'dot-mi-root');
  // The first start makes the starter root; one that is named is asked about no more.
  await (await startServer(directory, { BTC_PRICE_SOURCES: btc.setting })).close();
  await fillRoot(root);
  const server = await startServer(directory, {
    DOT_MI_ROOT: root,
    DEV_MODE: 'false',
    MINT_URL: mint.url,
    BTC_PRICE_SOURCES: btc.setting,
    LOG_LEVEL: 'error',
  });
  await fillWallet(server.pageUrl, (amount, memo) => mint.issue(amount, { memo }));
  const [first, empty] = [join(directory, 'first'), join(directory, 'empty')];
  await mkdir(first);
  await mkdir(join(empty, 'root/agents'), { recursive: true });
  const away = { BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:9', LOG_LEVEL: 'silent' };
  const firstServer = await startServer(first, { ...away, BTC_PRICE_SOURCES: btc.setting });
  const emptyServer = await startServer(empty, { ...away, DOT_MI_ROOT: join(empty, 'root') });
  return {
    pageUrls: { used: server.pageUrl, new: firstServer.pageUrl, empty: emptyServer.pageUrl },
    root,
    async close() {
      await Promise.all([server.close(), firstServer.close(), emptyServer.close()]);
      await mint.close();
      btc.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
