import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { giveToUnprivilegedUser, noUnprivilegedUser, unprivilegedUser } from '../../../support/nobody.ts';
import { until } from '../../../support/raw-http.ts';
import { makeRoot } from '../../../support/root.ts';
import { spawnServer, startServerProcess } from '../../../support/server-process.ts';
import { makeTempDirectory } from '../../../support/temp.ts';
import { databasePath, serveWallet } from '../../../support/wallet.ts';

/** A wallet of 100 sats whose server has ended. */
const makeWallet = async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  await wallet.receive(mint.issue(100, { proofCount: 40, withoutDleq: true }));
  await wallet.close();
  return { mint, directory: wallet.directory };
};

/** The SHA-256 of every file of a directory by its name. */
const filesOf = async (directory: string): Promise<Record<string, string>> => {
  const entries = await readdir(directory, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  return Object.fromEntries(
    await Promise.all(
      files.sort().map(async (name) => [
        name,
        createHash('sha256')
          .update(await readFile(join(directory, name)))
          .digest('hex'),
      ]),
    ),
  );
};

const environmentOf = async (mintUrl: string, directory: string) => ({
  DOT_MI_ROOT: await makeRoot(),
  DEV_MODE: 'false',
  MINT_URL: mintUrl,
  WALLET_DB_PATH: directory,
  BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:1',
});

const flipPage = async (path: string) => {
  const bytes = await readFile(path);
  const pageSize = bytes.readUInt16BE(16);
  const middle = Math.floor(bytes.length / pageSize / 2) * pageSize;
  for (let at = middle; at < middle + 200; at += 1) bytes.writeUInt8((bytes.readUInt8(at) ^ 0xff) & 0xff, at);
  await writeFile(path, bytes);
};

/** What was done to a wallet's files, what the start says of it, and which file it names. */
const DAMAGES: Record<string, { do: (path: string) => unknown; says: RegExp }> = {
  'garbage instead of its header': {
    do: async (path) =>
      writeFile(path, Buffer.concat([Buffer.alloc(100, 0x7f), (await readFile(path)).subarray(100)])),
    says: /is damaged\. The file was not changed\..*restore the wallet from its backup words/,
  },
  'a page in the middle': { do: flipPage, says: /is damaged\. The file was not changed/ },
  'cut in half': {
    do: async (path) => truncate(path, Math.floor((await stat(path)).size / 2)),
    says: /is damaged\. The file was not changed/,
  },
  'cut to its header': { do: (path) => truncate(path, 100), says: /is damaged/ },
  'cut to 10 bytes': { do: (path) => truncate(path, 10), says: /is damaged/ },
  'text of another program': { do: (path) => writeFile(path, 'hello\n'.repeat(2000)), says: /is damaged/ },
  'a directory in its place': {
    do: async (path) => {
      await rm(path);
      await mkdir(path);
    },
    says: /can’t write the wallet database .*\. Check the owner/,
  },
  'written by a newer dot-mi': {
    do: (path) => {
      const database = new DatabaseSync(path);
      database.exec('PRAGMA user_version = 99');
      database.close();
    },
    says: /a newer version of dot-mi wrote the wallet database .*\. Use that version/,
  },
};

test('an unusable file turns off the wallet alone, each route says why, and no byte is changed', async () => {
  const { mint, directory: whole } = await makeWallet();
  const base = await makeTempDirectory();
  for (const [what, damage] of Object.entries(DAMAGES)) {
    const directory = join(base, what);
    await cp(whole, directory, { recursive: true });
    const path = await databasePath(directory);
    await damage.do(path);
    const before = await filesOf(directory);
    const server = await serveWallet(mint.url, { directory });
    const { status, body } = await server.call('GET', '/api/wallet/balance');
    expect([what, status, body.code]).toEqual([what, 500, 'wallet_damaged']);
    expect([what, body.error]).toEqual([what, expect.stringMatching(damage.says)]);
    expect(body.error).toMatch(
      /^dot-mi can’t open the wallet: .*\. dot-mi tries again the next time it starts\.$/,
    );
    expect(body.error).toContain(basename(path));
    expect(body.error).not.toMatch(/node:|abandon/);
    expect(body.error).not.toContain(base);
    expect((await server.receive(mint.issue(8))).body.code).toBe('wallet_damaged');
    expect((await server.call('GET', '/api/agents')).status).toBe(200);
    await server.close();
    expect([what, await filesOf(directory)]).toEqual([what, before]);
  }
});

test('the process prints that one line, and no stack', async () => {
  const { mint, directory: whole } = await makeWallet();
  const base = await makeTempDirectory();
  const directory = join(base, 'a page in the middle');
  await cp(whole, directory, { recursive: true });
  await flipPage(await databasePath(directory));
  const server = await startServerProcess(await environmentOf(mint.url, directory));
  await until(() => server.stdout().includes('The wallet is off until the next start: the wallet database '));
  expect(server.stdout()).toContain('is damaged. The file was not changed.');
  expect(server.stdout()).not.toContain('    at ');
});

test('a file that may not be written turns off the wallet with one line', { tags: 'slow' }, async ({
  skip,
}) => {
  const why = noUnprivilegedUser();
  skip(why !== undefined, why);
  const { mint, directory: whole } = await makeWallet();
  const base = await makeTempDirectory();
  const give = (path: string) => giveToUnprivilegedUser([path]);
  await give(base);
  for (const [what, mode, fileMode] of [
    ['the directory is read-only', 0o555, 0o600],
    ['the file is read-only', 0o755, 0o400],
  ] as const) {
    const directory = join(base, what);
    await cp(whole, directory, { recursive: true });
    const path = await databasePath(directory);
    for (const name of await readdir(directory)) await give(join(directory, name));
    await give(directory);
    await chmod(path, fileMode);
    await chmod(directory, mode);
    const before = await filesOf(directory);
    const data = await makeTempDirectory();
    await give(data);
    const server = await startServerProcess(await environmentOf(mint.url, directory), data, unprivilegedUser);
    await until(() =>
      server.stdout().includes(`dot-mi can’t write the wallet database ${path}. Check the owner`),
    );
    await server.stop('SIGTERM');
    await chmod(directory, 0o755);
    expect([what, await filesOf(directory)]).toEqual([what, before]);
  }
  const unmade = join(base, 'unmade');
  await mkdir(unmade);
  await give(unmade);
  await chmod(unmade, 0o555);
  const refused = await spawnServer(
    await environmentOf(mint.url, join(unmade, 'wallet')),
    tmpdir(),
    unprivilegedUser,
  );
  expect(await refused.exited).toBe(1);
  expect(refused.stderr().trimEnd().split('\n')).toEqual([expect.stringContaining('WALLET_DB_PATH')]);
});

test('only its owner may read the wallet, whatever the umask and the modes before', async ({ skip }) => {
  skip(process.platform === 'win32', 'Windows has no modes');
  const mint = await testMint();
  const data = await makeTempDirectory();
  const directory = join(data, 'wallet');
  const environment = {
    DOT_MI_ROOT: await makeRoot(),
    DEV_MODE: 'false',
    MINT_URL: mint.url,
    WALLET_DB_PATH: directory,
    BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:1',
  };
  const before = process.umask(0);
  const server = await startServerProcess(environment).finally(() => process.umask(before));
  await fetch(`${server.url}/api/wallet/receive`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ token: mint.issue(8) }),
  });
  const modes = async () => {
    const names = await readdir(directory);
    const all = await Promise.all(
      names.map(async (name) => [name, (await stat(join(directory, name))).mode & 0o777] as const),
    );
    return Object.fromEntries(
      all.map(([name, mode]) => [name.replace(/^(wallet|seed)-.*?(\.sqlite.*)?$/, '$1$2'), mode]),
    );
  };
  expect(await modes()).toEqual({
    'operator-token': 0o600,
    seed: 0o600,
    'seeds.json': 0o600,
    'wallet.sqlite': 0o600,
    'wallet.sqlite-wal': 0o600,
  });
  expect((await stat(directory)).mode & 0o777).toBe(0o700);
  expect(dirname(await databasePath(directory))).toBe(directory);
  await server.stop('SIGTERM');

  await chmod(await databasePath(directory), 0o666);
  await startServerProcess(environment);
  expect((await modes())['wallet.sqlite']).toBe(0o600);
});
