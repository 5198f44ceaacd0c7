import { join } from 'node:path';
import { expect, test } from 'vitest';
import { playBtcSources } from '../../../support/btc-sources/play.ts';
import {
  askFor,
  chargeOf,
  expectExact,
  heldOf,
  holdCharge,
  payCharge,
  refundOf,
  releaseCharge,
  settleCharge,
} from '../../../support/charges.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import type { Fault, KeysetSpec, TestMint } from '../../../support/mint/test-mint.ts';
import { plant } from '../../../support/plant.ts';
import { until } from '../../../support/raw-http.ts';
import { makeTempDirectory } from '../../../support/temp.ts';
import { earn, expectConsistent, startCopy } from '../../../support/wallet-copies.ts';
import {
  runRecoveryPasses,
  send,
  type TimedWallet,
  settle as untilSettled,
  whileTimePasses,
} from '../../../support/wallet-recovery.ts';
import { type Entry, readHistory } from '../../../torture/ask.ts';
import { modelsText } from '../../pricing/serve-pricing.ts';

/** What a charge costs in the end, and the change. */

const sendsOf = async (wallet: TimedWallet): Promise<Entry[]> =>
  (await readHistory(wallet)).filter(({ kind }) => kind === 'send');

/** Checks that a charge has one token of change, which the customer can still use, and no other. */
const expectOneToken = async (wallet: TimedWallet, mint: TestMint, token: string) => {
  const completed = (await sendsOf(wallet)).filter(({ state }) => state === 'completed');
  expect(completed.map((entry) => entry.token)).toEqual([token]);
  expect(mint.unspent([token])).toBe(completed[0]?.amount);
};

const FEES: readonly [says: string, keysets: KeysetSpec[]][] = [
  ['without a fee', [{}]],
  ['with a fee of a sat for each proof', [{ inputFeePpk: 1_000 }]],
  ['with a fee of a sat for ten proofs', [{ inputFeePpk: 100 }]],
];

test.each(FEES)(
  'what is charged, the change and its fee add up to what was paid, at a mint %s',
  { tags: 'slow' },
  async (_, keysets) => {
    const mint = await testMint({ keysets });
    for (const face of [3, 8, 21, 64, 100, 255]) {
      // The seller of the first charge has no sats of their own.
      const wallet = await startCopy(mint);
      for (const part of [0, 0.5, 0.9, 1, 2]) {
        const { id, paid } = await holdCharge(wallet, mint, face);
        const amount = Math.floor(paid * part);
        const settled = await settleCharge(wallet, id, amount);
        expectExact(settled, mint);
        expect(settled.body.charged).toBe(Math.min(amount, paid));
        expect(settled.body.receipt).toMatchObject({ chargeId: id, charged: settled.body.charged, paid });
        expect(settled.body.receipt.capped).toBe(amount > paid ? true : undefined);
      }
      expect(await heldOf(wallet)).toMatchObject({ held: 0 });
      await expectConsistent(wallet, mint);
      await wallet.close();
    }
  },
);

test('change is exact from proofs of several keysets with different fees', { tags: 'slow' }, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const wallet = await startCopy(mint);
  for (const inputFeePpk of [0, 1_000, 350]) {
    await earn(wallet, mint, 37);
    mint.rotate({ inputFeePpk });
  }
  for (const [face, amount] of [
    [50, 1],
    [50, 49],
    [200, 3],
    [9, 4],
  ] as const) {
    const { id } = await holdCharge(wallet, mint, face);
    expectExact(await settleCharge(wallet, id, amount), mint);
  }
  await expectConsistent(wallet, mint);
});

test('a seller without sats of their own gives back all of a payment but the fee', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = await startCopy(mint);
  const { id, paid } = await holdCharge(wallet, mint, 9);
  const released = await releaseCharge(wallet, id);
  expectExact(released, mint);
  expect(released.body.refund.amount).toBe(paid - released.body.refund.fee);
  expect(await heldOf(wallet)).toEqual({ balance: 0, held: 0 });
});

test('more than was paid is capped, and an amount of 0 refunds everything', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const dear = await holdCharge(wallet, mint, 8);
  const capped = await settleCharge(wallet, dear.id, 20);
  expect(capped.body).toMatchObject({ charged: 8, receipt: { charged: 8, paid: 8, capped: true } });
  expect(capped.body.change).toBeUndefined();
  // Both say the same of this charge.
  for (const amount of [8, 20, 1_000])
    expect((await settleCharge(wallet, dear.id, amount)).body).toEqual(capped.body);

  const free = await holdCharge(wallet, mint, 8);
  const settled = await settleCharge(wallet, free.id, 0);
  expectExact(settled, mint);
  expect(settled.body).toMatchObject({ charged: 0, change: { amount: 8, fee: 0 } });
  expect(await chargeOf(wallet, free.id)).toMatchObject({ state: 'refunded', charged: 0, paid: 8 });
  const released = await releaseCharge(wallet, free.id);
  expect(released.body).toMatchObject({ state: 'refunded', refund: settled.body.change });
});

test('the same settling again gives the same token, and another one is refused with what was charged', async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { id } = await holdCharge(wallet, mint, 16);
  const settled = await settleCharge(wallet, id, 5);
  for (let count = 0; count < 2; count++) {
    expect((await settleCharge(wallet, id, 5)).body).toEqual(settled.body);
    for (const amount of [4, 6, 0, 16]) {
      const other = await settleCharge(wallet, id, amount);
      expect([other.status, other.body.code, other.body.charged]).toEqual([409, 'already_settled', 5]);
    }
    const released = await releaseCharge(wallet, id);
    expect([released.status, released.body.code, released.body.charged]).toEqual([409, 'already_settled', 5]);
  }
  await expectOneToken(wallet, mint, settled.body.change.token);
  await expectConsistent(wallet, mint);
});

test('a released charge stays released, and the same release again gives the same token', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const { id } = await holdCharge(wallet, mint, 16);
  const released = await releaseCharge(wallet, id);
  expect(released.body).toMatchObject({ state: 'refunded', refund: { amount: 16, fee: 0 } });
  for (let count = 0; count < 2; count++) {
    expect((await releaseCharge(wallet, id)).body).toEqual(released.body);
    const settled = await settleCharge(wallet, id, 5);
    expect([settled.status, settled.body.code]).toEqual([409, 'already_refunded']);
  }
  await expectOneToken(wallet, mint, released.body.refund.token);
  await expectConsistent(wallet, mint);
});

test('of many settlings and releases at once one decides, and makes one token', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 1_000);
  for (let round = 0; round < 3; round++) {
    const before = (await sendsOf(wallet)).length;
    const { id } = await holdCharge(wallet, mint, 64);
    const asks = Array.from({ length: 20 }, (_, index) =>
      index % 2 === round % 2 ? settleCharge(wallet, id, 10 + (index % 3)) : releaseCharge(wallet, id),
    );
    const answers = await Promise.all(asks);
    const done = answers.filter(({ status }) => status === 200);
    const others = answers.filter(({ status }) => status !== 200);
    expect(done.length).toBeGreaterThan(0);
    expect(new Set(done.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    for (const { status, body } of others)
      expect([
        [409, 'already_settled'],
        [409, 'already_refunded'],
      ]).toContainEqual([status, body.code]);
    for (const answer of done) expectExact(answer, mint);
    expect((await sendsOf(wallet)).length).toBe(before + 1);
  }
  await expectConsistent(wallet, mint);
});

test('change that is less than its own fee is kept, said in the receipt, and earned', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = await startCopy(mint);
  const { id, token, paid } = await holdCharge(wallet, mint, 9, { label: 'poem' });
  const settled = await settleCharge(wallet, id, paid - 1);
  expect(settled.status).toBe(200);
  expect(settled.body).toMatchObject({ charged: paid - 1, receipt: { changeKept: 1, paid } });
  expect(settled.body.change).toBeUndefined();
  expect((await settleCharge(wallet, id, paid - 1)).body).toEqual(settled.body);
  const refund = await refundOf(wallet, token);
  expect([refund.status, refund.body.code, refund.body.charged]).toEqual([
    404,
    'nothing_to_refund',
    paid - 1,
  ]);
  const { body: earnings } = await wallet.asOperator('GET', '/api/earnings');
  expect(earnings.total.earnedSats).toBe(paid);
  expect(await heldOf(wallet)).toEqual({ balance: paid, held: 0 });
  expect(await sendsOf(wallet)).toEqual([]);
});

test('a refund that its fee would use up is kept, even by a seller without other sats', {
  tags: 'slow',
}, async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 1_000 }] });
  const wallet = await startCopy(mint);
  const { id, paid } = await holdCharge(wallet, mint, 3);
  expect(paid).toBe(1);
  const released = await releaseCharge(wallet, id);
  expect([released.status, released.body.code]).toEqual([200, undefined]);
  expect(released.body).toMatchObject({ state: 'refunded', receipt: { charged: 0, paid: 1, changeKept: 1 } });
  expect(released.body.refund).toBeUndefined();
  expect(await heldOf(wallet)).toEqual({ balance: 1, held: 0 });
});

test('what nobody paid can be neither settled nor released', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  const refuse = async (id: string, code: string) => {
    for (const { body } of [await settleCharge(wallet, id, 1), await releaseCharge(wallet, id)])
      expect(body.code).toBe(code);
  };
  const { body: charge } = await askFor(wallet, 4, { ttlSeconds: 60 });
  await refuse(charge.id, 'charge_open');
  await refuse('no-such-charge', 'charge_not_found');

  mint.fail('/v1/swap', { kind: 'drop' });
  const token = mint.issue(4, { withoutDleq: true });
  const pending = await whileTimePasses(wallet, payCharge(wallet, charge.id, token));
  expect(pending.body.code).toBe('redemption_pending');
  await refuse(charge.id, 'charge_open');
  mint.clearFaults();
  await untilSettled(wallet);
  expect((await settleCharge(wallet, charge.id, 4)).body.charged).toBe(4);

  const { body: unpaid } = await askFor(wallet, 4, { ttlSeconds: 60 });
  wallet.clock.pass(60_000);
  expect((await chargeOf(wallet, unpaid.id)).state).toBe('expired');
  await refuse(unpaid.id, 'charge_open');
});

/** What a mint does to the swap of the change, what settling answers then, and whether the mint did the swap. */
const TROUBLES: readonly [says: string, trouble: (mint: TestMint) => void, code: string][] = [
  ['is slow', (mint) => mint.fail('/v1/swap', { kind: 'hang' }), 'send_pending'],
  ['refuses', (mint) => mint.fail('/v1/swap', { kind: 'error', code: 20_003, detail: 'no' }), 'mint_refused'],
  ['hangs up', (mint) => mint.fail('/v1/swap', { kind: 'drop' }), 'send_pending'],
  [
    'loses its answer',
    (mint) => {
      const lost: Fault = { kind: 'drop', when: 'after' };
      mint.fail('/v1/swap', lost);
      mint.fail('/v1/restore', { kind: 'status' });
    },
    'send_pending',
  ],
  [
    'answers 500 and has done it',
    (mint) => {
      mint.fail('/v1/swap', { kind: 'status', when: 'after' });
      mint.fail('/v1/restore', { kind: 'status' });
    },
    'send_pending',
  ],
];

test.each(TROUBLES)(
  'a mint that %s while it makes the change costs nobody anything',
  { tags: 'slow' },
  async (_, trouble, code) => {
    const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
    const wallet = await startCopy(mint);
    await earn(wallet, mint, 200);
    const { id, token } = await holdCharge(wallet, mint, 64);
    trouble(mint);
    const late = await whileTimePasses(wallet, settleCharge(wallet, id, 10));
    expect(late.body.code).toBe(code);
    expect(await chargeOf(wallet, id)).toMatchObject({ state: 'settled', charged: 10 });
    const again = await whileTimePasses(wallet, settleCharge(wallet, id, 10));
    expect([again.status >= 400, again.body.code]).toEqual([true, code]);
    if (code === 'send_pending') {
      expect([late.status, late.headers.get('retry-after')]).toEqual([
        503,
        String(late.body.retryAfterSeconds),
      ]);
      expect((await refundOf(wallet, token)).body.code).toBe('send_pending');
    }
    mint.clearFaults();
    await untilSettled(wallet);
    const settled = await settleCharge(wallet, id, 10);
    expectExact(settled, mint);
    expect((await refundOf(wallet, token)).body.refund).toEqual(settled.body.change);
    await runRecoveryPasses(wallet);
    expect((await settleCharge(wallet, id, 10)).body).toEqual(settled.body);
    await expectOneToken(wallet, mint, settled.body.change.token);
    await expectConsistent(wallet, mint);
  },
);

test('change waits for a mint that is away, and is then made without being asked for', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const first = await startCopy(mint);
  const { id, token } = await holdCharge(first, mint, 64);
  await first.close();
  await mint.away();
  // A wallet that never reached its mint must ask it for its keysets.
  const wallet = await startCopy(mint, { directory: first.directory });
  const settled = await settleCharge(wallet, id, 10);
  expect([settled.status, settled.body.code]).toEqual([503, 'mint_unreachable']);
  expect(await heldOf(wallet)).toEqual({ balance: 64, held: 54 });
  await mint.back();
  await until(async () => {
    wallet.clock.pass(10 * 60_000);
    return (await sendsOf(wallet)).length === 1;
  });
  await untilSettled(wallet);
  const { body } = await refundOf(wallet, token);
  expect(body).toMatchObject({ state: 'settled', refund: { amount: 54 } });
  await expectOneToken(wallet, mint, body.refund.token);
});

test('a customer has one token of change, also if the mint says later that it made an earlier one', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 256);
  const { id, token } = await holdCharge(wallet, mint, 64);
  // It did the swap, and forgets its signatures for a while: the change looks spent by somebody else.
  mint.fail('/v1/swap', { kind: 'status', when: 'after', times: 1 });
  mint.fail('/v1/restore', { kind: 'lag', seconds: 10_000_000 });
  const settled = await whileTimePasses(wallet, settleCharge(wallet, id, 10));
  const { change } = settled.status === 200 ? settled.body : { change: undefined };
  mint.clearFaults();
  await until(async () => {
    wallet.clock.pass(60_000);
    return (await settleCharge(wallet, id, 10)).status === 200;
  });
  const now = await settleCharge(wallet, id, 10);
  if (change) expect(now.body.change).toEqual(change);
  await runRecoveryPasses(wallet, 20);
  expect((await settleCharge(wallet, id, 10)).body).toEqual(now.body);
  expect((await refundOf(wallet, token)).body.refund).toEqual(now.body.change);
  // What else the mint signed is the seller's.
  for (const other of await sendsOf(wallet)) {
    if (other.state !== 'completed' || other.token === now.body.change.token) continue;
    const reclaimed = await wallet.asOperator('POST', `/api/wallet/operations/${other.id}/reclaim`);
    expect(reclaimed.status).toBe(200);
  }
  expect(await wallet.balance()).toBe(256 + 10);
  await expectConsistent(wallet, mint);
});

test('change waits for sats that other operations hold', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const wallet = await startCopy(mint);
  await earn(wallet, mint, 4);
  const { id } = await holdCharge(wallet, mint, 2);
  mint.fail('/v1/swap', { kind: 'hang' });
  // The first takes the proof of 2, the second the one of 4.
  const sending = [send(wallet, 2)];
  await until(() => mint.hanging() === 1);
  sending.push(send(wallet, 1));
  await until(() => mint.hanging() === 2);
  expect(await wallet.balance()).toBe(0);
  const busy = await releaseCharge(wallet, id);
  expect([busy.status, busy.body.code]).toEqual([503, 'wallet_busy']);
  expect(busy.body.retryAfterSeconds).toBeGreaterThan(0);
  mint.clearFaults();
  expect((await Promise.all(sending)).map(({ status }) => status)).toEqual([201, 201]);
  expectExact(await releaseCharge(wallet, id), mint);
  await expectConsistent(wallet, mint);
});

test('a price that isn’t flat counts the highest tier in advance, and that of the largest request in the end', async () => {
  const mint = await testMint();
  const directory = await makeTempDirectory();
  const [short, long] = [
    { input_usd_per_million: 2, output_usd_per_million: 10 },
    { input_usd_per_million: 4, output_usd_per_million: 15 },
  ];
  const sol = { ...short, request_usd: 0.005, tiers: [{ input_tokens_above: 200_000, ...long }] };
  await plant(directory, { 'models.json': JSON.stringify({ models: { sol } }) });
  const wallet = await startCopy(mint, {
    environment: {
      BTC_PRICE_SOURCES: (await playBtcSources(100_000)).setting(),
      MODEL_PRICING_PATH: join(directory, 'models.json'),
    },
  });
  await until(async () => (await wallet.call('POST', '/api/pricing/refresh')).status === 200);
  const order = { ...priced('sol', 300_000, 1_000), maxRequests: 2 };
  const asked = await askFor(wallet, undefined, order);
  // 1,200 sat of input, 15 of output and 2 fees of 5.
  expect(asked.body).toMatchObject({ amount: 1_225, price: sol });
  const use = { inputTokens: 250_000, outputTokens: 1_000, requests: 2 };
  for (const [largestInputTokens, charged] of [
    [150_000, 520],
    [210_000, 1_025],
    [undefined, 1_025],
  ]) {
    const { body: charge } = await askFor(wallet, undefined, order);
    const { id } = charge;
    await payCharge(wallet, id, mint.issue(charge.faceValue, { withoutDleq: true }));
    const settled = await settleCharge(wallet, id, { ...use, largestInputTokens });
    expect([settled.status, settled.body.charged]).toEqual([200, charged]);
    const known = largestInputTokens === undefined ? use : { ...use, largestInputTokens };
    expect((await chargeOf(wallet, id)).used).toEqual(known);
  }
});

/** A wallet that knows models: `[input, output, cacheRead?]` in USD per million, with a bitcoin at $100,000. */
const startPriced = async (mint: TestMint) => {
  const sources = await playBtcSources(100_000);
  const directory = await makeTempDirectory();
  const writeModels = (models: Parameters<typeof modelsText>[0]) =>
    plant(directory, { 'models.json': modelsText(models) });
  await writeModels({ a: [3, 15], cached: [3, 15, 0.3], tenth: [0.1, 0.2], free: [0, 0] });
  const wallet = await startCopy(mint, {
    environment: {
      BTC_PRICE_SOURCES: sources.setting(),
      MODEL_PRICING_PATH: join(directory, 'models.json'),
    },
  });
  const refresh = () => wallet.call('POST', '/api/pricing/refresh');
  await until(async () => (await refresh()).status === 200);
  return { wallet, sources, writeModels, refresh };
};

const priced = (model: string, maxInputTokens: number, maxOutputTokens: number, marginPercent?: number) => ({
  model,
  maxInputTokens,
  maxOutputTokens,
  ...(marginPercent === undefined ? {} : { marginPercent }),
});

test('a price in model tokens is exact to the sat and rounded up once, with the margin', async () => {
  const mint = await testMint();
  const { wallet } = await startPriced(mint);
  for (const [model, input, output, margin, sats] of [
    // 3 and 7.5 sat.
    ['a', 1_000, 500, 0, 11],
    ['a', 1_000, 500, 30, 14],
    // Not 2, as if each part was rounded up.
    ['a', 100, 10, 0, 1],
    // Exactly 100 and 110 sat, which binary fractions would round up.
    ['tenth', 1_000_000, 0, 0, 100],
    ['tenth', 1_000_000, 0, 10, 110],
    ['tenth', 1_000_000, 1_000_000, 10, 330],
    ['a', 1, 0, 0, 1],
    ['a', 0, 0, 0, 1],
    ['free', 1_000_000, 1_000_000, 10_000, 1],
  ] as const) {
    const { status, body } = await askFor(wallet, undefined, priced(model, input, output, margin));
    expect([status, body.code, model, input, output, margin, body.amount]).toEqual([
      201,
      undefined,
      model,
      input,
      output,
      margin,
      sats,
    ]);
  }
});

test('a charge settles at its frozen price, whatever prices become', async () => {
  const mint = await testMint();
  const { wallet, sources, writeModels, refresh } = await startPriced(mint);
  const charges = [];
  for (const model of ['a', 'cached']) {
    const fields = priced(model, 10_000, 1_000, 20);
    const { body: charge } = await askFor(wallet, undefined, fields);
    // (30 + 15) sat and a fifth.
    expect(charge).toMatchObject({ amount: 54, price: { model, marginPercent: 20, btc_price_usd: 100_000 } });
    charges.push(charge);
    await payCharge(wallet, charge.id, mint.issue(64, { withoutDleq: true }));
  }
  const [plain, cached] = charges;
  await writeModels({ a: [300, 1_500], cached: [300, 1_500, 30], free: [0, 0], tenth: [1, 1] });
  sources.playAll(50_000);
  wallet.clock.pass(60_000);
  expect((await refresh()).status).toBe(200);
  expect((await askFor(wallet, undefined, priced('a', 10_000, 1_000, 20))).body.amount).toBe(54 * 200);

  const use = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 10_000 };
  // 3 + 1.5 + 30 sat without a price for what is cached, else 3 + 1.5 + 3, and a fifth more of both.
  for (const [charge, cost] of [
    [plain, 42],
    [cached, 9],
  ]) {
    const settled = await settleCharge(wallet, charge.id, use);
    expectExact(settled, mint);
    expect(settled.body.charged).toBe(cost);
    expect((await settleCharge(wallet, charge.id, use)).body).toEqual(settled.body);
    expect((await settleCharge(wallet, charge.id, cost)).body).toEqual(settled.body);
    expect((await settleCharge(wallet, charge.id, { ...use, inputTokens: 0 })).body).toMatchObject({
      code: 'already_settled',
      charged: cost,
    });
  }
  await expectConsistent(wallet, mint);
});

test('work of a model that costs nothing costs 1 sat, and a flat price takes no model tokens', {
  tags: 'slow',
}, async () => {
  const mint = await testMint();
  const { wallet } = await startPriced(mint);
  const { body: charge } = await askFor(wallet, undefined, priced('free', 1_000, 1_000));
  await payCharge(wallet, charge.id, mint.issue(2, { withoutDleq: true }));
  const settled = await settleCharge(wallet, charge.id, { inputTokens: 1_000, outputTokens: 5 });
  expect(settled.body).toMatchObject({ charged: 1, change: { amount: 1 } });

  const flat = await holdCharge(wallet, mint, 8);
  const refused = await settleCharge(wallet, flat.id, { inputTokens: 1, outputTokens: 1 });
  expect(refused.body.code).toBe('charge_not_priced');
  expect((await chargeOf(wallet, flat.id)).state).toBe('held');
  expect((await settleCharge(wallet, flat.id, 2)).body.charged).toBe(2);
});

test('change that is worth less than the fee of one proof is kept, not promised for ever', async () => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 3_000 }] });
  const wallet = await startCopy(mint);
  const { id, token, paid } = await holdCharge(wallet, mint, 64);
  const settled = await settleCharge(wallet, id, paid - 2);
  expect([settled.status, settled.body]).toMatchObject([200, { receipt: { changeKept: 2 } }]);
  expect((await refundOf(wallet, token)).body.code).toBe('nothing_to_refund');
  expect((await heldOf(wallet)).held).toBe(0);
});
