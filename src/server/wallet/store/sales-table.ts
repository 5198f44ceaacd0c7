import type { Sale } from '../../../shared/api/services.ts';
import type { SaleReport } from '../../../shared/sale-terms.ts';
import type { Clock } from '../../platform/clock.ts';
import { PAYMENT } from './charges-table.ts';
import type { Owner } from './owner.ts';
import type { Database } from './sqlite.ts';

/** A customer's paid request as the database knows it. Amounts in sats. */
export type StoredSale = Omit<Sale, 'detail'> & {
  /** Orders the list. */
  number: number;
};

/** Sums over all paid requests of an owner. Amounts in sats. */
export interface SaleTotals {
  sold: number;
  refunded: number;
  earnedSats: number;
  refundedSats: number;
  costSats: number;
  unknownCosts: number;
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
    coalesce(input_tokens, 0) AS input_tokens, coalesce(output_tokens, 0) AS output_tokens, duration_ms, status, message,
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
  number: row.number,
  at: new Date(row.at).toISOString(),
  // The books decide. Until they do, the report is all there is.
  outcome: row.charged === null ? (row.outcome ?? 'sold') : row.charged === 0 ? 'refunded' : 'sold',
  chargeId: row.id,
  charged: row.charged,
  paid: row.paid,
  costSats: row.cost,
  inputTokens: row.input_tokens ?? 0,
  outputTokens: row.output_tokens ?? 0,
  durationMs: row.duration_ms,
  status: row.status,
  message: row.message,
  ...(row.balance === null ? {} : { balanceId: row.balance, blocked: row.blocked_at !== null }),
});

/** Creates the table of what services reported about paid requests at all mints. The charges have the amounts. */
export const createSalesTable = (database: Database, clock: Clock) => ({
  /** Adds a report, once for each charge. Returns its number, or undefined if there is one, or if the charge isn't the owner's. */
  add: (owner: Owner, report: SaleReport): number | undefined =>
    database.runReturning<{ charge: number }>(
      `INSERT OR IGNORE INTO sales (charge, at, outcome, input_tokens, output_tokens, duration_ms, status, message)
       SELECT number, ?, ?, ?, ?, ?, ?, ? FROM charges WHERE id = ? AND owner = ? RETURNING charge`,
      clock.now(),
      report.outcome,
      report.inputTokens,
      report.outputTokens,
      report.durationMs,
      report.status,
      report.message,
      report.chargeId,
      owner,
    )?.charge,
  /** Returns an owner's paid requests before a number, newest first. */
  page: (owner: Owner, before: number, limit: number): StoredSale[] =>
    database
      .all<SaleRow>(`${SALES} AND number < ? ORDER BY number DESC LIMIT ?`, owner, before, limit)
      .map(toSale),
  totals(owner: Owner): SaleTotals {
    const sums = database.get<SaleTotals>(
      `SELECT count(*) FILTER (WHERE charged > 0) AS sold, count(*) FILTER (WHERE charged = 0) AS refunded,
         coalesce(sum(charged), 0) AS earnedSats, coalesce(sum(paid) FILTER (WHERE charged = 0), 0) AS refundedSats,
         coalesce(sum(cost), 0.0) AS costSats, count(*) FILTER (WHERE cost IS NULL) AS unknownCosts
       FROM (${AMOUNTS})`,
      owner,
    );
    if (!sums) throw new Error('a sum was not returned');
    return { ...sums };
  },
});

/** What {@link createSalesTable} returns. */
export type SalesTable = ReturnType<typeof createSalesTable>;
