import { describe, expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import type { Fault } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import {
  expectNothingLost,
  followWallet,
  PATIENT,
  runRecoveryPasses,
  serveTimedWallet,
  settle,
  sums,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';

/** How long a wallet waits for a mint that hangs. A mint that works answers sooner, also on a busy machine. */
const GIVES_UP_MS = 3_000;

const FALSE_ANSWERS: [string, Fault][] = [
  ['half an answer', { kind: 'cut' }],
  ['no JSON', { kind: 'garbage', when: 'after' }],
  ['nothing', { kind: 'garbage', body: 'empty', when: 'after' }],
  ['another shape', { kind: 'garbage', body: 'shape', when: 'after' }],
  ['wrong amounts', { kind: 'amounts' }],
  ["another key's signatures", { kind: 'signatures' }],
  ["another key's signatures with its proofs", { kind: 'signatures', dleq: true }],
  ['DLEQ proofs that do not fit', { kind: 'dleq' }],
  ['no DLEQ proofs', { kind: 'no-dleq' }],
  ['a part of the signatures', { kind: 'partial', keep: 2 }],
];

describe('a receive whose swap gets one response with', () => {
  test.each<[string, Fault]>([
    ['a dropped connection, before it was done', { kind: 'drop' }],
    ['a dropped connection, after it was done', { kind: 'drop', when: 'after' }],
    ['HTTP 500, before it was done', { kind: 'status' }],
    ['HTTP 502 of a proxy, after it was done', { kind: 'status', status: 502, html: true, when: 'after' }],
    ['HTTP 429, after it was done', { kind: 'status', status: 429, retryAfterSeconds: 2, when: 'after' }],
    ['a time out, after it was done', { kind: 'hang', when: 'after' }],
    ...FALSE_ANSWERS,
  ])('%s is finished within the request', async (_name, fault) => {
    const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
    const limit = fault.kind === 'hang' ? { mintTimeoutMs: GIVES_UP_MS } : {};
    const wallet = await serveTimedWallet(mint, { ...PATIENT, ...limit });
    mint.fail('/v1/swap', { ...fault, times: 1 });
    const token = mint.issue(100, { withoutDleq: true });
    const { status, body } = await whileTimePasses(wallet, wallet.receive(token));
    expect([status, body.amount]).toEqual([200, 99]);
    await expectNothingLost(wallet, mint, [token]);
  });
});

test.each(FALSE_ANSWERS.filter(([name]) => name !== 'half an answer'))(
  'as long as a mint that executed the swap restores %s, nothing is credited, and nothing is lost',
  { tags: 'slow' },
  async (_name, fault) => {
    const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
    const wallet = await serveTimedWallet(mint);
    mint.fail('/v1/swap', { kind: 'drop', when: 'after', times: 1 });
    mint.fail('/v1/restore', fault);
    const token = mint.issue(100, { withoutDleq: true });
    const { status, body } = await whileTimePasses(wallet, wallet.receive(token));
    expect([status, body.code]).toEqual([503, 'redemption_pending']);
    await runRecoveryPasses(wallet);
    expect(await sums(wallet)).toEqual({ balance: 0, pending: 99 });
    mint.clearFaults();
    await settle(wallet);
    expect(await sums(wallet)).toEqual({ balance: 99, pending: 0 });
    await expectNothingLost(wallet, mint, [token]);
  },
);

test('a pending receive ends automatically, and says so: operation, history, balance, events', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const wallet = await serveTimedWallet(mint);
  const { events } = await followWallet(wallet);
  mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
  mint.fail('/v1/checkstate', { kind: 'status', status: 503 });
  const token = mint.issue(100, { withoutDleq: true, memo: 'wages' });
  const { status, headers, body } = await whileTimePasses(wallet, wallet.receive(token));
  expect([status, body.code]).toEqual([503, 'redemption_pending']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);

  const id = body.operationId;
  const operation = async () => (await wallet.call('GET', `/api/wallet/operations/${id}`)).body;
  const newest = async () => (await wallet.asOperator('GET', '/api/wallet/history?limit=1')).body.entries[0];
  expect(await operation()).toMatchObject({ kind: 'receive', state: 'pending', amount: 99 });
  expect((await operation()).error.error).toMatch(/^The mint /);
  expect(await newest()).toMatchObject({ id, state: 'pending', memo: 'wages' });
  expect(await sums(wallet)).toEqual({ balance: 0, pending: 99 });

  mint.clearFaults();
  await settle(wallet);
  expect(await operation()).toMatchObject({ id, kind: 'receive', state: 'completed', amount: 99 });
  expect((await operation()).error).toBeUndefined();
  expect(await newest()).toMatchObject({ id, state: 'completed', amount: 99, fee: 1, memo: 'wages' });
  const ended = { balance: 99, pending: 0, operation: { id, kind: 'receive', state: 'completed' } };
  await until(() => events.some((event) => event.balance === 99));
  expect(events).toContainEqual(ended);
  expect(events).toContainEqual({
    balance: 0,
    pending: 99,
    operation: { id, kind: 'receive', state: 'pending' },
  });
  await expectNothingLost(wallet, mint, [token]);
});

test('a mint that dies in the middle of a swap leaves the token pending, and after a release it is received', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  mint.fail('/v1/swap', { kind: 'pending', times: 1 });
  const token = mint.issue(100, { withoutDleq: true });
  const { status, body } = await whileTimePasses(wallet, wallet.receive(token));
  expect([status, body.code]).toEqual([503, 'redemption_pending']);
  await runRecoveryPasses(wallet);
  expect(await sums(wallet)).toEqual({ balance: 0, pending: 100 });
  mint.clearPending();
  await settle(wallet);
  expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
  await expectNothingLost(wallet, mint, [token]);
});

test.each(['while it is pending there', 'when its states are known'])(
  'a swap that the mint executes late, %s, is received once',
  { tags: 'slow' },
  async (when) => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint, { ...PATIENT, mintTimeoutMs: GIVES_UP_MS });
    mint.fail('/v1/swap', { kind: 'hang' });
    const token = mint.issue(100, { withoutDleq: true });
    const receiving = wallet.receive(token);
    await until(() => mint.hanging() > 0);
    if (when === 'while it is pending there') mint.setPending([token]);
    await until(() => {
      wallet.clock.pass(200);
      return mint.requests('/v1/checkstate').length > 0;
    });
    wallet.clock.pass(PATIENT.requestDeadlineMs);
    expect((await receiving).body.code).toBe('redemption_pending');
    mint.clearPending();
    // All that hung are done now, the first with success.
    mint.clearFaults();
    await settle(wallet);
    expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
    await expectNothingLost(wallet, mint, [token]);
  },
);

test.each(['/v1/checkstate', '/v1/restore'] as const)(
  'a swap that lands while the answer of %s is on its way is not mistaken for somebody else’s',
  { tags: 'slow' },
  async (path) => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint, { ...PATIENT, mintTimeoutMs: GIVES_UP_MS });
    mint.fail('/v1/swap', { kind: 'hang', times: 1 });
    // The mint looks first, and answers late.
    mint.fail(path, { kind: 'slow', delayMs: 500, when: 'after', times: 1 });
    const token = mint.issue(100, { withoutDleq: true });
    const receiving = whileTimePasses(wallet, wallet.receive(token));
    await until(() => mint.requests(path).length > 0);
    mint.clearFaults('/v1/swap');
    await until(() => mint.unspent([token]) === 0);
    expect(mint.requests(path)).toHaveLength(1);
    await receiving;
    await settle(wallet);
    expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
    await expectNothingLost(wallet, mint, [token]);
  },
);

test.each([
  ['whole', 0],
  ['in part', 1],
])(
  'a token that somebody else spends %s in the meantime is token_spent',
  { tags: 'slow' },
  async (_name, from) => {
    const mint = await testMint();
    const wallet = await serveTimedWallet(mint);
    mint.fail('/v1/swap', { kind: 'drop' });
    mint.fail('/v1/checkstate', { kind: 'drop' });
    const token = mint.issue(96, { withoutDleq: true, version: 'A' });
    const { body } = await whileTimePasses(wallet, wallet.receive(token));
    expect(body.code).toBe('redemption_pending');
    const json = JSON.parse(Buffer.from(token.slice(6), 'base64url').toString());
    json.token[0].proofs.splice(0, from);
    mint.spend([`cashuA${Buffer.from(JSON.stringify(json)).toString('base64url')}`]);
    mint.clearFaults();
    await settle(wallet);
    const operation = (await wallet.call('GET', `/api/wallet/operations/${body.operationId}`)).body;
    expect(operation).toMatchObject({ state: 'failed', error: { code: 'token_spent' } });
    expect(await sums(wallet)).toEqual({ balance: 0, pending: 0 });
    // What is left of it is its sender's, who can use it elsewhere.
    expect(mint.unspent([token])).toBe(from === 0 ? 0 : 32);
    await expectNothingLost(wallet, mint, [token]);
  },
);

test('a token that stays pending at the mint is answered as pending after some seconds, and received later', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const token = mint.issue(100, { withoutDleq: true });
  mint.setPending([token]);
  expect((await whileTimePasses(wallet, wallet.receive(token))).body.code).toBe('redemption_pending');
  expect(await sums(wallet)).toEqual({ balance: 0, pending: 100 });
  mint.clearPending();
  await settle(wallet);
  expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
  await expectNothingLost(wallet, mint, [token]);
});

test('closing in the middle of a receive leaves it finished, or finished by the next start', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const first = await serveTimedWallet(mint);
  const token = mint.issue(100, { withoutDleq: true });
  mint.fail('/v1/swap', { kind: 'slow', delayMs: 300, when: 'after', times: 1 });
  const slow = first.receive(token);
  await until(() => mint.requests('/v1/swap').length > 0);
  await first.close();
  expect((await slow).body).toMatchObject({ success: true, amount: 99 });

  const second = await serveTimedWallet(mint, { directory: first.directory, mintTimeoutMs: 60_000 });
  const other = mint.issue(100, { withoutDleq: true });
  mint.fail('/v1/swap', { kind: 'hang', when: 'after', times: 1 });
  const hanging = second.receive(other).catch(() => undefined);
  await until(() => mint.hanging() > 0);
  await second.close();
  expect((await hanging)?.status ?? 503).toBe(503);
  mint.clearFaults();

  const third = await serveTimedWallet(mint, { directory: first.directory });
  await settle(third);
  expect(await sums(third)).toEqual({ balance: 198, pending: 0 });
  await expectNothingLost(third, mint, [token, other]);
});
