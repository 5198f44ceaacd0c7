import { describe, expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { Limits, TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { readRows } from '../../../support/wallet.ts';
import { plantProofs } from '../../../support/wallet-plant.ts';
import {
  expectNothingLost,
  PATIENT,
  send,
  serveTimedWallet,
  sums,
} from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

/** Many small proofs become few, in the background and when a send needs them. */

const SLOW = { ...PATIENT, mintTimeoutMs: 20_000 };
const MOST_PROOFS = 200;

/** A wallet that holds so many proofs of one sat. */
const walletOfOnes = async (mint: TestMint, count: number) => {
  const first = await serveTimedWallet(mint);
  await first.close();
  const ones = mint.issue(count, { proofCount: count, withoutDleq: true });
  const ys = await plantProofs(first.directory, mint, [ones]);
  const wallet = await serveTimedWallet(mint, { directory: first.directory, ...SLOW });
  return { ...wallet, ys };
};

const countProofs = async (directory: string): Promise<number> =>
  Number((await readRows(directory, 'SELECT count(*) AS count FROM proofs'))[0]?.count);

const inputLimit = async (directory: string): Promise<unknown> =>
  (await readRows(directory, "SELECT value FROM metadata WHERE name = 'most_inputs'"))[0]?.value;

test('600 proofs of one sat become fewer than 200 in the background, and then nothing more is swapped', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 10 }] });
  const wallet = await walletOfOnes(mint, 600);
  wallet.clock.pass(60_000);
  const isDone = async () => {
    const history = await readHistory(wallet);
    return history.length > 1 && history.every(({ state }) => state === 'completed');
  };
  const spent = () => mint.unspentOf(wallet.ys).filter((state) => state === 'SPENT').length;
  await until(async () => spent() > 600 - MOST_PROOFS && (await isDone()));
  const swaps = mint.requestCount('/v1/swap');
  expect(swaps).toBeLessThanOrEqual(4);
  for (let turn = 0; turn < 3; turn++) {
    const asked = mint.requestCount('/v1/keysets');
    await until(() => {
      wallet.clock.pass(60_000);
      return mint.requestCount('/v1/keysets') > asked;
    });
  }
  expect(mint.requestCount('/v1/swap')).toBe(swaps);
  expect(await sums(wallet)).toEqual({ balance: 600 - mint.totals().fees, pending: 0 });
  await wallet.close();
  expect(await countProofs(wallet.directory)).toBeLessThanOrEqual(MOST_PROOFS);
  const again = await serveTimedWallet(mint, { directory: wallet.directory, ...SLOW });
  await expectNothingLost(again, mint, []);
});

test('proofs that are worth no more than their fee are left alone', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = await walletOfOnes(mint, 250);
  const asked = mint.requestCount('/v1/keysets');
  wallet.clock.pass(60_000);
  await until(() => mint.requestCount('/v1/keysets') > asked);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(mint.requestCount('/v1/swap')).toBe(0);
  expect(await sums(wallet)).toEqual({ balance: 250, pending: 0 });
});

describe('a send of 1,400 sat out of 1,500 proofs of one sat', () => {
  test.each<[number, Limits['limitStyle']]>([
    // Never refused, so its style doesn't matter.
    [1_000, 'nutshell'],
    [100, 'code'],
    [100, 'nutshell'],
  ])(
    'succeeds at a mint that accepts at most %i inputs, and the limit is asked for once (%s)',
    async (maxInputs, limitStyle) => {
      const mint = await testMint({ limits: { maxInputs, limitStyle } });
      const wallet = await walletOfOnes(mint, 1_500);
      const sent = await send(wallet, 1_400);
      expect([sent.status, sent.body.fee]).toEqual([201, 0]);
      expect(mint.unspent([sent.body.token])).toBe(1_400);
      expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
      // The mint refuses a swap for its size once at most.
      const failed = (await readHistory(wallet)).filter(({ state }) => state === 'failed');
      expect(failed.map(({ kind, error }) => [kind, error?.code])).toEqual(
        maxInputs === 1_000 ? [] : [['swap', 'token_too_large']],
      );
      await wallet.close();
      expect(await inputLimit(wallet.directory)).toBe(maxInputs === 1_000 ? undefined : '100');
      if (maxInputs === 1_000) return;

      const many = mint.issue(300, { proofCount: 300, withoutDleq: true });
      await plantProofs(wallet.directory, mint, [many]);
      const again = await serveTimedWallet(mint, { directory: wallet.directory, ...SLOW });
      expect((await send(again, 390)).status).toBe(201);
      const all = (await readHistory(again)).filter(({ state }) => state === 'failed');
      expect(all).toHaveLength(1);
      await expectNothingLost(again, mint, []);
    },
  );
});

test('a mint that refuses the size without naming its limit is asked with fewer inputs until it accepts them', async () => {
  const mint = await testMint();
  mint.setLimits({ maxInputs: 150 });
  const wallet = await walletOfOnes(mint, 300);
  // The answer of a proxy: HTTP 413 for each swap above the limit.
  mint.fail('/v1/swap', { kind: 'status', status: 413, html: true, times: 1 });
  const sent = await send(wallet, 280);
  expect(sent.status).toBe(201);
  expect(mint.unspent([sent.body.token])).toBe(280);
  await expectNothingLost(wallet, mint, []);
  await wallet.close();
  // It may have been something about this swap alone.
  expect(await inputLimit(wallet.directory)).toBe(undefined);
});
