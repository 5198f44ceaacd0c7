import { Amount, getEncodedToken } from '@cashu/cashu-ts';
import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import type { Fault, TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import { readRows } from '../../support/wallet.ts';
import { copyWallet, earn, expectConsistent, pay, startCopy } from '../../support/wallet-copies.ts';
import {
  reclaim,
  runRecoveryPasses,
  send,
  settle,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/** An operation that the mint never finishes can be released by the operator, and nothing is trapped or lost. */

const release = (wallet: TimedWallet, id: string) =>
  wallet.asOperator('POST', `/api/wallet/operations/${id}/release`);

const entryOf = async (wallet: TimedWallet, operationId: string) =>
  (await readHistory(wallet)).find(({ id }) => id === operationId);

/** A mint that answers each swap with 500 and has no NUT-09. With `when: 'after'`, it did what it says it couldn't. */
const misbehave = (mint: TestMint, when: Fault['when'] = 'before') => {
  mint.fail('/v1/swap', { kind: 'status', when });
  mint.fail('/v1/restore', { kind: 'status', status: 404 });
};

/** A receive that stays pending, and its token. */
const stuckReceive = async (mint: TestMint, wallet: TimedWallet, when?: Fault['when']) => {
  misbehave(mint, when);
  const token = mint.issue(100, { withoutDleq: true, memo: 'wages' });
  const { status, body } = await whileTimePasses(wallet, wallet.receive(token));
  expect([status, body.code]).toEqual([503, 'redemption_pending']);
  await runRecoveryPasses(wallet, 2);
  expect(await sums(wallet)).toEqual({ balance: 0, pending: 100 });
  return { token, id: String(body.operationId) };
};

test.each(['elsewhere', 'here'])(
  'a receive that the mint never finishes can be released, and its token redeemed %s',
  { tags: 'slow' },
  async (where) => {
    const mint = await testMint();
    const wallet = await startCopy(mint);
    const { id, token } = await stuckReceive(mint, wallet);
    const released = await release(wallet, id);
    expect([released.status, released.body]).toEqual([
      200,
      { operationId: id, token: expect.stringMatching(/^cashuB/), amount: 100, inWallet: false },
    ]);
    expect(await sums(wallet)).toEqual({ balance: 0, pending: 0 });
    expect(await entryOf(wallet, id)).toMatchObject({ state: 'failed', error: { code: 'released' } });
    expect(mint.unspent([released.body.token])).toBe(100);
    const again = await release(wallet, id);
    // Whoever lost the answer gets it again, and nothing happens twice.
    expect([again.status, again.body]).toEqual([200, released.body]);

    mint.clearFaults();
    if (where === 'here') expect((await wallet.receive(released.body.token)).body.amount).toBe(100);
    else mint.spend([released.body.token]);
    expect(mint.unspent([token])).toBe(0);
    // However often the wallet checks again, it credits nothing twice.
    await runRecoveryPasses(wallet, 4);
    expect(await entryOf(wallet, id)).toMatchObject({ state: 'failed' });
    expect(await wallet.balance()).toBe(mint.outstanding());
    await expectConsistent(wallet, mint);
  },
);

test('the sats of a released receive that the mint executed after all are credited later', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { id } = await stuckReceive(mint, wallet, 'after');
  const { body } = await release(wallet, id);
  expect(mint.unspent([body.token])).toBe(0);
  mint.clearFaults();
  expect((await wallet.receive(body.token)).body.code).toBe('token_spent');
  await until(async () => {
    wallet.clock.pass(10_000);
    return (await wallet.balance()) === 100;
  });
  expect(await entryOf(wallet, id)).toMatchObject({ kind: 'receive', state: 'completed', memo: 'wages' });
  expect((await wallet.receive(body.token)).body).toMatchObject({ code: 'token_spent', operationId: id });
  await expectConsistent(wallet, mint);
});

test('a released receive is credited if its request arrives at the mint in the end, also when its token is received again', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint, { mintTimeoutMs: 700 });
  mint.fail('/v1/swap', { kind: 'hang', times: 1 });
  mint.fail('/v1/swap', { kind: 'status' });
  const token = mint.issue(100, { withoutDleq: true });
  const { body } = await whileTimePasses(wallet, wallet.receive(token));
  const released = (await release(wallet, body.operationId)).body.token;
  mint.clearFaults();
  await until(() => mint.unspent([token]) === 0);
  const again = await wallet.receive(released);
  expect([again.status, again.body.code]).toEqual([409, 'token_spent']);
  await until(async () => {
    wallet.clock.pass(10_000);
    return (await wallet.balance()) === 100;
  });
  await expectConsistent(wallet, mint);
});

test('a token is refused if its released receive is credited while the token is received again', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const first = await startCopy(mint);
  const { id, token } = await stuckReceive(mint, first, 'after');
  await release(first, id);
  await first.close();
  mint.clearFaults();
  // A new start asks the mint for the wallet's signatures first, and a receive waits for the answer.
  mint.fail('/v1/restore', { kind: 'hang', times: 1 });
  const wallet = await startCopy(mint, { directory: first.directory });
  const receives = [wallet.receive(token), wallet.receive(token)];
  // One of them is refused at once, because the other is about to use the token.
  expect((await Promise.race(receives)).body.code).toBe('token_in_progress');
  await until(async () => {
    wallet.clock.pass(10_000);
    return (await wallet.balance()) === 100;
  });
  mint.clearFaults();
  const answers = await Promise.all(receives);
  expect(answers.map(({ status, body }) => [status, body.code]).sort()).toEqual([
    [409, 'token_in_progress'],
    [409, 'token_spent'],
  ]);
  expect(answers.find(({ body }) => body.code === 'token_spent')?.body.operationId).toBe(id);
  await expectConsistent(wallet, mint);
});

test('a receive that is released while its swap is being answered loses nothing', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  mint.fail('/v1/swap', { kind: 'hang', when: 'after', times: 1 });
  const token = mint.issue(100, { withoutDleq: true });
  const receiving = wallet.receive(token);
  await until(() => mint.hanging() === 1);
  const [pending] = await readHistory(wallet);
  const { body } = await release(wallet, pending?.id ?? '');
  expect(body).toMatchObject({ amount: 100, inWallet: false });
  mint.clearFaults();
  expect((await receiving).body).toMatchObject({ success: true, amount: 100 });
  expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
  expect((await release(wallet, pending?.id ?? '')).body.code).toBe('not_releasable');
  await expectConsistent(wallet, mint);
});

test.each([
  ['never did', 'before'],
  ['did after all', 'after'],
] as const)('a released send that the mint %s loses nothing', { tags: 'slow' }, async (_name, when) => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 100);
  misbehave(mint, when);
  const { body } = await whileTimePasses(wallet, send(wallet, 20));
  expect(body.code).toBe('send_pending');
  expect(await sums(wallet)).toEqual({ balance: 68, pending: 12 });
  // Otherwise, the check after a release finds out whether the mint spent the proof, sooner or later than this test reads the balance.
  mint.fail('/v1/checkstate', { kind: 'status' });
  const released = await release(wallet, body.operationId);
  // A copy of what is back in the balance would be handed out twice.
  expect(released.body).toEqual({ operationId: body.operationId, amount: 32, inWallet: true });
  expect(await sums(wallet)).toEqual({ balance: 100, pending: 0 });
  mint.clearFaults();
  if (when === 'before') {
    await until(async () => {
      wallet.clock.pass(6 * 60_000);
      return (await entryOf(wallet, body.operationId))?.state === 'failed';
    });
    expect(mint.unspent([await pay(wallet, 100)])).toBe(100);
  } else {
    await until(async () => {
      wallet.clock.pass(10_000);
      return (await wallet.balance()) === 80;
    });
    const { token = '', state } = (await entryOf(wallet, body.operationId)) ?? {};
    expect(state).toBe('completed');
    expect(mint.unspent([token])).toBe(20);
  }
  await expectConsistent(wallet, mint);
});

test('a released send that the mint executed after all is found, even if another send tried its proofs first', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 100);
  misbehave(mint, 'after');
  const { body } = await whileTimePasses(wallet, send(wallet, 20));
  await release(wallet, body.operationId);
  mint.clearFaults();
  // It would take the same proof of 32, which is spent.
  const token = await pay(wallet, 30);
  expect(mint.unspent([token])).toBe(30);
  await until(async () => {
    wallet.clock.pass(10_000);
    return (await wallet.balance()) === 50;
  });
  expect(await entryOf(wallet, body.operationId)).toMatchObject({ state: 'completed', amount: 20 });
  await expectConsistent(wallet, mint);
});

test('a released send that is found while another send holds its proofs counts them once', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 100);
  misbehave(mint, 'after');
  const first = (await whileTimePasses(wallet, send(wallet, 20))).body.operationId;
  // Otherwise, the wallet would know that they are spent.
  mint.fail('/v1/checkstate', { kind: 'status' });
  await release(wallet, first);
  mint.clearFaults('/v1/swap');
  mint.clearFaults('/v1/restore');
  mint.fail('/v1/swap', { kind: 'hang', times: 1 });
  const sending = send(wallet, 30);
  await until(() => mint.hanging() === 1);
  mint.clearFaults('/v1/checkstate');
  await until(async () => {
    wallet.clock.pass(10_000);
    return (await entryOf(wallet, first))?.state === 'completed';
  });
  const second = (await whileTimePasses(wallet, sending)).body;
  expect(second.code).toBe('send_pending');
  expect(mint.hanging()).toBe(1);
  mint.clearFaults();
  await settle(wallet);
  expect(await entryOf(wallet, second.operationId)).toMatchObject({ error: { code: 'already_spent' } });
  expect(await wallet.balance()).toBe(80);
  await expectConsistent(wallet, mint);
});

test('a released reclaim returns the token that was sent, and can be retried', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 64);
  const { operationId } = (await send(wallet, 32)).body;
  misbehave(mint);
  const { body } = await whileTimePasses(wallet, reclaim(wallet, operationId));
  const twice = await reclaim(wallet, operationId);
  expect([twice.status, twice.body.code, twice.body.operationId]).toEqual([
    503,
    'send_pending',
    body.operationId,
  ]);
  const released = (await release(wallet, body.operationId)).body;
  expect(released).toMatchObject({ amount: 32, inWallet: false });
  mint.clearFaults();
  expect((await reclaim(wallet, operationId)).body.amount).toBe(32);
  await runRecoveryPasses(wallet, 2);
  expect(await sums(wallet)).toEqual({ balance: 64, pending: 0 });
  await expectConsistent(wallet, mint);
});

test('only the operator releases, and only pending operations', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 8);
  const [received] = await readHistory(wallet);
  const path = `/api/wallet/operations/${received?.id}/release`;
  expect((await wallet.call('POST', path)).status).toBe(403);
  const { status, body } = await wallet.asOperator('POST', path);
  expect([status, body.code]).toEqual([409, 'not_releasable']);
  const unknown = await release(wallet, '00000000-0000-4000-8000-000000000000');
  expect([unknown.status, unknown.body.code]).toEqual([404, 'operation_not_found']);
  await settle(wallet);
  await expectConsistent(wallet, mint);
});

test('a pending send still settles its own proof when a token with that proof was spent', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 64);
  misbehave(mint);
  const { body } = await whileTimePasses(wallet, send(wallet, 10));
  expect(body.code).toBe('send_pending');
  const rows = await readRows(
    await copyWallet(wallet.directory),
    "SELECT keyset_id AS id, amount, secret, c AS C FROM proofs WHERE state = 'held'",
  );
  const proofs = rows.map(({ id, amount, secret, C }) => ({
    id: String(id),
    amount: Amount.from(Number(amount)),
    secret: String(secret),
    C: String(C),
  }));
  const token = getEncodedToken({ mint: mint.url, unit: 'sat', proofs });
  // Another copy of this wallet spends it.
  mint.spend([token]);
  mint.clearFaults();
  expect((await whileTimePasses(wallet, wallet.receive(token))).body.code).toMatch(
    /token_spent|token_in_progress/,
  );
  await settle(wallet);
  await expectConsistent(wallet, mint);
});
