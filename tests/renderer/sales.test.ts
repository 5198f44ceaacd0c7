import { describe, expect, it } from 'vitest';
import { chargedOf, costOf, totalOf } from '../../src/renderer/src/features/activity/use-sales.ts';
import type { Charge, FrozenPrice } from '../../src/shared/api/charges.ts';

describe('the sums of sales', () => {
  const price: FrozenPrice = {
    model: 'm',
    input_usd_per_million: 5,
    output_usd_per_million: 25,
    btc_price_usd: 50_000,
    updated_at: '2026-11-26T00:00:00.000Z',
    marginPercent: 100,
  };
  const charge = (more: Partial<Charge>): Charge => ({
    id: 'c',
    state: 'settled',
    amount: 20,
    unit: 'sat',
    mints: [],
    requestHash: '',
    createdAt: '2026-11-26T00:00:00.000Z',
    expiresAt: '2026-11-26T00:00:00.000Z',
    paymentRequest: '',
    faceValue: 20,
    paid: 20,
    charged: 8,
    price,
    ...more,
  });

  it('know a cost only with a price and the tokens of the work', () => {
    const used = { inputTokens: 1_000, outputTokens: 100 };
    expect(costOf(charge({ used }))).toBe(15);
    expect(costOf(charge({ used: { ...used, cacheReadTokens: 1_000 } }))).toBe(25);
    expect(costOf(charge({}))).toBeNull();
    expect(costOf({ used })).toBeNull();
  });

  it('count no work that is open, and the cost of refunded work', () => {
    expect(chargedOf(charge({ state: 'held' }))).toBeNull();
    const works = [
      { charge: charge({ charged: 8 }), costSats: 4 },
      { charge: charge({ charged: 6 }), costSats: null },
      { charge: charge({ state: 'refunded', charged: 0 }), costSats: 3 },
      { charge: charge({ state: 'held' }), costSats: null },
    ];
    expect(totalOf(works)).toEqual({ count: 2, charged: 14, known: { count: 1, charged: 8, cost: 7 } });
  });
});
