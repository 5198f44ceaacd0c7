import { describe, expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { KeysetSpec, TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { readRows } from '../../../support/wallet.ts';
import { plantProofs } from '../../../support/wallet-plant.ts';
import {
  expectNothingLost,
  PATIENT,
  send,
  serveTimedWallet,
  sums,
  type TimedWallet,
} from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

/** Proofs of keysets that expire or are inactive move to one that lasts. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LARGE = 2 ** 20;
const SLOW = { ...PATIENT, mintTimeoutMs: 20_000 };

const nowSeconds = () => Math.floor(Date.now() / 1000);

/** A mint whose first keyset expires in some hours, and whose second one lasts. Both are active. */
const expiringMint = async (hours: number, spec: KeysetSpec = {}, lasting: KeysetSpec = spec) => {
  const finalExpirySeconds = nowSeconds() + hours * 3600;
  const mint = await testMint({ keysets: [{ ...spec, finalExpirySeconds }, lasting] });
  const [expiring, other] = mint.keysets().map(({ id }) => id);
  return { mint, finalExpirySeconds, expiring: expiring ?? '', lasting: other ?? '' };
};

/** A wallet that holds the proofs of these tokens as they are, and has asked the mint what it knows of its words. */
const walletWith = async (mint: TestMint, tokens: string[]) => {
  const first = await serveTimedWallet(mint);
  await first.close();
  const ys = await plantProofs(first.directory, mint, tokens);
  const wallet = await serveTimedWallet(mint, { directory: first.directory, ...SLOW });
  await until(() => mint.requestCount('/v1/restore') > 0);
  return { ...wallet, ys };
};

const readBalance = async (wallet: TimedWallet) => (await wallet.call('GET', '/api/wallet/balance')).body;

/** The amounts and keysets that a swap takes and makes. */
interface SwapBody {
  inputs: { amount: number; id: string }[];
  outputs: { amount: number; id: string }[];
}

const swapsOf = (mint: TestMint): SwapBody[] =>
  mint.requests('/v1/swap').flatMap(({ body }) => (body ? [body as SwapBody] : []));

/** Waits until the mint has not been asked anything for a moment. */
const untilQuiet = async (mint: TestMint) => {
  let before = -1;
  await until(async () => {
    const isQuiet = before === mint.requestCount();
    before = mint.requestCount();
    await new Promise((resolve) => setTimeout(resolve, 100));
    return isQuiet;
  });
};

/** Lets time pass step by step until a condition holds. Returns how many seconds passed. */
const secondsUntil = async (wallet: TimedWallet, condition: () => boolean, step = 1) => {
  let seconds = 0;
  await until(async () => {
    wallet.clock.pass(step * 1_000);
    seconds += step;
    return condition();
  });
  return seconds;
};

const isSpent = (mint: TestMint, ys: string[]) => () =>
  mint.unspentOf(ys).every((state) => state === 'SPENT');

describe('a keyset that expires in six hours', () => {
  test.each([
    ['takes any number of inputs', 1_000],
    ['takes at most 100 inputs', 100],
  ])(
    'has 1,000 small proofs and one of 2^20 sat moved off it within two minutes, the largest first, at a mint that %s',
    async (_name, maxInputs) => {
      const { mint, lasting } = await expiringMint(6, { inputFeePpk: 100 });
      mint.setLimits({ maxInputs });
      const [expiring] = mint.keysets();
      const split = [LARGE, ...Array.from({ length: 1_000 }, (_, at) => 2 ** (at % 4))];
      const amount = split.reduce((sum, one) => sum + one, 0);
      const token = mint.issue(amount, { split, keysetId: expiring?.id ?? '', withoutDleq: true });
      const wallet = await walletWith(mint, [token]);
      await untilQuiet(mint);
      wallet.clock.pass(MINUTE_MS);
      await untilQuiet(mint);
      wallet.clock.pass(MINUTE_MS);
      await until(isSpent(mint, wallet.ys));

      const inputs = swapsOf(mint).flatMap((swap) => swap.inputs.map((input) => input.amount));
      const first = inputs.indexOf(LARGE);
      expect(first).toBe(0);
      // The mint refuses the first swap where it takes fewer inputs.
      const moved = inputs.slice(inputs.lastIndexOf(LARGE));
      expect(moved).toHaveLength(1_001);
      expect(moved).toEqual([...moved].sort((a, b) => b - a));
      await untilQuiet(mint);
      expect(await readBalance(wallet)).toMatchObject({ balance: amount - mint.totals().fees, pending: 0 });
      await wallet.close();
      expect(await readRows(wallet.directory, 'SELECT DISTINCT keyset_id FROM proofs')).toEqual([
        { keyset_id: lasting },
      ]);
      const again = await serveTimedWallet(mint, { directory: wallet.directory, ...SLOW });
      await expectNothingLost(again, mint, []);
    },
  );

  test.each([
    [1_500, 2],
    [2_000, 4],
  ])(
    'keeps the dust that a fee of %i ppk makes worthless, and loses the rest to other keysets, and the dust expires',
    async (inputFeePpk, worth) => {
      const { mint, finalExpirySeconds, expiring } = await expiringMint(6, { inputFeePpk }, {});
      const dust = mint.issue(300, { proofCount: 300, keysetId: expiring, withoutDleq: true });
      const rest = mint.issue(50 * worth + LARGE, {
        split: [...Array<number>(50).fill(worth), LARGE],
        keysetId: expiring,
        withoutDleq: true,
      });
      // Dust first, so that the order in the database doesn't help.
      const wallet = await walletWith(mint, [dust, rest]);
      expect(await secondsUntil(wallet, isSpent(mint, wallet.ys.slice(300)))).toBeLessThanOrEqual(120);
      await untilQuiet(mint);
      expect(mint.unspent([dust])).toBe(300);
      const { fees } = mint.totals();
      const moved = 50 * worth + LARGE - fees;
      expect(await readBalance(wallet)).toMatchObject({ balance: moved + 300 });
      expect((await readBalance(wallet)).expired).toBeUndefined();

      mint.setTime(finalExpirySeconds);
      wallet.clock.pass(finalExpirySeconds * 1000 - wallet.clock.now());
      expect(await readBalance(wallet)).toMatchObject({ balance: moved, expired: 300, pending: 0 });

      // Expired proofs are never selected: the mint would refuse them.
      await untilQuiet(mint);
      const before = swapsOf(mint).length;
      expect((await send(wallet, moved + 1)).body.code).toBe('insufficient_funds');
      expect((await send(wallet, moved)).status).toBe(201);
      const used = swapsOf(mint)
        .slice(before)
        .flatMap(({ inputs }) => inputs.map(({ id }) => id));
      expect(used.length).toBeGreaterThan(0);
      expect(used).not.toContain(expiring);
      expect(await readBalance(wallet)).toMatchObject({ balance: 0, expired: 300 });
      expect((await send(wallet, 1)).body.code).toBe('insufficient_funds');
    },
  );

  test('becomes `expired` at that moment, without a request to the mint, also after a start without the mint', async () => {
    const { mint, finalExpirySeconds, expiring } = await expiringMint(6, { inputFeePpk: 1_500 });
    const dust = mint.issue(7, { proofCount: 7, keysetId: expiring, withoutDleq: true });
    const wallet = await walletWith(mint, [dust]);
    // The wallet learns when its keysets expire.
    await untilQuiet(mint);
    expect((await wallet.receive(mint.issue(64, { withoutDleq: true }))).body.amount).toBe(62);
    const expiresInMs = () => finalExpirySeconds * 1000 - wallet.clock.now();
    wallet.clock.pass(expiresInMs() - 1_000);
    await untilQuiet(mint);
    const asked = mint.requestCount();
    wallet.clock.pass(expiresInMs() - 1);
    expect(await readBalance(wallet)).toMatchObject({ balance: 69 });
    expect((await readBalance(wallet)).expired).toBeUndefined();
    wallet.clock.pass(1);
    expect(await readBalance(wallet)).toMatchObject({ balance: 62, expired: 7 });
    expect(mint.requestCount()).toBe(asked);
    await wallet.close();

    await mint.away();
    const again = await serveTimedWallet(mint, { directory: wallet.directory });
    expect(await readBalance(again)).toMatchObject({ balance: 69 });
    again.clock.pass(6 * HOUR_MS);
    expect(await readBalance(again)).toMatchObject({ balance: 62, expired: 7 });
  });

  test('is not used for a send once it has expired, whatever its proofs are worth', async () => {
    const { mint, finalExpirySeconds, expiring, lasting } = await expiringMint(6);
    const tokens = [
      mint.issue(96, { keysetId: expiring, withoutDleq: true }),
      mint.issue(100, { keysetId: lasting, withoutDleq: true }),
    ];
    const wallet = await walletWith(mint, tokens);
    // The machine sleeps past the expiry.
    mint.setTime(finalExpirySeconds);
    wallet.clock.pass(finalExpirySeconds * 1000 - wallet.clock.now());
    expect(await readBalance(wallet)).toMatchObject({ balance: 100, expired: 96 });
    expect((await send(wallet, 101)).body.code).toBe('insufficient_funds');
    expect((await send(wallet, 32)).status).toBe(201);
    const used = swapsOf(mint).flatMap(({ inputs }) => inputs.map(({ id }) => id));
    expect([...new Set(used)]).toEqual([lasting]);
    expect(await readBalance(wallet)).toMatchObject({ balance: 68, expired: 96, pending: 0 });
  });

  test.each([
    ['as cheap', 0],
    ['dearer', 500],
  ])('gets no new outputs while another one lasts that is %s', async (_name, inputFeePpk) => {
    const { mint, lasting, expiring } = await expiringMint(6, {}, { inputFeePpk });
    const wallet = await serveTimedWallet(mint, SLOW);
    const token = mint.issue(100, { keysetId: expiring, withoutDleq: true });
    expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 100 });
    expect((await send(wallet, 10)).status).toBe(201);
    const outputs = swapsOf(mint).flatMap((swap) => swap.outputs.map(({ id }) => id));
    expect([...new Set(outputs)]).toEqual([lasting]);
  });

  test('is emptied even when a swap fails an hour before it expires', async () => {
    const { mint, expiring, finalExpirySeconds } = await expiringMint(1);
    const token = mint.issue(100, { keysetId: expiring, withoutDleq: true });
    const wallet = await walletWith(mint, [token]);
    await untilQuiet(mint);
    mint.fail('/v1/swap', { kind: 'error', code: 99_999, detail: 'try later', times: 1 });
    await secondsUntil(wallet, isSpent(mint, wallet.ys), 10);
    expect(wallet.clock.now()).toBeLessThan(finalExpirySeconds * 1000);
    await until(async () => (await sums(wallet)).pending === 0);
    expect((await readHistory(wallet)).map(({ kind, state }) => [kind, state])).toEqual([
      ['swap', 'completed'],
      ['swap', 'failed'],
      ['receive', 'completed'],
    ]);
    await expectNothingLost(wallet, mint, []);
  });
});

describe('an inactive keyset', () => {
  const rotatedWallet = async () => {
    const mint = await testMint({ keysets: [{ active: false }, {}] });
    const [old] = mint.keysets();
    const token = mint.issue(100, { keysetId: old?.id ?? '', withoutDleq: true });
    const wallet = await walletWith(mint, [token]);
    await untilQuiet(mint);
    return { mint, wallet, oldId: old?.id };
  };

  test('is emptied when the wallet is idle: not while a receive is running', async () => {
    const { mint, wallet } = await rotatedWallet();
    mint.fail('/v1/swap', { kind: 'hang', times: 1 });
    const other = mint.issue(8, { withoutDleq: true });
    const receiving = wallet.receive(other);
    await until(() => mint.hanging() === 1);
    // The first look at the keysets, and the next one.
    wallet.clock.pass(MINUTE_MS);
    wallet.clock.pass(5_000);
    await untilQuiet(mint);
    expect(mint.requestCount('/v1/swap')).toBe(1);
    mint.clearFaults();
    expect((await receiving).status).toBe(200);
    // The clock keeps running while the wallet checks 500 counters of each keyset.
    expect(await secondsUntil(wallet, isSpent(mint, wallet.ys))).toBeLessThanOrEqual(300);
    await untilQuiet(mint);
    expect(await sums(wallet)).toEqual({ balance: 108, pending: 0 });
    await expectNothingLost(wallet, mint, [other]);
  });

  test('pays first: a send uses its proofs before those of the active one', async () => {
    const { mint, wallet, oldId } = await rotatedWallet();
    // The active one has what fits better.
    const other = mint.issue(8, { withoutDleq: true });
    await wallet.receive(other);
    const before = swapsOf(mint).length;
    expect((await send(wallet, 8)).status).toBe(201);
    expect((await send(wallet, 64)).status).toBe(201);
    const used = swapsOf(mint)
      .slice(before)
      .flatMap(({ inputs }) => inputs.map(({ id }) => id));
    expect([...new Set(used)]).toEqual([oldId]);
    await expectNothingLost(wallet, mint, [other]);
  });
});
