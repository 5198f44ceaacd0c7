import { expect, test } from 'vitest';
import { askMint, openWallet, prepareSwap } from './client.ts';
import { testMint } from './for-test.ts';

const Y = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';

test('restore and checkstate can have their own limits, which can change', async () => {
  const mint = await testMint({ limits: { maxRestoreOutputs: 2, maxCheckStates: 3 } });
  const { outputs } = await prepareSwap(await openWallet(mint.url), mint.issue(7));
  const restore = () => askMint(mint.url, '/v1/restore', { outputs });
  const checkState = (count: number) => askMint(mint.url, '/v1/checkstate', { Ys: Array(count).fill(Y) });

  expect(await restore()).toMatchObject({ status: 400, body: { code: 11015 } });
  expect(await checkState(4)).toMatchObject({ status: 400, body: { code: 11014 } });
  expect((await checkState(3)).status).toBe(200);
  mint.setLimits({ maxRestoreOutputs: 3 });
  expect((await restore()).status).toBe(200);
  expect((await checkState(4)).status).toBe(400);
});

test('restore and checkstate use the swap limits by default', async () => {
  const mint = await testMint();
  const { outputs } = await prepareSwap(await openWallet(mint.url), mint.issue(7));
  mint.setLimits({ maxInputs: 1, maxOutputs: 2 });
  expect((await askMint(mint.url, '/v1/restore', { outputs })).body.code).toBe(11015);
  expect((await askMint(mint.url, '/v1/checkstate', { Ys: [Y, Y] })).body.code).toBe(11014);
});

test("with Nutshell's limit style, a long list gets 422 without a code", async () => {
  const mint = await testMint({ limits: { maxInputs: 2, maxCheckStates: 1, limitStyle: 'nutshell' } });
  const token = mint.issue(7);
  const { inputs, outputs } = await prepareSwap(await openWallet(mint.url), token);
  const tooLong = (field: string, input: unknown[], max: number) => ({
    type: 'too_long',
    loc: ['body', field],
    msg: `List should have at most ${max} items after validation, not ${input.length}`,
    input,
    ctx: { field_type: 'List', max_length: max, actual_length: input.length },
  });
  const swap = () => askMint(mint.url, '/v1/swap', { inputs, outputs });

  expect(await swap()).toMatchObject({ status: 422 });
  expect((await swap()).body).toEqual({ detail: [tooLong('inputs', inputs, 2)] });
  mint.setLimits({ maxOutputs: 1 });
  expect((await swap()).body).toEqual({
    detail: [tooLong('inputs', inputs, 2), tooLong('outputs', outputs, 1)],
  });
  expect((await askMint(mint.url, '/v1/restore', { outputs })).body).toEqual({
    detail: [tooLong('outputs', outputs, 1)],
  });
  expect((await askMint(mint.url, '/v1/checkstate', { Ys: [Y, Y] })).body).toEqual({
    detail: [tooLong('Ys', [Y, Y], 1)],
  });
  expect((await askMint(mint.url, '/v1/mint/bolt11', { quote: 'none', outputs })).status).toBe(422);
  expect((await askMint(mint.url, '/v1/melt/bolt11', { quote: 'none', inputs })).status).toBe(422);
  expect(new Set(mint.states(token))).toEqual(new Set(['UNSPENT']));

  mint.setLimits({ maxInputs: 3, maxOutputs: 3, limitStyle: 'code' });
  expect((await swap()).status).toBe(200);
});

const statusesOf = async (url: string, count: number, path = '/v1/info') => {
  const statuses: number[] = [];
  for (let time = 0; time < count; time += 1) statuses.push((await askMint(url, path)).status);
  return statuses;
};

test('a rate limit accepts requests again as old ones leave the window', async () => {
  const mint = await testMint();
  const at = 1_800_000_000;
  mint.setTime(at);
  mint.setRateLimit({ requests: 2, seconds: 60 });
  expect(await statusesOf(mint.url, 1)).toEqual([200]);
  mint.setTime(at + 40);
  expect(await statusesOf(mint.url, 3, '/v1/keysets')).toEqual([200, 429, 429]);
  const refused = await askMint(mint.url, '/v1/info');
  expect(refused.headers.get('retry-after')).toBeNull();
  expect(refused.body).toEqual({ detail: 'Rate limit exceeded.' });
  mint.setTime(at + 60);
  expect(await statusesOf(mint.url, 2)).toEqual([200, 429]);
  mint.setTime(at + 100);
  expect(await statusesOf(mint.url, 2)).toEqual([200, 429]);
  mint.setTime();
  expect(await statusesOf(mint.url, 3)).toEqual([200, 200, 429]);
  mint.setRateLimit();
  expect(await statusesOf(mint.url, 5)).toEqual([200, 200, 200, 200, 200]);
});

test('a rate limit can send Retry-After and apply to some paths only', async () => {
  const mint = await testMint();
  mint.setTime(1_800_000_000);
  mint.setRateLimit({ requests: 1, seconds: 60, retryAfter: true, paths: ['/v1/keys', '/v1/info'] });
  expect(await statusesOf(mint.url, 3, '/v1/keysets')).toEqual([200, 200, 200]);
  expect(await statusesOf(mint.url, 1, `/v1/keys/${mint.keysets()[0]?.id}`)).toEqual([200]);
  mint.setTime(1_800_000_015);
  const refused = await askMint(mint.url, '/v1/info');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '45']);
});

test('an elastic window resets only after a pause, as in Nutshell', async () => {
  const mint = await testMint();
  let at = 1_800_000_000;
  const askAfter = async (seconds: number) => {
    at += seconds;
    mint.setTime(at);
    return (await askMint(mint.url, '/v1/info')).status;
  };
  mint.setRateLimit({ requests: 2, seconds: 60, window: 'elastic' });
  const statuses: number[] = [];
  for (const seconds of [0, 50, 50, 50, 59, 60]) statuses.push(await askAfter(seconds));
  expect(statuses).toEqual([200, 200, 429, 429, 429, 200]);
});

test("a 429 changes nothing and doesn't use up a fault", async () => {
  const mint = await testMint();
  const token = mint.issue(1);
  const body = await prepareSwap(await openWallet(mint.url), token);
  mint.fail('/v1/swap', { kind: 'status', status: 503, times: 1 });
  mint.setRateLimit({ requests: 0, seconds: 1 });
  expect((await askMint(mint.url, '/v1/swap', body)).status).toBe(429);
  expect(mint.states(token)).toEqual(['UNSPENT']);
  mint.setRateLimit();
  expect((await askMint(mint.url, '/v1/swap', body)).status).toBe(503);
  expect((await askMint(mint.url, '/v1/swap', body)).status).toBe(200);
});

test('a fault can hit every n-th request of its path', async () => {
  const mint = await testMint();
  mint.fail('/v1/info', { kind: 'status', status: 429, every: 3, retryAfterSeconds: 1, times: 2 });
  mint.fail('*', { kind: 'status', status: 503, every: 2 });
  await askMint(mint.url, '/v1/keysets');
  expect(await statusesOf(mint.url, 9)).toEqual([503, 200, 429, 200, 503, 429, 503, 200, 503]);
});

test('a status fault can have any body', async () => {
  const mint = await testMint();
  const body = { detail: [{ type: 'missing', loc: ['body', 'inputs'], msg: 'Field required' }] };
  mint.fail('/v1/swap', { kind: 'status', status: 422, body });
  expect(await askMint(mint.url, '/v1/swap', {})).toMatchObject({ status: 422, body });
});
