import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDecodedToken, getEncodedToken } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import { makeClock } from '../../support/clock.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { until } from '../../support/raw-http.ts';
import { readRows, serveWallet, type WalletServer } from '../../support/wallet.ts';

const OPERATOR_ROUTES = [
  ['GET', '/api/wallet/history', undefined],
  ['POST', '/api/wallet/send', { amount: 1 }],
  ['POST', '/api/wallet/operations/some-id/reclaim', undefined],
  ['GET', '/api/wallet/seed', undefined],
  ['POST', '/api/wallet/restore', { mnemonic: 'x' }],
] as const;

test('routes that move money or reveal secrets need the operator token: no token, another and API_TOKEN are refused', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url, { environment: { API_TOKEN: 'an-api-token-of-tests' } });
  const api = { Authorization: 'Bearer an-api-token-of-tests' };
  const { body: receipt } = await wallet.call('POST', '/api/wallet/receive', { token: mint.issue(8) }, api);
  expect(receipt.amount).toBe(8);
  for (const [method, path, body] of OPERATOR_ROUTES) {
    for (const headers of [
      {} as { Authorization?: string },
      api,
      { Authorization: `Bearer ${'0'.repeat(64)}` },
      { Authorization: `Basic ${wallet.operatorToken}` },
      { Authorization: `Bearer ${wallet.operatorToken.toUpperCase()}x` },
    ]) {
      const { status, body: answer } = await wallet.call(
        method,
        path,
        body,
        headers as Record<string, string>,
      );
      const isWrong = headers.Authorization?.startsWith('Bearer ') && headers !== api;
      const refusal = isWrong ? [401, 'unauthorized'] : [403, 'operator_required'];
      expect([path, headers, status, answer.code]).toEqual([path, headers, ...refusal]);
    }
    // Before the body is looked at.
    expect((await wallet.call(method, path, body && '{', api)).status).toBe(403);
    expect((await wallet.asOperator(method, path, body)).status).not.toBe(403);
  }
  // The others take the API token, or the operator's.
  for (const path of [
    '/api/wallet/balance',
    '/api/wallet/mint',
    `/api/wallet/operations/${receipt.operationId}`,
  ]) {
    expect((await wallet.call('GET', path)).status).toBe(401);
    expect((await wallet.call('GET', path, undefined, api)).status).toBe(200);
    expect((await wallet.asOperator('GET', path)).status).toBe(200);
  }
});

test('there are 12 words, the same ones each time, and the operator token is that of the file', async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  const { body } = await wallet.asOperator('GET', '/api/wallet/seed');
  expect(body.mnemonic.split(' ')).toHaveLength(12);
  expect(wallet.operatorToken).toMatch(/^[0-9a-f]{64}$/);
  expect(await readFile(join(wallet.directory, 'operator-token'), 'utf8')).toBe(`${wallet.operatorToken}\n`);
  await wallet.close();
  const again = await serveWallet(mint.url, { directory: wallet.directory });
  expect((await again.asOperator('GET', '/api/wallet/seed')).body).toEqual(body);
  expect(again.operatorToken).toBe(wallet.operatorToken);
});

test('an unknown operation is 404, and a known one reports its state to anybody with its id', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  for (const id of ['00000000-0000-4000-8000-000000000000', 'x', '1', '%00', "' OR 1=1 --"]) {
    const { status, body } = await wallet.call('GET', `/api/wallet/operations/${encodeURIComponent(id)}`);
    expect([id, status, body.code]).toEqual([id, 404, 'operation_not_found']);
    const reclaim = await wallet.asOperator(
      'POST',
      `/api/wallet/operations/${encodeURIComponent(id)}/reclaim`,
    );
    expect([id, reclaim.status, reclaim.body.code]).toEqual([id, 404, 'operation_not_found']);
  }
  const forged = await wallet.receive(mint.issue(8, { forged: true }));
  const paid = await wallet.receive(mint.issue(8, { memo: 'private words' }));
  const { body } = await wallet.call('GET', `/api/wallet/operations/${paid.body.operationId}`);
  expect(body).toEqual({
    id: paid.body.operationId,
    kind: 'receive',
    state: 'completed',
    amount: 8,
    createdAt: expect.stringMatching(/Z$/),
    updatedAt: expect.stringMatching(/Z$/),
  });
  const { entries } = (await wallet.asOperator('GET', '/api/wallet/history')).body;
  const failed = await wallet.call('GET', `/api/wallet/operations/${entries[1].id}`);
  expect(failed.body).toMatchObject({
    state: 'failed',
    error: { code: 'invalid_signature', error: forged.body.error },
  });
  // A token that left is for the operator's eyes.
  const { body: sent } = await wallet.asOperator('POST', '/api/wallet/send', { amount: 3, memo: 'm' });
  const seen = await wallet.call('GET', `/api/wallet/operations/${sent.operationId}`);
  expect(JSON.stringify(seen.body)).not.toContain('cashu');
});

/** Every page of the history from a cursor on. */
const readHistory = async (wallet: WalletServer, limit: number, between?: () => Promise<unknown>) => {
  const ids: string[] = [];
  let pages = 0;
  let cursor: string | undefined;
  do {
    pages += 1;
    const query = new URLSearchParams({ limit: String(limit), ...(cursor ? { cursor } : {}) });
    const { status, body } = await wallet.asOperator('GET', `/api/wallet/history?${query}`);
    expect(status).toBe(200);
    expect(body.entries.length).toBeLessThanOrEqual(limit);
    if (body.nextCursor) expect(body.entries).toHaveLength(limit);
    ids.push(...body.entries.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
    await between?.();
  } while (cursor);
  // The last page says that it is the last, also when it is full.
  expect(pages).toBe(Math.ceil(ids.length / limit));
  return ids;
};

test('the history is newest first, complete at every page size, and stays so while new entries appear', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  expect((await wallet.asOperator('GET', '/api/wallet/history')).body).toEqual({ entries: [] });
  const ids: string[] = [];
  const receiveOne = async () => {
    const { body } = await wallet.receive(mint.issue(1, { withoutDleq: true }));
    ids.unshift(body.operationId);
  };
  for (let count = 0; count < 12; count += 1) await receiveOne();
  for (const limit of [1, 5, 6, 12, 13, 200]) expect(await readHistory(wallet, limit)).toEqual(ids);
  const known = [...ids];
  expect(await readHistory(wallet, 4, receiveOne)).toEqual(known);
  expect((await readHistory(wallet, 50)).slice(-12)).toEqual(known);

  for (const query of ['limit=0', 'limit=201', 'limit=x', 'limit=1.5', 'limit=', 'limit=1&limit=2']) {
    const { status, body } = await wallet.asOperator('GET', `/api/wallet/history?${query}`);
    expect([query, status, body.code]).toEqual([query, 400, 'invalid_request']);
    expect(body.issues[0].path).toBe('query.limit');
  }
  for (const cursor of ['x', '-1', '1.5', '', '1 OR 1=1', '9'.repeat(16), '1&cursor=2']) {
    const { status, body } = await wallet.asOperator('GET', `/api/wallet/history?cursor=${cursor}`);
    expect([cursor, status, body.code]).toEqual([cursor, 400, 'invalid_request']);
    expect(body.issues[0].path).toBe('query.cursor');
  }
  expect((await wallet.asOperator('GET', '/api/wallet/history?cursor=0')).body).toEqual({ entries: [] });
});

test('a sent token stays in the history, can be taken back once, and says when it was redeemed', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const clock = makeClock(new Date().toISOString());
  const wallet = await serveWallet(mint.url, { clock });
  await wallet.receive(mint.issue(100));
  const start = await wallet.balance();
  const { status, body: sent } = await wallet.asOperator('POST', '/api/wallet/send', {
    amount: 20,
    memo: 'm',
  });
  expect(status).toBe(201);
  expect(mint.unspent([sent.token])).toBe(20);
  expect(await wallet.balance()).toBe(start - 20 - sent.fee);
  const newest = async () => (await wallet.asOperator('GET', '/api/wallet/history?limit=1')).body.entries[0];
  expect(await newest()).toMatchObject({
    id: sent.operationId,
    kind: 'send',
    amount: 20,
    fee: sent.fee,
    memo: 'm',
    token: sent.token,
    spent: false,
  });

  const reclaim = (id: string) => wallet.asOperator('POST', `/api/wallet/operations/${id}/reclaim`);
  const back = await reclaim(sent.operationId);
  expect([back.status, back.body]).toEqual([200, { amount: 19, fee: 1, operationId: expect.any(String) }]);
  expect(await wallet.balance()).toBe(start - sent.fee - 1);
  expect(await newest()).toMatchObject({ kind: 'reclaim', amount: 19, fee: 1, sendId: sent.operationId });
  const twice = await reclaim(sent.operationId);
  expect([twice.status, twice.body]).toMatchObject([
    409,
    { code: 'not_reclaimable', operationId: back.body.operationId },
  ]);
  const own = await reclaim(back.body.operationId);
  expect([own.body.code, own.body.operationId]).toEqual(['not_reclaimable', undefined]);

  const { body: other } = await wallet.asOperator('POST', '/api/wallet/send', { amount: 20 });
  mint.spend([other.token]);
  expect((await newest()).token).toBe(other.token);
  const gone = await reclaim(other.operationId);
  expect([gone.status, gone.body.code]).toEqual([409, 'already_spent']);
  expect(await newest()).toMatchObject({ id: other.operationId, spent: true, reclaimed: false });

  // One that was redeemed is seen by looking.
  const { body: third } = await wallet.asOperator('POST', '/api/wallet/send', { amount: 5 });
  mint.spend([third.token]);
  await until(async () => {
    clock.pass(61_000);
    return (await newest()).spent;
  });
  // Our own token comes back by receive too, and is no second money.
  const { body: fourth } = await wallet.asOperator('POST', '/api/wallet/send', { amount: 8 });
  const received = await wallet.receive(fourth.token);
  expect(received.status).toBe(200);
  const { issued, melted, fees } = mint.totals();
  const balance = await wallet.balance();
  expect(balance).toBe(issued - melted - fees);
  // What was spent is no longer kept.
  await wallet.close();
  const rows = await readRows(
    wallet.directory,
    'SELECT sum(amount) AS sum, max(held_by) AS held FROM proofs',
  );
  expect(rows).toEqual([{ sum: balance, held: null }]);
});

test('a partly redeemed token returns what is left of it', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await serveWallet(mint.url);
  await wallet.receive(mint.issue(100));
  const { body: sent } = await wallet.asOperator('POST', '/api/wallet/send', { amount: 12 });
  const ids = mint.keysets().map(({ id }) => id);
  const { proofs, ...token } = getDecodedToken(sent.token, ids);
  expect(proofs).toHaveLength(2);
  const [first, second] = proofs;
  if (!first || !second) throw new Error('the token has not two proofs');
  mint.spend([getEncodedToken({ ...token, proofs: [first] })]);
  const path = `/api/wallet/operations/${sent.operationId}/reclaim`;
  mint.setPending([getEncodedToken({ ...token, proofs: [second] })]);
  const pending = await wallet.asOperator('POST', path);
  expect([pending.status, pending.body.code]).toEqual([409, 'token_in_progress']);
  mint.clearPending();
  const { status, body } = await wallet.asOperator('POST', path);
  expect([status, body.amount]).toEqual([200, second.amount.toNumber()]);
  const { issued, melted, fees } = mint.totals();
  expect(await wallet.balance()).toBe(issued - melted - fees);
});

test('a send of more than the balance, of nothing, or of parts of a sat changes nothing', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1000 }] });
  const wallet = await serveWallet(mint.url);
  await wallet.receive(mint.issue(64));
  const before = (await wallet.call('GET', '/api/wallet/balance')).body;
  expect(before.balance).toBe(63);
  const swaps = mint.requests('/v1/swap').length;
  // More than there is at all is told without the mint, also when it is known to be away.
  await mint.away();
  for (const [amount, status, code] of [
    [1, 503, 'mint_unreachable'],
    [64, 422, 'insufficient_funds'],
  ]) {
    const answer = await wallet.asOperator('POST', '/api/wallet/send', { amount });
    expect([amount, answer.status, answer.body.code]).toEqual([amount, status, code]);
  }
  await mint.back();
  for (const amount of [64, 63, 2 ** 40, Number.MAX_SAFE_INTEGER]) {
    const { status, body } = await wallet.asOperator('POST', '/api/wallet/send', { amount });
    expect([amount, status, body.code]).toEqual([amount, 422, 'insufficient_funds']);
  }
  for (const body of [
    {},
    { amount: 0 },
    { amount: -1 },
    { amount: 1.5 },
    { amount: '1' },
    { amount: 2 ** 53 },
    { amount: 1, memo: 5 },
    { amount: 1, memo: 'x'.repeat(1001) },
    { amount: 1, to: 'x' },
  ]) {
    const answer = await wallet.asOperator('POST', '/api/wallet/send', body);
    expect([body, answer.status, answer.body.code]).toEqual([body, 400, 'invalid_request']);
  }
  expect((await wallet.call('GET', '/api/wallet/balance')).body).toEqual(before);
  expect(mint.requests('/v1/swap')).toHaveLength(swaps);
  // 63 sats in six proofs; that of 1 sat would cost what it is worth, and stays.
  const all = await wallet.asOperator('POST', '/api/wallet/send', { amount: 57 });
  expect([all.status, all.body.fee, await wallet.balance()]).toEqual([201, 5, 1]);
});

test('the state of the mint: reachable with its name, unreachable, in error', async () => {
  const mint = await testMint({ info: { name: 'Test\u0007 mint', motd: 'x'.repeat(1000) } });
  const wallet = await serveWallet(mint.url);
  const status = async () => (await wallet.call('GET', '/api/wallet/mint')).body;
  const told = await status();
  expect(told).toMatchObject({ mint: mint.url, state: 'reachable', name: 'Test mint' });
  expect(told.message.length).toBeLessThanOrEqual(300);
  await mint.away();
  expect((await wallet.receive(mint.issue(8))).status).toBe(503);
  expect(await status()).toMatchObject({ state: 'unreachable', checkedAt: expect.stringMatching(/Z$/) });
  await mint.back();
  expect((await wallet.receive(mint.issue(8))).status).toBe(200);
  expect((await status()).state).toBe('reachable');
});
