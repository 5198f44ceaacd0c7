import type { Clock } from '../../platform/clock.ts';
import type { Database } from './sqlite.ts';

const KEPT_MS = 24 * 60 * 60 * 1000;
const MOST_KEPT = 1_000;
const FORGOTTEN_AT_ONCE = 100;

/** Selects failed receives that the wallet never rechecks again. Matches the index `operations_ended`. */
const ENDED = "kind = 'receive' AND state = 'failed' AND recheck_at IS NULL AND released = 0";

/** A row that counts sats must stay, whatever the state says. Numbers aren't reused while the last one exists. */
const COUNTS_NOTHING = `operations.number < (SELECT max(number) FROM operations)
  AND NOT EXISTS (SELECT 1 FROM proofs WHERE proofs.operation = operations.number)
  AND NOT EXISTS (SELECT 1 FROM test_tokens WHERE test_tokens.operation = operations.number)
  AND NOT EXISTS (
    SELECT 1 FROM postings WHERE postings.operation = operations.number GROUP BY account, keyset_id HAVING sum(sats) <> 0
  )`;

const CHILDREN = [
  'old_plans',
  'inputs',
  'attributions',
  'key_operations',
  'idempotency_keys',
  'charge_payments',
  'postings',
] as const;

/** Creates the removal of a mint's failed receives. SECURITY: without it, forged tokens would fill the disk. */
export const createFailedReceives = (database: Database, clock: Clock, mint: number) => {
  /** Returns the numbers of receives that are too old, or too many. */
  const due = (): number[] =>
    database
      .all<{ number: number }>(
        `SELECT number FROM operations WHERE mint = ?1 AND ${ENDED} AND ${COUNTS_NOTHING} AND updated_at <= max(?2, coalesce(
           (SELECT updated_at FROM operations WHERE mint = ?1 AND ${ENDED} ORDER BY updated_at DESC LIMIT 1 OFFSET ?3), 0
         )) ORDER BY updated_at LIMIT ?4`,
        mint,
        clock.now() - KEPT_MS,
        MOST_KEPT,
        FORGOTTEN_AT_ONCE,
      )
      .map(({ number }) => number);

  const forgetSome = (): number =>
    database.transaction(() => {
      const numbers = due();
      if (numbers.length === 0) return 0;
      const list = JSON.stringify(numbers);
      const paid = database.all<{ charge: number; balance: number | null }>(
        'SELECT charge, balance FROM charge_payments WHERE operation IN (SELECT value FROM json_each(?))',
        list,
      );
      for (const table of CHILDREN)
        database.run(`DELETE FROM ${table} WHERE operation IN (SELECT value FROM json_each(?))`, list);
      for (const { charge, balance } of paid) {
        database.run(
          `DELETE FROM charges WHERE number = ? AND expires_at <= ?
             AND NOT EXISTS (SELECT 1 FROM charge_payments WHERE charge = charges.number)
             AND NOT EXISTS (SELECT 1 FROM prepaid_uses WHERE charge = charges.number)`,
          charge,
          clock.now(),
        );
        if (balance === null) continue;
        // Nobody got the key of a balance whose first deposit was refused.
        database.run(
          `DELETE FROM prepaid_balances WHERE number = ? AND proven_at IS NULL AND spent = 0
             AND NOT EXISTS (SELECT 1 FROM charge_payments WHERE balance = prepaid_balances.number)
             AND NOT EXISTS (SELECT 1 FROM prepaid_uses WHERE balance = prepaid_balances.number)`,
          balance,
        );
      }
      database.run('DELETE FROM operations WHERE number IN (SELECT value FROM json_each(?))', list);
      return numbers.length;
    });

  return {
    /**
     * Deletes failed receives that ended a day ago, and those beyond the newest 1,000, with the unpaid charges and empty
     * prepaid balances that they were for. They moved no sats, so all sums stay.
     */
    forget() {
      while (forgetSome() === FORGOTTEN_AT_ONCE);
    },
  };
};
