import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Proof, SwapPlan } from '../../../src/server/wallet/mint/mint.ts';
import { openDatabase } from '../../../src/server/wallet/store/sqlite.ts';
import { WALLET_MIGRATIONS } from '../../../src/server/wallet/store/wallet-schema.ts';
import { createWalletStore } from '../../../src/server/wallet/store/wallet-store.ts';
import { makeClock } from '../../support/clock.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const openStore = async () => {
  const database = await openDatabase(join(await makeTempDirectory(), 'wallet.sqlite'), WALLET_MIGRATIONS);
  const clock = makeClock();
  const store = createWalletStore(database, clock);
  onTestFinished(() => store.close());
  return { database, store, clock };
};

const PLAN: SwapPlan = { keysetId: '00ad268c4d1f5826', inputs: [], keep: [], send: [] };
const proofOf = (y: string, amount: number, id = 'one'): Proof => ({
  id,
  amount,
  secret: `s${y}`,
  C: 'c',
  y,
});

type Move =
  | { kind: 'add'; amounts: number[] }
  | { kind: 'hold' | 'spend' | 'give back' | 'lose' | 'release'; share: number };

const share = fc.double({ min: 0, max: 1, noNaN: true });
const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    amounts: fc.array(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 1, maxLength: 6 }),
  }),
  fc.record({ kind: fc.constantFrom('hold', 'spend', 'give back', 'lose', 'release'), share }),
);

test('the balance is the sum of the free proofs after any operations (property)', async () => {
  const { database, store } = await openStore();
  let made = 0;
  const free = () =>
    database.all<{ y: string; amount: number }>('SELECT y, amount FROM proofs WHERE held_by IS NULL');
  const held = () =>
    database.all<{ y: string; by: number }>('SELECT y, held_by AS by FROM proofs WHERE held_by IS NOT NULL');
  const at = <T>(list: readonly T[], where: number): T | undefined =>
    list[Math.min(list.length - 1, Math.floor(where * list.length))];

  const apply = (each: Move): void => {
    if (each.kind === 'add') {
      const operation = store.operations.add({ kind: 'receive', amount: 1, fee: 0, expected: 1, plan: PLAN });
      store.operations.complete(operation.number);
      made += 1;
      store.proofs.add(
        operation.number,
        each.amounts.map((amount, index) => proofOf(`${made}/${index}`, amount)),
      );
      return;
    }
    const ours = free();
    if (each.kind === 'hold' && ours.length > 0) {
      const operation = store.operations.add({ kind: 'send', amount: 1, fee: 0, expected: 0, plan: PLAN });
      store.proofs.hold(
        operation.number,
        ours.slice(0, 1 + Math.floor(each.share * ours.length)).map(({ y }) => y),
      );
    }
    const taken = at(held(), each.share);
    if (each.kind === 'spend' && taken) store.proofs.remove(store.proofs.heldBy(taken.by).map(({ y }) => y));
    if (each.kind === 'give back' && taken) store.proofs.releaseHeld(taken.by);
    if (each.kind === 'release' && taken) store.proofs.release(taken.y);
    const lost = at([...ours, ...held()], each.share);
    if (each.kind === 'lose' && lost) store.proofs.remove([lost.y]);
  };

  fc.assert(
    fc.property(fc.array(move, { minLength: 1, maxLength: 15 }), (moves) => {
      for (const each of moves) store.transaction(() => apply(each));
      expect(store.proofs.balance()).toBe(free().reduce((sum, { amount }) => sum + amount, 0));
      const [sum = { amount: 0, proofs: 0 }] = store.proofs.keysetSums();
      expect([sum.amount, sum.proofs]).toEqual([store.proofs.balance(), free().length]);
      expect(store.operations.hasUnfinished()).toBe(
        database.get("SELECT 1 FROM operations WHERE state = 'pending'") !== undefined || held().length > 0,
      );
      // What is undone as a whole changes nothing.
      const before = store.proofs.balance();
      expect(() =>
        store.transaction(() => {
          apply({ kind: 'add', amounts: [7] });
          apply({ kind: 'hold', share: 0.5 });
          throw new Error('undone');
        }),
      ).toThrow('undone');
      expect(store.proofs.balance()).toBe(before);
    }),
    { numRuns: 25 },
  );
  expect(made).toBeGreaterThan(0);
});

test('a proof cannot be held twice, be added twice, or be worth nothing', async () => {
  const { store } = await openStore();
  const add = (kind: 'receive' | 'send') =>
    store.operations.add({ kind, amount: 1, fee: 0, expected: 0, plan: PLAN }).number;
  const receive = add('receive');
  store.proofs.add(receive, [proofOf('a', 4), proofOf('b', 8)]);
  expect(() => store.proofs.add(receive, [proofOf('a', 4)])).toThrow(/UNIQUE/);
  expect(() => store.proofs.add(receive, [proofOf('c', 0)])).toThrow(/CHECK/);
  const send = add('send');
  store.proofs.hold(send, ['a']);
  expect(store.proofs.balance()).toBe(8);
  expect(() => store.transaction(() => store.proofs.hold(add('send'), ['b', 'a']))).toThrow('not free');
  expect(store.proofs.balance()).toBe(8);
  expect(store.proofs.heldBy(send)).toEqual([{ y: 'a', amount: 4 }]);
  // A held proof had left the balance before.
  expect(store.proofs.remove(['a', 'none'])).toBe(0);
  expect(() => store.proofs.hold(send, ['a'])).toThrow('not free');
  expect(store.proofs.balance()).toBe(8);
  expect(store.proofs.remove(['b'])).toBe(8);
  expect(store.proofs.balance()).toBe(0);
});

test('an input belongs to one operation until that operation fails', async () => {
  const { store } = await openStore();
  const add = () =>
    store.operations.add({ kind: 'receive', amount: 1, fee: 0, expected: 1, plan: PLAN }).number;
  const first = add();
  store.operations.addInputs(first, ['a', 'b']);
  expect(() => store.transaction(() => store.operations.addInputs(add(), ['c', 'b']))).toThrow(/UNIQUE/);
  expect(store.operations.ofInput(['c'])).toBeUndefined();
  expect(store.operations.ofInput(['c', 'b'])?.number).toBe(first);
  expect(store.operations.fail(first, { code: 'mint_refused', message: 'no' }, undefined)).toBe(true);
  store.operations.freeInputs(first);
  const second = add();
  store.operations.addInputs(second, ['c', 'b']);
  expect(store.operations.ofInput(['b'])?.number).toBe(second);
});

test('an operation completes once and then cannot fail, and a failed one can turn out to be completed', async () => {
  const { store } = await openStore();
  const add = () => store.operations.add({ kind: 'receive', amount: 5, fee: 1, expected: 5, plan: PLAN });
  const failure = { code: 'mint_refused', message: 'no' } as const;
  const [done, failed, late] = [add(), add(), add()];
  expect(store.proofs.pending()).toBe(15);
  expect([
    store.operations.complete(done.number),
    store.operations.complete(done.number),
    store.operations.fail(done.number, failure, undefined),
  ]).toEqual([true, false, false]);
  expect([
    store.operations.fail(failed.number, failure, 60_000),
    store.operations.fail(failed.number, failure, undefined),
    store.operations.fail(late.number, failure, 60_000),
    store.operations.complete(late.number),
  ]).toEqual([true, false, true, true]);
  expect(store.operations.noteFailure(done.number, failure, false)).toBe(0);
  expect(store.proofs.pending()).toBe(0);
  expect(store.operations.byId(done.id)).toMatchObject({
    state: 'completed',
    failure: undefined,
    plan: undefined,
  });
  expect(store.operations.byId(failed.id)).toMatchObject({ state: 'failed', failure, plan: PLAN });
  expect(store.operations.byId(late.id)).toMatchObject({
    state: 'completed',
    failure: undefined,
    plan: undefined,
  });
  expect(store.operations.rechecked().map(({ number }) => number)).toEqual([failed.number]);
});

test('impossible amounts, while they are pending, do not make the sums unreadable', async () => {
  const { store } = await openStore();
  const amount = Number.MAX_SAFE_INTEGER;
  for (let count = 0; count < 3; count += 1) {
    store.operations.add({ kind: 'receive', amount, fee: 0, expected: amount, plan: PLAN });
  }
  expect(store.proofs.pending()).toBe(Number.MAX_SAFE_INTEGER);
});

test('counters only grow: through the store, and against SQL that would decrease them', async () => {
  const { database, store } = await openStore();
  expect(store.counters.of('one').next).toBe(0);
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 1000 }), { minLength: 1 }), (steps) => {
      for (const next of steps) {
        const before = store.counters.of('one').next;
        store.counters.advance('one', next);
        expect(store.counters.of('one').next).toBe(Math.max(before, next));
      }
    }),
    { numRuns: 20 },
  );
  store.counters.advance('one', 5000);
  expect(() => database.run("UPDATE counters SET next = 4999 WHERE keyset_id = 'one'")).toThrow(/step back/);
  expect(() => database.run("INSERT OR REPLACE INTO counters (keyset_id, next) VALUES ('two', -1)")).toThrow(
    /CHECK/,
  );
  expect(store.counters.of('one').next).toBe(5000);
  // A last counter of 0 is a value: the next is 1.
  store.counters.advance('zero', 0);
  const counted = database.all<{ id: string }>('SELECT keyset_id AS id FROM counters ORDER BY id');
  expect(counted.map(({ id }) => id)).toEqual(['one', 'zero']);
});

test('reusable counters are given out once each, in the longest runs that were returned', async () => {
  const { store } = await openStore();
  // Ranges of 3 with gaps of 1 between some of them: what touches is one.
  const start = fc.integer({ min: 0, max: 40 });
  fc.assert(
    fc.property(fc.uniqueArray(start), fc.array(fc.integer({ min: 1, max: 9 })), (given, wanted) => {
      store.counters.forgetReusable();
      const spare = new Set<number>();
      for (const each of given) {
        store.counters.reuse('one', { start: each, count: 1 });
        spare.add(each);
      }
      for (const count of wanted) {
        const rows = [...spare].filter((first) =>
          Array.from({ length: count }, (_, at) => first + at).every((counter) => spare.has(counter)),
        );
        const first = store.counters.takeReusable('one', count);
        expect(first === undefined).toBe(rows.length === 0);
        if (first === undefined) continue;
        expect(rows).toContain(first);
        for (let counter = first; counter < first + count; counter++) spare.delete(counter);
      }
    }),
  );
  store.counters.reuse('one', { start: 0, count: 5 });
  expect(store.counters.takeReusable('two', 1)).toBeUndefined();
  store.counters.forgetReusable();
  expect(store.counters.takeReusable('one', 1)).toBeUndefined();
});

test('answers are kept 30 days under their route and key', async () => {
  const { store, clock } = await openStore();
  const key = { route: 'receive', key: 'k', bodyHash: 'h' };
  store.answers.set(key, { problem: { code: 'wrong_mint', message: 'no' } });
  expect(store.answers.get({ route: 'send', key: 'k' })).toBeUndefined();
  clock.pass(29 * 24 * 60 * 60 * 1000);
  store.answers.forgetOld();
  expect(store.answers.get(key)).toMatchObject({ bodyHash: 'h', problem: { code: 'wrong_mint' } });
  clock.pass(2 * 24 * 60 * 60 * 1000);
  store.answers.forgetOld();
  expect(store.answers.get(key)).toBeUndefined();
});
