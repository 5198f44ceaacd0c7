import { expect, test } from 'vitest';
import { DECISION_TIMES } from '../../../src/server/wallet/operations/decide.ts';
import { askFor, openAndPay, payCharge, refundOf } from '../../support/charges.ts';
import { testMint } from '../../support/mint/for-test.ts';
import { until } from '../../support/raw-http.ts';
import type { Answer } from '../../support/server.ts';
import {
  serveTimedWallet,
  settle,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/** A first payment fails, but its request arrives at the mint later. Then the customer pays with the same token again. */

const receivesOf = async (wallet: TimedWallet) =>
  (await readHistory(wallet)).filter(({ kind }) => kind === 'receive').map(({ state }) => state);

const start = async (pay: (wallet: TimedWallet, token: string) => Promise<Answer>) => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { decisionTimes: DECISION_TIMES, mintTimeoutMs: 1_000 });
  await wallet.receive(mint.issue(8, { withoutDleq: true }));
  const token = mint.issue(512, { withoutDleq: true });
  mint.fail('/v1/swap', { kind: 'hang', times: 1 });
  mint.fail('/v1/swap', { kind: 'status', status: 400, body: { detail: 'not now' } });
  await whileTimePasses(wallet, pay(wallet, token));
  await until(async () => {
    wallet.clock.pass(5_000);
    return (await receivesOf(wallet))[0] === 'failed';
  });
  const arrive = async () => {
    mint.clearFaults('/v1/swap');
    await until(async () => mint.states(token).every((state) => state === 'SPENT'));
  };
  return { mint, wallet, token, arrive };
};

test('a token that our own failed request spent pays, and isn’t called spent', async () => {
  let id = '';
  const { wallet, token, arrive } = await start(async (seller, paid) => {
    id = (await askFor(seller, 500)).body.id;
    return payCharge(seller, id, paid);
  });
  await arrive();
  const { status, body } = await whileTimePasses(wallet, payCharge(wallet, id, token));
  expect([status, body]).toMatchObject([200, { id, state: 'held', paid: 512 }]);
  await settle(wallet);
  expect(await sums(wallet)).toEqual({ balance: 520, pending: 0 });
});

test('a receive of such a token says when the wallet received it', { tags: 'slow' }, async () => {
  const { wallet, token, arrive } = await start((seller, paid) => seller.receive(paid));
  await arrive();
  const { body } = await whileTimePasses(wallet, wallet.receive(token));
  expect(body).toMatchObject({ code: 'token_spent', receivedAmount: 512 });
  expect(await sums(wallet)).toEqual({ balance: 520, pending: 0 });
});

test('a payment that completes while a second one with its token is pending can be refunded', async () => {
  const pay = (seller: TimedWallet, paid: string) => openAndPay(seller, 500, paid, { holdSeconds: 600 });
  const { mint, wallet, token, arrive } = await start(pay);
  await arrive();
  // The second request gets no clear answer.
  mint.fail('/v1/swap', { kind: 'status', status: 500 });
  const second = pay(wallet, token);
  await until(async () => (await receivesOf(wallet))[0] === 'pending');
  await until(async () => {
    wallet.clock.pass(1_000);
    return (await receivesOf(wallet))[1] === 'completed';
  });
  await whileTimePasses(wallet, second);
  mint.clearFaults();
  await settle(wallet, 10_000);
  await until(async () => {
    wallet.clock.pass(60_000);
    return (await readHistory(wallet)).some(({ kind, state }) => kind === 'send' && state === 'completed');
  });
  const { body } = await whileTimePasses(wallet, refundOf(wallet, token));
  expect(body.code).toBeUndefined();
  expect(mint.unspent([body.refund.token])).toBe(512);
});

test('a receive that failed is still found if the mint carries it out days later', async () => {
  const { mint, wallet, arrive } = await start((seller, paid) => seller.receive(paid));
  for (let day = 0; day < 3; day++) {
    const asked = mint.requestCount('/v1/restore');
    wallet.clock.pass(24 * 60 * 60_000);
    await until(() => {
      // A turn that was still running plans the next one from its own end.
      wallet.clock.pass(5_000);
      return mint.requestCount('/v1/restore') > asked;
    });
  }
  expect((await receivesOf(wallet))[0]).toBe('failed');
  await arrive();
  await until(async () => {
    wallet.clock.pass(11 * 60_000);
    return !(await receivesOf(wallet)).includes('failed');
  });
  expect(await sums(wallet)).toEqual({ balance: 520, pending: 0 });
});
