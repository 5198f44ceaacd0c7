import { expect, test } from 'vitest';
import { askMint, openWallet, prepareSwap } from './client.ts';
import { testMint } from './for-test.ts';
import type { TestMintOptions } from './test-mint.ts';

const AT = 1_800_000_000;

const setUp = async (options?: TestMintOptions) => {
  const mint = await testMint(options);
  const wallet = await openWallet(mint.url);
  const swapNew = async (amount: number) => {
    const body = await prepareSwap(wallet, mint.issue(amount));
    return { body, answer: await askMint(mint.url, '/v1/swap', body) };
  };
  const restore = async (outputs: unknown[]) => (await askMint(mint.url, '/v1/restore', { outputs })).body;
  return { mint, wallet, swapNew, restore };
};

test("a lagging restore omits recent signatures, by the mint's clock", async () => {
  const { mint, swapNew, restore } = await setUp();
  mint.setTime(AT);
  const old = await swapNew(1);
  mint.setTime(AT + 50);
  const young = await swapNew(1);
  const outputs = [...young.body.outputs, ...old.body.outputs];

  mint.fail('/v1/restore', { kind: 'lag', seconds: 60 });
  expect(await restore(outputs)).toEqual({ outputs: [], signatures: [] });
  mint.setTime(AT + 60);
  expect(await restore(outputs)).toEqual({
    outputs: old.body.outputs,
    signatures: old.answer.body.signatures,
  });
  mint.setTime(AT + 110);
  expect((await restore(outputs)).signatures).toHaveLength(2);
});

test('a lagging restore returns a signature once it is old enough', async () => {
  const { mint, swapNew, restore } = await setUp();
  const { body } = await swapNew(1);
  mint.fail('/v1/restore', { kind: 'lag', seconds: 0.3 });
  expect((await restore(body.outputs)).signatures).toEqual([]);
  await expect.poll(async () => (await restore(body.outputs)).signatures.length, { timeout: 3000 }).toBe(1);
});

test('a partial restore can return nothing', async () => {
  const { mint, swapNew, restore } = await setUp();
  const { body } = await swapNew(3);
  mint.fail('/v1/restore', { kind: 'partial', keep: 0, times: 1 });
  expect(await restore(body.outputs)).toEqual({ outputs: [], signatures: [] });
  expect((await restore(body.outputs)).signatures).toHaveLength(2);
});

test('cashu-ts finds proofs in a restore without DLEQ', async () => {
  const { mint, wallet, restore, swapNew } = await setUp();
  const { body, answer } = await swapNew(3);
  mint.fail('/v1/restore', { kind: 'no-dleq' });
  const { signatures } = await restore(body.outputs);
  expect(signatures).toEqual(
    answer.body.signatures.map(({ amount, id, C_ }: Record<string, unknown>) => ({ amount, id, C_ })),
  );
  const { proofs } = await wallet.restore(0, 10);
  expect(proofs.map(({ dleq }) => dleq)).toEqual([undefined, undefined]);
});

test('a swap is checked in the order of cdk: signatures, outputs, sums, spent, signed', async () => {
  const { mint, wallet, swapNew } = await setUp();
  const swap = async (body: unknown) => (await askMint(mint.url, '/v1/swap', body)).body.code;
  const done = await swapNew(2);
  const other = await prepareSwap(wallet, mint.issue(2));
  const forged = await prepareSwap(wallet, mint.issue(2, { forged: true }));

  expect(await swap(done.body)).toBe(11001);
  expect(await swap({ inputs: other.inputs, outputs: done.body.outputs })).toBe(11003);
  expect(await swap({ inputs: done.body.inputs, outputs: [] })).toBe(11005);
  const unknown = other.outputs.map((output) => ({ ...output, id: '00ffffffffffffff' }));
  expect(await swap({ inputs: done.body.inputs, outputs: unknown })).toBe(12001);
  expect(await swap({ inputs: forged.inputs, outputs: unknown })).toBe(10001);
});

test('pending outputs are refused with 11004 and not restored', async () => {
  const { mint, wallet, restore } = await setUp();
  const token = mint.issue(3);
  const body = await prepareSwap(wallet, token);
  mint.setOutputsPending(body.outputs.map(({ B_ }) => B_));
  const refused = await askMint(mint.url, '/v1/swap', body);
  expect([refused.status, refused.body.code]).toEqual([400, 11004]);
  expect(mint.states(token)).toEqual(['UNSPENT', 'UNSPENT']);
  expect((await restore(body.outputs)).signatures).toEqual([]);
  mint.setOutputsPending([]);
  expect((await askMint(mint.url, '/v1/swap', body)).status).toBe(200);
});

test.each([11003, 11004])('a %d fault before the commit changes nothing', async (code) => {
  const { mint, wallet, restore } = await setUp({ isCaching: true });
  const token = mint.issue(3);
  const body = await prepareSwap(wallet, token);
  mint.fail('/v1/swap', { kind: 'error', code, detail: 'no', times: 1 });
  expect((await askMint(mint.url, '/v1/swap', body)).body).toEqual({ code, detail: 'no' });
  expect(mint.states(token)).toEqual(['UNSPENT', 'UNSPENT']);
  expect((await restore(body.outputs)).signatures).toEqual([]);
  expect([mint.outstanding(), mint.totals().spent]).toEqual([3, 0]);
  expect((await askMint(mint.url, '/v1/swap', body)).status).toBe(200);
});

test('a swap of 1,000 inputs and a restore of 100 outputs stay fast', { tags: 'slow' }, async () => {
  const { mint, wallet, restore } = await setUp();
  const body = await prepareSwap(wallet, mint.issue(100_000, { proofCount: 1000, withoutDleq: true }));
  // Processor time, not elapsed time, because other tests run at the same time.
  const measure = async (work: () => Promise<unknown>) => {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  const swapMs = await measure(async () =>
    expect((await askMint(mint.url, '/v1/swap', body)).status).toBe(200),
  );
  expect(swapMs).toBeLessThan(2000);
  const outputs = Array.from({ length: 100 }, (_, at) => body.outputs[at % body.outputs.length]);
  const restoreMs = await measure(async () => expect((await restore(outputs)).signatures).toHaveLength(100));
  expect(restoreMs).toBeLessThan(100);
});
