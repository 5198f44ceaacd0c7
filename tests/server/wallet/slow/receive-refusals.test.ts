import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { testMint } from '../../../support/mint/for-test.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { until } from '../../../support/raw-http.ts';
import { editA, mintFootprint, readRows, serveWallet, type WalletServer } from '../../../support/wallet.ts';
import { serveTimedWallet, whileTimePasses } from '../../../support/wallet-recovery.ts';

const KEY = `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`;
const PAST = '1700000000';
const FUTURE = '4100000000';

/** Refused before anything is sent: nothing changes at the mint, and no sat comes. */
const refuse = async (
  mint: TestMint,
  wallet: WalletServer,
  token: string,
  [status, code, reason]: readonly [status: number, code: string, reason: string],
  details: object = {},
) => {
  const before = mintFootprint(mint);
  const validated = await wallet.validate(token);
  expect([validated.status, validated.body]).toEqual([
    200,
    expect.objectContaining({ valid: false, reason }),
  ]);
  const received = await wallet.receive(token);
  expect([received.status, received.body]).toEqual([status, { error: expect.any(String), code, ...details }]);
  expect(mintFootprint(mint)).toEqual(before);
  expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({ balance: 0, pending: 0 });
};

test('refuses a token of another mint, or of several, and asks neither', async () => {
  let connections = 0;
  const trap = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(trap, 'listening');
  onTestFinished(() => void trap.close());
  const { port } = trap.address() as { port: number };
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);

  const mintUrl = `http://127.0.0.1:${port}`;
  const several = editA(mint.issue(48, { version: 'A' }), ({ token: [entry], ...rest }) => ({
    ...rest,
    token: [
      { mint: mint.url, proofs: entry?.proofs.slice(0, 1) },
      { mint: mintUrl, proofs: entry?.proofs.slice(1) },
    ],
  }));
  for (const token of [
    mint.issue(5, { mintUrl }),
    mint.issue(5, { mintUrl, version: 'A' }),
    mint.issue(5, { mintUrl: `${mint.url}/Bitcoin` }),
    mint.issue(5, { mintUrl: mint.url.replace('http:', 'https:') }),
    mint.issue(5, { mintUrl: mint.url.replace('127.0.0.1', '127.0.0.1.evil.invalid') }),
    mint.issue(5, { mintUrl: mint.url.replace('http://', 'http://user@') }),
    mint.issue(5, { mintUrl: 'file:///etc/passwd' }),
    mint.issue(5, { mintUrl: 'no url' }),
    several,
  ]) {
    await refuse(mint, wallet, token, [422, 'wrong_mint', 'wrong_mint'], { acceptedMints: [mint.url] });
  }
  expect(connections).toBe(0);
  expect(mint.requests()).toEqual([]);
});

test('refuses another unit, even if a token calls it sat', async () => {
  const mint = await testMint({ keysets: [{}, { unit: 'usd' }] });
  const wallet = await serveWallet(mint.url);
  for (const version of ['A', 'B'] as const) {
    await refuse(mint, wallet, mint.issue(7, { unit: 'usd', version }), [422, 'wrong_unit', 'wrong_unit']);
  }
  const called = editA(mint.issue(7, { unit: 'usd', version: 'A' }), (json) => ({ ...json, unit: 'sat' }));
  await refuse(mint, wallet, called, [422, 'unknown_keyset', 'unknown_keyset']);
  const other = editA(mint.issue(7, { version: 'A' }), (json) => ({ ...json, unit: 'SAT' }));
  await refuse(mint, wallet, other, [422, 'wrong_unit', 'wrong_unit']);
});

test('refuses tokens that are locked to a key, whatever the lock, and accepts one with an expired lock', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const locked = [422, 'token_locked', 'locked'] as const;
  const withSecret = (secret: unknown) =>
    editA(mint.issue(8, { version: 'A', withoutDleq: true }), ({ token: [entry] }) => {
      for (const proof of entry?.proofs ?? []) proof.secret = JSON.stringify(secret);
    });
  const nonce = 'ab'.repeat(32);
  for (const token of [
    mint.issue(8, { p2pk: KEY }),
    mint.issue(8, { p2pk: KEY, version: 'A', p2pkTags: [['locktime', FUTURE]] }),
    mint.issue(8, {
      p2pk: KEY,
      p2pkTags: [
        ['locktime', PAST],
        ['refund', KEY],
      ],
    }),
    mint.issue(9, { p2pk: KEY, proofCount: 2 }),
    withSecret(['HTLC', { nonce, data: 'cd'.repeat(32), tags: [['pubkeys', KEY]] }]),
    withSecret(['HTLC', { nonce, data: 'cd'.repeat(32), tags: [['locktime', FUTURE]] }]),
    withSecret(['P2PK', { nonce, data: 'not a key' }]),
    withSecret(['TOMORROW', { nonce, data: 'x', tags: [] }]),
  ]) {
    await refuse(mint, wallet, token, locked);
  }
  const oneOfTwo = editA(mint.issue(3, { version: 'A', withoutDleq: true }), ({ token: [entry] }) => {
    const [first] = entry?.proofs ?? [];
    if (first) first.secret = JSON.stringify(['P2PK', { nonce, data: KEY, tags: [] }]);
  });
  await refuse(mint, wallet, oneOfTwo, locked);

  const expired = mint.issue(8, { p2pk: KEY, p2pkTags: [['locktime', PAST]] });
  expect((await wallet.validate(expired)).body).toMatchObject({ valid: true, amount: 8 });
  expect((await wallet.receive(expired)).body).toMatchObject({ success: true, amount: 8 });
});

test('refuses invalid signatures, and keysets that the mint does not know', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const signature = [422, 'invalid_signature', 'invalid_signature'] as const;
  for (const version of ['A', 'B'] as const) {
    await refuse(mint, wallet, mint.issue(8, { badDleq: true, version }), signature);
  }
  const change = (edit: (proof: Record<string, unknown>) => void) =>
    editA(mint.issue(9, { version: 'A' }), ({ token: [entry] }) => {
      const last = entry?.proofs.at(-1);
      if (last) edit(last);
    });
  const raised = change((proof) => {
    proof.amount = Number(proof.amount) * 2;
  });
  const noKey = change((proof) => {
    proof.amount = 3;
  });
  const other = change((proof) => {
    proof.secret = 'ab'.repeat(32);
  });
  for (const token of [raised, noKey, other]) await refuse(mint, wallet, token, signature);

  const unknown = [422, 'unknown_keyset', 'unknown_keyset'] as const;
  for (const id of [`00${'1'.repeat(14)}`, `01${'2'.repeat(64)}`, `01${'2'.repeat(14)}`, 'I2yN+iRYfkzT']) {
    const token = change((proof) => {
      proof.id = id;
    });
    await refuse(mint, wallet, token, unknown);
  }
  const dropped = mint.issue(8);
  mint.rotate({ hideOld: true });
  const wallet2 = await serveWallet(mint.url);
  await refuse(mint, wallet2, dropped, unknown);
});

test('refuses a token that is worth no more than the mint’s fee', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1000 }] });
  const wallet = await serveWallet(mint.url);
  for (const [amount, proofCount] of [
    [1, 1],
    [2, 2],
    [8, 8],
  ] as const) {
    const token = mint.issue(amount, { proofCount, withoutDleq: true });
    const before = mintFootprint(mint);
    expect((await wallet.validate(token)).body).toMatchObject({
      valid: false,
      reason: 'below_fee',
      amount,
      fee: proofCount,
    });
    const { status, body } = await wallet.receive(token);
    expect([status, body.code]).toEqual([422, 'amount_below_fee']);
    expect(body.error).toContain(`${proofCount} sat`);
    expect(mintFootprint(mint)).toEqual(before);
  }
  expect((await wallet.receive(mint.issue(2))).body).toMatchObject({ amount: 1, fee: 1 });
  expect(await wallet.balance()).toBe(1);
});

test('refuses a spent token, even if only one proof is spent, and waits for a pending one', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const spent = mint.issue(8);
  mint.spend([spent]);
  const partly = mint.issue(12, { version: 'A' });
  mint.spend([editA(partly, ({ token: [entry] }) => void entry?.proofs.splice(1))]);
  const pending = mint.issue(16, { proofCount: 2 });
  mint.setPending([pending]);
  for (const [token, status, code, reason] of [
    [spent, 409, 'token_spent', 'spent'],
    [partly, 409, 'token_spent', 'spent'],
  ] as const) {
    const before = mint.totals();
    expect((await wallet.validate(token)).body).toMatchObject({ valid: false, reason });
    const received = await wallet.receive(token);
    expect([received.status, received.body.code]).toEqual([status, code]);
    expect(mint.totals()).toEqual(before);
    expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({ balance: 0, pending: 0 });
  }
  // The mint may be working for us, so the wallet waits until it lets go of the token.
  expect((await wallet.validate(pending)).body).toMatchObject({ valid: false, reason: 'pending' });
  expect((await wallet.receive(pending)).body.code).toBe('redemption_pending');
  mint.clearPending();
  await until(async () => (await wallet.balance()) === 16);
  expect(mint.unspent([partly])).toBe(8);
});

test('a forged token without DLEQ is left for the mint to refuse twice, and never retried after that', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  for (const token of [mint.issue(8, { forged: true }), mint.issue(9, { forged: 1, withoutDleq: true })]) {
    const { status, body } = await wallet.receive(token);
    expect([status, body.code]).toEqual([422, 'invalid_signature']);
    expect(body.mintCode).toBe(10001);
  }
  const swaps = mint.requests('/v1/swap').length;
  expect(swaps).toBe(4);
  expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({ balance: 0, pending: 0 });
  await wallet.close();
  expect(await readRows(wallet.directory, 'SELECT * FROM inputs')).toEqual([]);
  expect(await readRows(wallet.directory, "SELECT * FROM operations WHERE state = 'pending'")).toEqual([]);
});

test('a mint that calls a body too large by HTTP 413 is understood the same way', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(8);
  mint.fail('/v1/swap', { kind: 'status', status: 413 });
  const { status, body } = await wallet.receive(token);
  expect([status, body.code]).toEqual([422, 'token_too_large']);
  mint.clearFaults();
  expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 8 });
});

test('a mint that is away frees the token, and a mint that returns garbage before the swap is 502', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(8);
  await mint.away();
  const away = await wallet.receive(token);
  expect([away.status, away.body.code]).toEqual([503, 'mint_unreachable']);
  expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
  await mint.back();
  for (const body of ['text', 'empty', 'shape'] as const) {
    mint.fail('/v1/keysets', { kind: 'garbage', body });
    const { status, body: answer } = await wallet.receive(token);
    expect([body, status, answer.code]).toEqual([body, 502, 'mint_error']);
    mint.clearFaults();
  }
  expect(mint.requests('/v1/swap')).toEqual([]);
  expect((await wallet.receive(token)).body).toMatchObject({ success: true, amount: 8 });
});

test('a mint that hangs in the swap: redemption_pending with the operation, then it completes automatically', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  expect((await wallet.receive(mint.issue(1))).status).toBe(200);
  mint.fail('/v1/swap', { kind: 'hang' });
  const token = mint.issue(8);
  const { status, headers, body } = await whileTimePasses(wallet, wallet.receive(token));
  expect([status, body.code]).toEqual([503, 'redemption_pending']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  const operation = `/api/wallet/operations/${body.operationId}`;
  expect((await wallet.call('GET', operation)).body).toMatchObject({
    kind: 'receive',
    state: 'pending',
    amount: 8,
  });
  const again = await wallet.receive(token);
  expect([again.status, again.body.code]).toEqual([409, 'token_in_progress']);
  expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({ balance: 1, pending: 8 });
  mint.clearFaults();
  await until(async () => {
    wallet.clock.pass(60_000);
    return (await wallet.call('GET', operation)).body.state === 'completed';
  });
  expect((await wallet.call('GET', '/api/wallet/balance')).body).toMatchObject({ balance: 9, pending: 0 });
  expect((await wallet.receive(token)).body.code).toBe('token_spent');
});
