import type { Sale, SaleTotals } from '../../../shared/api/services.ts';
import type { SaleReport } from '../../../shared/sale-terms.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Owner, PAYMENT } from './charges-table.ts';
import type { Database } from './sqlite.ts';

/** A customer's paid request as the database knows it. */
type StoredSale = Omit<Sale, 'detail'>;

/** A page of the paid requests of an owner, and sums over all of them. Amounts in sats. */
interface SalePage {
  sales: StoredSale[];
  totals: SaleTotals;
  nextCursor?: string;
}

interface SaleRow {
  number: number;
  id: string;
  at: number;
  outcome: Sale['outcome'] | null;
  charged: number | null;
  paid: number;
  cost: number | null;
  input_tokens: number | null;
  output_tokens: number | null;
  is_estimated: number | null;
  duration_ms: number | null;
  status: number | null;
  message: string | null;
  balance: string | null;
  blocked_at: number | null;
}

/** Selects an owner's paid requests that have ended. A deposit into a prepaid balance isn't one, but what it pays for is. */
const SALES = `SELECT * FROM (
  SELECT charges.number, charges.id, coalesce(sales.at, charge_payments.decided_at, prepaid_uses.decided_at) AS at,
    outcome, coalesce(charge_payments.charged, prepaid_uses.charged) AS charged,
    coalesce(prepaid_uses.reserved, paying.amount) AS paid, coalesce(charge_payments.cost, prepaid_uses.cost) AS cost,
    coalesce(input_tokens, 0) AS input_tokens, coalesce(output_tokens, 0) AS output_tokens, is_estimated, duration_ms, status, message,
    prepaid_balances.id AS balance, blocked_at
  FROM charges
  LEFT JOIN prepaid_uses ON prepaid_uses.charge = charges.number
  LEFT JOIN prepaid_balances ON prepaid_balances.number = prepaid_uses.balance
  LEFT JOIN charge_payments ON charge_payments.operation = ${PAYMENT}
  LEFT JOIN operations AS paying ON paying.number = charge_payments.operation
  LEFT JOIN sales ON sales.charge = charges.number
  WHERE charges.owner = ? AND charge_payments.balance IS NULL)
  WHERE (charged IS NOT NULL OR outcome IS NOT NULL)`;

/** Selects the amounts of an owner's requests that are settled or refunded, without what slows {@link SALES} down. */
const AMOUNTS = `
  SELECT charged, operations.amount AS paid, cost FROM charges
    CROSS JOIN charge_payments ON charge = charges.number CROSS JOIN operations ON operations.number = operation
    WHERE owner = ?1 AND charged IS NOT NULL AND balance IS NULL
  UNION ALL
  SELECT charged, reserved, cost FROM charges CROSS JOIN prepaid_uses ON charge = charges.number
    WHERE owner = ?1 AND charged IS NOT NULL`;

const toSale = (row: SaleRow): StoredSale => ({
  at: new Date(row.at).toISOString(),
  // The books decide. Until they do, the report is all there is.
  outcome: row.charged === null ? (row.outcome ?? 'sold') : row.charged === 0 ? 'refunded' : 'sold',
  chargeId: row.id,
  charged: row.charged,
  paid: row.paid,
  costSats: row.cost,
  inputTokens: row.input_tokens ?? 0,
  outputTokens: row.output_tokens ?? 0,
  isEstimated: row.is_estimated === 1,
  durationMs: row.duration_ms,
  status: row.status,
  message: row.message,
  ...(row.balance === null ? {} : { balanceId: row.balance, blocked: row.blocked_at !== null }),
});

/** Creates the table of what services reported about paid requests at all mints. The charges have the amounts. */
export const createSalesTable = (database: Database, clock: Clock) => {
  /** Returns an owner's paid requests before a number, newest first. */
  const before = (owner: Owner, number: number, limit: number): SaleRow[] =>
    database.all<SaleRow>(`${SALES} AND number < ? ORDER BY number DESC LIMIT ?`, owner, number, limit);

  const totals = (owner: Owner): SaleTotals => {
    const sums = database.get<SaleTotals>(
      `SELECT count(*) FILTER (WHERE charged > 0) AS sold, count(*) FILTER (WHERE charged = 0) AS refunded,
         coalesce(sum(charged), 0) AS earnedSats, coalesce(sum(paid) FILTER (WHERE charged = 0), 0) AS refundedSats,
         coalesce(sum(cost), 0.0) AS costSats, count(*) FILTER (WHERE cost IS NULL) AS unknownCosts
       FROM (${AMOUNTS})`,
      owner,
    );
    if (!sums) throw new Error('a sum was not returned');
    return { ...sums };
  };

  return {
    /** Keeps a report for good. Returns the request, or undefined if it was already reported or isn't the owner's. */
    note(owner: Owner, report: SaleReport): StoredSale | undefined {
      const added = database.runReturning<{ charge: number }>(
        `INSERT OR IGNORE INTO sales (charge, at, outcome, input_tokens, output_tokens, is_estimated, duration_ms, status, message)
         SELECT number, ?, ?, ?, ?, ?, ?, ?, ? FROM charges WHERE id = ? AND owner = ? RETURNING charge`,
        clock.now(),
        report.outcome,
        report.inputTokens,
        report.outputTokens,
        report.isEstimated ? 1 : 0,
        report.durationMs,
        report.status,
        report.message,
        report.chargeId,
        owner,
      );
      const [row] = added ? before(owner, added.charge + 1, 1) : [];
      return row && toSale(row);
    },
    page(owner: Owner, cursor: string | undefined, limit: number): SalePage {
      const found = before(owner, cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor), limit + 1);
      const page = found.slice(0, limit);
      const last = page.at(-1);
      return {
        sales: page.map(toSale),
        totals: totals(owner),
        ...(found.length > limit && last ? { nextCursor: String(last.number) } : {}),
      };
    },
    /** Returns what refunded requests cost their seller since a time, in sats. */
    lostSince: (owner: Owner, sinceMs: number): number =>
      database.get<{ lost: number }>(
        `SELECT coalesce(sum(cost), 0.0) AS lost FROM (
           SELECT cost FROM charges CROSS JOIN charge_payments ON charge = charges.number
             WHERE owner = ?1 AND charged = 0 AND decided_at >= ?2 AND balance IS NULL
           UNION ALL
           SELECT cost FROM charges CROSS JOIN prepaid_uses ON charge = charges.number
             WHERE owner = ?1 AND charged = 0 AND decided_at >= ?2)`,
        owner,
        sinceMs,
      )?.lost ?? 0,
  };
};

export type SalesTable = ReturnType<typeof createSalesTable>;
