import type { Database } from './sqlite.ts';

/** Which agent an operation was for, as its sender or the owner said. */
export interface Attribution {
  /** An agent id. The agent may be gone. */
  agent?: string | undefined;
  label?: string | undefined;
}

/** What was earned by an agent, or on a day. */
export interface EarnedRow {
  /** The agent id or the local day, such as `2026-11-23`. Null for operations of no agent. */
  group: string | null;
  sats: number;
  payments: number;
}

/** What earnings can be grouped by. */
export type EarnedGrouping = 'agent' | 'day';

const GROUPS: Readonly<Record<EarnedGrouping, string>> = {
  agent: 'attributions.agent',
  day: "date(operations.created_at / 1000, 'unixepoch', 'localtime')",
};

/** Which agents operations belong to. */
export const createAttributionsTable = (database: Database) => ({
  /** Says which agent an operation was for, in place of what was said before. */
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
   * The sats of completed receives at all mints that began in a period, in milliseconds since 1970. `toMs` is excluded. With
   * `agent`, only those for that agent.
   */
  earned: (grouping: EarnedGrouping, fromMs: number, toMs: number, agent?: string): EarnedRow[] =>
    database.all<EarnedRow>(
      `SELECT ${GROUPS[grouping]} AS "group", sum(amount) AS sats, count(*) AS payments
       FROM operations LEFT JOIN attributions ON attributions.operation = operations.number
       WHERE kind = 'receive' AND state = 'completed' AND created_at >= ? AND created_at < ?
         ${agent === undefined ? '' : 'AND attributions.agent = ?'}
       GROUP BY 1 ORDER BY 1`,
      fromMs,
      toMs,
      ...(agent === undefined ? [] : [agent]),
    ),
});
