import { describe, expect, test } from 'vitest';
import { until } from '../../raw-http.ts';
import { askMint, openWallet, prepareSwap } from '../client.ts';
import { testMint } from '../for-test.ts';
import type { Fault } from '../test-mint.ts';

const setUp = async () => {
  const mint = await testMint();
  const wallet = await openWallet(mint.url);
  const token = mint.issue(5);
  const body = await prepareSwap(wallet, token);
  return { mint, wallet, token, body, swap: () => askMint(mint.url, '/v1/swap', body) };
};

const failures: [string, Fault, 'UNSPENT' | 'SPENT' | 'PENDING'][] = [
  ['refuse', { kind: 'refuse' }, 'UNSPENT'],
  ['drop before the commit', { kind: 'drop' }, 'UNSPENT'],
  ['drop after the commit', { kind: 'drop', when: 'after' }, 'SPENT'],
  ['cut', { kind: 'cut' }, 'SPENT'],
  ['pending', { kind: 'pending' }, 'PENDING'],
];

test.each(failures)(
  '%s: the client gets no answer, and the mint is in the expected state',
  async (_, fault, state) => {
    const { mint, token, swap } = await setUp();
    mint.fail('/v1/swap', { ...fault, times: 1 });
    await expect(swap()).rejects.toThrow();
    expect(new Set(mint.states(token))).toEqual(new Set([state]));
    expect((await askMint(mint.url, '/v1/keysets')).status).toBe(200);
  },
);

const answers: [string, Fault, object, 'UNSPENT' | 'SPENT'][] = [
  ['status before', { kind: 'status' }, { status: 500, body: { detail: expect.any(String) } }, 'UNSPENT'],
  ['status after', { kind: 'status', when: 'after', status: 503 }, { status: 503 }, 'SPENT'],
  [
    'a page of HTML',
    { kind: 'status', status: 502, html: true },
    { status: 502, body: undefined },
    'UNSPENT',
  ],
  ['garbage', { kind: 'garbage' }, { status: 200, body: undefined }, 'UNSPENT'],
  [
    'another shape',
    { kind: 'garbage', body: 'shape', when: 'after' },
    { body: { all: ['is', 'well'] } },
    'SPENT',
  ],
  ['error', { kind: 'error', code: 11003, detail: 'no' }, { body: { code: 11003, detail: 'no' } }, 'UNSPENT'],
  ['slow', { kind: 'slow', delayMs: 50 }, { status: 200, body: { signatures: expect.any(Array) } }, 'SPENT'],
];

test.each(answers)('%s', async (_, fault, answer, state) => {
  const { mint, token, swap } = await setUp();
  mint.fail('*', fault);
  expect(await swap()).toMatchObject(answer);
  mint.clearFaults();
  expect(new Set(mint.states(token))).toEqual(new Set([state]));
});

test('429 says when to retry', async () => {
  const { mint, swap } = await setUp();
  mint.fail('/v1/swap', { kind: 'status', status: 429, retryAfterSeconds: 7, times: 2 });
  expect((await swap()).headers.get('retry-after')).toBe('7');
  expect((await swap()).status).toBe(429);
  expect((await swap()).status).toBe(200);
});

test('a request that hangs continues when the faults are cleared, before or after the commit', async () => {
  const { mint, token, swap } = await setUp();
  mint.fail('/v1/swap', { kind: 'hang' });
  const answer = swap();
  await until(() => mint.hanging() === 1);
  expect(mint.states(token)).toContain('UNSPENT');
  mint.clearFaults('/v1/swap');
  expect((await answer).status).toBe(200);
  expect(mint.states(token)).not.toContain('UNSPENT');

  mint.fail('/v1/checkstate', { kind: 'hang', when: 'after' });
  const late = askMint(mint.url, '/v1/checkstate', { Ys: [] });
  await until(() => mint.hanging() === 1);
  mint.clearFaults();
  expect((await late).body).toEqual({ states: [] });
});

test('a fault with a probability hits some requests, the same ones for the same seed', async () => {
  const run = async () => {
    const mint = await testMint({ randomSeed: 5 });
    mint.fail('*', { kind: 'status', probability: 0.5 });
    const statuses: number[] = [];
    for (let time = 0; time < 12; time += 1) statuses.push((await askMint(mint.url, '/v1/keysets')).status);
    return statuses;
  };
  const statuses = await run();
  expect(new Set(statuses)).toEqual(new Set([200, 500]));
  expect(await run()).toEqual(statuses);
});

describe('false signatures', () => {
  const falsehoods: [string, Fault, string][] = [
    ['amounts', { kind: 'amounts' }, 'amount'],
    ['a bad DLEQ', { kind: 'dleq' }, 'DLEQ'],
    ['another key', { kind: 'signatures', dleq: true }, 'DLEQ'],
    ['too few', { kind: 'partial', keep: 1 }, '1 signatures'],
  ];

  test.each(falsehoods)(
    '%s: cashu-ts notices, and the mint can restore the right ones',
    async (_, fault, why) => {
      const { mint, wallet, token } = await setUp();
      mint.fail('/v1/swap', fault);
      const prepared = await wallet.ops.receive(token).asDeterministic(1).prepare();
      await expect(wallet.completeSwap(prepared)).rejects.toThrow(why);
      expect(mint.states(token)).toEqual(['SPENT', 'SPENT']);
      expect((await wallet.restore(0, 10)).proofs).toHaveLength(2);
    },
  );

  test('by another key without DLEQ: cashu-ts accepts them, and the mint refuses them', async () => {
    const { mint, wallet, token } = await setUp();
    mint.fail('/v1/swap', { kind: 'signatures', times: 1 });
    const proofs = await wallet.receive(token);
    expect(proofs.every(({ dleq }) => dleq === undefined)).toBe(true);
    await expect(wallet.receive(proofs)).rejects.toMatchObject({ code: 10001 });
  });
});

test('a partial restore leaves out some of what the mint knows', async () => {
  const { mint, body, swap } = await setUp();
  await swap();
  const restore = async () =>
    (await askMint(mint.url, '/v1/restore', { outputs: body.outputs })).body.signatures.length;
  mint.fail('/v1/restore', { kind: 'partial', keep: 1, times: 1 });
  expect(await restore()).toBe(1);
  mint.fail('/v1/restore', { kind: 'partial', keep: 'random', times: 8 });
  const counts: number[] = [];
  for (let time = 0; time < 8; time += 1) counts.push(await restore());
  expect(Math.min(...counts)).toBeLessThan(2);
  expect(await restore()).toBe(2);
});

test('away is a refused connection, and back is as before', async () => {
  const { mint, swap } = await setUp();
  await mint.away();
  await expect(swap()).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  await mint.back();
  expect((await swap()).status).toBe(200);
});

test('a repeated swap gets the first response if the mint says that it caches', async () => {
  const mint = await testMint({ isCaching: true });
  const body = await prepareSwap(await openWallet(mint.url), mint.issue(5));
  const first = await askMint(mint.url, '/v1/swap', body);
  expect((await askMint(mint.url, '/v1/swap', body)).body).toEqual(first.body);
  expect((await askMint(mint.url, '/v1/info')).body.nuts[19].cached_endpoints).toHaveLength(3);
  expect(mint.requests('/v1/swap')).toMatchObject([{ method: 'POST', body }, { body }]);
});
