import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openWalletDatabase } from '../../../src/server/wallet/store/wallet-store.ts';
import { makeClock } from '../../support/clock.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import type { WalletServer } from '../../support/wallet.ts';
import { serveWallet } from '../../support/wallet.ts';
import { spawnWaiting, walletEnvironment } from '../../support/wallet-process.ts';
import { reclaim, serveTimedWallet, settle, whileTimePasses } from '../../support/wallet-recovery.ts';

const HOUR_MS = 60 * 60_000;

/** The limit of an agent key in sats per day. */

interface Caller {
  url: string;
  operatorToken: string;
}

const call = async (
  { url }: Caller,
  token: string,
  method: string,
  path: string,
  body?: unknown,
  key = '',
) => {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === '' ? {} : { 'Idempotency-Key': key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
};

const createKey = async (server: Caller, satsPerDay: number, more: object = {}) =>
  (
    await call(server, server.operatorToken, 'POST', '/api/keys', {
      label: 'Spender',
      scopes: ['spend'],
      spend: { satsPerDay },
      ...more,
    })
  ).body;

const send = (server: Caller, key: string, amount: number, idempotencyKey?: string) =>
  call(server, key, 'POST', '/api/wallet/send', { amount }, idempotencyKey);

const spentToday = async (server: Caller, id: string): Promise<number | null> => {
  const { body } = await call(server, server.operatorToken, 'GET', '/api/keys');
  return body.keys.find((key: { id: string }) => key.id === id).spend.spentToday;
};

const sends = async (server: Caller) => {
  const { body } = await call(server, server.operatorToken, 'GET', '/api/wallet/history?limit=100');
  return body.entries.filter(({ kind }: { kind: string }) => kind === 'send');
};

const sumOf = (entries: { amount: number; fee: number }[]) =>
  entries.reduce((sum, { amount, fee }) => sum + amount + fee, 0);

/** Fills a wallet with proofs of 1 sat, so that many sends can run at the same time. */
const fill = async (server: Caller, mint: TestMint, count: number) => {
  for (let left = count; left > 0; left -= 10) {
    const tokens = Array.from({ length: Math.min(left, 10) }, () => mint.issue(1));
    const answers = await Promise.all(
      tokens.map((token) => call(server, '', 'POST', '/api/wallet/receive', { token })),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  }
};

const LIMIT = 25;

test('a limit holds under 100 parallel requests and across a restart, and begins anew the next day', async () => {
  const mint = await testMint();
  const first = await serveWallet(mint.url);
  await fill(first, mint, 60);
  const { id, key } = await createKey(first, LIMIT);
  const answers = await Promise.all(Array.from({ length: 100 }, () => send(first, key, 1)));
  const codes = answers.map(({ status, body }) => (status === 201 ? 'sent' : body.code));
  expect(codes.filter((code) => code === 'sent')).toHaveLength(LIMIT);
  expect(codes.filter((code) => code === 'spend_limit_reached')).toHaveLength(100 - LIMIT);
  expect(answers.find(({ status }) => status === 403)?.body).toMatchObject({
    satsPerDay: LIMIT,
    resetsAt: expect.stringMatching(/^\d{4}-/),
  });
  expect([sumOf(await sends(first)), await spentToday(first, id)]).toEqual([LIMIT, LIMIT]);
  // The others cost nothing.
  expect(await first.balance()).toBe(60 - LIMIT);
  await first.close();

  const second = await serveTimedWallet(mint, { directory: first.directory });
  expect((await send(second, key, 1)).body).toMatchObject({
    code: 'spend_limit_reached',
    spentToday: LIMIT,
  });
  expect((await second.asOperator('POST', '/api/wallet/send', { amount: 1 })).status).toBe(201);
  second.clock.pass(24 * 60 * 60_000);
  expect(await spentToday(second, id)).toBe(0);
  expect((await send(second, key, 2)).status).toBe(201);
  expect(await spentToday(second, id)).toBe(2);
});

test('a limit counts what the key sent with the wallets of other mints today', { tags: 'slow' }, async () => {
  const mints = [await testMint(), await testMint(), await testMint()] as const;
  let wallet = await serveTimedWallet(mints[0]);
  const { id, key } = await createKey(wallet, LIMIT);
  const changeMint = async (mint: TestMint) => {
    await wallet.close();
    wallet = await serveTimedWallet(mint, { directory: wallet.directory });
  };
  /** Receives some sats, and then sends as many as the key may. */
  const sendAt = async (mint: TestMint, received: number, amount: number) => {
    await wallet.receive(mint.issue(received, { withoutDleq: true }));
    return (await send(wallet, key, amount)).status;
  };

  // The first wallet keeps sats, so it stays open. Nothing is left in the second one.
  expect(await sendAt(mints[0], 64, 10)).toBe(201);
  await changeMint(mints[1]);
  expect(await spentToday(wallet, id)).toBe(10);
  expect(await sendAt(mints[1], 8, 8)).toBe(201);
  await changeMint(mints[2]);
  expect(await spentToday(wallet, id)).toBe(18);
  expect(await sendAt(mints[2], 64, 8)).toBe(403);
  expect(await sendAt(mints[2], 1, 7)).toBe(201);
  const refused = await send(wallet, key, 1);
  expect(refused.body).toMatchObject({ code: 'spend_limit_reached', satsPerDay: LIMIT, spentToday: LIMIT });

  await changeMint(mints[0]);
  expect((await send(wallet, key, 1)).body).toMatchObject({ spentToday: LIMIT });
  wallet.clock.pass(24 * 60 * 60_000);
  expect([await spentToday(wallet, id), (await send(wallet, key, 2)).status]).toEqual([0, 201]);
});

test('what counts: the fee, a pending send and a reclaimed one, but no failed one', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1000 }] });
  const wallet = await serveTimedWallet(mint);
  // The day must not end while time passes.
  const midnight = new Date().setHours(24, 0, 0, 0);
  if (midnight - wallet.clock.now() < 3 * HOUR_MS) wallet.clock.pass(3 * HOUR_MS);
  // Proofs of 64, 32, 2 and 1.
  await wallet.receive(mint.issue(64 + 32 + 2 + 1 + 4, { withoutDleq: true }));
  const { id, key } = await createKey(wallet, 60, { agent: 'scout' });

  const sent = await send(wallet, key, 20);
  expect([sent.status, sent.body.fee > 0]).toEqual([201, true]);
  const first = 20 + sent.body.fee;
  expect(await spentToday(wallet, id)).toBe(first);
  // 40 fit without their fee, and not with it.
  const refused = await send(wallet, key, 60 - first);
  expect(refused.body).toMatchObject({ code: 'spend_limit_reached', spentToday: first });
  expect((await sends(wallet)).map(({ agent }: { agent?: string }) => agent)).toEqual(['scout']);

  const { status } = await reclaim(wallet, sent.body.operationId);
  expect([status, await spentToday(wallet, id)]).toEqual([200, first]);

  mint.fail('/v1/swap', { kind: 'error', code: 20_003, detail: 'closed', times: 1 });
  const failed = await whileTimePasses(wallet, send(wallet, key, 5));
  expect([failed.status, failed.body.code]).toEqual([422, 'mint_refused']);
  expect(await spentToday(wallet, id)).toBe(first);

  mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
  mint.fail('/v1/checkstate', { kind: 'drop' });
  const pending = await whileTimePasses(wallet, send(wallet, key, 5));
  expect(pending.body.code).toBe('send_pending');
  const withPending = await spentToday(wallet, id);
  expect(withPending).toBeGreaterThanOrEqual(first + 5);
  mint.clearFaults();
  await settle(wallet);
  expect(await spentToday(wallet, id)).toBe(withPending);
});

test('a failed send counts until it is certain that the mint did not carry it out', async () => {
  const clock = makeClock();
  const database = await openWalletDatabase(join(await makeTempDirectory(), 'wallet.sqlite'), clock);
  onTestFinished(database.close);
  const store = database.ofMint('https://mint.example');
  const plan = { keysetId: 'k', inputs: [], keep: [], send: [] };
  const send = store.operations.add({ kind: 'send', amount: 5, fee: 1, plan });
  const merge = store.operations.add({ kind: 'swap', amount: 50, fee: 2, plan });
  for (const operation of [send, merge]) store.keyUse.add(operation, 'one');
  // A swap of the wallet's own proofs costs only its fee.
  expect([store.keyUse.today('one'), store.keyUse.today('other')]).toEqual([8, 0]);
  store.operations.fail(send.number, { code: 'already_spent', message: 'x' }, clock.now() + 60_000);
  expect(store.keyUse.today('one')).toBe(8);
  store.operations.setRecheck(send.number, undefined);
  expect(store.keyUse.today('one')).toBe(2);
  // The mint did it after all.
  store.operations.complete(send.number, send, 'cashuBx');
  expect([...store.keyUse.todayByKey()]).toEqual([['one', 8]]);
});

test('no other caller gets the token of a key by its Idempotency-Key', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  await wallet.receive(mint.issue(64));
  const one = await createKey(wallet, 50);
  const other = await createKey(wallet, 50);
  const token = async (key: string) => (await send(wallet, key, 5, 'payday')).body.token;
  const ofOperator = await token(wallet.operatorToken);
  const tokens = [ofOperator, await token(one.key), await token(other.key)];
  expect(new Set(tokens).size).toBe(3);
  expect([await token(wallet.operatorToken), await token(one.key), await token(other.key)]).toEqual(tokens);
  // A repeated answer counts once.
  expect(await spentToday(wallet, one.id)).toBe(5);
});

test('the Idempotency-Keys of one agent key are nobody else’s', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const createReceiver = async (label: string): Promise<string> =>
    (await call(wallet, wallet.operatorToken, 'POST', '/api/keys', { label, scopes: ['receive'] })).body.key;
  const receive = (key: string, token: string) =>
    call(wallet, key, 'POST', '/api/wallet/receive', { token }, 'order-1');
  const [scout, courier] = [await createReceiver('scout'), await createReceiver('courier')];
  const [first, second, third] = [mint.issue(1), mint.issue(2), mint.issue(4)];
  const withoutKey = await wallet.call(
    'POST',
    '/api/wallet/receive',
    { token: third },
    { 'Idempotency-Key': 'order-1' },
  );
  const received = [await receive(scout, first), await receive(courier, second), withoutKey];
  expect(received.map(({ body }) => body.amount)).toEqual([1, 2, 4]);
  expect((await receive(scout, first)).body).toMatchObject({ amount: 1, replayed: true });
  expect((await receive(scout, second)).body.code).toBe('idempotency_key_reused');
});

/** Sends with a key in its own process, and kills it at a step. */
const killDuring = async (
  directory: string,
  mint: TestMint,
  key: string,
  killAt: { step: 'operation-written' | 'operation-completed'; occurrence: number },
) => {
  const server = spawnWaiting(directory).start({ environment: walletEnvironment(mint.url), killAt });
  onTestFinished(() => server.kill());
  const caller = await server.listening;
  await Promise.allSettled(Array.from({ length: 20 }, () => send(caller, key, 1)));
  expect(await server.exited).toBe('SIGKILL');
};

test('a limit holds when the server is killed while it sends', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const directory = await makeTempDirectory();
  await mkdir(join(directory, 'root'));
  const walletDirectory = join(directory, 'data/wallet');
  const prepare = async (): Promise<WalletServer> => serveWallet(mint.url, { directory: walletDirectory });
  const first = await prepare();
  await fill(first, mint, 40);
  const { id, key } = await createKey(first, 12);
  await first.close();
  await killDuring(directory, mint, key, { step: 'operation-written', occurrence: 1 });
  await killDuring(directory, mint, key, { step: 'operation-completed', occurrence: 3 });
  await killDuring(directory, mint, key, { step: 'operation-written', occurrence: 2 });

  const last = await prepare();
  await Promise.all(Array.from({ length: 20 }, () => send(last, key, 1)));
  const counted = (await sends(last)).filter(({ state }: { state: string }) => state !== 'failed');
  expect([sumOf(counted), await spentToday(last, id)]).toEqual([12, 12]);
});
