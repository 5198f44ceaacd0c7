import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Charge, listCharges } from '../../../../shared/api/charges.ts';
import type { Sale } from '../../../../shared/api/services.ts';
import { exactSats } from '../../../../shared/price-math.ts';
import { call } from '../../api/client.ts';
import { useSession } from '../../api/page-session.ts';
import { keys } from '../../api/queries.ts';
import { salesQuery, servicesQuery } from '../../api/service-queries.ts';

/** The most charges that are read of a period. */
export const MOST_CHARGES = 1_000;
const PAGE = 200;

/** A piece of work that a customer paid for. */
export interface PaidWork {
  readonly charge: Charge;
  /** What the model cost, in sat. Null if dot-mi doesn't know what the work used, or its price. */
  readonly costSats: number | null;
}

/** The sums of paid work, in sat. */
export interface SalesTotal {
  /** The sales. Refunded work is none. */
  readonly count: number;
  readonly charged: number;
  /** Of the sales whose cost is known, and of refunded work, which cost the seller something too. */
  readonly known: { readonly count: number; readonly charged: number; readonly cost: number };
}

/** What the model cost at the prices that a charge keeps. A provider's cache can make it cheaper. */
export const costOf = (
  { price }: Pick<Charge, 'price'>,
  use: Pick<Sale, 'inputTokens' | 'outputTokens'> | undefined,
): number | null =>
  price && use
    ? exactSats(
        [
          { tokens: use.inputTokens, usdPerMillion: price.input_usd_per_million },
          { tokens: use.outputTokens, usdPerMillion: price.output_usd_per_million },
        ],
        price.btc_price_usd,
      ).sats
    : null;

/** What a customer paid in the end, in sat. Null while that is open. */
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
      return found.filter(({ paid, createdAt }) => paid !== undefined && createdAt >= from);
    },
    placeholderData: (before) => before,
  });

const NONE: readonly never[] = [];

/** What customers paid an agent for since a day, newest first. Empty until that is known, and without a wallet. */
export const useSales = (agent: string, fromMs: number): readonly PaidWork[] => {
  const isSignedIn = useSession() === 'signedIn';
  const charges = useQuery(paidChargesQuery(agent, new Date(fromMs).toISOString())).data ?? NONE;
  const services = useQuery({ ...servicesQuery(), enabled: isSignedIn && charges.length > 0 }).data;
  const wasSold = services?.some((service) => service.agent === agent) === true;
  const sales = useQuery({ ...salesQuery(agent), enabled: wasSold }).data ?? NONE;
  const uses = new Map(sales.map((sale) => [sale.chargeId, sale]));
  return charges.map((charge) => ({ charge, costSats: costOf(charge, uses.get(charge.id)) }));
};
