import { describe, expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { Fault, TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { OTHER_WORDS, WORDS } from '../../../support/seed.ts';
import { makeTempDirectory } from '../../../support/temp.ts';
import { readRows } from '../../../support/wallet.ts';
import { untilConfirmed } from '../../../support/wallet-copies.ts';
import { signElsewhere, signUnverified } from '../../../support/wallet-plant.ts';
import {
  spawnWaiting,
  type WalletProcessOptions,
  walletEnvironment,
} from '../../../support/wallet-process.ts';
import {
  expectNothingLost,
  followWallet,
  PATIENT,
  send,
  serveTimedWallet,
  sums,
  type TimedWallet,
} from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

/** Searches the mint for the sats of words: at difficult mints, into wallets that hold something, and over crashes. */

const SLOW = { ...PATIENT, mintTimeoutMs: 20_000 };

const wordsOf = async (wallet: TimedWallet): Promise<string> =>
  (await wallet.asOperator('GET', '/api/wallet/seed')).body.mnemonic;

const restore = (wallet: TimedWallet, mnemonic: string) =>
  wallet.asOperator('POST', '/api/wallet/restore', { mnemonic });

const rescan = (wallet: TimedWallet) => wallet.asOperator('POST', '/api/wallet/rescan', {});

/** Waits for an answer while a second passes in less than two milliseconds. */
const whileSecondsPass = async <T>(wallet: TimedWallet, task: Promise<T>): Promise<T> => {
  const timer = setInterval(() => wallet.clock.pass(3_000), 5);
  try {
    return await task;
  } finally {
    clearInterval(timer);
  }
};

/** A mint of some keysets, half of them inactive, that signed counters of words on three of them. */
const mintWith = async (words: string, count: number, inputFeePpk = 0) => {
  const mint = await testMint({ keysets: Array.from({ length: count }, () => ({ inputFeePpk })) });
  const ids = mint.keysets().map(({ id }) => id);
  const keyset = (at: number) => ids[at] ?? '';
  const tokens = await signElsewhere(mint, words, [
    { keysetId: keyset(0), counter: 0, amounts: [1, 2, 4] },
    // Behind a gap that a batch of 50 or 100 doesn't cross.
    { keysetId: keyset(0), counter: 700, amounts: [8] },
    { keysetId: keyset(1), counter: 20, amounts: [16, 32] },
    { keysetId: keyset(count - 1), counter: 99, amounts: [64, 128] },
  ]);
  for (const id of ids.slice(0, count / 2)) mint.setKeyset(id, { active: false });
  return { mint, ids, tokens, total: 255, proofs: 8 };
};

const LIMITED: [number, string, Fault][] = [
  [5, 'with Retry-After', { kind: 'status', status: 429, retryAfterSeconds: 1, every: 3 }],
  [3, 'without Retry-After', { kind: 'status', status: 429, every: 3 }],
];

test('a search credits nothing of a send that began while its request was repeated', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, SLOW);
  const token = mint.issue(64, { withoutDleq: true });
  await wallet.receive(token);
  const before = mint.requestCount('/v1/restore');
  // It asks three times at once.
  mint.fail('/v1/restore', { kind: 'status', status: 502, times: 3 });
  const searching = rescan(wallet);
  await until(() => mint.requestCount('/v1/restore') === before + 3);
  // The mint signs at once, and the answer takes longer than the search.
  mint.fail('/v1/swap', { kind: 'slow', delayMs: 6_000, when: 'after', times: 1 });
  const sending = send(wallet, 21);
  await until(() => mint.requestCount('/v1/swap') > 1);
  expect((await whileSecondsPass(wallet, searching)).body).toMatchObject({ found: 0 });
  expect((await sending).status).toBe(201);
  expect((await readHistory(wallet)).map(({ kind, amount }) => [kind, amount])).toEqual([
    ['send', 21],
    ['receive', 64],
  ]);
  await expectNothingLost(wallet, mint, [token]);
});

describe('a restore from words', () => {
  test.each(LIMITED)(
    'completes at a mint of %i keysets that accepts 50 outputs and answers every third request with 429 %s',
    async (keysets, _name, fault) => {
      const { mint, total, proofs, tokens } = await mintWith(WORDS, keysets);
      const wallet = await serveTimedWallet(mint, SLOW);
      const { events } = await followWallet(wallet);
      mint.setLimits({ maxOutputs: 50 });
      mint.fail('*', fault);
      const { status, body } = await whileSecondsPass(wallet, restore(wallet, WORDS));
      expect([status, body]).toEqual([
        200,
        {
          found: total,
          amount: total,
          proofs,
          fee: 0,
          words: 'replaced',
          skipped: [],
          pending: 0,
        },
      ]);
      mint.clearFaults();
      // Much time has passed, so what was found on inactive keysets may be moving, or have moved.
      await whileSecondsPass(
        wallet,
        until(async () => (await sums(wallet)).pending === 0),
      );
      expect(await sums(wallet)).toEqual({ balance: total, pending: 0 });
      expect(await wordsOf(wallet)).toBe(WORDS);
      const found = (await readHistory(wallet)).filter(({ kind }) => kind !== 'swap');
      expect(found.map(({ kind, amount }) => [kind, amount])).toEqual([['restore', total]]);

      await until(() => events.some(({ restore: progress }) => progress === null));
      const told = events.flatMap(({ restore: progress }) => progress ?? []);
      const series = (name: string) => told.map((progress) => Number(progress[name]));
      for (const name of ['keysetsDone', 'counters', 'sats']) {
        expect(series(name)).toEqual([...series(name)].sort((a, b) => a - b));
      }
      expect([...new Set(series('keysets'))]).toEqual([keysets]);
      expect(Math.max(...series('keysetsDone'))).toBeGreaterThanOrEqual(keysets - 1);
      expect(series('sats').at(-1)).toBe(total);
      // A thousand on each keyset after the last signed one.
      expect(series('counters').at(-1)).toBeGreaterThanOrEqual(keysets * 1_000 + 700);
      await expectNothingLost(wallet, mint, []);
      expect(mint.unspent(tokens)).toBe(0);
    },
  );

  test('counts a mint that limits the very first request as busy, not as away', async () => {
    const { mint, total } = await mintWith(WORDS, 2);
    const wallet = await serveTimedWallet(mint, SLOW);
    mint.fail('/v1/keysets', { kind: 'status', status: 429, retryAfterSeconds: 1, times: 2 });
    expect((await whileSecondsPass(wallet, restore(wallet, WORDS))).status).toBe(200);
    // Not the answer's amount: so much time passes that a move off the inactive keyset may find some of it first.
    await until(async () => (await sums(wallet)).balance === total);
  });

  test('that waits for a mint does not keep the wallet from closing', async () => {
    const { mint } = await mintWith(WORDS, 3);
    const wallet = await serveTimedWallet(mint, SLOW);
    mint.fail('/v1/restore', { kind: 'status', status: 429 });
    const restoring = restore(wallet, WORDS).catch(() => undefined);
    await until(() => mint.requestCount('/v1/restore') > 0);
    await wallet.close();
    expect((await restoring)?.status).not.toBe(200);
  });

  test('skips and names a keyset that cannot be verified, and another active keyset still receives', async () => {
    const mint = await testMint({ keysets: [{}, { unverifiable: true }] });
    const [good, bad] = mint.keysets().map(({ id }) => id);
    await signElsewhere(mint, WORDS, [{ keysetId: good ?? '', counter: 0, amounts: [1, 2] }]);
    await signUnverified(mint, WORDS, { keysetId: bad ?? '', counter: 0, amounts: [4] });
    const wallet = await serveTimedWallet(mint, SLOW);
    const { status, body } = await restore(wallet, WORDS);
    expect([status, body]).toEqual([
      200,
      {
        found: 3,
        amount: 3,
        pending: 0,
        proofs: 2,
        fee: 0,
        words: 'replaced',
        skipped: [{ keysetId: bad, reason: expect.stringMatching(/\w/) }],
      },
    ]);
    const token = mint.issue(100, { keysetId: good ?? '', withoutDleq: true });
    expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 100 });
    expect(await sums(wallet)).toEqual({ balance: 103, pending: 0 });
  });

  test('accepts signatures without DLEQ, leaves spent proofs out, and waits for pending ones', async () => {
    const mint = await testMint();
    const [keyset] = mint.keysets();
    const [spent = '', pending = '', later = ''] = await signElsewhere(mint, WORDS, [
      { keysetId: keyset?.id ?? '', counter: 0, amounts: [1, 2, 4, 8] },
    ]);
    mint.spend([spent]);
    mint.setPending([pending, later]);
    mint.fail('/v1/restore', { kind: 'no-dleq' });
    const wallet = await serveTimedWallet(mint, SLOW);
    expect((await restore(wallet, WORDS)).body).toMatchObject({
      found: 14,
      amount: 8,
      pending: 6,
      proofs: 1,
    });
    expect((await sums(wallet)).balance).toBe(8);
    expect((await send(wallet, 9)).body.code).toBe('insufficient_funds');
    mint.clearPending();
    mint.spend([later]);
    await until(async () => {
      wallet.clock.pass(6 * 60_000);
      return (await sums(wallet)).balance === 10;
    });
    mint.clearFaults();
    await untilConfirmed(wallet);
    await expectNothingLost(wallet, mint, []);
  });
});

describe('a wallet that is not empty', () => {
  const fullWallet = async (mint: TestMint) => {
    const wallet = await serveTimedWallet(mint, SLOW);
    const token = mint.issue(100, { withoutDleq: true });
    const { body } = await wallet.receive(token);
    return { wallet, token, received: body.amount as number, own: await wordsOf(wallet) };
  };

  test('swaps the sats of other words in, keeps its own words, and counts the fee', async () => {
    const { mint, total, tokens } = await mintWith(WORDS, 3, 100);
    const { wallet, token, received, own } = await fullWallet(mint);
    const { status, body } = await restore(wallet, WORDS);
    // One swap for each keyset that holds something.
    expect([status, body]).toEqual([
      200,
      {
        found: total,
        amount: total - 3,
        proofs: 8,
        fee: 3,
        words: 'kept',
        skipped: [],
        pending: 0,
      },
    ]);
    expect(mint.unspent(tokens)).toBe(0);
    expect(await sums(wallet)).toEqual({ balance: received + total - 3, pending: 0 });
    expect(await wordsOf(wallet)).toBe(own);
    expect((await restore(wallet, WORDS)).body.code).toBe('nothing_found');
    await wallet.close();
    // What was swapped in belongs to its own words.
    const other = await serveTimedWallet(mint, SLOW);
    expect((await restore(other, own)).body.amount).toBe(received + total - 3);
    await expectNothingLost(other, mint, [token]);
  });

  test('swaps the sats of other words in at a mint that accepts few inputs', async () => {
    const mint = await testMint();
    const [keyset] = mint.keysets();
    const amounts = Array<number>(60).fill(1);
    await signElsewhere(mint, WORDS, [{ keysetId: keyset?.id ?? '', counter: 0, amounts }]);
    const { wallet, token } = await fullWallet(mint);
    mint.setLimits({ maxInputs: 20, maxOutputs: 50 });
    const { status, body } = await restore(wallet, WORDS);
    expect([status, body]).toEqual([
      200,
      { found: 60, amount: 60, proofs: 60, fee: 0, words: 'kept', skipped: [], pending: 0 },
    ]);
    await expectNothingLost(wallet, mint, [token]);
  });

  test('swaps in what it can of other words, and names a keyset whose sats the mint refuses', async () => {
    const finalExpirySeconds = Math.floor(Date.now() / 1000) + 3600;
    const mint = await testMint({ keysets: [{ finalExpirySeconds }, {}] });
    const [expired = '', good = ''] = mint.keysets().map(({ id }) => id);
    await signElsewhere(mint, WORDS, [
      { keysetId: expired, counter: 0, amounts: [8] },
      { keysetId: good, counter: 0, amounts: [1, 2] },
    ]);
    const { wallet, received } = await fullWallet(mint);
    mint.setTime(finalExpirySeconds);
    const { status, body } = await restore(wallet, WORDS);
    expect([status, body]).toMatchObject([
      200,
      { found: 11, amount: 3, proofs: 2, skipped: [{ keysetId: expired }] },
    ]);
    expect(await sums(wallet)).toEqual({ balance: received + 3, pending: 0 });
  });

  test('finds missing sats of its own words with a rescan, or with the words, and once', async () => {
    const mint = await testMint();
    const [keyset] = mint.keysets();
    const { wallet, token, own, received } = await fullWallet(mint);
    const nothing = {
      found: 0,
      amount: 0,
      proofs: 0,
      fee: 0,
      words: 'kept',
      skipped: [],
      pending: 0,
    };
    expect((await rescan(wallet)).body).toEqual(nothing);
    // Beyond what a start looks at.
    const keysetId = keyset?.id ?? '';
    await signElsewhere(mint, own, [{ keysetId, counter: 500, amounts: [16, 32] }]);
    expect((await rescan(wallet)).body).toEqual({ ...nothing, found: 48, amount: 48, proofs: 2 });
    expect((await rescan(wallet)).body).toEqual(nothing);
    await signElsewhere(mint, own, [{ keysetId, counter: 1_200, amounts: [1] }]);
    expect((await restore(wallet, own)).body).toEqual({ ...nothing, found: 1, amount: 1, proofs: 1 });
    expect(await sums(wallet)).toEqual({ balance: received + 49, pending: 0 });
    expect((await readHistory(wallet)).map(({ kind, amount }) => [kind, amount])).toEqual([
      ['recovered', 1],
      ['recovered', 48],
      ['receive', received],
    ]);
    // New outputs come after what was found.
    const more = mint.issue(7, { withoutDleq: true });
    const swaps = mint.requestCount('/v1/swap');
    expect((await wallet.receive(more)).status).toBe(200);
    expect(mint.requestCount('/v1/swap')).toBe(swaps + 1);
    await expectNothingLost(wallet, mint, [token, more]);
  });

  test('joins two searches for the same words, and refuses another one meanwhile', async () => {
    const mint = await testMint();
    const [keyset] = mint.keysets();
    await signElsewhere(mint, WORDS, [{ keysetId: keyset?.id ?? '', counter: 0, amounts: [16] }]);
    const { wallet } = await fullWallet(mint);
    mint.fail('/v1/restore', { kind: 'hang', times: 1 });
    const [first, second] = [restore(wallet, WORDS), restore(wallet, WORDS)];
    await until(() => mint.hanging() > 0);
    expect((await rescan(wallet)).body.code).toBe('wallet_busy');
    mint.clearFaults();
    expect((await first).body).toMatchObject({ amount: 16, words: 'kept' });
    expect((await second).body).toEqual((await first).body);
  });

  test.each([
    ['empty', false],
    ['not empty', true],
  ])('is not changed by words that own nothing (%s)', async (_name, isFull) => {
    const mint = await testMint();
    const [keyset] = mint.keysets();
    const tokens = await signElsewhere(mint, OTHER_WORDS, [
      { keysetId: keyset?.id ?? '', counter: 0, amounts: [8] },
    ]);
    mint.spend(tokens);
    const wallet = await serveTimedWallet(mint, SLOW);
    if (isFull) await wallet.receive(mint.issue(100, { withoutDleq: true }));
    const before = [await sums(wallet), await wordsOf(wallet), await readHistory(wallet)];
    for (const words of [WORDS, OTHER_WORDS]) {
      const { status, body } = await restore(wallet, words);
      expect([status, body.code]).toEqual([409, 'nothing_found']);
    }
    expect([await sums(wallet), await wordsOf(wallet), await readHistory(wallet)]).toEqual(before);
    // Its counters are still its own.
    expect((await wallet.receive(mint.issue(8, { withoutDleq: true }))).status).toBe(200);
    expect((await wallet.asOperator('GET', '/api/wallet/seed')).body.others).toEqual([]);
  });
});

describe('a process that is killed in the middle of a search', () => {
  /** Starts a server process over the data of a directory. */
  const startIn = async (directory: string, mint: TestMint) => {
    const launchOptions: WalletProcessOptions = {
      environment: walletEnvironment(mint.url),
      mintTimeoutMs: 20_000,
    };
    const running = spawnWaiting(directory).start(launchOptions);
    const address = await running.listening;
    const ask = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${address.url}${path}`, {
        method,
        headers: {
          Authorization: `Bearer ${address.operatorToken}`,
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return response.json();
    };
    return {
      ...running,
      ...address,
      ask,
      balance: async () => (await ask('GET', '/api/wallet/balance')).balance,
    };
  };

  test('continues with words that an empty wallet adopted, finds everything, and nothing twice', async () => {
    const { mint, total } = await mintWith(WORDS, 3);
    mint.setLimits({ maxOutputs: 50 });
    // The first keyset takes 34 requests, so its sats are found by then.
    mint.fail('/v1/restore', { kind: 'hang', every: 45 });
    const directory = await makeTempDirectory();
    const first = await startIn(directory, mint);
    const lost = first.ask('POST', '/api/wallet/restore', { mnemonic: WORDS }).catch(() => 'no answer');
    await until(async () => mint.hanging() > 0 && (await first.balance()) > 0);
    const before = await first.balance();
    await first.kill();
    expect(await lost).toBe('no answer');
    expect(before).toBeLessThan(total);
    mint.clearFaults();

    const second = await startIn(directory, mint);
    expect(await second.balance()).toBeGreaterThanOrEqual(before);
    // Nobody asks for it.
    await until(async () => (await second.balance()) === total);
    expect((await second.ask('GET', '/api/wallet/seed')).mnemonic).toBe(WORDS);
    const { entries } = await second.ask('GET', '/api/wallet/history');
    expect(entries).toMatchObject([{ kind: 'restore', state: 'completed', amount: total }]);
    await second.stop();
  });

  test('loses no sats of other words that are swapped in: repeated, it finds the rest', async () => {
    const { mint, tokens, total } = await mintWith(WORDS, 3);
    const directory = await makeTempDirectory();
    const first = await startIn(directory, mint);
    const token = mint.issue(1_000, { withoutDleq: true });
    expect((await first.ask('POST', '/api/wallet/receive', { token })).success).toBe(true);
    const own = (await first.ask('GET', '/api/wallet/seed')).mnemonic;
    mint.fail('/v1/swap', { kind: 'slow', delayMs: 50, when: 'after' });
    const lost = first.ask('POST', '/api/wallet/restore', { mnemonic: WORDS }).catch(() => 'no answer');
    // The mint has done the first swap, and the wallet hasn't heard of it.
    await until(() => mint.unspent(tokens) < total);
    await first.kill();
    expect(await lost).toBe('no answer');
    mint.clearFaults();

    const second = await startIn(directory, mint);
    const found = await second.ask('POST', '/api/wallet/restore', { mnemonic: WORDS });
    expect(found).toMatchObject({ words: 'kept' });
    await until(async () => (await second.balance()) === 1_000 + total);
    expect(mint.unspent(tokens)).toBe(0);
    expect((await second.ask('GET', '/api/wallet/seed')).mnemonic).toBe(own);
    const { entries } = await second.ask('GET', '/api/wallet/history');
    const sum = entries.reduce((all: number, { amount }: { amount: number }) => all + amount, 0);
    expect(sum).toBe(1_000 + total);
    await second.stop();
    expect(await readRows(`${directory}/data/wallet`, 'SELECT SUM(amount) AS sum FROM proofs')).toEqual([
      { sum: 1_000 + total },
    ]);
  });
});
