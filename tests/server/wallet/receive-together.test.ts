import { cp } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { until } from '../../support/raw-http.ts';
import { makeRoot } from '../../support/root.ts';
import { spawnServer, startServerProcess } from '../../support/server-process.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { readRows, serveWallet } from '../../support/wallet.ts';

const LOSERS = ['token_in_progress', 'token_spent'];

test('of 50 receives of one token exactly one pays, and no counter is wasted', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(64, { proofCount: 12, withoutDleq: true });
  const answers = await Promise.all(Array.from({ length: 50 }, () => wallet.receive(token)));
  const paid = answers.filter(({ status }) => status === 200);
  expect(paid.map(({ body }) => body.amount)).toEqual([62]);
  for (const { status, body } of answers.filter((answer) => !paid.includes(answer))) {
    expect(status).toBe(409);
    expect(LOSERS).toContain(body.code);
  }
  expect(await wallet.balance()).toBe(62);
  expect(mint.requests('/v1/swap')).toHaveLength(1);
  await wallet.close();
  // 62 = 32 + 16 + 8 + 4 + 2: five outputs.
  expect(await readRows(wallet.directory, 'SELECT next FROM counters')).toEqual([{ next: 5 }]);
  expect(await readRows(wallet.directory, 'SELECT count(*) AS all_of FROM operations')).toEqual([
    { all_of: 1 },
  ]);
});

test('of two tokens that share a proof one pays, at once or one after the other', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const whole = mint.issue(12, { version: 'A', withoutDleq: true });
  const [first] = JSON.parse(Buffer.from(whole.slice(6), 'base64url').toString()).token;
  const part = (proofs: unknown[]) =>
    `cashuA${Buffer.from(JSON.stringify({ token: [{ mint: mint.url, proofs }], unit: 'sat' })).toString('base64url')}`;
  const answers = await Promise.all([wallet.receive(whole), wallet.receive(part(first.proofs.slice(0, 1)))]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  const { balance } = (await wallet.call('GET', '/api/wallet/balance')).body;
  expect(balance + mint.unspent([whole])).toBe(12);
  expect((await wallet.receive(whole)).body.code).toBe('token_spent');
});

test('8 tokens at once all pay, each with its own outputs', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const tokens = Array.from({ length: 8 }, (_, at) => mint.issue(at + 1, { withoutDleq: true }));
  const answers = await Promise.all(tokens.map((token) => wallet.receive(token)));
  expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 200));
  expect(await wallet.balance()).toBe(36);
  await wallet.close();
  const [row] = await readRows(wallet.directory, 'SELECT count(*) AS proofs, sum(amount) AS sum FROM proofs');
  expect(row?.sum).toBe(36);
  expect(await readRows(wallet.directory, 'SELECT next FROM counters')).toEqual([{ next: row?.proofs }]);
  expect(mint.requests('/v1/swap')).toHaveLength(8);
});

test('simultaneous sends never share a proof, and their sats leave the balance', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  await wallet.receive(mint.issue(100, { withoutDleq: true }));
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => wallet.asOperator('POST', '/api/wallet/send', { amount: 10 })),
  );
  const sent = answers.filter(({ status }) => status === 201).map(({ body }) => body.token);
  for (const { status, body } of answers) {
    // The others' change may still be on its way.
    if (status !== 201)
      expect([status, body.code]).toBeOneOf([
        [422, 'insufficient_funds'],
        [503, 'wallet_busy'],
      ]);
  }
  expect(sent.length).toBeGreaterThan(0);
  expect(mint.unspent(sent)).toBe(10 * sent.length);
  expect(await wallet.balance()).toBe(100 - 10 * sent.length);
});

test('the balance responds while the mint hangs, and while a large token is being checked', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url, { mintTimeoutMs: 60_000, requestDeadlineMs: 60_000 });
  expect((await wallet.receive(mint.issue(8))).status).toBe(200);
  mint.fail('/v1/swap', { kind: 'hang' });
  const hanging = wallet.receive(mint.issue(16));
  await until(() => mint.hanging() === 1);
  expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({ balance: 8, pending: 16 });

  // 1,000 DLEQ proofs take some 20 s; they are not waited for.
  const large = wallet.validate(mint.issue(1000, { proofCount: 1000 })).then(
    () => 'checked',
    () => 'ended',
  );
  for (let round = 0; round < 20; round += 1) {
    const first = await Promise.race([large, hanging, wallet.balance()]);
    expect(first).toBe(8);
  }
  // Another's small token is not behind the large one either.
  expect((await Promise.race([large, wallet.validate(mint.issue(4))])) as object).toMatchObject({
    body: { valid: true, amount: 4 },
  });
  mint.clearFaults();
  expect((await hanging).body).toMatchObject({ success: true, amount: 16 });
});

test('a second server on the same wallet refuses to start in one line, and starts once the first was killed', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const environment = {
    DOT_MI_ROOT: await makeRoot(),
    DEV_MODE: 'false',
    MINT_URL: mint.url,
    WALLET_DB_PATH: await makeTempDirectory(),
  };
  const post = async (url: string, token: string) =>
    fetch(`${url}/api/wallet/receive`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    });
  const first = await startServerProcess(environment);
  expect((await post(first.url, mint.issue(8))).status).toBe(200);
  const second = await spawnServer(environment);
  expect(await second.exited).toBe(1);
  expect(second.stderr()).toMatch(
    /^dot-mi could not start: another dot-mi is using the wallet database \S+\.sqlite\./,
  );
  expect(second.stderr().trimEnd().split('\n')).toHaveLength(1);
  expect(second.stderr()).toContain('WALLET_DB_PATH');
  expect(second.stdout()).toBe('');
  expect((await post(first.url, mint.issue(4))).status).toBe(200);

  await first.stop('SIGKILL');
  const third = await startServerProcess(environment);
  expect(await (await fetch(`${third.url}/api/wallet/balance`)).json()).toMatchObject({ balance: 12 });
  // One in DEV_MODE has a database of its own.
  const dev = await startServerProcess({ ...environment, DEV_MODE: 'true' });
  expect(await (await fetch(`${dev.url}/api/wallet/balance`)).json()).toMatchObject({ balance: 0 });
});

test('a second receive never gets the counters of one that waits for the mint', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  mint.fail('/v1/swap', { kind: 'hang', times: 2 });
  const answers: Promise<unknown>[] = [];
  for (const number of [1, 2]) {
    answers.push(Promise.allSettled([wallet.receive(mint.issue(5, { withoutDleq: true }))]));
    await until(() => mint.requests('/v1/swap').length === number);
  }
  // A crash while the mint is asked would leave this.
  const onDisk = await makeTempDirectory();
  await cp(wallet.directory, onDisk, { recursive: true });
  await wallet.close();
  await Promise.all(answers);
  const rows = await readRows(onDisk, 'SELECT plan FROM operations ORDER BY number');
  expect(rows.map(({ plan }) => JSON.parse(String(plan)).counters)).toEqual([
    { start: 0, count: 2 },
    { start: 2, count: 2 },
  ]);
  // The next start doesn't assign them either.
  expect(await readRows(onDisk, 'SELECT next FROM counters')).toEqual([{ next: 4 }]);
});
