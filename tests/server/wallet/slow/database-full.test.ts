import { spawn, spawnSync } from 'node:child_process';
import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundledProgram } from '../../../support/bundle.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import { readJson, until } from '../../../support/raw-http.ts';
import { makeRoot } from '../../../support/root.ts';
import { skipAll } from '../../../support/skip-all.ts';
import { makeTempDirectory } from '../../../support/temp.ts';
import { serveWallet } from '../../../support/wallet.ts';

const isRoot = process.getuid?.() === 0;
/** Runs a script with mounts of its own, which end with it. */
const UNSHARE = [...(isRoot ? [] : ['--user', '--map-root-user']), '--mount', '/bin/sh', '-c'];

/** Why no small disk can be made here, if so. */
const obstacle = (): string | undefined => {
  if (process.platform !== 'linux')
    return 'a small disk is made with unshare and tmpfs, which Linux alone has';
  const { status, error } = spawnSync('unshare', [
    ...UNSHARE,
    `mount -t tmpfs -o size=1m tmpfs '${tmpdir()}'`,
  ]);
  return status === 0 ? undefined : `no file system may be mounted here (${error?.message ?? status})`;
};

const SERVE = '"$0" "$1"';

/** Runs a script of the shell in a disk of 1 MB that holds the wallet of the server that {@link SERVE} starts in it. */
const runOnSmallDisk = async (mintUrl: string, directory: string, run: string) => {
  const disk = join(directory, 'disk');
  await mkdir(disk);
  const script = `mount -t tmpfs -o size=1m tmpfs '${disk}' && cd '${disk}' && ${run}`;
  const child = spawn('unshare', [...UNSHARE, script, process.execPath, bundledProgram('headless')], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: directory,
      PORT: '0',
      DEV_MODE: 'false',
      MINT_URL: mintUrl,
      DOT_MI_ROOT: await makeRoot(),
      WALLET_DB_PATH: join(disk, 'wallet'),
      BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:1',
      LOG_LEVEL: 'silent',
    },
  });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    said.err += chunk;
  });
  return { child, disk, said, exited };
};

/** A server whose wallet is on a disk of 1 MB, which can be filled. */
const serveOnSmallDisk = async (mintUrl: string, directory: string) => {
  const { child, disk, said } = await runOnSmallDisk(
    mintUrl,
    directory,
    `cd '${directory}' && exec ${SERVE}`,
  );
  await until(() => /api {3}http:\S+\/api[\s\S]*root/.test(said.out));
  const url = /api {3}(http:\/\/\S+)\/api/.exec(said.out)?.[1] ?? '';
  // Its mounts as they are seen from here.
  const filler = `/proc/${child.pid}/root${join(disk, 'filler')}`;
  const call = async (path: string, body?: unknown) => {
    const response = await fetch(`${url}/api/wallet/${path}`, {
      ...(body === undefined
        ? {}
        : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await readJson(response) };
  };
  return {
    call,
    async fill() {
      const write = (bytes: number): Promise<never> =>
        appendFile(filler, Buffer.alloc(bytes, 1)).then(() => write(bytes));
      await expect(write(64 * 1024)).rejects.toThrow('ENOSPC');
      await expect(write(1024)).rejects.toThrow('ENOSPC');
    },
    free: () => rm(filler),
  };
};

skipAll(obstacle());

test('a full disk before the mint is asked is 507, nothing is sent, and with space the token pays', async () => {
  const directory = await makeTempDirectory();
  const mint = await testMint();
  const { call, fill, free } = await serveOnSmallDisk(mint.url, directory);
  expect((await call('receive', { token: mint.issue(8) })).status).toBe(200);
  const token = mint.issue(64, { proofCount: 30, withoutDleq: true });
  await fill();
  const swaps = mint.requests('/v1/swap').length;
  for (let round = 0; round < 2; round += 1) {
    const { status, body } = await call('receive', { token });
    expect([status, body.code]).toEqual([507, 'disk_full']);
    expect((await call('balance')).body).toMatchObject({ balance: 8, pending: 0 });
  }
  expect((await call('validate', { token })).body.valid).toBe(true);
  expect(mint.requests('/v1/swap')).toHaveLength(swaps);
  await free();
  expect((await call('receive', { token })).body).toMatchObject({ success: true, amount: 64 });
  expect((await call('receive', { token })).body.code).toBe('token_spent');
  expect((await call('balance')).body).toMatchObject({ balance: 72, pending: 0 });
});

test('a disk that fills while the mint is asked loses nothing: pending, then it completes automatically', async () => {
  const directory = await makeTempDirectory();
  const mint = await testMint();
  const { call, fill, free } = await serveOnSmallDisk(mint.url, directory);
  expect((await call('receive', { token: mint.issue(8) })).status).toBe(200);
  const token = mint.issue(64, { proofCount: 30, withoutDleq: true });
  mint.fail('/v1/swap', { kind: 'hang', times: 1 });
  const answer = call('receive', { token });
  await until(() => mint.hanging() === 1);
  await fill();
  mint.clearFaults();
  const { status, body } = await answer;
  expect([status, body.code]).toEqual([503, 'redemption_pending']);
  expect(mint.unspent([token])).toBe(0);
  expect((await call('balance')).body).toMatchObject({ balance: 8, pending: 64 });
  await free();
  await until(async () => (await call('balance')).body.balance === 72);
  expect((await call(`operations/${body.operationId}`)).body).toMatchObject({
    state: 'completed',
    amount: 64,
  });
  const { issued, melted, fees } = mint.totals();
  expect((await call('balance')).body).toMatchObject({ balance: issued - melted - fees, pending: 0 });
});

test('a disk that is already full opens no wallet: the start says so, and existing files stay unchanged', async () => {
  const directory = await makeTempDirectory();
  const mint = await testMint();
  const old = await serveWallet(mint.url);
  await old.receive(mint.issue(8));
  await old.close();
  const prepare = `cp -r '${old.directory}' wallet && cp -r wallet '${directory}/copy' && head -c 2m /dev/zero > filler`;
  const look = `cmp wallet/wallet.sqlite '${directory}'/copy/wallet.sqlite && echo same && ls wallet`;
  const { said, exited } = await runOnSmallDisk(
    mint.url,
    directory,
    `{ ${prepare}; } 2>/dev/null; cd '${directory}'; ${SERVE} > printed & server=$!
    until grep -q 'The wallet is off' printed; do sleep 0.1; done; kill $server; wait $server
    cd '${directory}/disk'; ${look}`,
  );
  await exited;
  expect(await readFile(join(directory, 'printed'), 'utf8')).toMatch(
    /The wallet is off until the next start: the disk with the wallet database \S+ is full\. Free some space and start again\.\n/,
  );
  const [compared, ...names] = said.out.trim().split('\n');
  expect(compared).toBe('same');
  expect(names.filter((name) => !/-(?:wal|shm)$/.test(name))).toEqual(await readdir(old.directory));
});
