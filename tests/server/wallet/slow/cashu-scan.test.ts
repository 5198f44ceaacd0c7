import { expect, test } from 'vitest';
import { askMint } from '../../../support/mint/client.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import {
  CURVES,
  failureOf,
  firstId,
  openAdapter,
  openedBy,
  swapAt,
  WORDS,
} from '../../../support/mint-adapter.ts';

const OTHER_WORDS = `${'zoo '.repeat(11)}wrong`;

test('restore returns the signed amount, which another operation may have chosen', async () => {
  const mint = await testMint();
  const id = firstId(mint);
  const adapter = openAdapter(mint);
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

test('restore rejects what it cannot verify, and a scan leaves it out', async () => {
  const mint = await testMint();
  const id = firstId(mint);
  const adapter = openAdapter(mint);
  const { keep } = await swapAt(mint, adapter, id, [8, 2], 0);
  for (const fault of [
    { kind: 'dleq' },
    { kind: 'no-dleq' },
    { kind: 'signatures', dleq: true },
    { kind: 'signatures' },
  ] as const) {
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

test('signatures without DLEQ are accepted in a scan, and in restore if the mint does not make them', async () => {
  const mint = await testMint({ info: { nuts: { 12: { supported: false } } } });
  const id = firstId(mint);
  const adapter = openAdapter(mint);
  const { keep } = await swapAt(mint, adapter, id, [8, 2], 0);
  mint.fail('/v1/restore', { kind: 'no-dleq' });
  const restored = await adapter.restore(id, keep);
  expect(restored.map((proof) => proof?.amount)).toEqual([8, 2]);
  const scanned = await adapter.scan(WORDS, [{ keysetId: id, start: 0, count: 5 }]);
  expect(scanned.map(({ proof }) => proof)).toEqual(restored);
});

test.each(CURVES)(
  'a scan finds the counters of all ranges in one request, inactive keysets too (%s)',
  async (_name, curve) => {
    const mint = await testMint({ keysets: [{}] });
    const one = firstId(mint);
    const adapter = openAdapter(mint, [], curve);
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
  },
);

test.each([['code'], ['nutshell']] as const)(
  'a batch that is too large is asked in parts, and the size is remembered (%s)',
  async (limitStyle) => {
    const mint = await testMint({ limits: { maxRestoreOutputs: 30, maxCheckStates: 40, limitStyle } });
    const id = firstId(mint);
    const adapter = openAdapter(mint);
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

test('a mint that refuses a size without a reason is asked in halves, and one that refuses all is not asked forever', async () => {
  const mint = await testMint();
  const id = firstId(mint);
  const adapter = openAdapter(mint);
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

test('a scan stops at a mint that limits requests or does not respond', async () => {
  const mint = await testMint();
  const id = firstId(mint);
  const adapter = openAdapter(mint);
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
