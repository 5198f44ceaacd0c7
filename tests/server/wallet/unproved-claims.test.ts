import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MOST_SATS } from '../../../src/server/wallet/mint/mint.ts';
import { DECISION_TIMES } from '../../../src/server/wallet/operations/decide.ts';
import { MOST_UNSIGNED } from '../../../src/server/wallet/operations/outputs.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import { editProofs } from '../../support/wallet.ts';
import { withStore } from '../../support/wallet-plant.ts';
import {
  expectNothingLost,
  PATIENT,
  send,
  serveTimedWallet,
  settle,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/** A token without DLEQ proofs can claim anything. Until the mint signs its swap, it must take nothing from others. */

/** A mint with a key for every amount that a wallet can hold. */
const mintOfAnyAmount = () => testMint({ keysets: [{ keyCount: 52 }] });

/** The powers of two that add up to an amount. */
const powersOf = (amount: number): number[] =>
  Array.from({ length: 52 }, (_, power) => 2 ** power).filter(
    (power) => Math.floor(amount / power) % 2 === 1,
  );

test('forged tokens that claim all sats that exist keep nobody else from paying', async () => {
  const mint = await mintOfAnyAmount();
  const wallet = await serveTimedWallet(mint, { decisionTimes: DECISION_TIMES });
  const forged = Array.from({ length: 6 }, () =>
    wallet.receive(mint.issue(MOST_SATS, { split: powersOf(MOST_SATS), forged: true, withoutDleq: true })),
  );
  // Each is pending until its second look.
  await until(() => mint.requestCount('/v1/restore') === forged.length);
  expect((await wallet.call('GET', '/api/wallet/balance')).status).toBe(200);
  for (const amount of [8, 2 ** 40])
    expect(await wallet.receive(mint.issue(amount, { split: [amount], withoutDleq: true }))).toMatchObject({
      status: 200,
    });
  for (const { body } of await whileTimePasses(wallet, Promise.all(forged)))
    expect(body.code).toBe('invalid_signature');
  expect(await sums(wallet)).toEqual({ balance: 8 + 2 ** 40, pending: 0 });
});

test('of two swaps whose sats don’t fit together, one waits until there’s room', async () => {
  const mint = await mintOfAnyAmount();
  const wallet = await serveTimedWallet(mint);
  mint.fail('/v1/swap', { kind: 'hang' });
  const claims = Array.from({ length: 2 }, () => wallet.receive(mint.issue(2 ** 50, { split: [2 ** 50] })));
  await until(() => mint.hanging() === claims.length);
  mint.clearFaults();
  const answers = await Promise.all(claims);
  expect(answers.map(({ status, body }) => [status, body.code]).sort()).toEqual([
    [200, undefined],
    [503, 'redemption_pending'],
  ]);
  expect(await sums(wallet)).toEqual({ balance: 2 ** 50, pending: 2 ** 50 });
  expect((await send(wallet, 2 ** 50)).status).toBe(201);
  await settle(wallet);
  expect(await sums(wallet)).toEqual({ balance: 2 ** 50, pending: 0 });
});

/** Creates a forged token with this many outputs. */
const forge = (mint: TestMint, outputs: number): string =>
  mint.issue(outputs * 2 ** 31, {
    split: Array<number>(outputs).fill(2 ** 31),
    forged: true,
    withoutDleq: true,
  });

/** The mint refuses a forged token with this many outputs, without a code, so that the refusal isn't final. */
const refuseForged = async (wallet: TimedWallet, mint: TestMint, outputs: number) => {
  mint.fail('/v1/swap', { kind: 'status', status: 400, body: { detail: 'Proof could not be verified.' } });
  const refused = await whileTimePasses(wallet, wallet.receive(forge(mint, outputs)));
  expect(refused.body.code).toBe('mint_refused');
  mint.clearFaults();
};

test('a forged token that keeps all counters in doubt closes no empty wallet', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, PATIENT);
  await refuseForged(wallet, mint, MOST_UNSIGNED);
  const tokens = [64, 32].map((amount) => mint.issue(amount, { withoutDleq: true }));
  expect(await whileTimePasses(wallet, wallet.receive(tokens[0]))).toMatchObject({ status: 200 });
  // Its outputs were random, so its sats are moved to others that the words restore.
  await until(async () => {
    wallet.clock.pass(1_000);
    return (await readHistory(wallet)).some(({ kind, state }) => kind === 'swap' && state === 'completed');
  });
  expect(await whileTimePasses(wallet, wallet.receive(tokens[1]))).toMatchObject({ status: 200 });
  expect(await sums(wallet)).toEqual({ balance: 96, pending: 0 });
  const { mnemonic } = (await wallet.asOperator('GET', '/api/wallet/seed')).body;
  await wallet.close();
  const other = await serveTimedWallet(mint);
  const restored = await other.asOperator('POST', '/api/wallet/restore', { mnemonic });
  expect(restored.body).toMatchObject({ amount: 96 });
  await expectNothingLost(other, mint, tokens);
});

test('with all counters in doubt, forty forged tokens at once only delay an honest one', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { ...PATIENT, decisionTimes: DECISION_TIMES });
  await refuseForged(wallet, mint, MOST_UNSIGNED);
  const crowd = Array.from({ length: 40 }, () => wallet.receive(forge(mint, 1)));
  // The first of them wait for counters, and the honest token after all of them.
  await sleep(300);
  const honest = mint.issue(64, { withoutDleq: true });
  const startedAt = wallet.clock.now();
  expect(await whileTimePasses(wallet, wallet.receive(honest))).toMatchObject({ status: 200 });
  expect(wallet.clock.now() - startedAt).toBeLessThan(60_000);
  const answers = await whileTimePasses(wallet, Promise.all(crowd));
  expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set(['invalid_signature']));
  expect(await sums(wallet)).toMatchObject({ balance: 64 });
});

test('while the mint answers no swap, a token waits for a random place until its deadline', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  mint.fail('/v1/swap', { kind: 'hang' });
  const stuck = [wallet.receive(forge(mint, MOST_UNSIGNED))];
  await until(() => mint.hanging() === 1);
  stuck.push(...Array.from({ length: 20 }, () => wallet.receive(forge(mint, 1))));
  const all = whileTimePasses(wallet, Promise.all(stuck));
  await until(() => mint.hanging() === stuck.length);
  const startedAt = wallet.clock.now();
  const late = await whileTimePasses(wallet, wallet.receive(mint.issue(64, { withoutDleq: true })));
  expect(late.body).toMatchObject({ code: 'wallet_busy', retryAfterSeconds: 5 });
  expect(wallet.clock.now() - startedAt).toBeGreaterThan(10_000);
  for (const { body } of await all) expect(body.code).toBe('redemption_pending');
  mint.clearFaults();
});

test('a forged token of more outputs than there are counters stops neither sends nor receives', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, PATIENT);
  const tokens = [64, 32].map((amount) => mint.issue(amount, { withoutDleq: true }));
  await wallet.receive(tokens[0]);
  await refuseForged(wallet, mint, 2 * MOST_UNSIGNED);
  expect((await whileTimePasses(wallet, send(wallet, 10))).status).toBe(201);
  expect((await whileTimePasses(wallet, wallet.receive(tokens[1]))).status).toBe(200);
  await expectNothingLost(wallet, mint, tokens);
});

test('tokens of made-up keysets, which wait for the mint’s list, hold up no other token', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  await wallet.receive(mint.issue(1));
  mint.fail('/v1/keysets', { kind: 'hang' });
  const asked = Array.from({ length: 8 }, (_, at) => {
    const id = `00${String(at).padStart(14, 'a')}`;
    return wallet.receive(editProofs(mint.issue(8, { version: 'A' }), (proof) => ({ ...proof, id })));
  });
  await until(() => mint.hanging() === 1);
  expect((await wallet.receive(mint.issue(8))).status).toBe(200);
  mint.clearFaults();
  for (const { body } of await Promise.all(asked)) expect(body.code).toBe('unknown_keyset');
});

/** How long a task takes, in ms. */
const msOf = (task: () => unknown): number => {
  const start = performance.now();
  task();
  return performance.now() - start;
};

test('looking for a token among failed ones takes no longer for each of its proofs', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint);
  await wallet.close();
  const keysetId = mint.keysets()[0]?.id ?? '';
  const proofs = (count: number) =>
    Array.from({ length: count }, () => {
      const hex = randomBytes(32).toString('hex');
      return { id: keysetId, amount: 1, secret: hex, C: `02${hex}`, y: `02${hex}` };
    });
  await withStore(wallet.directory, ({ operations }) => {
    const plans = Array.from({ length: 5 }, () => ({ keysetId, inputs: proofs(1_000), keep: [], send: [] }));
    for (const plan of plans) {
      const { number } = operations.add({ kind: 'receive', amount: 1, fee: 0, plan });
      operations.fail(number, { code: 'mint_refused', message: 'No.' }, Date.now() + 60_000);
    }
    const look = (count: number) => {
      const ys = [...proofs(count - 1), ...(plans[3]?.inputs.slice(-1) ?? [])].map(({ y }) => y);
      expect(operations.recheckedWith(ys)).toHaveLength(1);
    };
    look(1);
    expect(msOf(() => look(1_000))).toBeLessThan(20 * msOf(() => look(1)) + 20);
  });
});
