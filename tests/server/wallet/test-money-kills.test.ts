import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { readJson, until } from '../../support/raw-http.ts';
import { makeRoot } from '../../support/root.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { auditWallet } from '../../support/wallet-audit.ts';

const LIVES = 4;
const PER_LIFE = 6;

const post = async (
  { server, operatorToken }: { server: ServerProcess; operatorToken: string },
  path: string,
  body: object,
  key?: string,
) => {
  const response = await fetch(`${server.url}/api/wallet/${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${operatorToken}`,
      ...(key === undefined ? {} : { 'Idempotency-Key': key }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await readJson(response) };
};

test('kills during receives of test money lose nothing and count nothing twice', async () => {
  const mint = await testMint();
  const directory = join(await makeTempDirectory(), 'wallet');
  const environment = {
    DOT_MI_ROOT: await makeRoot(),
    DEV_MODE: 'true',
    MINT_URL: mint.url,
    WALLET_DB_PATH: directory,
    BTC_PRICE_SOURCES: 'mempool=http://127.0.0.1:1',
  };
  const start = async () => {
    const server = await startServerProcess(environment);
    return { server, operatorToken: (await readFile(join(directory, 'operator-token'), 'utf8')).trim() };
  };
  let server = await start();
  const own: string[] = [];
  for (let at = 0; at < LIVES * PER_LIFE; at++)
    own.push((await post(server, 'test-tokens', { amount: at + 1 })).body.token);
  const foreign = Array.from({ length: LIVES * PER_LIFE }, () => mint.issue(100, { withoutDleq: true }));

  for (let life = 0; life < LIVES; life++) {
    const from = life * PER_LIFE;
    const requests = Array.from({ length: PER_LIFE }, (_, at) => from + at).flatMap((at) => [
      post(server, 'receive', { token: own[at] }),
      post(server, 'receive', { token: foreign[at] }, `foreign-${at}`),
    ]);
    // Kill it while some are answered and others aren't.
    let answered = 0;
    for (const request of requests) request.then(() => answered++).catch(() => undefined);
    await until(() => answered > 2 * life);
    await Promise.all([server.server.stop('SIGKILL'), Promise.allSettled(requests)]);
    server = await start();
  }

  for (const token of own) {
    await expect
      .poll(async () => (await post(server, 'receive', { token })).body.code, { timeout: 60_000 })
      .toBe('token_spent');
  }
  for (const [at, token] of foreign.entries())
    expect((await post(server, 'receive', { token }, `foreign-${at}`)).body).toMatchObject({
      amount: 100,
      simulated: true,
    });
  const balance = await readJson(fetch(`${server.server.url}/api/wallet/balance`));
  const sumOfOwn = own.reduce((sum, _, at) => sum + at + 1, 0);
  expect([balance.balance, balance.pending]).toEqual([sumOfOwn + 100 * foreign.length, 0]);
  // Everything can be spent, so it is there.
  const { body: sent } = await post(server, 'send', { amount: balance.balance });
  expect((await post(server, 'receive', { token: sent.token })).body.amount).toBe(balance.balance);
  await server.server.stop('SIGTERM');
  const copy = join(await makeTempDirectory(), 'wallet');
  await cp(directory, copy, { recursive: true });
  expect(auditWallet(join(copy, 'dev-wallet.sqlite'))).toEqual([]);
  expect(mint.requests()).toEqual([]);
});
