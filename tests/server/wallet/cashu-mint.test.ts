import { expect, test } from 'vitest';
import { createCashuMint } from '../../../src/server/wallet/cashu-mint.ts';
import {
  type KeysetKeys,
  type Mint,
  MintError,
  type OpenedToken,
  type Output,
  type SwapPlan,
} from '../../../src/server/wallet/mint.ts';
import { askMint } from '../../support/mint/client.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { OTHER_WORDS, WORDS } from '../../support/seed.ts';
import { editA } from '../../support/wallet.ts';

const open = (mint: { url: string }, stored: KeysetKeys[] = []): Mint =>
  createCashuMint(mint.url, 2_000, stored);

/** How a call fails. */
const failureOf = async (call: Promise<unknown>): Promise<MintError> => {
  const error: unknown = await call.then(
    () => new Error('it succeeded'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof MintError) return error;
  throw error;
};

const openedBy = async (adapter: Mint, token: string): Promise<OpenedToken> => {
  const inspected = await adapter.inspect(token);
  if ('refusal' in inspected) throw new Error(inspected.refusal);
  return inspected.opened;
};

/** Swaps a new token for outputs of these counters. */
const swapAt = async (
  mint: TestMint,
  adapter: Mint,
  keysetId: string,
  amounts: number[],
  counter: number,
): Promise<SwapPlan> => {
  const { proofs } = await openedBy(adapter, mint.issue(amounts.reduce((sum, amount) => sum + amount, 0)));
  const keep = await adapter.deterministicOutputs(keysetId, amounts, WORDS, counter);
  const plan = { keysetId, inputs: proofs, keep, send: [] };
  const swapped = await adapter.swap(plan);
  expect(swapped.keep.map(({ amount }) => amount)).toEqual(amounts);
  return plan;
};

const learn = async (adapter: Mint): Promise<KeysetKeys[]> => (await adapter.keysets(false)).learned;
const firstId = (mint: TestMint): string => mint.keysets()[0]?.id ?? '';

test('a swap keeps the order of its outputs, and its proofs are unspent', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const adapter = open(mint);
  const { proofs, fee } = await openedBy(adapter, mint.issue(101, { proofCount: 9 }));
  expect(fee).toBe(1);
  const id = firstId(mint);
  const keep = await adapter.deterministicOutputs(id, [64, 1, 2], WORDS, 7);
  const send = await adapter.randomOutputs(id, [1, 32]);
  const swapped = await adapter.swap({ keysetId: id, inputs: proofs, keep, send });
  expect(swapped.keep.map(({ amount }) => amount)).toEqual([64, 1, 2]);
  expect(swapped.send.map(({ amount }) => amount)).toEqual([1, 32]);
  const ys = [...swapped.keep, ...swapped.send].map(({ y }) => y);
  expect(await adapter.states([...ys, ...proofs.map(({ y }) => y)])).toEqual([
    ...ys.map(() => 'UNSPENT'),
    ...proofs.map(() => 'SPENT'),
  ]);
  const token = await adapter.encode(swapped.send, 'thanks');
  expect(await adapter.describe(token)).toEqual({
    description: { mint: mint.url, unit: 'sat', amount: 33, memo: 'thanks', proofs: 2, locked: false },
    // Version 4 groups proofs, and keeps their order within a keyset.
    ys: swapped.send.map(({ y }) => y),
  });
});

test.each([
  ['wrong amounts', { kind: 'amounts' }],
  ['a wrong DLEQ proof', { kind: 'dleq' }],
  ['no DLEQ proof, though the mint says that it makes them', { kind: 'no-dleq' }],
  ["another key's signature", { kind: 'signatures', dleq: true }],
  ['too few signatures', { kind: 'partial', keep: 1 }],
  ['something else than JSON', { kind: 'garbage' }],
] as const)('a swap answered with %s is invalid', async (_name, fault) => {
  const mint = await testMint();
  const adapter = open(mint);
  const { proofs } = await openedBy(adapter, mint.issue(6));
  const keep = await adapter.randomOutputs(firstId(mint), [2, 4]);
  mint.fail('/v1/swap', fault);
  const { kind } = await failureOf(adapter.swap({ keysetId: firstId(mint), inputs: proofs, keep, send: [] }));
  expect(kind).toBe('invalid');
});

test('a swap without DLEQ proofs is fine where the mint does not support them', async () => {
  const mint = await testMint({ info: { nuts: { 12: { supported: false } } } });
  mint.fail('/v1/swap', { kind: 'no-dleq' });
  await swapAt(mint, open(mint), firstId(mint), [1, 2], 0);
});

test('a swap for outputs of a keyset that is no longer listed is refused before it is sent', async () => {
  const mint = await testMint();
  const adapter = open(mint);
  const { proofs } = await openedBy(adapter, mint.issue(1));
  const keep = await adapter.randomOutputs(firstId(mint), [1]);
  mint.rotate({ hideOld: true });
  const stored = await learn(adapter);
  const after = open(mint, stored);
  const { kind } = await failureOf(after.swap({ keysetId: firstId(mint), inputs: proofs, keep, send: [] }));
  expect([kind, mint.requestCount('/v1/swap')]).toEqual(['refused', 0]);
});

test('stored keysets need no request: inspect, outputs and keysets work while the mint is away', async () => {
  const mint = await testMint({ keysets: [{}, { version: 1, inputFeePpk: 100 }] });
  const stored = await learn(open(mint));
  expect(stored.map(({ id, active, inputFeePpk }) => ({ id, active, inputFeePpk }))).toEqual(
    mint.keysets().map(({ id, active, inputFeePpk }) => ({ id, active, inputFeePpk })),
  );
  const ids = mint.keysets().map(({ id }) => id);
  const token = mint.issue(100, { keysetIds: ids, proofCount: 8 });
  await mint.away();

  const adapter = open(mint, stored);
  expect((await openedBy(adapter, token)).fee).toBe(1);
  expect((await adapter.keysets(false)).outputId).toBe(ids[0]);
  expect(await adapter.split(ids[1] ?? '', 5)).toEqual([4, 1]);
  expect(await adapter.deterministicOutputs(ids[1] ?? '', [4, 1], WORDS, 0)).toHaveLength(2);
  expect((await failureOf(adapter.keysets(true))).kind).toBe('unreachable');
});

test('stored keys that do not match their id are not used', async () => {
  const mint = await testMint();
  const [stored] = await learn(open(mint));
  if (!stored) throw new Error('the mint has a keyset');
  const forged = { ...stored, keys: { ...stored.keys, 1: stored.keys[2] ?? '' } };
  const adapter = open(mint, [forged]);
  await openedBy(adapter, mint.issue(7));
  // They are learned again.
  expect(await learn(adapter)).toEqual([stored]);
});

test('what was learned is reported once, and again when the list says otherwise', async () => {
  const mint = await testMint();
  const adapter = open(mint, await learn(open(mint)));
  expect((await adapter.keysets(true)).learned).toEqual([]);
  const added = mint.rotate({ inputFeePpk: 200, finalExpirySeconds: 4_000_000_000 });
  const { learned, outputId } = await adapter.keysets(true);
  expect(learned.map(({ id, active }) => [id, active])).toEqual([
    [firstId(mint), false],
    [added.id, true],
  ]);
  expect(learned[1]).toMatchObject({ inputFeePpk: 200, finalExpiry: 4_000_000_000 });
  expect(Object.keys(learned[1]?.keys ?? {})).toHaveLength(32);
  expect(outputId).toBe(added.id);
  expect((await adapter.keysets(true)).learned).toEqual([]);
});

const DAY = 24 * 60 * 60;
const inDays = (days: number) => Math.floor(Date.now() / 1000) + days * DAY;

test.each([
  ['the cheapest', [{ inputFeePpk: 200 }, { inputFeePpk: 100 }, { inputFeePpk: 300 }], 1],
  [
    'the cheapest that lasts longer than a week',
    [{ finalExpirySeconds: inDays(6) }, { inputFeePpk: 100 }],
    1,
  ],
  [
    'one that expires soon, where there is no other',
    [{ active: false }, { finalExpirySeconds: inDays(1) }],
    1,
  ],
  [
    'the one that lasts longest',
    [{ finalExpirySeconds: inDays(30) }, { finalExpirySeconds: inDays(60) }, {}],
    2,
  ],
  ['the first', [{ unit: 'usd' }, {}, { version: 1 }], 1],
  ['none that has expired', [{ finalExpirySeconds: inDays(-1) }], undefined],
  ['none that cannot be verified', [{ unverifiable: true }, { inputFeePpk: 900 }], 1],
  ['none at all', [{ active: false }], undefined],
] as const)('new outputs are for %s', async (_name, keysets, expected) => {
  const mint = await testMint({ keysets: keysets.map((spec) => ({ ...spec })) });
  const { outputId } = await open(mint).keysets(true);
  expect(outputId).toBe(expected === undefined ? undefined : mint.keysets()[expected]?.id);
});

test('a keyset that cannot be verified does not stop the others', async () => {
  const mint = await testMint({ keysets: [{ unverifiable: true }, {}] });
  const [bad = '', good = ''] = mint.keysets().map(({ id }) => id);
  const adapter = open(mint);
  expect((await adapter.keysets(true)).all.map(({ id }) => id)).toEqual([bad, good]);
  await swapAt(mint, adapter, good, [1, 4], 0);
  expect(await failureOf(adapter.inspect(mint.issue(2, { keysetId: bad })))).toMatchObject({
    kind: 'invalid',
  });
  expect(await failureOf(adapter.split(bad, 2))).toMatchObject({ kind: 'invalid' });
  // Nothing is signed there, so its keys are not needed.
  const found = await adapter.scan(WORDS, [
    { keysetId: bad, start: 0, count: 5 },
    { keysetId: good, start: 0, count: 5 },
  ]);
  expect(found.map(({ counter }) => counter)).toEqual([0, 1]);
});

test('entries of the list that make no sense are left out', async () => {
  const mint = await testMint();
  const real = await askMint(mint.url, '/v1/keysets');
  const odd = [
    null,
    { id: 5 },
    { id: `01${'ab'.repeat(32)}`, unit: 'sat', active: true, final_expiry: 1e30 },
    { id: `01${'cd'.repeat(32)}`, unit: 'sat', active: true, input_fee_ppk: -1 },
  ];
  const keysets = [...odd, ...real.body.keysets];
  mint.fail('/v1/keysets', { kind: 'status', status: 200, body: { keysets } });
  expect((await open(mint).keysets(true)).outputId).toBe(firstId(mint));
});

test('keys that the mint drops are taken from the store, to restore and to scan', async () => {
  const mint = await testMint({ keysets: [{ version: 1 }] });
  const id = firstId(mint);
  const { keep } = await swapAt(mint, open(mint), id, [1, 2, 4], 0);
  const stored = await learn(open(mint));
  mint.rotate();
  mint.setKeyset(id, { keysServed: false });

  expect(await failureOf(open(mint).restore(id, keep))).toMatchObject({ kind: 'invalid' });
  for (const listed of [true, false]) {
    mint.setKeyset(id, { listed });
    const adapter = open(mint, stored);
    const { all, learned } = await adapter.keysets(true);
    expect(all.some((keyset) => keyset.id === id)).toBe(listed);
    expect(learned.find((keyset) => keyset.id === id)?.active).toBe(false);
    const restored = await adapter.restore(id, keep);
    expect(restored.map((proof) => proof?.amount)).toEqual([1, 2, 4]);
    const scanned = await adapter.scan(WORDS, [{ keysetId: id, start: 0, count: 10 }]);
    expect(scanned.map(({ proof }) => proof)).toEqual(restored);
  }
});

test('restore returns the signed amount, which another operation may have chosen', async () => {
  const mint = await testMint();
  const id = firstId(mint);
  const adapter = open(mint);
  await swapAt(mint, adapter, id, [8, 2], 5);
  const outputs = await adapter.deterministicOutputs(id, [1, 1, 1, 1], WORDS, 4);
  const restored = await adapter.restore(id, outputs);
  expect(restored.map((proof) => proof?.amount)).toEqual([undefined, 8, 2, undefined]);
  const { proofs } = await openedBy(
    adapter,
    await adapter.encode(
      restored.flatMap((proof) => proof ?? []),
      undefined,
    ),
  );
  await adapter.swap({
    keysetId: id,
    inputs: proofs,
    keep: await adapter.randomOutputs(id, [8, 2]),
    send: [],
  });
});

test('restore accepts signatures without DLEQ and rejects wrong ones', async () => {
  const mint = await testMint();
  const id = firstId(mint);
  const adapter = open(mint);
  const { keep } = await swapAt(mint, adapter, id, [8, 2], 0);
  mint.fail('/v1/restore', { kind: 'no-dleq', times: 1 });
  expect((await adapter.restore(id, keep)).map((proof) => proof?.amount)).toEqual([8, 2]);
  for (const fault of [{ kind: 'dleq' }, { kind: 'signatures', dleq: true }] as const) {
    mint.fail('/v1/restore', { ...fault, times: 1 });
    expect((await failureOf(adapter.restore(id, keep))).kind).toBe('invalid');
  }
  const { body } = await askMint(mint.url, '/v1/restore', {
    outputs: keep.map(({ blindedMessage: { amount, ...rest } }) => ({ ...rest, amount: Number(amount) })),
  });
  for (const edit of [
    { id: '009a1f293253e41e' },
    { amount: 3 },
    { amount: 0 },
    { C_: `02${'f'.repeat(64)}`, dleq: undefined },
    { C_: 'x' },
    { dleq: { e: 'x', s: 5 } },
  ]) {
    const [first, ...rest] = body.signatures;
    const changed = { ...body, signatures: [{ ...first, ...edit }, ...rest] };
    mint.fail('/v1/restore', { kind: 'status', status: 200, body: changed, times: 2 });
    expect((await failureOf(adapter.restore(id, keep))).kind).toBe('invalid');
    // In a scan it must not hide the other.
    const scanned = await adapter.scan(WORDS, [{ keysetId: id, start: 0, count: 2 }]);
    expect(scanned.map(({ counter, proof }) => [counter, proof.amount])).toEqual([[1, 2]]);
  }
});

test('a scan finds the counters of all ranges with few requests, inactive keysets too', async () => {
  const mint = await testMint({ keysets: [{}] });
  const one = firstId(mint);
  const adapter = open(mint);
  await swapAt(mint, adapter, one, [1, 2], 40);
  const { id: two } = mint.rotate({ version: 1 });
  await adapter.keysets(true);
  await swapAt(mint, adapter, two, [4], 0);
  const before = mint.requestCount('/v1/restore');
  const ranges = [
    { keysetId: one, start: 30, count: 30 },
    { keysetId: two, start: 0, count: 20 },
  ];
  const found = await adapter.scan(WORDS, ranges);
  expect(found.map(({ keysetId, counter, proof }) => [keysetId, counter, proof.amount, proof.id])).toEqual([
    [one, 40, 1, one],
    [one, 41, 2, one],
    [two, 0, 4, two],
  ]);
  expect(mint.requestCount('/v1/restore') - before).toBe(1);
  expect(await adapter.scan(OTHER_WORDS, ranges)).toEqual([]);
  expect(await adapter.scan(WORDS, [])).toEqual([]);
});

test.each([['code'], ['nutshell']] as const)(
  'a batch that is too large is asked in parts, and the size is remembered (%s)',
  async (limitStyle) => {
    const mint = await testMint({ limits: { maxRestoreOutputs: 30, maxCheckStates: 40, limitStyle } });
    const id = firstId(mint);
    const adapter = open(mint);
    await swapAt(mint, adapter, id, [1, 2], 70);
    const scan = () => adapter.scan(WORDS, [{ keysetId: id, start: 0, count: 90 }]);
    expect((await scan()).map(({ counter }) => counter)).toEqual([70, 71]);
    const before = mint.requestCount('/v1/restore');
    await scan();
    expect(mint.requestCount('/v1/restore') - before).toBe(3);

    const { proofs } = await openedBy(adapter, mint.issue(90, { proofCount: 90, withoutDleq: true }));
    const ys = proofs.map(({ y }) => y);
    expect(await adapter.states(ys)).toHaveLength(90);
    const states = mint.requestCount('/v1/checkstate');
    await adapter.states(ys);
    expect(mint.requestCount('/v1/checkstate') - states).toBe(3);
  },
);

test('a mint that refuses a size without a reason is asked in halves; one that refuses all is not asked for ever', async () => {
  const mint = await testMint();
  const id = firstId(mint);
  const adapter = open(mint);
  const scan = (count: number) => adapter.scan(WORDS, [{ keysetId: id, start: 0, count }]);
  mint.fail('/v1/restore', { kind: 'status', status: 413, html: true, times: 1 });
  expect(await scan(60)).toEqual([]);
  expect(mint.requestCount('/v1/restore')).toBe(3);
  await scan(60);
  expect(mint.requestCount('/v1/restore')).toBe(5);
  mint.fail('/v1/restore', { kind: 'status', status: 404 });
  expect(await failureOf(scan(60))).toMatchObject({ kind: 'refused', details: { status: 404 } });
  mint.clearFaults();
  mint.fail('/v1/restore', { kind: 'error', code: 0, detail: 'no' });
  expect(await failureOf(scan(20))).toMatchObject({ kind: 'refused', message: 'no' });
});

test('a scan stops at a mint that limits requests or does not answer', async () => {
  const mint = await testMint();
  const id = firstId(mint);
  const adapter = open(mint);
  mint.setRateLimit({ requests: 1, seconds: 60 });
  const scan = () => adapter.scan(WORDS, [{ keysetId: id, start: 0, count: 500 }]);
  expect(await failureOf(scan())).toMatchObject({ kind: 'limited', details: { retryAfterMs: 60_000 } });
  expect(mint.requestCount('/v1/restore')).toBeLessThanOrEqual(3);
  mint.setRateLimit({ requests: 0, seconds: 60, retryAfter: true });
  const { kind, details } = await failureOf(adapter.states(['02'.padEnd(66, '0')]));
  expect([kind, details.retryAfterMs]).toEqual(['limited', 60_000]);
  mint.setRateLimit();
  mint.fail('/v1/restore', { kind: 'drop' });
  expect((await failureOf(scan())).kind).toBe('unanswered');
});

test('a swap that is too large names the limit', async () => {
  for (const limitStyle of ['code', 'nutshell'] as const) {
    const mint = await testMint({ limits: { maxInputs: 3, limitStyle } });
    const adapter = open(mint);
    const { proofs } = await openedBy(adapter, mint.issue(8, { proofCount: 4, withoutDleq: true }));
    const keep = await adapter.randomOutputs(firstId(mint), [8]);
    const swap = adapter.swap({ keysetId: firstId(mint), inputs: proofs, keep, send: [] });
    const { kind, message, details } = await failureOf(swap);
    expect([kind, details.limit]).toEqual(['refused', { what: 'inputs', most: 3 }]);
    for (const { secret } of proofs) expect(message).not.toContain(secret);
  }
});

test('a C that is not on the curve is refused before anything is sent, with and without DLEQ', async () => {
  const mint = await testMint();
  const adapter = open(mint);
  await openedBy(adapter, mint.issue(1));
  const before = mint.requestCount();
  for (const withoutDleq of [true, false]) {
    const token = editA(mint.issue(3, { version: 'A', withoutDleq }), ({ token: [entry] }) => {
      const [, second] = entry?.proofs ?? [];
      if (second) second.C = `02${'f'.repeat(64)}`;
    });
    expect(await adapter.check(token)).toMatchObject({ refusal: 'invalid_signature' });
  }
  expect(mint.requestCount()).toBe(before);
});

test('outputs need a key for their amount', async () => {
  const mint = await testMint();
  const outputs: Promise<Output[]> = open(mint).randomOutputs(firstId(mint), [1, 3]);
  expect((await failureOf(outputs)).kind).toBe('invalid');
});
