import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Step } from '../../../src/server/wallet/operations/swap-attempt.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { KeysetSpec, TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { spawnWaiting, type WalletProcessOptions, walletEnvironment } from '../../support/wallet-process.ts';
import { type Address, ask, must, readHistory } from '../../torture/ask.ts';
import { addUp } from '../../torture/audit.ts';

/** The server is started, does something, and ends itself at the step; then it is started again. */

const FACE = 100;
/** Of one proof of 64, one of 32 and one of 4. */
const FEE = 1;
const FUNDS = FACE - FEE;
const SENT = 32;

interface Crashing {
  mint: TestMint;
  address: Address;
  /** Waits until the server has ended itself. */
  died(): Promise<void>;
  /** Starts it again, without a step to end at, and waits until nothing is pending. */
  restart(): Promise<Address>;
}

const startCrashing = async (
  killAt: NonNullable<WalletProcessOptions['killAt']>,
  keyset: KeysetSpec = {},
  { movesSoon = false } = {},
): Promise<Crashing> => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100, ...keyset }] });
  const directory = await makeTempDirectory();
  await mkdir(join(directory, 'root'));
  const launchOptions = {
    environment: walletEnvironment(mint.url),
    mintTimeoutMs: 5000,
    confirmAfterMs: 300,
  };
  // Proofs are moved off a keyset a minute after the start, and the mint is asked for its keysets then.
  const hurry = { longerThanMs: 30_000, atMostMs: 300 };
  const start = (more: Partial<WalletProcessOptions>) => {
    const server = spawnWaiting(directory).start({ ...launchOptions, ...more });
    onTestFinished(() => server.kill());
    return server;
  };
  const server = start({ killAt, ...(movesSoon ? { hurry } : {}) });
  return {
    mint,
    address: await server.listening,
    died: async () => expect(await server.exited, server.stderr()).toBe('SIGKILL'),
    restart: async () => {
      const address = await start({ hurry }).listening;
      const isDone = async () => (await readHistory(address)).every(({ state }) => state !== 'pending');
      await until(isDone);
      return address;
    },
  };
};

const post = (path: string, body?: unknown, key?: string) => ({ method: 'POST' as const, path, body, key });
const receive = (token: string, key?: string) => post('/api/wallet/receive', { token }, key);
const readBalance = async (address: Address) =>
  (await must(address, { method: 'GET', path: '/api/wallet/balance' })).balance;

/** What must be true whatever happened: nothing is lost, nothing is there twice. */
const expectNothingLost = async (address: Address, mint: TestMint, tokens: string[] = []) => {
  const given = tokens.map((text) => ({ text }));
  expect((await addUp(address, mint, await readHistory(address), given)).difference).toBe(0);
};

/** What to do to the mint so that a step is reached, once the server knows the mint's keysets. */
const WAYS: Record<string, { step: Step; prepare?(mint: TestMint): void }> = {
  'before the mint was asked': { step: 'operation-written' },
  'after the mint answered': { step: 'swap-answered' },
  'after it was completed': { step: 'operation-completed' },
  'when the states are known, and the swap never reached the mint': {
    step: 'states-known',
    prepare: (mint) => mint.fail('/v1/swap', { kind: 'drop', times: 1 }),
  },
  'when the states are known, and the answer was lost': {
    step: 'states-known',
    prepare: (mint) => mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 }),
  },
  'when the outputs are restored': {
    step: 'outputs-restored',
    prepare: (mint) => mint.fail('/v1/swap', { kind: 'status', when: 'after', times: 1 }),
  },
  'after a rotation, when it was planned anew': {
    step: 'operation-replanned',
    prepare: (mint) => void mint.rotate({ inputFeePpk: 100 }),
  },
};

/** Steps every operation before has reached too. */
const COMMON: readonly Step[] = ['operation-written', 'swap-answered', 'operation-completed'];
const killAt = (step: Step, operationsBefore: number) => ({
  step,
  occurrence: COMMON.includes(step) ? operationsBefore + 1 : 1,
});

describe.each(Object.entries(WAYS))('killed %s,', (_name, { step, prepare }) => {
  test('a receive is completed, once, and answered under its key', async () => {
    const { mint, address, died, restart } = await startCrashing(killAt(step, 0));
    const token = mint.issue(FACE, { withoutDleq: true });
    expect((await ask(address, post('/api/wallet/validate', { token })))?.body.valid).toBe(true);
    prepare?.(mint);
    expect(await ask(address, receive(token, 'key'))).toBeUndefined();
    await died();

    const again = await restart();
    expect(await readBalance(again)).toBe(FUNDS);
    const history = await readHistory(again);
    expect(history).toMatchObject([{ kind: 'receive', state: 'completed', amount: FUNDS, fee: FEE }]);
    expect((await ask(again, receive(token, 'key')))?.body).toMatchObject({
      success: true,
      amount: FUNDS,
      operationId: history[0]?.id,
    });
    expect((await ask(again, receive(token)))?.body.code).toBe('token_spent');
    await expectNothingLost(again, mint, [token]);
  });

  test('a send is completed, once: its token is in the history, answered under its key, and can be redeemed', {
    tags: 'slow',
  }, async () => {
    const { mint, address, died, restart } = await startCrashing(killAt(step, 1));
    await must(address, receive(mint.issue(FACE, { withoutDleq: true })));
    prepare?.(mint);
    const send = post('/api/wallet/send', { amount: SENT }, 'key');
    expect(await ask(address, send)).toBeUndefined();
    await died();

    const again = await restart();
    const [entry, ...rest] = await readHistory(again);
    expect(rest).toHaveLength(1);
    expect(entry).toMatchObject({ kind: 'send', state: 'completed', amount: SENT, spent: false });
    expect(await readBalance(again)).toBe(FUNDS - SENT - (entry?.fee ?? 0));
    const { id: operationId, token = '' } = entry ?? {};
    expect((await ask(again, send))?.body).toMatchObject({ token, operationId });
    expect(mint.unspent([token])).toBe(SENT);
    await expectNothingLost(again, mint);
    mint.spend([token]);
    await expectNothingLost(again, mint);
  });

  test('a reclaim is completed, once', { tags: 'slow' }, async () => {
    const { mint, address, died, restart } = await startCrashing(killAt(step, 2));
    await must(address, receive(mint.issue(FACE, { withoutDleq: true })));
    const { operationId } = await must(address, post('/api/wallet/send', { amount: SENT }));
    prepare?.(mint);
    const reclaim = post(`/api/wallet/operations/${operationId}/reclaim`);
    expect(await ask(address, reclaim)).toBeUndefined();
    await died();

    const again = await restart();
    const [entry, send] = await readHistory(again);
    expect(entry).toMatchObject({
      kind: 'reclaim',
      state: 'completed',
      amount: SENT - FEE,
      sendId: operationId,
    });
    expect(send).toMatchObject({ kind: 'send', state: 'completed', spent: true });
    expect(await readBalance(again)).toBe(FUNDS - (send?.fee ?? 0) - FEE);
    expect((await ask(again, reclaim))?.status).toBe(409);
    await expectNothingLost(again, mint);
  });
});

describe('killed right after an operation failed,', () => {
  test('a receive of a token that somebody else spent has failed, and can be requested again', {
    tags: 'slow',
  }, async () => {
    const { mint, address, died, restart } = await startCrashing({ step: 'operation-failed', occurrence: 1 });
    const token = mint.issue(FACE, { withoutDleq: true });
    mint.spend([token]);
    expect(await ask(address, receive(token, 'key'))).toBeUndefined();
    await died();

    const again = await restart();
    expect(await readHistory(again)).toMatchObject([
      { kind: 'receive', state: 'failed', error: { code: 'token_spent' } },
    ]);
    expect((await ask(again, receive(token, 'key')))?.body.code).toBe('token_spent');
    expect((await ask(again, receive(token)))?.body.code).toBe('token_spent');
    expect(await readBalance(again)).toBe(0);
    await expectNothingLost(again, mint, [token]);
  });

  test.each(['send', 'reclaim'])('a refused %s has moved nothing, and can be repeated', async (kind) => {
    const { mint, address, died, restart } = await startCrashing({ step: 'operation-failed', occurrence: 1 });
    await must(address, receive(mint.issue(FACE, { withoutDleq: true })));
    const { operationId, fee } = await must(address, post('/api/wallet/send', { amount: SENT }));
    const request =
      kind === 'send'
        ? post('/api/wallet/send', { amount: 10 })
        : post(`/api/wallet/operations/${operationId}/reclaim`);
    mint.fail('/v1/swap', { kind: 'error', code: 20_000, detail: 'not today', times: 1 });
    expect(await ask(address, request)).toBeUndefined();
    await died();

    const again = await restart();
    expect((await readHistory(again))[0]).toMatchObject({
      kind,
      state: 'failed',
      error: { code: 'mint_refused' },
    });
    expect(await readBalance(again)).toBe(FUNDS - SENT - fee);
    await expectNothingLost(again, mint);
    expect((await ask(again, request))?.status).toBeLessThan(300);
    await expectNothingLost(again, mint);
  });
});

test.each(COMMON)('killed at %s, the move off a keyset that expires continues', async (step) => {
  const finalExpirySeconds = Math.floor(Date.now() / 1000) + 3 * 24 * 60 * 60;
  const { mint, address, died, restart } = await startCrashing(
    killAt(step, 1),
    { finalExpirySeconds },
    { movesSoon: true },
  );
  await must(address, receive(mint.issue(FACE, { withoutDleq: true })));
  mint.rotate({ inputFeePpk: 100 });
  await died();

  const again = await restart();
  await until(async () =>
    (await readHistory(again)).some(({ kind, state }) => kind === 'swap' && state === 'completed'),
  );
  const moves = (await readHistory(again)).filter(({ kind }) => kind === 'swap');
  expect(moves).toMatchObject([{ state: 'completed', amount: FUNDS - FEE, fee: FEE }]);
  expect(await readBalance(again)).toBe(FUNDS - FEE);
  await expectNothingLost(again, mint);
});
