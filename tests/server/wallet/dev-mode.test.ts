import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/server/platform/clock.ts';
import { openWalletDatabase } from '../../../src/server/wallet/store/wallet-store.ts';
import { hashOf } from '../../support/charges.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { readJson } from '../../support/raw-http.ts';
import { makeRoot } from '../../support/root.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { editA, serveWallet } from '../../support/wallet.ts';

const PRELOAD = fileURLToPath(new URL('./dev-mode-preload.ts', import.meta.url));
/** Where prices may be asked for: nobody listens there. */
const NO_PRICES = 'mempool=http://127.0.0.1:1';

/** A server process that notes each connection it tries, at a mint that notes each that comes. */
const startWatched = async (devMode: boolean) => {
  let connections = 0;
  const trap = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(trap, 'listening');
  onTestFinished(() => void trap.close());
  const { port } = trap.address() as { port: number };
  const file = join(await makeTempDirectory(), 'connections');
  const server = await startServerProcess({
    DOT_MI_ROOT: await makeRoot(),
    DEV_MODE: String(devMode),
    MINT_URL: `http://127.0.0.1:${port}`,
    BTC_PRICE_SOURCES: NO_PRICES,
    CONNECTIONS_FILE: file,
    NODE_OPTIONS: `--import=${PRELOAD}`,
  });
  const post = async (path: string, token: string) => {
    const response = await fetch(`${server.url}/api/wallet/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    return { status: response.status, body: await readJson(response) };
  };
  const asOperator = async (path: string, body: unknown) => {
    const [, operatorToken = ''] = /#token=(\S+)/.exec(server.stdout()) ?? [];
    const response = await fetch(`${server.url}/api/wallet/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${operatorToken}` },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await readJson(response) };
  };
  const noted = async () => (await readFile(file, 'utf8')).trim().split('\n');
  return {
    server,
    post,
    asOperator,
    mintUrl: `http://127.0.0.1:${port}`,
    came: () => connections,
    loadedThreads: async () => (await noted()).filter((line) => line.includes(' loaded ')),
    tried: async () =>
      (await noted()).filter((line) => !line.includes(' loaded ') && !/"port":"?1"?[,}]/.test(line)),
  };
};

test('DEV_MODE opens no socket and resolves no name, in any thread', async () => {
  const mint = await testMint();
  const { server, post, asOperator, mintUrl, came, tried, loadedThreads } = await startWatched(true);
  const ours = mint.issue(8, { mintUrl });
  for (const token of [ours, mint.issue(5), 'cashuBnonsense', 'nonsense']) {
    expect((await post('validate', token)).body.valid).toBe(true);
    expect((await post('receive', token)).status).toBe(200);
  }
  const { body: made } = await asOperator('test-tokens', { amount: 100 });
  expect((await post('receive', made.token)).status).toBe(200);
  const { body: sent } = await asOperator('send', { amount: 30 });
  expect((await post('receive', sent.token)).body).toMatchObject({ amount: 30, simulated: true });
  const { body: paid } = await asOperator('../charges/open-and-pay', {
    amount: 5,
    requestHash: hashOf('work'),
    token: mint.issue(8, { mintUrl }),
  });
  const { body: settled } = await asOperator(`../charges/${paid.id}/settle`, { amount: 3 });
  expect(settled.change.amount).toBe(5);
  for (const path of ['balance', 'mint']) {
    expect((await fetch(`${server.url}/api/wallet/${path}`)).status).toBe(200);
  }
  await server.stop('SIGTERM');
  expect(await tried()).toEqual([]);
  expect(came()).toBe(0);
  expect(mint.requests()).toEqual([]);
  // The main thread and the mint's.
  expect((await loadedThreads()).length).toBeGreaterThanOrEqual(2);
});

test('the monitor of that test notices what a server without DEV_MODE does', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const { server, post, mintUrl, came, tried } = await startWatched(false);
  expect((await post('receive', mint.issue(8, { mintUrl }))).status).toBe(503);
  await server.stop('SIGTERM');
  expect((await tried()).length).toBeGreaterThan(0);
  expect(came()).toBeGreaterThan(0);
});

test('every token is valid and pays, even the same one again, and the balance adds up', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{}, { unit: 'usd' }] });
  const wallet = await serveWallet(mint.url, { environment: { DEV_MODE: 'true' } });
  const token = mint.issue(21, { memo: 'm' });
  expect((await wallet.call('GET', '/api/wallet/balance')).body).toEqual({
    balance: 0,
    pending: 0,
    mint: mint.url,
    unit: 'sat',
    devMode: true,
    seed: 'present',
  });
  expect((await wallet.validate(token)).body).toMatchObject({ valid: true, amount: 21, mint: mint.url });
  const spent = mint.issue(4);
  mint.spend([spent]);
  const others = [spent, mint.issue(5, { forged: true }), mint.issue(6, { badDleq: true, version: 'A' })];
  let sum = 0;
  for (const [each, amount] of [
    [token, 21],
    [token, 21],
    ...others.map((other, at) => [other, at + 4] as const),
  ] as const) {
    const { status, body } = await wallet.receive(each);
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        amount,
        mint: mint.url,
        fee: 0,
        operationId: expect.any(String),
        simulated: true,
      },
    ]);
    sum += amount;
    expect(await wallet.balance()).toBe(sum);
  }
  const elsewhere = mint.issue(7, { mintUrl: 'https://mint.invalid/Bitcoin' });
  expect((await wallet.validate(elsewhere)).body).toMatchObject({
    valid: true,
    amount: 7,
    mint: 'https://mint.invalid/Bitcoin',
  });
  for (const nonsense of ['nonsense', 'cashuA', 'cashuBo2']) {
    expect((await wallet.validate(nonsense)).body).toEqual({
      valid: true,
      amount: 0,
      mint: mint.url,
      message: 'dot-mi is running with test money, so it accepts every token without checking it.',
    });
    expect((await wallet.receive(nonsense)).body).toMatchObject({ success: true, amount: 0 });
  }
  expect(await wallet.balance()).toBe(sum);
  expect((await wallet.call('GET', '/api/health')).body.devMode).toBe(true);
  expect((await wallet.call('GET', '/api/wallet/mint')).body.state).toBe('simulated');
  expect((await wallet.receive('', undefined)).status).toBe(400);
});

test('the same key pays once in DEV_MODE too, also after a restart, and the balance is kept', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const environment = { DEV_MODE: 'true' };
  const first = await serveWallet(mint.url, { environment });
  const token = mint.issue(8);
  const { body } = await first.receive(token, 'k');
  expect((await first.receive(token, 'k')).body).toMatchObject({ ...body, replayed: true });
  expect((await first.receive(mint.issue(9), 'k')).body.code).toBe('idempotency_key_reused');
  await first.close();
  const second = await serveWallet(mint.url, { environment, directory: first.directory });
  expect((await second.receive(token, 'k')).body).toMatchObject({ ...body, replayed: true });
  expect(await second.balance()).toBe(8);
  expect((await second.call('GET', `/api/wallet/operations/${body.operationId}`)).body).toMatchObject({
    kind: 'receive',
    state: 'completed',
    amount: 8,
  });
  const { entries } = (await second.asOperator('GET', '/api/wallet/history')).body;
  expect(entries).toMatchObject([{ kind: 'receive', amount: 8, state: 'completed' }]);
});

test('an operation that needs real sats is 409 dev_mode for the operator, 403 for others', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url, { environment: { DEV_MODE: 'true' } });
  const { body: receipt } = await wallet.receive(mint.issue(8));
  for (const [method, path, body] of [
    ['POST', `/api/wallet/operations/${receipt.operationId}/release`, undefined],
    ['GET', '/api/wallet/seed', undefined],
    ['POST', '/api/wallet/seed', { accept: 'new_words' }],
    ['POST', '/api/wallet/restore', { mnemonic: 'abandon '.repeat(11) }],
    ['POST', '/api/wallet/rescan', {}],
    ['POST', `/api/wallet/test-tokens/${receipt.operationId}/redeem`, undefined],
    ['DELETE', `/api/wallet/test-tokens/${receipt.operationId}`, undefined],
  ] as const) {
    const denied = await wallet.call(method, path, body);
    expect([path, denied.status, denied.body.code]).toEqual([path, 403, 'operator_required']);
    const refused = await wallet.asOperator(method, path, body);
    expect([path, refused.status, refused.body.code]).toEqual([path, 409, 'dev_mode']);
  }
  expect((await wallet.asOperator('GET', '/api/wallet/test-tokens')).body).toEqual({ tokens: [] });
  expect((await readdir(wallet.directory)).filter((name) => /^(seeds?|wallet)[-.]/.test(name))).toEqual([]);
});

test('a session in DEV_MODE leaves the real wallet next to it unchanged, byte for byte', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const real = await serveWallet(mint.url);
  const token = mint.issue(21);
  await real.receive(token, 'k');
  await real.close();
  const { directory } = real;
  const realFiles = async () => {
    const names = (await readdir(directory))
      .filter((name) => !/^(dev-wallet|test-money-mint)\.sqlite/.test(name))
      .sort();
    const hashOf = async (name: string) =>
      createHash('sha256')
        .update(await readFile(join(directory, name)))
        .digest('hex');
    return Promise.all(names.map(async (name) => [name, await hashOf(name)]));
  };
  const before = await realFiles();
  expect(before.map(([name]) => name)).toEqual(
    expect.arrayContaining(['wallet.sqlite', expect.stringMatching(/^seed-/)]),
  );
  const dev = await serveWallet(mint.url, { directory, environment: { DEV_MODE: 'true' } });
  expect(await dev.balance()).toBe(0);
  expect((await dev.receive(token, 'k')).body).toMatchObject({ success: true, amount: 21 });
  expect((await dev.receive(mint.issue(3))).status).toBe(200);
  await dev.close();
  expect(await realFiles()).toEqual(before);

  const again = await serveWallet(mint.url, { directory });
  expect(await again.balance()).toBe(21);
  expect((await again.receive(token)).body.code).toBe('token_spent');
});

test('wallets of two mints in one directory never mix', { tags: 'slow' }, async () => {
  const [one, two] = [await testMint(), await testMint()];
  const first = await serveWallet(one.url);
  await first.receive(one.issue(8));
  await first.close();
  const second = await serveWallet(two.url, { directory: first.directory });
  expect(await second.balance()).toBe(0);
  expect((await second.receive(one.issue(8))).body.code).toBe('wrong_mint');
  expect((await second.receive(two.issue(4))).body.amount).toBe(4);
  await second.close();
  expect(await (await serveWallet(one.url, { directory: first.directory })).balance()).toBe(8);
});

test('huge amounts do not make the simulated balance unreadable', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url, { environment: { DEV_MODE: 'true' } });
  const huge = editA(mint.issue(1, { version: 'A' }), ({ token: [entry] }) => {
    Object.assign(entry?.proofs[0] ?? {}, { amount: Number.MAX_SAFE_INTEGER });
  });
  for (let round = 0; round < 3; round += 1) expect((await wallet.receive(huge)).status).toBe(200);
  expect((await wallet.call('GET', '/api/wallet/balance')).status).toBe(200);
  expect((await wallet.receive(mint.issue(8))).status).toBe(200);
});

test('test sats of an early version are not used, and its tokens that may be real stay offered', async () => {
  const mint = await testMint();
  const directory = await makeTempDirectory();
  const early = await openWalletDatabase(join(directory, 'dev-wallet.sqlite'), systemClock);
  const { operations, postings, testTokens } = early.ofMint('simulated');
  const operation = operations.addCompleted({ kind: 'receive', amount: 8 });
  postings.post(operation, [
    { account: 'free', keysetId: '', sats: 8 },
    { account: 'outside', sats: -8 },
  ]);
  testTokens.keep({ operation, mint: mint.url, amount: 8, memo: undefined, token: mint.issue(8) });
  early.close();
  const dev = await serveWallet(mint.url, { directory, environment: { DEV_MODE: 'true' } });
  expect(await dev.balance()).toBe(0);
  expect((await dev.receive(mint.issue(4))).body).toMatchObject({ amount: 4, simulated: true });
  await dev.close();
  const real = await serveWallet(mint.url, { directory });
  const { tokens } = (await real.asOperator('GET', '/api/wallet/test-tokens')).body;
  expect(tokens.map(({ amount }: { amount: number }) => amount)).toEqual([8, 4]);
});

test('test sats can be spent without the books of their mint, and damaged books say so', async () => {
  const mint = await testMint();
  const first = await serveWallet(mint.url, { environment: { DEV_MODE: 'true' } });
  const { body: made } = await first.asOperator('POST', '/api/wallet/test-tokens', { amount: 8 });
  expect((await first.receive(made.token)).status).toBe(200);
  await first.close();
  const { directory } = first;
  const books = join(directory, 'test-money-mint.sqlite');
  await rm(books);
  const second = await serveWallet(mint.url, { directory, environment: { DEV_MODE: 'true' } });
  const { body: sent } = await second.asOperator('POST', '/api/wallet/send', { amount: 5 });
  expect((await second.receive(sent.token)).body).toMatchObject({ amount: 5 });
  expect(await second.balance()).toBe(8);
  expect((await second.receive(made.token)).body.code).toBe('token_spent');
  await second.close();

  await writeFile(books, 'not a database\n'.repeat(1000));
  const third = await serveWallet(mint.url, { directory, environment: { DEV_MODE: 'true' } });
  expect(await third.balance()).toBe(8);
  const { status, body } = await third.receive(mint.issue(4));
  expect([status, body.code]).toEqual([503, 'mint_unreachable']);
  expect(body.error).toContain('test-money-mint.sqlite');
  expect(body.error).not.toContain(directory);
});
