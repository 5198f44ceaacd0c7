import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { startTestMint } from '../../tests/support/mint/test-mint.ts';
import { installPi } from '../../tests/support/pi-program.ts';
import { fillRoot, writePriceHistory } from './scene.ts';

const HEADLESS = fileURLToPath(new URL('../../out/main/headless.cjs', import.meta.url));
const BTC_USD = 96_412;
const HOUR_MS = 60 * 60 * 1000;

/** The built server. */
export interface Scene {
  /** The printed address, with the operator token. */
  readonly pageUrl: string;
  /** What pictures show in place of the names of this run, such as its temporary directory. */
  readonly shownAs: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

/** Starts a price source on this machine. */
const startBtcSource = async () => {
  const server = createServer((_request, response) =>
    response.end(JSON.stringify({ time: Math.floor(Date.now() / 1000), USD: BTC_USD })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { setting: `mempool=http://127.0.0.1:${port}`, close: () => server.close() };
};

const SIGNED_IN_PI = `#!/bin/sh\necho '{"status":"ready","authType":"oauth"}'\n`;

const startServer = async (
  cwd: string,
  environment: Record<string, string>,
  more: readonly string[] = [],
) => {
  // The pictures show a computer with pi, which is signed in.
  const searchPath = await installPi(join(cwd, '.npm-global'), '1.5.2', SIGNED_IN_PI);
  const child = spawn(process.execPath, [HEADLESS, ...more], {
    cwd,
    env: { PATH: searchPath, HOME: cwd, PORT: '0', ...environment },
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

/** Calls the API as the operator. */
const ask = async (pageUrl: string, path: string, body: unknown): Promise<void> => {
  const { port, hash } = new URL(pageUrl);
  // Browsers resolve names under localhost, but Node asks the system, which may not.
  const response = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${new URLSearchParams(hash.slice(1)).get('token') ?? ''}`,
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
};

/** What agents earned: how many hours ago, how many sats after the fee of one sat, and for what. */
const PAYMENTS = [
  [149.3, 1_800, 'Release notes for 0.1', 'publisher'],
  [126.7, 2_100, 'Code review', 'auditor'],
  [97.2, 4_000, 'Manual in French', 'translator'],
  [70.6, 600, 'How sign-in works', 'scout'],
  [29.4, 2_400, 'Security review', 'auditor'],
  [4.2, 8_000, 'Manual in German', 'translator'],
  [0.8, 150, 'Quote for a migration', 'estimator'],
] as const;

/** Receives what agents earned, and sends some of it. */
const fillWallet = async (pageUrl: string, issue: (amount: number, memo: string) => string) => {
  for (const [, amount, memo, agent] of PAYMENTS)
    await ask(pageUrl, 'wallet/receive', { token: issue(amount + 1, memo), agent });
  await ask(pageUrl, 'wallet/send', { amount: 500, memo: 'Proofreading' });
};

/** Dates the payments as {@link PAYMENTS} says. The server must not run. */
const datePayments = async (walletDirectory: string): Promise<void> => {
  for (const name of (await readdir(walletDirectory)).filter((file) => file.endsWith('.sqlite'))) {
    const database = new DatabaseSync(join(walletDirectory, name));
    const receives = database
      .prepare("SELECT number FROM operations WHERE kind = 'receive' ORDER BY number")
      .all();
    const date = database.prepare(
      'UPDATE operations SET created_at = created_at - ?, updated_at = updated_at - ? WHERE number = ?',
    );
    // The wallet itself never changes a posting.
    const guard = database.prepare("SELECT sql FROM sqlite_master WHERE name = 'postings_stay'").get();
    database.exec('DROP TRIGGER postings_stay');
    const datePostings = database.prepare('UPDATE postings SET at = at - ? WHERE operation = ?');
    for (const [index, { number }] of receives.entries()) {
      const ageMs = Math.round((PAYMENTS[index]?.[0] ?? 0) * HOUR_MS);
      date.run(ageMs, ageMs, Number(number));
      datePostings.run(ageMs, Number(number));
    }
    database.exec(String(guard?.sql));
    database.close();
  }
};

/** Starts a server as after weeks of use, in a temporary directory, which `close` deletes. */
export const serveScene = async (): Promise<Scene> => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'dot-mi-')));
  const home = join(directory, 'me');
  const data = join(home, 'data');
  await mkdir(data, { recursive: true });
  await writePriceHistory(data, Date.now(), BTC_USD);
  const [mint, btc] = await Promise.all([
    startTestMint({
      keysets: [{ inputFeePpk: 100 }],
      info: { name: 'Example mint', version: 'Nutshell/0.18' },
    }),
    startBtcSource(),
  ]);
  const root = join(home, 'dot-mi');
  // The first start creates the starter root. Setting DOT_MI_ROOT to it skips the first-run question.
  await (await startServer(home, { BTC_PRICE_SOURCES: btc.setting })).close();
  await rename(join(data, 'dot-mi-root'), root);
  await fillRoot(root);
  const used = {
    DOT_MI_ROOT: root,
    DEV_MODE: 'false',
    MINT_URL: mint.url,
    BTC_PRICE_SOURCES: btc.setting,
    LOG_LEVEL: 'error',
  };
  const earlier = await startServer(home, used);
  await fillWallet(earlier.pageUrl, (amount, memo) => mint.issue(amount, { memo }));
  await earlier.close();
  await datePayments(join(data, 'wallet'));
  const server = await startServer(home, used, ['--trust-root']);
  return {
    pageUrl: server.pageUrl,
    shownAs: new Map([
      [directory, '/home'],
      [mint.url, 'https://mint.example'],
      [new URL(mint.url).host, 'mint.example'],
      [new URL(server.pageUrl).hostname, 'dot-mi.localhost'],
      [new URL(server.pageUrl).port, '8000'],
    ]),
    async close() {
      await server.close();
      await mint.close();
      btc.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

/** Starts a server for its first time, in a temporary directory, which `close` deletes. */
export const serveFirstRun = async (): Promise<Scene> => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'dot-mi-')));
  const btc = await startBtcSource();
  const server = await startServer(directory, { BTC_PRICE_SOURCES: btc.setting, LOG_LEVEL: 'error' });
  return {
    pageUrl: server.pageUrl,
    shownAs: new Map([
      [join(directory, 'data', 'dot-mi-root'), '/home/me/dot-mi'],
      ['…/data/dot-mi-root', '…/me/dot-mi'],
      [new URL(server.pageUrl).hostname, 'dot-mi.localhost'],
      [new URL(server.pageUrl).port, '8000'],
    ]),
    async close() {
      await server.close();
      btc.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
