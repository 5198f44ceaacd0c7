import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { askMint } from '../../support/mint/client.ts';
import { testMint } from '../../support/mint/for-test.ts';
import {
  failureOf,
  firstId,
  learn,
  openAdapter,
  openedBy,
  swapAt,
  WORDS,
} from '../../support/mint-adapter.ts';
import { editProofs } from '../../support/wallet.ts';

test('stored keysets need no request: inspect, outputs and keysets work while the mint is away', async () => {
  const mint = await testMint({ keysets: [{}, { version: 1, inputFeePpk: 100 }] });
  const stored = await learn(openAdapter(mint));
  expect(stored.map(({ id, active, inputFeePpk }) => ({ id, active, inputFeePpk }))).toEqual(
    mint.keysets().map(({ id, active, inputFeePpk }) => ({ id, active, inputFeePpk })),
  );
  const ids = mint.keysets().map(({ id }) => id);
  const token = mint.issue(100, { keysetIds: ids, proofCount: 8 });
  await mint.away();

  const adapter = openAdapter(mint, stored);
  expect((await openedBy(adapter, token)).fee).toBe(1);
  expect((await adapter.keysets(false)).output?.id).toBe(ids[0]);
  expect(await adapter.deterministicOutputs(ids[1] ?? '', [4, 1], WORDS, 0)).toHaveLength(2);
  expect((await failureOf(adapter.keysets(true))).kind).toBe('unreachable');
});

test('stored keys that do not match their id are not used', async () => {
  const mint = await testMint();
  const [stored] = await learn(openAdapter(mint));
  if (!stored) throw new Error('the mint has a keyset');
  const forged = { ...stored, keys: { ...stored.keys, 1: stored.keys[2] ?? '' } };
  const adapter = openAdapter(mint, [forged]);
  // They are learned again.
  expect(await adapter.inspect(mint.issue(7))).toMatchObject({ keysets: { learned: [stored] } });
});

test('new keysets are reported once, and again when the list changes', async () => {
  const mint = await testMint();
  const adapter = openAdapter(mint, await learn(openAdapter(mint)));
  expect((await adapter.keysets(true)).learned).toEqual([]);
  const added = mint.rotate({ inputFeePpk: 200, finalExpirySeconds: 4_000_000_000 });
  const { learned, output } = await adapter.keysets(true);
  expect(learned.map(({ id, active }) => [id, active])).toEqual([
    [firstId(mint), false],
    [added.id, true],
  ]);
  expect(learned[1]).toMatchObject({ inputFeePpk: 200, finalExpiry: 4_000_000_000 });
  expect(Object.keys(learned[1]?.keys ?? {})).toHaveLength(32);
  expect(output?.id).toBe(added.id);
  expect((await adapter.keysets(true)).learned).toEqual([]);
});

test('made-up keysets cost the mint ever fewer requests, also one that limits them', async () => {
  const mint = await testMint();
  const adapter = openAdapter(mint, await learn(openAdapter(mint)));
  await adapter.keysets(true);
  const before = mint.requestCount();
  const startedAt = performance.now();
  const strange = () =>
    editProofs(mint.issue(8, { version: 'A', withoutDleq: true }), (proof) => ({
      ...proof,
      id: `00${randomBytes(7).toString('hex')}`,
    }));
  const five = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 5 }, ask));
  for (const inspected of await five(() => adapter.inspect(strange())))
    expect(inspected).toMatchObject({ refusal: 'unknown_keyset' });
  mint.fail('/v1/keysets', { kind: 'status', status: 429 });
  for (const { kind } of await five(() => failureOf(adapter.inspect(strange()))))
    expect(kind).toBe('limited');
  expect(mint.requestCount() - before).toBe(2);
  // The second one waits for twice as long as the first one, which waits for a second after the list before it.
  expect(performance.now() - startedAt).toBeGreaterThan(2_000);
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
  const { output } = await openAdapter(mint).keysets(true);
  expect(output?.id).toBe(expected === undefined ? undefined : mint.keysets()[expected]?.id);
});

test('a keyset that cannot be verified does not stop the others', async () => {
  const mint = await testMint({ keysets: [{ unverifiable: true }, {}] });
  const [bad = '', good = ''] = mint.keysets().map(({ id }) => id);
  const adapter = openAdapter(mint);
  expect((await adapter.keysets(true)).all.map(({ id }) => id)).toEqual([bad, good]);
  await swapAt(mint, adapter, good, [1, 4], 0);
  expect(await failureOf(adapter.inspect(mint.issue(2, { keysetId: bad })))).toMatchObject({
    kind: 'invalid',
  });
  expect(await failureOf(adapter.randomOutputs(bad, [2]))).toMatchObject({ kind: 'invalid' });
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
  expect((await openAdapter(mint).keysets(true)).output?.id).toBe(firstId(mint));
});

test('keys that the mint no longer serves are read from the store, to restore and to scan', async () => {
  const mint = await testMint({ keysets: [{ version: 1 }] });
  const id = firstId(mint);
  const { keep } = await swapAt(mint, openAdapter(mint), id, [1, 2, 4], 0);
  const stored = await learn(openAdapter(mint));
  mint.rotate();
  mint.setKeyset(id, { keysServed: false });

  expect(await failureOf(openAdapter(mint).restore(id, keep))).toMatchObject({ kind: 'invalid' });
  for (const listed of [true, false]) {
    mint.setKeyset(id, { listed });
    const adapter = openAdapter(mint, stored);
    const { all, learned } = await adapter.keysets(true);
    expect(all.some((keyset) => keyset.id === id)).toBe(listed);
    expect(learned.find((keyset) => keyset.id === id)?.active).toBe(false);
    const restored = await adapter.restore(id, keep);
    expect(restored.map((proof) => proof?.amount)).toEqual([1, 2, 4]);
    const scanned = await adapter.scan(WORDS, [{ keysetId: id, start: 0, count: 10 }]);
    expect(scanned.map(({ proof }) => proof)).toEqual(restored);
  }
});

test('of more than 1,000 listed keysets the known ones are used first, and 20 active ones at most', async () => {
  const mint = await testMint();
  const adapter = openAdapter(mint);
  await adapter.keysets(true);
  const real = await askMint(mint.url, '/v1/keysets');
  const made = Array.from({ length: 1_500 }, (_, index) => ({
    id: `01${index.toString(16).padStart(64, '0')}`,
    unit: 'sat',
    active: true,
  }));
  const body = { keysets: [...made, ...real.body.keysets] };
  mint.fail('/v1/keysets', { kind: 'status', status: 200, body });
  const { all, output } = await adapter.keysets(true);
  expect([all.length, all.filter(({ active }) => active).length]).toEqual([1_000, 20]);
  expect(output?.id).toBe(firstId(mint));
});
