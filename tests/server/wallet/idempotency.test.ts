import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import { until } from '../../support/raw-http.ts';
import { readRows, serveWallet } from '../../support/wallet.ts';
import { serveTimedWallet, settle, whileTimePasses } from '../../support/wallet-recovery.ts';

/** The answer under a key, as its repetitions show it. */
const replayOf = (body: object) => ({ ...body, replayed: true, createdAt: expect.stringMatching(/T.*Z$/) });

test('the same key and token get the same response, marked as repeated, also after a restart, and another token gets 422', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(8);
  const first = await wallet.receive(token, 'key');
  expect(first.body).toMatchObject({ success: true, amount: 8 });
  expect((await wallet.receive(token, 'key')).body).toEqual(replayOf(first.body));
  const reused = await wallet.receive(mint.issue(4), 'key');
  expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused']);
  await wallet.close();

  const again = await serveWallet(mint.url, { directory: wallet.directory });
  const stored = await again.receive(token, 'key');
  expect([stored.status, stored.body]).toEqual([200, replayOf(first.body)]);
  expect((await again.receive(mint.issue(4), 'key')).body.code).toBe('idempotency_key_reused');
  // Without the key, or with another, it is what it is.
  expect((await again.receive(token)).body.code).toBe('token_spent');
  expect((await again.receive(token, 'other')).body.code).toBe('token_spent');
  expect((await again.receive(token, 'KEY')).body.code).toBe('token_spent');
  expect(await again.balance()).toBe(8);
  expect(mint.requests('/v1/swap')).toHaveLength(1);
});

test('a refusal by the mint is kept under its key, also after a restart, and one before it is made anew and not stored', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1000 }] });
  const wallet = await serveWallet(mint.url);
  const spent = mint.issue(16);
  mint.spend([spent]);
  const forged = mint.issue(8, { forged: true });
  const cases = {
    malformed: 'cashuAx',
    elsewhere: mint.issue(8, { mintUrl: 'https://mint.invalid' }),
    fee: mint.issue(1),
    bad: mint.issue(8, { badDleq: true }),
    spent,
    forged,
  };
  const answers = new Map<string, unknown>();
  for (const [key, token] of Object.entries(cases)) {
    const { status, body } = await wallet.receive(token, key);
    expect([key, status === 409 || status === 422]).toEqual([key, true]);
    answers.set(key, [status, body]);
  }
  const swaps = mint.requests('/v1/swap').length;
  const check = async (from: typeof wallet) => {
    for (const [key, token] of Object.entries(cases)) {
      const { status, body } = await from.receive(token, key);
      expect([status, body]).toEqual(answers.get(key));
    }
    for (const key of ['spent', 'forged'])
      expect((await from.receive(mint.issue(2), key)).body.code).toBe('idempotency_key_reused');
  };
  await check(wallet);
  await wallet.close();
  const keys = await readRows(wallet.directory, 'SELECT key FROM idempotency_keys ORDER BY key');
  expect(keys).toEqual([{ key: 'forged' }, { key: 'spent' }]);
  const again = await serveWallet(mint.url, { directory: wallet.directory });
  await check(again);
  expect(mint.requests('/v1/swap')).toHaveLength(swaps);
  const token = mint.issue(4);
  const received = await again.receive(token, 'malformed');
  expect(received.body).toMatchObject({ success: true, amount: 3 });
  expect((await again.receive(token, 'malformed')).body).toEqual(replayOf(received.body));
});

test('while the first is running the key is in use, and one with another body is reused', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  await wallet.receive(mint.issue(1));
  mint.fail('/v1/swap', { kind: 'hang' });
  const token = mint.issue(8);
  const first = wallet.receive(token, 'key');
  await until(() => mint.hanging() === 1);
  const same = await wallet.receive(token, 'key');
  expect([same.status, same.body.code]).toEqual([409, 'idempotency_key_in_use']);
  expect((await wallet.receive(mint.issue(4), 'key')).body.code).toBe('idempotency_key_reused');
  mint.clearFaults();
  const { body } = await first;
  expect(body).toMatchObject({ success: true, amount: 8 });
  expect((await wallet.receive(token, 'key')).body).toEqual(replayOf(body));
});

test('20 requests at once with one key: one pays, and afterwards all get the same answer', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(8);
  const answers = await Promise.all(Array.from({ length: 20 }, () => wallet.receive(token, 'key')));
  const paid = answers.filter(({ status }) => status === 200);
  expect(new Set(paid.map(({ body }) => body.operationId)).size).toBe(1);
  for (const { status, body } of answers) {
    if (status !== 200) expect([status, body.code]).toEqual([409, 'idempotency_key_in_use']);
  }
  expect((await wallet.receive(token, 'key')).body).toMatchObject({ amount: 8, replayed: true });
  expect(await wallet.balance()).toBe(8);
});

test('a 5xx is not kept: mint away is 503, and the same key pays when it is back', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(8);
  await mint.away();
  expect((await wallet.receive(token, 'key')).body.code).toBe('mint_unreachable');
  expect((await wallet.receive(token, 'key')).body.code).toBe('mint_unreachable');
  await mint.back();
  mint.fail('/v1/keysets', { kind: 'garbage' });
  expect((await wallet.receive(token, 'key')).body.code).toBe('mint_error');
  mint.clearFaults();
  const { status, body } = await wallet.receive(token, 'key');
  expect([status, body.amount]).toEqual([200, 8]);

  // Also when its operation was written already and it is the swap that meets nobody.
  const other = mint.issue(4);
  expect((await wallet.validate(other)).body.valid).toBe(true);
  await mint.away();
  expect((await wallet.receive(other, 'other')).body.code).toBe('mint_unreachable');
  await mint.back();
  const paid = await wallet.receive(other, 'other');
  expect([paid.status, paid.body.amount]).toEqual([200, 4]);
  expect((await wallet.receive(other, 'other')).body).toEqual(replayOf(paid.body));
  expect(await wallet.balance()).toBe(12);
});

test('a token that the mint keeps busy is received under its key once the mint lets go of it', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const token = mint.issue(8);
  mint.setPending([token]);
  const early = await whileTimePasses(wallet, wallet.receive(token, 'key'));
  expect(early.body.code).toBe('redemption_pending');
  mint.clearPending();
  await settle(wallet);
  const paid = await wallet.receive(token, 'key');
  expect([paid.status, paid.body.amount]).toEqual([200, 8]);
});

test('redemption_pending, then the final response under the same key, also after a restart', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  const receive = (token: string, key: string) => whileTimePasses(wallet, wallet.receive(token, key));
  await wallet.receive(mint.issue(1));
  for (const [token, when, final] of [
    [mint.issue(8), 'after', 200],
    [mint.issue(16), 'before', 200],
    [mint.issue(32), 'before', 409],
  ] as const) {
    mint.fail('/v1/swap', { kind: 'drop', when });
    mint.fail('/v1/checkstate', { kind: 'drop' });
    const key = `${when} ${final}`;
    const pending = await receive(token, key);
    expect([pending.status, pending.body.code]).toEqual([503, 'redemption_pending']);
    // The answer of what is under way: the same operation, no second one.
    const again = await receive(token, key);
    expect([again.status, again.body.code, again.body.operationId]).toEqual([
      503,
      'redemption_pending',
      pending.body.operationId,
    ]);
    // Meanwhile somebody else spends it.
    if (final === 409) mint.spend([token]);
    mint.clearFaults();
    await until(async () => {
      wallet.clock.pass(60_000);
      return (await receive(token, key)).status !== 503;
    });
    const { status, body } = await wallet.receive(token, key);
    expect([key, status]).toEqual([key, final]);
    if (final === 200) expect(body.operationId).toBe(pending.body.operationId);
    else expect(body.code).toBe('token_spent');
  }
  expect(await wallet.balance()).toBe(25);
  await wallet.close();
  const again = await serveWallet(mint.url, { directory: wallet.directory });
  expect(await again.balance()).toBe(25);
  expect(await readRowsOf(again)).toBe(25);
});

/** What the proofs of a wallet add up to on its disk; closes it. */
const readRowsOf = async (wallet: Awaited<ReturnType<typeof serveWallet>>) => {
  await wallet.close();
  const [row] = await readRows(wallet.directory, 'SELECT sum(amount) AS sum FROM proofs');
  return row?.sum;
};

test('a send with a key returns one token however often it is repeated, and keys are per route', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  await wallet.receive(mint.issue(64), 'key');
  const send = (body: object, key = 'key') =>
    wallet.asOperator('POST', '/api/wallet/send', body, { 'Idempotency-Key': key });
  const first = await send({ amount: 10, memo: 'm' });
  expect([first.status, first.body.amount]).toEqual([201, 10]);
  const again = await send({ amount: 10, memo: 'm' });
  expect([again.status, again.body]).toEqual([201, replayOf(first.body)]);
  const history = async (from: typeof wallet, key: string) =>
    (await from.asOperator('GET', `/api/wallet/history?sendKey=${key}`)).body.entries;
  const [entry] = await history(wallet, 'key');
  expect(entry).toMatchObject({ id: first.body.operationId, token: first.body.token });
  expect(again.body.createdAt).toBe(entry.createdAt);
  expect(first.body.replayed).toBeUndefined();
  for (const body of [{ amount: 11, memo: 'm' }, { amount: 10 }, { amount: 10, memo: 'n' }]) {
    const { status, body: answer } = await send(body);
    expect([status, answer.code]).toEqual([422, 'idempotency_key_reused']);
  }
  expect(await wallet.balance()).toBe(54);

  // What the wallet holds changes, so a refusal because of it is not kept.
  expect((await send({ amount: 100 }, 'poor')).body.code).toBe('insufficient_funds');
  // A refused send and an unknown key started nothing.
  expect([await history(wallet, 'poor'), await history(wallet, 'unknown')]).toEqual([[], []]);
  await wallet.receive(mint.issue(128));
  expect((await send({ amount: 100 }, 'poor')).status).toBe(201);
  await wallet.close();

  const later = await serveWallet(mint.url, { directory: wallet.directory });
  const stored = await later.asOperator(
    'POST',
    '/api/wallet/send',
    { amount: 10, memo: 'm' },
    { 'Idempotency-Key': 'key' },
  );
  expect([stored.status, stored.body]).toEqual([201, replayOf(first.body)]);
  expect(await history(later, 'key')).toEqual([entry]);
  expect(await later.balance()).toBe(82);
});

test('send_pending with its operation, then the token under the same key', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  await wallet.receive(mint.issue(64));
  mint.fail('/v1/swap', { kind: 'drop', when: 'after' });
  mint.fail('/v1/checkstate', { kind: 'drop' });
  const send = () =>
    whileTimePasses(
      wallet,
      wallet.asOperator('POST', '/api/wallet/send', { amount: 10 }, { 'Idempotency-Key': 'key' }),
    );
  const pending = await send();
  expect([pending.status, pending.body.code]).toEqual([503, 'send_pending']);
  expect(Number(pending.headers.get('retry-after'))).toBeGreaterThan(0);
  mint.clearFaults();
  await until(async () => {
    wallet.clock.pass(60_000);
    return (await send()).status !== 503;
  });
  const { status, body } = await send();
  expect([status, body.amount, body.operationId]).toEqual([201, 10, pending.body.operationId]);
  expect(mint.unspent([body.token])).toBe(10);
  expect(await wallet.balance()).toBe(54);
});

test('a key is 1 to 255 characters', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const token = mint.issue(8);
  for (const key of ['x'.repeat(256), '']) {
    const { status, body } = await wallet.receive(token, key);
    expect([status, body.code, body.issues[0].path]).toEqual([
      400,
      'invalid_request',
      'headers.idempotency-key',
    ]);
    const send = await wallet.asOperator(
      'POST',
      '/api/wallet/send',
      { amount: 1 },
      { 'Idempotency-Key': key },
    );
    expect([send.status, send.body.code]).toEqual([400, 'invalid_request']);
  }
  expect((await wallet.receive(token, 'x'.repeat(255))).status).toBe(200);
});
