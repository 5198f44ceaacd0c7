// Its own file because it only reads the operations, for the chart of the balance.
import type { Database } from './sqlite.ts';

/** Calculates past balances from the operations. */
export const createSettledBalances = (database: Database) => ({
  /**
   * The balance at each of these times, in milliseconds since 1970, as the completed operations add up. A send
   * counts from its beginning, because it is updated again when its token is spent.
   */
  at(times: readonly number[]): number[] {
    const sums = times.map(
      (_, index) =>
        `min(coalesce(sum(effect) FILTER (WHERE at <= ?), 0), ${Number.MAX_SAFE_INTEGER}) AS at_${index}`,
    );
    const row = database.get<Record<string, number>>(
      `SELECT ${sums.join(', ')} FROM (
         SELECT
           CASE kind WHEN 'send' THEN created_at ELSE updated_at END AS at,
           CASE kind WHEN 'send' THEN -(amount + fee) WHEN 'swap' THEN -fee
             WHEN 'spent_elsewhere' THEN -amount ELSE amount END AS effect
         FROM operations WHERE state = 'completed')`,
      ...times,
    );
    return times.map((_, index) => row?.[`at_${index}`] ?? 0);
  },
});
