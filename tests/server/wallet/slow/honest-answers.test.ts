import { describe, expect, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { editA } from '../../../support/wallet.ts';
import { earn, expectConsistent, startCopy } from '../../../support/wallet-copies.ts';
import { send, settle, sums, whileTimePasses } from '../../../support/wallet-recovery.ts';
import { readHistory } from '../../../torture/ask.ts';

/** What the wallet knows itself, it says: also while the mint is away, and when the mint limits its requests. */

const TIME = /^\d{4}-\d\d-\d\dT/;

describe('a token that this wallet', () => {
  test('received is token_spent with its operation, also while the mint is away, and validate doesn’t ask the mint', async () => {
    const mint = await testMint();
    const wallet = await startCopy(mint);
    const token = mint.issue(21, { withoutDleq: true });
    const { operationId } = (await wallet.receive(token)).body;
    for (const isAway of [false, true]) {
      if (isAway) await mint.away();
      const requests = mint.requestCount();
      const { status, body } = await wallet.receive(token, `again, ${isAway}`);
      expect([status, body]).toEqual([
        409,
        {
          error: expect.stringMatching(
            /^This wallet already received this token: 21 sat on [\d-]+ at [\d:]+ UTC/,
          ),
          code: 'token_spent',
          operationId,
          receivedAmount: 21,
          receivedAt: expect.stringMatching(TIME),
        },
      ]);
      const validated = await wallet.validate(token);
      expect([validated.status, validated.body]).toEqual([
        200,
        expect.objectContaining({ valid: false, amount: 21, reason: 'spent', receivedAmount: 21 }),
      ]);
      expect(mint.requestCount()).toBe(requests);
    }
  });

  test('is receiving is token_in_progress with its operation, under another key, while the mint is away', async () => {
    const mint = await testMint();
    const wallet = await startCopy(mint);
    mint.fail('/v1/swap', { kind: 'drop' });
    const token = mint.issue(21, { withoutDleq: true });
    const first = await whileTimePasses(wallet, wallet.receive(token, 'first'));
    expect(first.body.code).toBe('redemption_pending');
    await mint.away();
    const { status, headers, body } = await wallet.receive(token, 'second');
    expect([status, body]).toMatchObject([
      409,
      {
        code: 'token_in_progress',
        operationId: first.body.operationId,
        receivedAt: expect.stringMatching(TIME),
      },
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await wallet.validate(token)).body).toMatchObject({
      valid: false,
      amount: 21,
      reason: 'pending',
    });
    mint.clearFaults();
    await mint.back();
    await settle(wallet);
    for (const key of ['first', 'second']) {
      const { body: answer } = await wallet.receive(token, key);
      expect(answer.operationId).toBe(first.body.operationId);
    }
    expect(await sums(wallet)).toEqual({ balance: 21, pending: 0 });
    await expectConsistent(wallet, mint);
  });

  test('is receiving is recognized after a restart while the mint is away', async () => {
    const mint = await testMint();
    const before = await startCopy(mint);
    mint.fail('/v1/swap', { kind: 'drop' });
    const token = mint.issue(21, { withoutDleq: true });
    const first = await whileTimePasses(before, before.receive(token, 'first'));
    expect(first.body.code).toBe('redemption_pending');
    await before.close();
    await mint.away();
    const wallet = await startCopy(mint, { directory: before.directory });
    const { operationId } = first.body;
    const second = await wallet.receive(token, 'second');
    expect([second.status, second.body]).toMatchObject([409, { code: 'token_in_progress', operationId }]);
    expect(second.body.error).not.toContain('Nothing has changed');
    const validated = await wallet.validate(token);
    expect([validated.status, validated.body]).toMatchObject([
      200,
      { valid: false, reason: 'pending', amount: 21, operationId },
    ]);
  });

  test('received is recognized after the mint dropped its keyset', async () => {
    const mint = await testMint();
    const before = await startCopy(mint);
    const token = await earn(before, mint, 21);
    await before.close();
    mint.rotate({ hideOld: true });
    const wallet = await startCopy(mint, { directory: before.directory });
    for (const isAway of [false, true]) {
      if (isAway) await mint.away();
      const { body } = await wallet.receive(token, `again, ${isAway}`);
      expect(body).toMatchObject({ code: 'token_spent', receivedAmount: 21 });
      expect(body.error).toMatch(/^This wallet already received this token/);
      expect(body.error).not.toContain('sender');
      expect((await wallet.validate(token)).body).toMatchObject({
        valid: false,
        reason: 'spent',
        receivedAmount: 21,
      });
    }
  });

  test('received is recognized next to a proof of a keyset that the wallet would have to ask for', async () => {
    const mint = await testMint();
    const wallet = await startCopy(mint);
    const ours = mint.issue(8, { version: 'A' });
    expect((await wallet.receive(ours)).status).toBe(200);
    mint.rotate();
    const other = mint.issue(4, { version: 'A' });
    const both = editA(ours, ({ token }) => {
      editA(other, (json) => void token[0]?.proofs.push(...(json.token[0]?.proofs ?? [])));
    });
    await mint.away();
    expect((await wallet.receive(both)).body).toMatchObject({ code: 'token_spent', receivedAmount: 8 });
    const { status, body } = await wallet.validate(both);
    expect([status, body]).toMatchObject([200, { valid: false, reason: 'spent', receivedAmount: 8 }]);
    // The fee of a keyset that is unknown is unknown.
    expect(body).not.toHaveProperty('fee');
  });

  test('did not receive is token_spent without an operation', async () => {
    const mint = await testMint();
    const wallet = await startCopy(mint);
    const token = mint.issue(21, { withoutDleq: true });
    mint.spend([token]);
    const { status, body } = await wallet.receive(token);
    expect([status, body]).toEqual([409, { error: expect.any(String), code: 'token_spent' }]);
  });
});

test('validate says below_fee of a token that its own fee uses up', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = await startCopy(mint);
  const token = mint.issue(1, { withoutDleq: true });
  expect((await wallet.validate(token)).body).toMatchObject({ valid: false, reason: 'below_fee', fee: 1 });
  expect((await wallet.receive(token)).body.code).toBe('amount_below_fee');
  expect((await wallet.validate(mint.issue(2, { withoutDleq: true }))).body.valid).toBe(true);
});

test('a pending send has the code send_pending in the history', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 64);
  mint.fail('/v1/swap', { kind: 'drop' });
  const { body } = await whileTimePasses(wallet, send(wallet, 10));
  expect(body.code).toBe('send_pending');
  const [entry] = await readHistory(wallet);
  expect(entry).toMatchObject({ id: body.operationId, state: 'pending', error: { code: 'send_pending' } });
});

test.each([
  ['forged', true],
  ['good, though the mint says that it is not', false],
])('10001 about a token that is %s is invalid_signature', async (_name, isForged) => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  if (!isForged) mint.fail('/v1/swap', { kind: 'error', code: 10_001, detail: 'no', times: 1 });
  const token = mint.issue(21, isForged ? { forged: true } : { withoutDleq: true });
  const { status, body } = await wallet.receive(token);
  expect([status, body.code]).toEqual([422, 'invalid_signature']);
  expect(await sums(wallet)).toEqual({ balance: 0, pending: 0 });
  // Nothing keeps a good one from being received later.
  if (!isForged) expect((await wallet.receive(token)).status).toBe(200);
});

describe('at a mint that answers 429', () => {
  const start = async () => {
    const mint = await testMint();
    const first = await startCopy(mint);
    await earn(first, mint, 1);
    await first.close();
    return { mint, directory: first.directory };
  };

  /** Starts a wallet that has asked the mint about its next counters. */
  const startLooking = async (mint: TestMint, directory: string) => {
    const before = mint.requestCount('/v1/restore');
    const wallet = await startCopy(mint, { directory });
    await until(() => mint.requestCount('/v1/restore') > before);
    await earn(wallet, mint, 1);
    return wallet;
  };

  test('to everything but swaps, a token waits for the answer, and the next one for the pause', {
    tags: 'slow',
  }, async () => {
    const { mint, directory } = await start();
    const wallet = await startLooking(mint, directory);
    mint.setRateLimit({ requests: 0, seconds: 60, paths: ['/v1/checkstate', '/v1/restore'] });
    const spent = mint.issue(3, { withoutDleq: true });
    mint.spend([spent]);
    const { status, body } = await wallet.receive(spent);
    // It can't be known yet, and nothing is promised.
    expect([status, body.code]).toEqual([503, 'redemption_pending']);
    const next = mint.issue(4, { withoutDleq: true });
    expect((await wallet.receive(next)).body).toMatchObject({ code: 'mint_error', retryAfterSeconds: 60 });
    mint.setRateLimit();
    wallet.clock.pass(2 * 60_000);
    expect((await wallet.receive(next)).status).toBe(200);
    await settle(wallet);
    expect(await sums(wallet)).toEqual({ balance: 2 + 4, pending: 0 });
    await expectConsistent(wallet, mint);
  });

  test('with Retry-After to a swap, the swap is finished within the request', async () => {
    const { mint, directory } = await start();
    const wallet = await startCopy(mint, { directory });
    mint.fail('/v1/swap', { kind: 'status', status: 429, retryAfterSeconds: 3, times: 1 });
    const token = mint.issue(16, { withoutDleq: true });
    const { status, body } = await whileTimePasses(wallet, wallet.receive(token));
    expect([status, body.amount]).toEqual([200, 16]);
    // Asking what became of it would use up what the mint still allows. Only the proofs are checked, at the end.
    const paths = mint.requests().map(({ path }) => path);
    expect(paths.filter((path) => !path.startsWith('/v1/key')).slice(-3)).toEqual([
      '/v1/swap',
      '/v1/swap',
      '/v1/checkstate',
    ]);
    await expectConsistent(wallet, mint);
  });

  test('to every other request of many receives, none gets mint_unreachable, and all are credited', {
    tags: 'slow',
  }, async () => {
    const { mint, directory } = await start();
    const wallet = await startLooking(mint, directory);
    mint.fail('/v1/swap', { kind: 'status', status: 429, retryAfterSeconds: 2, every: 2 });
    mint.fail('/v1/checkstate', { kind: 'status', status: 429 });
    mint.fail('/v1/restore', { kind: 'status', status: 429 });
    const tokens = Array.from({ length: 12 }, () => mint.issue(4, { withoutDleq: true }));
    const answers = await whileTimePasses(wallet, Promise.all(tokens.map((token) => wallet.receive(token))));
    for (const { status, body } of answers) {
      expect([status, body.code]).toBeOneOf([
        [200, undefined],
        [503, 'redemption_pending'],
        [502, 'mint_error'],
      ]);
    }
    mint.clearFaults();
    wallet.clock.pass(2 * 60_000);
    for (const [at, { status }] of answers.entries())
      if (status === 502)
        expect((await whileTimePasses(wallet, wallet.receive(tokens[at]))).status).toBe(200);
    await settle(wallet);
    expect(await sums(wallet)).toEqual({ balance: 2 + 48, pending: 0 });
    await expectConsistent(wallet, mint);
  });
});
