import type { Database } from './sqlite.ts';

/** The agent that an operation was for, according to the caller or the operator. */
export interface Attribution {
  /** An agent's id. The agent may not exist anymore. */
  agent?: string | undefined;
  label?: string | undefined;
}

/** Earnings of one agent, or on one day. */
export interface EarnedRow {
  /** The agent id or the local day, such as `2026-11-23`. Null for operations without an agent. */
  group: string | null;
  sats: number;
  payments: number;
}

/** The ways to group earnings. */
export type EarnedGrouping = 'agent' | 'day';

const GROUPS: Readonly<Record<EarnedGrouping, string>> = {
  agent: 'agent',
  day: "date(at / 1000, 'unixepoch', 'localtime')",
};

/** Creates the table that maps operations to agents. */
export const createAttributionsTable = (database: Database) => ({
  /** Sets the agent that an operation was for, replacing an earlier one. */
  set(operation: number, { agent, label }: Attribution): void {
    if (agent === undefined && label === undefined) {
      database.run('DELETE FROM attributions WHERE operation = ?', operation);
      return;
    }
    database.run(
      `INSERT INTO attributions VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET agent = excluded.agent, label = excluded.label`,
      operation,
      agent ?? null,
      label ?? null,
    );
  },
  of(operation: number): Attribution {
    const row = database.get<{ agent: string | null; label: string | null }>(
      'SELECT agent, label FROM attributions WHERE operation = ?',
      operation,
    );
    return { agent: row?.agent ?? undefined, label: row?.label ?? undefined };
  },
  /**
   * Returns the earnings at all mints in a period, in milliseconds since 1970: the sats of completed receives that
   * began in it, and the cost of charges that were settled in it. A deposit into a prepaid balance counts only as it
   * is used. `toMs` is excluded. With `agent`, returns only that agent's earnings.
   */
  earned: (grouping: EarnedGrouping, fromMs: number, toMs: number, agent?: string): EarnedRow[] =>
    database.all<EarnedRow>(
      `SELECT ${GROUPS[grouping]} AS "group", sum(sats) AS sats, count(*) AS payments FROM (
         SELECT sats, at, coalesce(seller, attributions.agent) AS agent FROM (
           SELECT number, amount AS sats, created_at AS at, NULL AS seller FROM operations
           WHERE kind = 'receive' AND state = 'completed' AND created_at >= ?1 AND created_at < ?2
             AND NOT EXISTS (SELECT 1 FROM charge_payments WHERE charge_payments.operation = number)
           UNION ALL
           SELECT operation, iif(balance IS NULL, charged, 0) + kept AS earned, decided_at, NULL FROM charge_payments
           WHERE decided_at >= ?1 AND decided_at < ?2 AND earned > 0
           UNION ALL
           SELECT NULL, charged, decided_at, charges.agent FROM prepaid_uses
           CROSS JOIN charges ON charges.number = charge
           WHERE charged > 0 AND decided_at >= ?1 AND decided_at < ?2
         ) LEFT JOIN attributions ON attributions.operation = number
       ) ${agent === undefined ? '' : 'WHERE agent = ?3'}
       GROUP BY 1 ORDER BY 1`,
      fromMs,
      toMs,
      ...(agent === undefined ? [] : [agent]),
    ),
});
