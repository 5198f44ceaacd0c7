import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import {
  expectNothingLost,
  send,
  serveTimedWallet,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

/** MINT_URL changes: what the previous mint holds or still does is not forgotten. */

const LONG_MS = 6 * 60_000;

const readBalance = async (wallet: TimedWallet) => (await wallet.call('GET', '/api/wallet/balance')).body;

const readSeed = async (wallet: TimedWallet) => (await wallet.asOperator('GET', '/api/wallet/seed')).body;

const historyOf = async (wallet: TimedWallet) =>
  (await readHistory(wallet)).map(({ kind, amount }) => [kind, amount]);

/** A closed wallet with 100 sat at a mint, and a receive of 50 whose answer was lost. */
const walletWithPending = async (mint: TestMint) => {
  const wallet = await serveTimedWallet(mint);
  const tokens = [100, 50].map((amount) => mint.issue(amount, { withoutDleq: true }));
  await wallet.receive(tokens[0]);
  const { mnemonic } = await readSeed(wallet);
  mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
  mint.fail('/v1/checkstate', { kind: 'drop' });
  const { body } = await whileTimePasses(wallet, wallet.receive(tokens[1]));
  expect(body.code).toBe('redemption_pending');
  await wallet.close();
  return { directory: wallet.directory, mnemonic, tokens };
};

test('a pending operation of the previous mint finishes, and its balance stays visible, with the same words', async () => {
  const [old, next] = [await testMint(), await testMint()];
  const { directory, mnemonic, tokens } = await walletWithPending(old);
  const wallet = await serveTimedWallet(next, { directory });
  const otherMints = (balance: number, pending: number) => [{ mint: old.url, balance, pending }];
  await until(async () => (await readBalance(wallet)).otherMints !== undefined);
  expect(await readBalance(wallet)).toMatchObject({
    mint: next.url,
    balance: 0,
    pending: 0,
    otherMints: otherMints(100, 50),
  });
  old.clearFaults();
  await until(async () => {
    wallet.clock.pass(LONG_MS);
    return (await readBalance(wallet)).otherMints[0].pending === 0;
  });
  expect(await readBalance(wallet)).toMatchObject({ balance: 0, otherMints: otherMints(150, 0) });

  // Its sats and its history are not those of the new mint.
  expect(await historyOf(wallet)).toEqual([]);
  expect((await send(wallet, 1)).body.code).toBe('insufficient_funds');
  const ofOld = old.issue(1, { withoutDleq: true });
  expect((await wallet.receive(ofOld)).body.code).toBe('wrong_mint');
  const token = next.issue(7, { withoutDleq: true });
  expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 7 });
  expect(await readBalance(wallet)).toMatchObject({ balance: 7, otherMints: otherMints(150, 0) });
  expect(await historyOf(wallet)).toEqual([['receive', 7]]);

  expect(await readSeed(wallet)).toMatchObject({ mnemonic, others: [] });
  await wallet.close();
  const files = await readdir(directory);
  expect(files.filter((name) => /^seed-/.test(name))).toHaveLength(1);

  const back = await serveTimedWallet(old, { directory });
  await until(async () => (await readBalance(back)).otherMints !== undefined);
  expect(await readBalance(back)).toMatchObject({
    mint: old.url,
    balance: 150,
    otherMints: [{ mint: next.url, balance: 7, pending: 0 }],
  });
  expect((await readSeed(back)).mnemonic).toBe(mnemonic);
  expect(await historyOf(back)).toEqual([
    ['receive', 50],
    ['receive', 100],
  ]);
  await expectNothingLost(back, old, [...tokens, ofOld]);
});

test('a previous mint that is away doesn’t block the new one, and is asked again when it is back', async () => {
  const [old, next] = [await testMint(), await testMint()];
  const { directory } = await walletWithPending(old);
  old.clearFaults();
  await old.away();
  const wallet = await serveTimedWallet(next, { directory });
  const token = next.issue(7, { withoutDleq: true });
  expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 7 });
  await until(async () => (await readBalance(wallet)).otherMints?.[0]?.balance === 100);
  wallet.clock.pass(LONG_MS);
  await old.back();
  await until(async () => {
    wallet.clock.pass(LONG_MS);
    return (await readBalance(wallet)).otherMints[0].balance === 150;
  });
  expect(await sums(wallet)).toEqual({ balance: 7, pending: 0 });
  await expectNothingLost(wallet, next, [token]);
});

test('a previous mint that holds nothing is neither shown nor asked', async () => {
  const [old, next] = [await testMint(), await testMint()];
  const first = await serveTimedWallet(old);
  await first.receive(old.issue(5, { withoutDleq: true }));
  expect((await send(first, 5)).status).toBe(201);
  await first.close();
  const asked = old.requestCount();
  const wallet = await serveTimedWallet(next, { directory: first.directory });
  await wallet.receive(next.issue(7, { withoutDleq: true }));
  wallet.clock.pass(LONG_MS);
  expect((await readBalance(wallet)).otherMints).toBeUndefined();
  await wallet.close();
  expect(old.requestCount()).toBe(asked);
});
