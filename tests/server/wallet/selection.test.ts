import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Keyset, Keysets } from '../../../src/server/wallet/mint/mint.ts';
import { feeOf, selectProofs } from '../../../src/server/wallet/operations/selection.ts';
import { openDatabase } from '../../../src/server/wallet/store/sqlite.ts';
import { WALLET_MIGRATIONS } from '../../../src/server/wallet/store/wallet-schema.ts';
import { createWalletStore } from '../../../src/server/wallet/store/wallet-store.ts';
import { makeClock } from '../../support/clock.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const NOW_MS = Date.parse('2026-03-01T12:00:00Z');

/** A store whose free proofs can be set. */
const makeStore = async () => {
  const database = await openDatabase(join(await makeTempDirectory(), 'wallet.sqlite'), WALLET_MIGRATIONS);
  database.run("INSERT INTO mints VALUES (1, 'https://mint.example')");
  const store = createWalletStore(database, makeClock(), 1);
  onTestFinished(database.close);
  const operation = store.operations.addCompleted({ kind: 'restore', amount: 0 });
  return {
    store,
    hold: (y: string) => store.proofs.hold(operation, [y]),
    fill(amounts: Readonly<Record<string, readonly number[]>>) {
      store.transaction(() => {
        database.run('DELETE FROM proofs');
        for (const [id, each] of Object.entries(amounts)) {
          const proofs = each.map((amount, at) => ({ id, amount, secret: '', C: '', y: `${id}${at}` }));
          store.proofs.add(operation, proofs);
        }
      });
    },
  };
};

const keyset = (id: string, inputFeePpk = 0, more: Partial<Keyset> = {}): Keyset => ({
  id,
  active: true,
  inputFeePpk,
  ...more,
});
const keysetsOf = (...all: Keyset[]): Keysets => ({
  all,
  output: all[0] && { id: all[0].id, amounts: [1] },
  learned: [],
});
const amountsOf = (selection: ReturnType<typeof selectProofs>) =>
  selection?.proofs.map(({ amount }) => amount);

test('the smallest sufficient proof is selected alone', async () => {
  const { store, fill } = await makeStore();
  fill({ a: [1, 2, 4, 8, 16, 32, 64, 64] });
  const free = keysetsOf(keyset('a'));
  expect(amountsOf(selectProofs(store, free, 9, NOW_MS))).toEqual([16]);
  expect(amountsOf(selectProofs(store, free, 16, NOW_MS))).toEqual([16]);
  expect(amountsOf(selectProofs(store, free, 70, NOW_MS))).toEqual([64, 8]);
  expect(amountsOf(selectProofs(store, free, 191, NOW_MS))).toHaveLength(8);
  expect(selectProofs(store, free, 192, NOW_MS)).toBeUndefined();
  // With a fee of 1 sat an input, 16 no longer pays for 16.
  expect(selectProofs(store, keysetsOf(keyset('a', 1000)), 16, NOW_MS)).toMatchObject({ fee: 1, change: 15 });
});

test('the fee is rounded up once over all inputs', () => {
  const keysets = keysetsOf(keyset('a', 100), keyset('b', 250));
  const of = (...ids: string[]) =>
    feeOf(
      ids.map((id) => ({ id })),
      keysets,
    );
  expect([of(), of('a'), of('a', 'b', 'b'), of(...Array(10).fill('a'))]).toEqual([0, 1, 1, 1]);
  expect([of(...Array(11).fill('a')), of('b', 'b', 'b', 'b', 'a'), of('a', 'gone')]).toEqual([
    2,
    2,
    undefined,
  ]);
});

test('reserved proofs, and those of keysets that the mint does not list, are not selected', async () => {
  const { store, fill, hold } = await makeStore();
  fill({ a: [4, 4], gone: [64] });
  const keysets = keysetsOf(keyset('a'));
  hold('a0');
  expect(amountsOf(selectProofs(store, keysets, 4, NOW_MS))).toEqual([4]);
  expect(selectProofs(store, keysets, 5, NOW_MS)).toBeUndefined();
});

test('of equal proofs, inactive ones go first, then expiring ones, then cheap ones', async () => {
  const { store, fill } = await makeStore();
  fill({ lasting: [8], cheap: [8], expiring: [8], old: [8] });
  const keysets = keysetsOf(
    keyset('lasting', 100),
    keyset('cheap', 0),
    keyset('expiring', 100, { finalExpiry: 2_000_000_000 }),
    keyset('old', 100, { active: false }),
  );
  const order = selectProofs(store, keysets, 30, NOW_MS)?.proofs.map(({ id }) => id);
  expect(order).toEqual(['old', 'expiring', 'cheap', 'lasting']);
  expect(selectProofs(store, keysets, 7, NOW_MS)?.proofs.map(({ id }) => id)).toEqual(['old']);
});

const powers = (max: number) => fc.integer({ min: 0, max }).map((power) => 2 ** power);

test('pays the amount and its own fee, in few economic inputs, and refuses only when it cannot (property)', async () => {
  const { store, fill } = await makeStore();
  const wallet = fc.record({
    a: fc.array(powers(8), { maxLength: 12 }),
    b: fc.array(powers(8), { maxLength: 12 }),
    feeA: fc.constantFrom(0, 1, 100, 999, 1000, 1500, 4000),
    feeB: fc.constantFrom(0, 1, 100, 999, 1000, 1500, 4000),
    amount: fc.integer({ min: 1, max: 1500 }),
  });
  let found = 0;
  fc.assert(
    fc.property(wallet, ({ a, b, feeA, feeB, amount }) => {
      fill({ a, b });
      const keysets = keysetsOf(keyset('a', feeA), keyset('b', feeB));
      const selection = selectProofs(store, keysets, amount, NOW_MS);
      const economic = (list: readonly number[], id: string, ppk: number) =>
        list.filter((each) => each * 1000 > ppk).map((each) => ({ id, amount: each }));
      const all = [...economic(a, 'a', feeA), ...economic(b, 'b', feeB)];
      const worth = (proofs: readonly { id: string; amount: number }[]) =>
        proofs.reduce((sum, proof) => sum + proof.amount, 0) - (feeOf(proofs, keysets) ?? 0);
      if (!selection) {
        expect(worth(all)).toBeLessThan(amount);
        return;
      }
      found += 1;
      const { proofs, fee, change } = selection;
      expect(new Set(proofs.map(({ y }) => y)).size).toBe(proofs.length);
      expect(fee).toBe(feeOf(proofs, keysets));
      expect(proofs.reduce((sum, proof) => sum + proof.amount, 0)).toBe(amount + fee + change);
      expect(change).toBeGreaterThanOrEqual(0);
      // It ends as soon as it pays, and takes none that costs what it is worth.
      expect(worth(proofs.slice(0, -1))).toBeLessThan(amount);
      for (const proof of proofs) expect(proof.amount * 1000).toBeGreaterThan(proof.id === 'a' ? feeA : feeB);
    }),
    { numRuns: 100 },
  );
  expect(found).toBeGreaterThan(20);
});

test('without fees it uses no more inputs than the fewest that can pay (property)', async () => {
  const { store, fill } = await makeStore();
  fc.assert(
    fc.property(
      fc.array(powers(8), { maxLength: 10 }),
      fc.integer({ min: 1, max: 600 }),
      (amounts, amount) => {
        fill({ a: amounts });
        const selection = selectProofs(store, keysetsOf(keyset('a')), amount, NOW_MS);
        const largestFirst = [...amounts].sort((x, y) => y - x);
        const sumOfFirst = (count: number) =>
          largestFirst.slice(0, count).reduce((sum, each) => sum + each, 0);
        const fewest = largestFirst.findIndex((_, at) => sumOfFirst(at + 1) >= amount) + 1;
        expect(selection?.proofs.length ?? 0).toBe(fewest);
      },
    ),
    { numRuns: 100 },
  );
});
