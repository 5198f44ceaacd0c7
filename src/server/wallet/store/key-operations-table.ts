import type { Clock } from '../../platform/clock.ts';
import type { Operation } from './operation.ts';
import type { Database } from './sqlite.ts';

/** The highest fee that the mint can still charge, which is the plan's if there's a plan. */
const FEE = "coalesce(json_extract(plan, '$.feeMax'), fee)";

/**
 * Calculates what an operation counts toward its key's limit, in sats: the token and the fee. A pending one reserves
 * its plan's highest fee. A swap before a send costs only its fee. A failed operation counts until it's certain that
 * the mint didn't carry it out. A reclaimed one still counts, because its token was handed out.
 */
const COUNTED = `CASE
  WHEN state = 'failed' AND recheck_at IS NULL THEN 0
  WHEN kind = 'send' THEN amount + ${FEE}
  ELSE ${FEE}
END`;

/** Returns when a time's local day began, in milliseconds since 1970. `daysLater` selects a later day. */
export const startOfDay = (ms: number, daysLater = 0): number => {
  const day = new Date(ms);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + daysLater).getTime();
};

/** Creates the table of operations that agent keys started, at any mint. Amounts in sats. */
export const createKeyOperationsTable = (database: Database, clock: Clock) => ({
  add: ({ number, createdAt }: Operation, key: string) =>
    database.run('INSERT INTO key_operations VALUES (?, ?, ?)', number, key, createdAt),
  /** Returns the id of the key that made an operation, if a key did. */
  keyOf: (operation: number): string | undefined =>
    database.get<{ key: string }>('SELECT key FROM key_operations WHERE operation = ?', operation)?.key,
  /** Returns what counts toward a key's limit today. */
  today: (key: string): number =>
    database.get<{ sats: number }>(
      `SELECT coalesce(sum(${COUNTED}), 0) AS sats FROM key_operations JOIN operations ON number = operation
       WHERE key_operations.created_at >= ? AND key = ?`,
      startOfDay(clock.now()),
      key,
    )?.sats ?? 0,
  /** Returns what counts toward the limits today, by key. */
  todayByKey: (): ReadonlyMap<string, number> =>
    new Map(
      database
        .all<{ key: string; sats: number }>(
          `SELECT key, sum(${COUNTED}) AS sats FROM key_operations JOIN operations ON number = operation
           WHERE key_operations.created_at >= ? GROUP BY key`,
          startOfDay(clock.now()),
        )
        .map(({ key, sats }) => [key, sats]),
    ),
});
