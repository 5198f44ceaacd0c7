import { expect, test } from 'vitest';
import type { Output } from '../../../src/server/wallet/mint/mint.ts';
import { testMint } from '../../support/mint/for-test.ts';
import {
  CURVES,
  failureOf,
  firstId,
  learn,
  openAdapter,
  openedBy,
  swapAt,
  WORDS,
} from '../../support/mint-adapter.ts';

test.each(CURVES)('a swap keeps the order of its outputs (%s)', async (_name, curve) => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const adapter = openAdapter(mint, [], curve);
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
  const description = { mint: mint.url, unit: 'sat', amount: 33, memo: 'thanks', proofs: 2, locked: false };
  expect(await adapter.describe(token, 1)).toEqual({ description, ys: undefined });
  expect(await adapter.describe(token, 2)).toEqual({
    description,
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
  const adapter = openAdapter(mint);
  const { proofs } = await openedBy(adapter, mint.issue(6));
  const keep = await adapter.randomOutputs(firstId(mint), [2, 4]);
  mint.fail('/v1/swap', fault);
  const { kind } = await failureOf(adapter.swap({ keysetId: firstId(mint), inputs: proofs, keep, send: [] }));
  expect(kind).toBe('invalid');
});

test('a swap without DLEQ proofs is accepted if the mint does not support them', async () => {
  const mint = await testMint({ info: { nuts: { 12: { supported: false } } } });
  mint.fail('/v1/swap', { kind: 'no-dleq' });
  await swapAt(mint, openAdapter(mint), firstId(mint), [1, 2], 0);
});

test('a swap for outputs of a keyset that is no longer listed is refused before it is sent', async () => {
  const mint = await testMint();
  const adapter = openAdapter(mint);
  const { proofs } = await openedBy(adapter, mint.issue(1));
  const keep = await adapter.randomOutputs(firstId(mint), [1]);
  mint.rotate({ hideOld: true });
  const stored = await learn(adapter);
  const after = openAdapter(mint, stored);
  const { kind } = await failureOf(after.swap({ keysetId: firstId(mint), inputs: proofs, keep, send: [] }));
  expect([kind, mint.requestCount('/v1/swap')]).toEqual(['refused', 0]);
});

test('a swap that is too large names the limit', async () => {
  for (const limitStyle of ['code', 'nutshell'] as const) {
    const mint = await testMint({ limits: { maxInputs: 3, limitStyle } });
    const adapter = openAdapter(mint);
    const { proofs } = await openedBy(adapter, mint.issue(8, { proofCount: 4, withoutDleq: true }));
    const keep = await adapter.randomOutputs(firstId(mint), [8]);
    const swap = adapter.swap({ keysetId: firstId(mint), inputs: proofs, keep, send: [] });
    const { kind, message, details } = await failureOf(swap);
    expect([kind, details.limit]).toEqual(['refused', { what: 'inputs', most: 3 }]);
    for (const { secret } of proofs) expect(message).not.toContain(secret);
  }
});

/** A token of version 3 with another `C` in its last proof. */
const withOtherC = (token: string, C: string): string => {
  const json = JSON.parse(Buffer.from(token.slice(6), 'base64url').toString('utf8'));
  json.token[0].proofs.at(-1).C = C;
  return `cashuA${Buffer.from(JSON.stringify(json)).toString('base64url')}`;
};

test('a C that is not on the curve is refused before anything is sent, with and without DLEQ', async () => {
  const mint = await testMint();
  const adapter = openAdapter(mint);
  await openedBy(adapter, mint.issue(1));
  const before = mint.requestCount();
  for (const withoutDleq of [true, false]) {
    const token = withOtherC(mint.issue(3, { version: 'A', withoutDleq }), `02${'f'.repeat(64)}`);
    expect(await adapter.inspect(token)).toMatchObject({ refusal: 'invalid_signature' });
  }
  expect(mint.requestCount()).toBe(before);
});

test('outputs need a key for their amount', async () => {
  const mint = await testMint();
  const outputs: Promise<Output[]> = openAdapter(mint).randomOutputs(firstId(mint), [1, 3]);
  expect((await failureOf(outputs)).kind).toBe('invalid');
});

test('a witness for a secret without conditions is not sent', async () => {
  const mint = await testMint();
  const adapter = openAdapter(mint);
  const { proofs } = await openedBy(adapter, mint.issue(1));
  const inputs = proofs.map((proof) => ({ ...proof, witness: '{"signatures":[]}' }));
  const keep = await adapter.randomOutputs(firstId(mint), [1]);
  await adapter.swap({ keysetId: firstId(mint), inputs, keep, send: [] });
  const [request] = mint.requests('/v1/swap');
  expect(request?.body).toMatchObject({
    inputs: [expect.not.objectContaining({ witness: expect.anything() })],
  });
});
