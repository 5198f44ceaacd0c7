import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Proof, SwapPlan } from '../../../src/server/wallet/mint/mint.ts';
import { type Database, openDatabase } from '../../../src/server/wallet/store/sqlite.ts';
import { WALLET_MIGRATIONS } from '../../../src/server/wallet/store/wallet-schema.ts';
import { createWalletStore } from '../../../src/server/wallet/store/wallet-store.ts';
import { makeClock } from '../../support/clock.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const openStore = async () => {
  const database = await openDatabase(join(await makeTempDirectory(), 'wallet.sqlite'), WALLET_MIGRATIONS);
  const clock = makeClock();
  database.run("INSERT INTO mints VALUES (1, 'https://mint.example')");
  const store = createWalletStore(database, clock, 1);
  onTestFinished(database.close);
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

type Store = Awaited<ReturnType<typeof openStore>>['store'];

const KINDS = [
  'hold',
  'spend',
  'give back',
  'set aside',
  'confirm',
  'write off',
  'revive',
  'forget',
] as const;
type Move = { kind: 'add'; amounts: number[] } | { kind: (typeof KINDS)[number]; share: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({
    kind: fc.constant('add' as const),
    amounts: fc.array(fc.integer({ min: 1, max: 2 ** 40 }), { minLength: 1, maxLength: 6 }),
  }),
  fc.record({ kind: fc.constantFrom(...KINDS), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
);

/** The sums of the proofs by state. */
const proofSums = (database: Database): Record<string, number> =>
  Object.fromEntries(
    database
      .all<{ state: string; sats: number }>('SELECT state, sum(amount) AS sats FROM proofs GROUP BY state')
      .map(({ state, sats }) => [state, sats]),
  );

/** Fails unless the postings of each operation sum to 0, and those of each account to its proofs. */
const expectBooksToAddUp = (database: Database, store: Store) => {
  const proofs = proofSums(database);
  for (const state of ['free', 'held', 'unconfirmed'] as const)
    expect([state, store.postings.sum(state)]).toEqual([state, proofs[state] ?? 0]);
  expect(database.all('SELECT operation FROM postings GROUP BY operation HAVING sum(sats) <> 0')).toEqual([]);
};

test('postings are what the proofs are worth, after any moves (property)', async () => {
  const { database, store } = await openStore();
  let made = 0;
  const ysIn = (state: string, part: number): string[] => {
    const ys = database.all<{ y: string }>('SELECT y FROM proofs WHERE state = ?', state).map(({ y }) => y);
    return ys.slice(0, Math.ceil(part * ys.length));
  };
  const newOperation = (kind: 'send' | 'spent_elsewhere' | 'recovered'): number =>
    kind === 'send'
      ? store.operations.add({ kind, amount: 1, fee: 0, plan: PLAN }).number
      : store.operations.addCompleted({ kind, amount: 1 });
  const holder = (): number | undefined =>
    database.get<{ by: number }>("SELECT held_by AS by FROM proofs WHERE state = 'held' LIMIT 1")?.by;

  const apply = (each: Move): void => {
    if (each.kind === 'add') {
      const operation = store.operations.add({ kind: 'receive', amount: 1, fee: 0, plan: PLAN });
      store.operations.complete(operation.number, operation);
      made += 1;
      const proofs = each.amounts.map((amount, index) => proofOf(`${made}/${index}`, amount));
      store.proofs.add(operation.number, proofs.slice(1));
      store.proofs.add(operation.number, proofs.slice(0, 1), { why: 'pending', at: 0 });
      return;
    }
    const { kind, share } = each;
    const by = holder();
    if (kind === 'hold') store.proofs.hold(newOperation('send'), ysIn('free', share));
    if (kind === 'spend' && by !== undefined) store.proofs.removeHeld(by);
    if (kind === 'give back' && by !== undefined) store.proofs.releaseHeld(by);
    if (kind === 'set aside') store.proofs.setAside(ysIn('free', share), 'spent', 0, 0);
    if (kind === 'confirm') store.proofs.confirm(ysIn('unconfirmed', share));
    if (kind === 'write off')
      store.proofs.writeOff(
        newOperation('spent_elsewhere'),
        [...ysIn('unconfirmed', share), ...ysIn('free', share)],
        0,
        0,
      );
    if (kind === 'revive') store.proofs.revive(newOperation('recovered'), ysIn('spent', share));
    if (kind === 'forget') store.proofs.forget([...ysIn('unconfirmed', share), ...ysIn('spent', share)]);
  };

  fc.assert(
    fc.property(fc.array(move, { minLength: 1, maxLength: 15 }), (moves) => {
      for (const each of moves) store.transaction(() => apply(each));
      expectBooksToAddUp(database, store);
      // What is undone as a whole changes nothing.
      const before = store.postings.sum('free');
      expect(() =>
        store.transaction(() => {
          apply({ kind: 'add', amounts: [7, 8] });
          apply({ kind: 'hold', share: 0.5 });
          throw new Error('undone');
        }),
      ).toThrow('undone');
      expect(store.postings.sum('free')).toBe(before);
    }),
    { numRuns: 25 },
  );
  expect(made).toBeGreaterThan(0);
});

test('postings only stay, and must sum to 0', async () => {
  const { database, store } = await openStore();
  const number = store.operations.addCompleted({ kind: 'recovered', amount: 5 });
  store.proofs.add(number, [proofOf('a', 5)]);
  expect(() => store.postings.post(number, [{ account: 'free', sats: 1 }])).toThrow('don’t sum to 0');
  expect(() => database.run('UPDATE postings SET sats = 1')).toThrow(/would change/);
  expect(() => database.run('DELETE FROM postings')).toThrow(/would go/);
  expect(store.postings.sum('free')).toBe(5);
});

test('a proof cannot be held twice, be added twice, or be worth nothing', async () => {
  const { store } = await openStore();
  const add = (kind: 'receive' | 'send') =>
    store.operations.add({ kind, amount: 1, fee: 0, plan: PLAN }).number;
  const free = () => store.postings.sum('free');
  const receive = add('receive');
  store.proofs.add(receive, [proofOf('a', 4), proofOf('b', 8)]);
  expect(() => store.proofs.add(receive, [proofOf('a', 4)])).toThrow(/UNIQUE/);
  expect(() => store.proofs.add(receive, [proofOf('c', 0)])).toThrow(/CHECK/);
  const send = add('send');
  store.proofs.hold(send, ['a']);
  expect(free()).toBe(8);
  expect(() => store.transaction(() => store.proofs.hold(add('send'), ['b', 'a']))).toThrow('not free');
  expect(free()).toBe(8);
  expect(store.proofs.valueOf(['a'], ['held'])).toBe(4);
  // What an operation reserves, only that operation settles.
  expect(store.proofs.remove(receive, ['a', 'none'])).toBe(0);
  expect(store.proofs.setAside(['a'], 'pending', 0, 0)).toBe(0);
  expect(store.proofs.removeHeld(send)).toBe(4);
  expect(() => store.proofs.hold(send, ['a'])).toThrow('not free');
  expect(free()).toBe(8);
  expect(store.proofs.remove(receive, ['b'])).toBe(8);
  expect(free()).toBe(0);
});

test('an input belongs to one operation until that operation fails', async () => {
  const { store } = await openStore();
  const add = () => store.operations.add({ kind: 'receive', amount: 1, fee: 0, plan: PLAN }).number;
  const first = add();
  store.operations.addInputs(first, ['a', 'b']);
  expect(() => store.transaction(() => store.operations.addInputs(add(), ['c', 'b']))).toThrow(/UNIQUE/);
  expect(store.operations.ofInput(['c'])).toBeUndefined();
  expect(store.operations.ofInput(['c', 'b'])).toEqual({ state: 'pending', operation: undefined });
  expect(store.operations.ofInput(['b', 'c', 'a'])?.operation?.number).toBe(first);
  expect(store.operations.fail(first, { code: 'mint_refused', message: 'no' }, undefined)).toBe(true);
  store.operations.freeInputs(first);
  const second = add();
  store.operations.addInputs(second, ['c', 'b']);
  expect(store.operations.takerOf('b')?.number).toBe(second);
  expect(store.operations.complete(second, { amount: 1, fee: 0 })).toBe(true);
  expect(store.operations.ofInput(['b'])).toEqual({ state: 'completed', operation: undefined });
  expect(store.operations.ofInput(['b', 'c'])).toMatchObject({
    state: 'completed',
    operation: { number: second },
  });
});

test('an operation completes once and then cannot fail, and a failed one can turn out to be completed', async () => {
  const { store } = await openStore();
  const output = { blindedMessage: { amount: '5', B_: '02', id: 'one' }, blindingFactor: '1', secret: 's' };
  const plan = { ...PLAN, keep: [output] };
  const add = () => store.operations.add({ kind: 'receive', amount: 5, fee: 1, plan });
  const failure = { code: 'mint_refused', message: 'no' } as const;
  const [done, failed, late] = [add(), add(), add()];
  expect(store.postings.sum('incoming')).toBe(15);
  expect([
    store.operations.complete(done.number, done),
    store.operations.complete(done.number, done),
    store.operations.fail(done.number, failure, undefined),
  ]).toEqual([true, false, false]);
  expect([
    store.operations.fail(failed.number, failure, 60_000),
    store.operations.fail(failed.number, failure, undefined),
    store.operations.fail(late.number, failure, 60_000),
    store.operations.complete(late.number, late),
  ]).toEqual([true, false, true, true]);
  expect(store.operations.noteFailure(done.number, failure, false)).toBe(0);
  expect(store.postings.sum('incoming')).toBe(0);
  expect(store.operations.byId(done.id)).toMatchObject({ state: 'completed' });
  expect(store.operations.byId(failed.id)).toMatchObject({ state: 'failed', failure, plan });
  expect(store.operations.byId(late.id)).toMatchObject({ state: 'completed' });
  expect(store.operations.rechecked().map(({ number }) => number)).toEqual([failed.number]);
});

test('an operation that ended in the meantime gets no new plan, and brings nothing', async () => {
  const { store } = await openStore();
  const operation = store.operations.add({ kind: 'receive', amount: 5, fee: 0, plan: PLAN });
  store.operations.fail(operation.number, { code: 'released', message: 'no' }, undefined, true);
  const output = { blindedMessage: { amount: '5', B_: '02', id: 'one' }, blindingFactor: '1', secret: 's' };
  const next = { plan: { ...PLAN, keep: [output] }, amount: 5, fee: 0 };
  store.operations.rewrite(operation, next, { keepOld: true });
  expect(store.postings.sum('incoming')).toBe(0);
  expect(store.operations.oldPlans(operation.number)).toEqual([]);
  expect(store.operations.get(operation.number)).toMatchObject({ state: 'failed', plan: PLAN });
});

test('impossible amounts, while they are pending, do not make the sums unreadable', async () => {
  const { store } = await openStore();
  const amount = Number.MAX_SAFE_INTEGER;
  const output = {
    blindedMessage: { amount: String(amount), B_: '02', id: 'one' },
    blindingFactor: '1',
    secret: 's',
  };
  for (let count = 0; count < 3; count += 1)
    store.operations.add({ kind: 'receive', amount, fee: 0, plan: { ...PLAN, keep: [output] } });
  expect(store.postings.sum('incoming')).toBe(Number.MAX_SAFE_INTEGER);
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
  expect(() =>
    database.run("INSERT OR REPLACE INTO counters (mint, keyset_id, next) VALUES (1, 'two', -1)"),
  ).toThrow(/CHECK/);
  expect(store.counters.of('one').next).toBe(5000);
  // A last counter of 0 is a value: the next is 1.
  store.counters.advance('zero', 0);
  const counted = database.all<{ id: string }>('SELECT keyset_id AS id FROM counters ORDER BY id');
  expect(counted.map(({ id }) => id)).toEqual(['one', 'zero']);
});

test('reusable counters are given out once each, in the longest runs that were returned', {
  tags: 'slow',
}, async () => {
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

test('responses are kept 30 days under their route and key', async () => {
  const { store, clock } = await openStore();
  const key = { route: 'receive', key: 'k', bodyHash: 'h' };
  const { number } = store.operations.add({ kind: 'receive', amount: 1, fee: 0, plan: PLAN });
  store.answers.set(key, number);
  expect(store.answers.get({ route: 'send', key: 'k' })).toBeUndefined();
  clock.pass(29 * 24 * 60 * 60 * 1000);
  store.answers.forgetOld();
  expect(store.answers.get(key)).toMatchObject({ bodyHash: 'h', operation: { number } });
  clock.pass(2 * 24 * 60 * 60 * 1000);
  store.answers.forgetOld();
  expect(store.answers.get(key)).toBeUndefined();
});

test('a note about another copy stays if it changed since it was read', async () => {
  const { store } = await openStore();
  const note = { keysetId: 'one', start: 40, seenAt: 1000 };
  store.counters.noteElsewhere(note);
  // A search reads the note. Before it ends, the other copy is seen again, at a lower counter.
  store.counters.noteElsewhere({ keysetId: 'one', start: 7, seenAt: 2000 });
  store.counters.forgetElsewhere(note);
  const changed = { keysetId: 'one', start: 7, seenAt: 2000 };
  expect(store.counters.elsewhere()).toEqual([changed]);
  store.counters.forgetElsewhere(changed);
  expect(store.counters.elsewhere()).toEqual([]);
});
