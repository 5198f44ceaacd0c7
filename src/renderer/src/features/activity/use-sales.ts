import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Charge, listCharges } from '../../../../shared/api/charges.ts';
import { workSats } from '../../../../shared/price-math.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';

/** The limit for charges fetched for a period. */
export const MOST_CHARGES = 1_000;
const PAGE = 200;

/** Work that a customer paid for. */
export interface PaidWork {
  readonly charge: Charge;
  /** The model's cost, in sats. Null if dot-mi doesn't know the usage or the price. */
  readonly costSats: number | null;
}

/** The totals for paid work, in sats. */
export interface SalesTotal {
  /** The number of sales, excluding refunded work. */
  readonly count: number;
  readonly charged: number;
  /** Totals for sales whose cost is known, and for refunded work, which also cost the seller. */
  readonly known: { readonly count: number; readonly charged: number; readonly cost: number };
}

/** Returns the model's cost at the charge's prices. Null if its seller didn't report the usage. */
export const costOf = ({ price, used }: Pick<Charge, 'price' | 'used'>): number | null => {
  return price && used ? workSats(price, used) : null;
};

/** Returns the customer's final charge, in sats. Null until it's known. */
export const chargedOf = ({ state, charged }: Pick<Charge, 'state' | 'charged'>): number | null => {
  if (state === 'refunded') return 0;
  return state === 'settled' ? (charged ?? null) : null;
};

/** Adds up the work that is done or refunded. */
export const totalOf = (works: readonly PaidWork[]): SalesTotal => {
  const total = { count: 0, charged: 0, known: { count: 0, charged: 0, cost: 0 } };
  for (const { charge, costSats } of works) {
    const charged = chargedOf(charge);
    if (charged === null) continue;
    const sales = charge.state === 'settled' ? 1 : 0;
    total.count += sales;
    total.charged += charged;
    if (costSats === null) continue;
    total.known.count += sales;
    total.known.charged += charged;
    total.known.cost += costSats;
  }
  return total;
};

const paidChargesQuery = (agent: string, from: string) =>
  queryOptions({
    queryKey: [...keys.wallet, 'charges', agent, from],
    queryFn: async ({ signal }): Promise<readonly Charge[]> => {
      const found: Charge[] = [];
      let cursor: string | undefined;
      do {
        const page = await call(listCharges, { query: { agent, limit: PAGE, cursor } }, signal);
        found.push(...page.charges);
        cursor = page.nextCursor;
      } while (
        cursor !== undefined &&
        found.length < MOST_CHARGES &&
        (found.at(-1)?.createdAt ?? '') >= from
      );
      return found.filter(
        ({ paid, operationId, balanceId, createdAt }) =>
          // A deposit into a prepaid balance isn't a sale, but the work it pays for later is.
          paid !== undefined && createdAt >= from && !(balanceId !== undefined && operationId !== undefined),
      );
    },
    placeholderData: (before) => before,
  });

/** Returns an agent's sales since `fromMs`, newest first. Empty until loaded, or if there's no wallet. */
export const useSales = (agent: string, fromMs: number): readonly PaidWork[] => {
  const charges = useQuery(paidChargesQuery(agent, new Date(fromMs).toISOString())).data ?? [];
  return charges.map((charge) => ({ charge, costSats: costOf(charge) }));
};
