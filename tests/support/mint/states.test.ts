import { expect, test } from 'vitest';
import { makeTempDirectory } from '../temp.ts';
import { askMint, openWallet, prepareSwap } from './client.ts';
import { testMint, testMintProcess } from './for-test.ts';
import { pointOfSecret } from './keyset.ts';
import type { TestMint } from './test-mint.ts';

/** The states of proofs, as the mint says them: proofs that a swap left behind, and a mint that lies. */

const AT = 1_800_000_000;

const prepare = async (mint: Pick<TestMint, 'url'>, token: string) => {
  const body = await prepareSwap(await openWallet(mint.url), token);
  const ys = body.inputs.map(({ secret }) => pointOfSecret(secret).toHex(true));
  return {
    ys,
    swap: () => askMint(mint.url, '/v1/swap', body),
    checkState: async (): Promise<string[]> =>
      (await askMint(mint.url, '/v1/checkstate', { Ys: ys })).body.states.map(
        ({ state }: { state: string }) => state,
      ),
  };
};

test('a swap that dies midway leaves its inputs pending for a set time, and then they are unspent again', async () => {
  const mint = await testMint();
  mint.setTime(AT);
  const { swap, checkState } = await prepare(mint, mint.issue(5));
  mint.fail('/v1/swap', { kind: 'pending', seconds: 120, times: 1 });
  await expect(swap()).rejects.toThrow();
  mint.clearFaults();

  mint.setTime(AT + 119);
  expect(await checkState()).toEqual(['PENDING', 'PENDING']);
  const refused = await swap();
  expect([refused.status, refused.body]).toEqual([400, { code: 11002, detail: 'proofs are pending' }]);
  mint.setTime(AT + 120);
  expect(await checkState()).toEqual(['UNSPENT', 'UNSPENT']);
  expect((await swap()).status).toBe(200);
  expect(await checkState()).toEqual(['SPENT', 'SPENT']);
  expect(mint.troubled()).toEqual({ leftPending: 2, liedAbout: 0 });
});

test('a token can be pending for a set time, which a later call replaces', async () => {
  const mint = await testMint();
  mint.setTime(AT);
  const token = mint.issue(1);
  mint.setPending([token], 60);
  mint.setPending([token], 10);
  mint.setTime(AT + 10);
  expect(mint.states(token)).toEqual(['UNSPENT']);
  mint.setPending([token], 60);
  mint.clearPending([token]);
  expect(mint.states(token)).toEqual(['UNSPENT']);
  mint.setPending([token]);
  mint.setTime(AT + 1_000_000);
  expect(mint.states(token)).toEqual(['PENDING']);
});

test('a mint that is killed in the middle of a swap still says pending after it starts again', {
  tags: 'slow',
}, async () => {
  const mint = await testMintProcess();
  const { swap, checkState } = await prepare(mint, await mint.issue(4));
  // The request waits inside of the mint until it is killed.
  await mint.fail('/v1/swap', { kind: 'pending', seconds: 3600, delayMs: 600_000 });
  const swapped = swap();
  swapped.catch(() => undefined);
  await expect.poll(checkState).toEqual(['PENDING']);
  await mint.kill();
  await expect(swapped).rejects.toThrow();
  await mint.start();
  expect(await checkState()).toEqual(['PENDING']);
  expect((await swap()).body.code).toBe(11002);
  await mint.setTime(Date.now() / 1000 + 3601);
  expect((await swap()).status).toBe(200);
});

test('a mint can say once that unspent proofs are spent, and tells the truth ever after', {
  tags: 'slow',
}, async () => {
  const directory = await makeTempDirectory();
  const first = await testMint({ directory });
  const [spent, pending, token] = [first.issue(1), first.issue(1), first.issue(7)];
  first.spend([spent]);
  first.setPending([pending]);
  const { checkState, swap } = await prepare(first, token);
  first.fail('/v1/checkstate', { kind: 'says-spent', share: 1 });
  expect(await checkState()).toEqual(['SPENT', 'SPENT', 'SPENT']);
  expect(await checkState()).toEqual(['UNSPENT', 'UNSPENT', 'UNSPENT']);
  expect(first.troubled()).toEqual({ leftPending: 0, liedAbout: 3 });
  expect(await (await prepare(first, spent)).checkState()).toEqual(['SPENT']);
  expect(await (await prepare(first, pending)).checkState()).toEqual(['PENDING']);
  // Only its answer is false.
  expect([first.unspent([token]), first.states(token)[0]]).toEqual([7, 'UNSPENT']);
  await first.close();

  const mint = await testMint({ directory, port: first.port });
  mint.fail('/v1/checkstate', { kind: 'says-spent', share: 1 });
  expect(await checkState()).toEqual(['UNSPENT', 'UNSPENT', 'UNSPENT']);
  expect((await swap()).status).toBe(200);
});

test('a mint can lie about some proofs only', async () => {
  const mint = await testMint({ randomSeed: 3 });
  const { checkState } = await prepare(mint, mint.issue(64, { proofCount: 32, withoutDleq: true }));
  mint.fail('/v1/checkstate', { kind: 'says-spent', share: 0.5, times: 1 });
  const states = await checkState();
  const lies = states.filter((state) => state === 'SPENT').length;
  expect(lies).toBeGreaterThan(0);
  expect(lies).toBeLessThan(32);
  expect(mint.troubled().liedAbout).toBe(lies);
  expect(new Set(await checkState())).toEqual(new Set(['UNSPENT']));
});
