import { expect, test } from 'vitest';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import {
  expectNothingLost,
  serveTimedWallet,
  settle,
  sums,
  type TimedWallet,
  whileTimePasses,
} from '../../support/wallet-recovery.ts';

/** The highest fee of a send, at a mint that raises its fees while the wallet works. */

/** Keysets of version 1, because their ids don't cover the fee. */
const setUp = async () => {
  const mint = await testMint({ keysets: [{ version: 1 }] });
  const wallet = await serveTimedWallet(mint);
  const token = mint.issue(2_048, { withoutDleq: true });
  await wallet.receive(token);
  return { mint, wallet, token };
};

/** The wallet doesn't notice until the mint refuses its swap. */
const raiseFee = (mint: TestMint, sats: number) =>
  mint.setKeyset(mint.keysets()[0]?.id ?? '', { inputFeePpk: sats * 1_000 });

const send = (wallet: TimedWallet, body: object, key?: string) =>
  whileTimePasses(
    wallet,
    wallet.asOperator(
      'POST',
      '/api/wallet/send',
      body,
      key === undefined ? {} : { Authorization: `Bearer ${key}` },
    ),
  );

const createKey = async (wallet: TimedWallet, satsPerDay: number) =>
  (
    await wallet.asOperator('POST', '/api/keys', {
      label: 'Spender',
      scopes: ['spend'],
      spend: { satsPerDay },
    })
  ).body;

const spentToday = async (wallet: TimedWallet, id: string): Promise<number> => {
  const { keys } = (await wallet.asOperator('GET', '/api/keys')).body;
  return keys.find((key: { id: string }) => key.id === id).spend.spentToday;
};

test('a key never spends more than its limit when the mint raises its fee during the send', async () => {
  const { mint, wallet, token } = await setUp();
  const { id, key } = await createKey(wallet, 600);
  raiseFee(mint, 450);
  // First, while the wallet still expects the old fee.
  const accepted = await send(wallet, { amount: 512, maxFee: 450 }, key);
  expect([accepted.body.code, await spentToday(wallet, id)]).toEqual(['spend_limit_reached', 0]);
  const { status, body } = await send(wallet, { amount: 512 }, key);
  expect([status, body.code, await spentToday(wallet, id)]).toEqual([422, 'fee_too_high', 0]);
  expect(await sums(wallet)).toEqual({ balance: 2_048, pending: 0 });
  raiseFee(mint, 0);
  await expectNothingLost(wallet, mint, [token]);
});

test('a key whose limit covers the new fee sends with it', async () => {
  const { mint, wallet } = await setUp();
  const { id, key } = await createKey(wallet, 600);
  raiseFee(mint, 50);
  const { status, body } = await send(wallet, { amount: 500 }, key);
  expect([status, body.fee, await spentToday(wallet, id)]).toEqual([201, 50, 550]);
});

test('a pending send reserves the highest fee that it accepts, and an ended one what it cost', {
  tags: 'slow',
}, async () => {
  const { mint, wallet } = await setUp();
  const { id, key } = await createKey(wallet, 100);
  mint.fail('/v1/swap', { kind: 'drop' });
  const { body } = await send(wallet, { amount: 50, maxFee: 40 }, key);
  expect([body.code, await spentToday(wallet, id)]).toEqual(['send_pending', 90]);
  expect((await send(wallet, { amount: 11 }, key)).body.code).toBe('spend_limit_reached');
  mint.clearFaults();
  await settle(wallet, 500);
  expect(await spentToday(wallet, id)).toBe(50);
});

test.each([
  // Tokens of one proof, so that they are worth more than their own fee.
  [512, 100, 101],
  [1_024, 102, 103],
])(
  'a send of %i sat without a key pays a fee of %i sat, and refuses one of %i',
  { tags: 'slow' },
  async (amount, paid, refused) => {
    const { mint, wallet, token } = await setUp();
    raiseFee(mint, refused);
    const { status, body } = await send(wallet, { amount });
    expect([status, body.code, body.fee, body.maxFee]).toEqual([422, 'fee_too_high', refused, paid]);
    expect(await sums(wallet)).toEqual({ balance: 2_048, pending: 0 });
    raiseFee(mint, paid);
    const sent = await send(wallet, { amount });
    expect([sent.status, sent.body.fee]).toEqual([201, paid]);
    raiseFee(mint, 0);
    await expectNothingLost(wallet, mint, [token]);
  },
);

test('maxFee allows a higher fee, and refuses a lower one', { tags: 'slow' }, async () => {
  const { mint, wallet } = await setUp();
  raiseFee(mint, 300);
  const { body } = await send(wallet, { amount: 512, maxFee: 299 });
  expect(body).toMatchObject({ code: 'fee_too_high', fee: 300, maxFee: 299 });
  const sent = await send(wallet, { amount: 512, maxFee: 300 });
  expect([sent.status, sent.body.fee]).toEqual([201, 300]);
});

test('an Idempotency-Key whose send was refused for its fee sends when the fee is lower', {
  tags: 'slow',
}, async () => {
  const { mint, wallet } = await setUp();
  raiseFee(mint, 300);
  const keyed = () =>
    whileTimePasses(
      wallet,
      wallet.asOperator('POST', '/api/wallet/send', { amount: 500 }, { 'Idempotency-Key': 'one' }),
    );
  expect((await keyed()).body.code).toBe('fee_too_high');
  raiseFee(mint, 20);
  expect((await keyed()).body).toMatchObject({ amount: 500, fee: 20 });
});
