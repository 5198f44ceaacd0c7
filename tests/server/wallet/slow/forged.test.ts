import { describe, expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import { parsePoint } from '../../../support/mint/keyset.ts';
import type { IssueOptions, TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { editA, readRows } from '../../../support/wallet.ts';
import { expectNothingLost, PATIENT, serveTimedWallet, sums } from '../../../support/wallet-recovery.ts';

/** Forged tokens cost an attacker nothing, and must not cost the wallet its words. */

const SLOW = { ...PATIENT, mintTimeoutMs: 20_000 };
/** Half of the gap that a restore crosses. */
const MOST_UNSIGNED = 500;
/** As many outputs as a swap of one token can have here. */
const EACH_AMOUNT = Array.from({ length: 32 }, (_, power) => 2 ** power);
const LARGE = EACH_AMOUNT.reduce((sum, amount) => sum + amount, 0);

/** The x coordinates of about half of all numbers are not on the curve. */
const OFF_THE_CURVE = Array.from({ length: 20 }, (_, x) => `02${String(x).padStart(64, '0')}`).find(
  (hex) => !parsePoint(hex),
);

const ofThirtyTwo = (mint: TestMint, options: IssueOptions = {}): string =>
  mint.issue(LARGE, { split: EACH_AMOUNT, version: 'A', ...options });

const FORGERIES: Record<string, (mint: TestMint) => string> = {
  'without DLEQ': (mint) => ofThirtyTwo(mint, { forged: true }),
  'with a bad DLEQ': (mint) => ofThirtyTwo(mint, { badDleq: true }),
  'with C off the curve': (mint) =>
    editA(ofThirtyTwo(mint, { forged: true }), ({ token: [entry] }) => {
      for (const proof of entry?.proofs ?? []) proof.C = OFF_THE_CURVE;
    }),
};

const forge = (mint: TestMint, at: number): string => {
  const makers = Object.values(FORGERIES);
  return makers[at % makers.length]?.(mint) ?? '';
};

/** Restores the words of a closed wallet into an empty one. */
const restoreElsewhere = async (mint: TestMint, mnemonic: string) => {
  const wallet = await serveTimedWallet(mint, SLOW);
  const { status, body } = await wallet.asOperator('POST', '/api/wallet/restore', { mnemonic });
  expect([status, body.skipped]).toEqual([200, []]);
  return { wallet, amount: body.amount as number };
};

const unsignedOf = async (directory: string): Promise<number> => {
  const rows = await readRows(directory, 'SELECT next, signed FROM counters');
  return Math.max(0, ...rows.map(({ next, signed }) => Number(next) - Number(signed) - 1));
};

test('a hundred forged tokens of 32 outputs between honest ones leave words that restore every honest sat', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { mintTimeoutMs: 20_000 });
  const honest: string[] = [];
  for (let at = 0; at < 100; at++) {
    const { status } = await wallet.receive(forge(mint, at));
    expect(status).toBe(422);
    if (at % 10 !== 9) continue;
    const token = mint.issue(at, { withoutDleq: true });
    honest.push(token);
    expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: at });
  }
  const { balance } = await sums(wallet);
  expect(balance).toBe(10 * 54);
  const { mnemonic } = (await wallet.asOperator('GET', '/api/wallet/seed')).body;
  await wallet.close();
  expect(await unsignedOf(wallet.directory)).toBeLessThanOrEqual(MOST_UNSIGNED);

  const { wallet: restored, amount } = await restoreElsewhere(mint, mnemonic);
  expect(amount).toBe(balance);
  await restored.receive(mint.issue(3, { withoutDleq: true }));
  expect(await sums(restored)).toEqual({ balance: balance + 3, pending: 0 });
});

test('forty forged tokens at once, with honest ones among them, leave words that restore every honest sat', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { mintTimeoutMs: 20_000 });
  // All of them wait for the mint at the same time.
  mint.fail('/v1/swap', { kind: 'slow', delayMs: 50 });
  const honest = Array.from({ length: 8 }, () => mint.issue(63, { withoutDleq: true }));
  const forged = Array.from({ length: 40 }, () => ofThirtyTwo(mint, { forged: true }));
  const [answers] = await Promise.all([
    Promise.all(honest.map((token) => wallet.receive(token))),
    Promise.all(forged.map((token) => wallet.receive(token))),
  ]);
  expect(answers.map(({ body }) => body.amount)).toEqual(honest.map(() => 63));
  mint.clearFaults();
  const last = mint.issue(1, { withoutDleq: true });
  expect((await wallet.receive(last)).status).toBe(200);
  const { mnemonic } = (await wallet.asOperator('GET', '/api/wallet/seed')).body;
  await wallet.close();
  expect(await unsignedOf(wallet.directory)).toBeLessThanOrEqual(MOST_UNSIGNED);
  const { wallet: restored, amount } = await restoreElsewhere(mint, mnemonic);
  expect(amount).toBe(8 * 63 + 1);
  await expectNothingLost(restored, mint, [...honest, last]);
});

test('forty forged tokens that the mint never responds to use no more than 500 counters, and of the others 20 get random outputs', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { requestDeadlineMs: 15_000, mintTimeoutMs: 20_000 });
  const first = mint.issue(1, { withoutDleq: true });
  await wallet.receive(first);
  mint.fail('/v1/swap', { kind: 'hang' });
  const forged = Array.from({ length: 40 }, () => ofThirtyTwo(mint, { forged: true }));
  let answered = 0;
  const asked = Promise.all(
    forged.map((token) =>
      wallet.receive(token).finally(() => {
        answered += 1;
      }),
    ),
  );
  // 20 have random outputs, and a swap of an own proof asks for new counters.
  const inFlight = Math.floor(MOST_UNSIGNED / EACH_AMOUNT.length) + 20;
  // The requests' time is up.
  await until(() => {
    wallet.clock.pass(1_000);
    return answered === 40;
  });
  const codes = (await asked).map(({ body }) => body.code);
  expect(codes.filter((code) => code === 'wallet_busy')).toHaveLength(40 - inFlight);
  expect(codes.filter((code) => code === 'redemption_pending')).toHaveLength(inFlight);
  expect(mint.hanging()).toBe(inFlight + 1);
  const { mnemonic } = (await wallet.asOperator('GET', '/api/wallet/seed')).body;
  await wallet.close();
  expect(await unsignedOf(wallet.directory)).toBeLessThanOrEqual(MOST_UNSIGNED);

  // A wallet that starts with them pending still receives what words can restore.
  mint.clearFaults();
  const again = await serveTimedWallet(mint, { directory: wallet.directory, mintTimeoutMs: 20_000 });
  const last = mint.issue(100, { withoutDleq: true });
  await until(async () => {
    again.clock.pass(60_000);
    return (await sums(again)).pending === 0;
  });
  expect((await again.receive(last)).body).toMatchObject({ success: true, amount: 100 });
  await again.close();
  const { wallet: restored, amount } = await restoreElsewhere(mint, mnemonic);
  expect(amount).toBe(101);
  await expectNothingLost(restored, mint, [first, last]);
});

describe('a forged token', () => {
  test.each(['with a bad DLEQ', 'with C off the curve'])(
    '%s is refused without a request to the mint',
    async (kind) => {
      const mint = await testMint();
      const wallet = await serveTimedWallet(mint);
      const first = mint.issue(1, { withoutDleq: true });
      await wallet.receive(first);
      const before = mint.requestCount();
      const token = FORGERIES[kind]?.(mint) ?? '';
      expect((await wallet.receive(token)).body.code).toBe('invalid_signature');
      expect((await wallet.validate(token)).body).toMatchObject({
        valid: false,
        reason: 'invalid_signature',
      });
      expect(mint.requestCount()).toBe(before);
    },
  );

  test('with good first proofs is refused whole, and stays unspent', async () => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint);
    const token = editA(mint.issue(7, { version: 'A' }), ({ token: [entry] }) => {
      const proof = entry?.proofs.at(-1);
      if (proof) Object.assign(proof, { C: OFF_THE_CURVE, dleq: undefined });
    });
    expect((await wallet.receive(token)).body.code).toBe('invalid_signature');
    expect(mint.requestCount('/v1/swap')).toBe(0);
    expect(mint.unspent([token])).toBeGreaterThan(0);
  });
});
