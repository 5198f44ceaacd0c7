import { describe, expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import {
  expectNothingLost,
  PATIENT,
  runRecoveryPasses,
  send,
  serveTimedWallet,
  settle,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

/** How often the wallet asks a mint, and what it does about a mint that refuses, limits or forgets. */

const SLOW = { ...PATIENT, mintTimeoutMs: 20_000 };

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

describe.each([
  [11_003, 'Blinded message of output already signed'],
  [11_004, 'Outputs are pending'],
])('a mint that refuses outputs with %i ten times in a row', (code, detail) => {
  test('lets one receive succeed within its request', async () => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint, { mintTimeoutMs: 20_000 });
    mint.fail('/v1/swap', { kind: 'error', code, detail, times: 10 });
    const token = mint.issue(100, { withoutDleq: true });
    // No time passes: the answer doesn't wait for a retry in the background.
    expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 100 });
    expect(mint.requestCount('/v1/swap')).toBe(11);
    await expectNothingLost(wallet, mint, [token]);
  });

  test('lets ten receives succeed, each refused ten times or at the same time, and words restore them', async () => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint, { mintTimeoutMs: 20_000 });
    const tokens = Array.from({ length: 20 }, () => mint.issue(7, { withoutDleq: true }));
    for (const token of tokens.slice(0, 10)) {
      mint.fail('/v1/swap', { kind: 'error', code, detail, times: 10 });
      expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 7 });
    }
    mint.fail('/v1/swap', { kind: 'error', code, detail, times: 100 });
    const answers = await Promise.all(tokens.slice(10).map((token) => wallet.receive(token)));
    expect(answers.map(({ status, body }) => [status, body.amount])).toEqual(answers.map(() => [200, 7]));
    expect(await sums(wallet)).toEqual({ balance: 140, pending: 0 });
    const { mnemonic } = (await wallet.asOperator('GET', '/api/wallet/seed')).body;
    await wallet.close();

    const restored = await serveTimedWallet(mint, SLOW);
    const { body } = await restored.asOperator('POST', '/api/wallet/restore', { mnemonic });
    expect(body).toMatchObject({ amount: 140, words: 'replaced', skipped: [] });
    await expectNothingLost(restored, mint, tokens);
  });
});

describe('100 sent tokens that nobody redeemed', () => {
  const SENDS = 100;

  const walletOfSends = async (mint: TestMint) => {
    const wallet = await serveTimedWallet(mint, SLOW);
    await wallet.receive(mint.issue(2 * SENDS, { withoutDleq: true }));
    const sent: string[] = [];
    for (let count = 0; count < SENDS; count++) sent.push((await send(wallet, 1)).body.token);
    expect(sent.every(Boolean)).toBe(true);
    return { wallet, sent };
  };

  const history = async (wallet: TimedWallet): Promise<{ status: number; spent: number }> => {
    const { status, body } = await wallet.asOperator('GET', '/api/wallet/history?limit=200');
    return { status, spent: body.entries.filter((entry: { spent?: boolean }) => entry.spent).length };
  };

  test('cost at most two requests when the history is read every second for a minute', async () => {
    const mint = await testMint();
    const { wallet, sent } = await walletOfSends(mint);
    const before = mint.requestCount('/v1/checkstate');
    for (let second = 0; second < 60; second++) {
      expect(await history(wallet)).toEqual({ status: 200, spent: 0 });
      wallet.clock.pass(1_000);
    }
    const asked = mint.requestCount('/v1/checkstate') - before;
    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThanOrEqual(2);

    // Of a redeemed token the history hears within two minutes.
    mint.spend([sent[0] ?? '', sent[99] ?? '']);
    wallet.clock.pass(60_000);
    await history(wallet);
    wallet.clock.pass(60_000);
    await until(async () => (await history(wallet)).spent === 2);
  });

  test('pause with everything else at a mint that returns 429 about them, and are found redeemed some minutes later', async () => {
    const mint = await testMint();
    const { wallet, sent } = await walletOfSends(mint);
    mint.fail('/v1/checkstate', { kind: 'status', status: 429 });
    mint.spend(sent.slice(0, 30));
    const before = mint.requestCount('/v1/checkstate');
    for (let second = 0; second < 30; second++) {
      expect(await history(wallet)).toEqual({ status: 200, spent: 0 });
      const token = second % 10 === 0 ? mint.issue(1, { withoutDleq: true }) : undefined;
      if (token) expect((await wallet.receive(token)).body.code).toBe('mint_error');
      wallet.clock.pass(1_000);
    }
    expect(mint.requestCount('/v1/checkstate') - before).toBe(1);
    mint.clearFaults();
    let minutes = 0;
    await until(async () => {
      wallet.clock.pass(60_000);
      minutes += 1;
      return (await history(wallet)).spent === 30;
    });
    expect(minutes).toBeLessThanOrEqual(5);
  });
});

describe.each([
  ['no longer serves the keys of a keyset', { keysServed: false }],
  ['drops a keyset from its lists', { listed: false }],
])('a mint that %s after a swap whose answer was lost', (_name, change) => {
  test.each(['receive', 'send'])('still restores the outputs of the %s after a restart', async (kind) => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint);
    const [keyset] = mint.keysets();
    const token = mint.issue(100, { withoutDleq: true });
    if (kind === 'send') await wallet.receive(token);
    mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
    mint.fail('/v1/checkstate', { kind: 'drop' });
    const asked = kind === 'send' ? send(wallet, 33) : wallet.receive(token);
    expect((await whileTimePasses(wallet, asked)).status).toBe(503);
    await wallet.close();
    mint.clearFaults();
    mint.rotate();
    mint.setKeyset(keyset?.id ?? '', change);

    const again = await serveTimedWallet(mint, { directory: wallet.directory });
    await settle(again);
    const left = kind === 'send' ? 67 : 100;
    // The move to the new keyset may be in progress.
    await eventually(async () => expect(await sums(again)).toEqual({ balance: left, pending: 0 }));
    const { entries } = (await again.asOperator('GET', '/api/wallet/history')).body;
    const entry = entries.find((one: { kind: string }) => one.kind === kind);
    expect(entry).toMatchObject({ kind, state: 'completed' });
    mint.setKeyset(keyset?.id ?? '', { keysServed: true, listed: true });
    if (kind === 'send') expect(mint.unspent([entry.token])).toBe(33);
    await again.close();
    const last = await serveTimedWallet(mint, { directory: wallet.directory, ...SLOW });
    // What was restored moves to the new keyset, and then nothing is left to do.
    await until(async () => {
      last.clock.pass(60_000);
      const history = await readHistory(last);
      const hasMoved = history.some((one) => one.kind === 'swap' && one.state === 'completed');
      return hasMoved && history.every(({ state }) => state !== 'pending');
    });
    await expectNothingLost(last, mint, [token]);
  });
});

describe('a start', () => {
  test('with ten active keysets and nothing to recover costs no more requests than keysets', async () => {
    const mint = await testMint({ keysets: Array.from({ length: 10 }, () => ({})) });
    const first = await serveTimedWallet(mint);
    await first.receive(mint.issue(100, { withoutDleq: true }));
    await first.close();
    const before = mint.requestCount();
    const wallet = await serveTimedWallet(mint, { directory: first.directory });
    // What the wallet asks about its words comes last.
    await until(() => mint.requestCount('/v1/restore') > 0);
    await untilQuiet(mint);
    expect(mint.requestCount() - before).toBeLessThanOrEqual(10);
    expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
  });

  test('doesn’t wait for a mint that hangs', async () => {
    const mint = await testMint();
    const first = await serveTimedWallet(mint);
    await first.receive(mint.issue(100, { withoutDleq: true }));
    await first.close();
    mint.fail('*', { kind: 'hang' });
    const wallet = await serveTimedWallet(mint, { directory: first.directory, mintTimeoutMs: 5_000 });
    await until(() => mint.hanging() > 0);
    expect((await wallet.call('GET', '/api/health')).status).toBe(200);
    expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
    expect(mint.hanging()).toBeGreaterThan(0);
    mint.clearFaults();
  });

  test('that finds the mint away looks for sats later, when the mint responds', async () => {
    const mint = await testMint();
    const first = await serveTimedWallet(mint);
    await first.receive(mint.issue(100, { withoutDleq: true }));
    await first.close();
    await mint.away();
    const wallet = await serveTimedWallet(mint, { directory: first.directory });
    await runRecoveryPasses(wallet, 1);
    const before = mint.requestCount('/v1/restore');
    await mint.back();
    await until(() => {
      wallet.clock.pass(60_000);
      return mint.requestCount('/v1/restore') > before;
    });
    expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
  });
});
