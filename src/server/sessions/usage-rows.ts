import { LRUCache } from 'lru-cache';
import type { Period } from '../../shared/api/period.ts';
import type { UsageGrouping } from '../../shared/api/usage.ts';
import { SATS_PER_BTC } from '../../shared/price-math.ts';
import type { TokenCounts } from './session-line.ts';

/** A sum of entries of one group and model, of which all have a BTC price or none, and all have a cost or none. */
export interface UsageRow extends TokenCounts {
  readonly group: string;
  readonly provider: string;
  readonly model: string;
  readonly isRecorded: boolean;
  readonly hasBtcPrice: boolean;
  readonly calls: number;
  readonly errors: number;
  readonly usd: number;
  /** `usd` in sats, at the BTC price of its time. 0 without a BTC price. */
  readonly sats: number;
  /**
   * Each count times the sats that one dollar was worth then, so their cost in USD is a cost in sats. 0 without a
   * BTC price.
   */
  readonly weighted: TokenCounts;
}

const GROUPS: Readonly<Record<UsageGrouping, string>> = {
  agent: 'agent',
  model: "provider || '/' || model",
  // The days of the person at this machine.
  day: "date(at_ms / 1000, 'unixepoch', 'localtime')",
  session: 'session',
};

/** How many answers are kept. Budgets ask for two periods, and the window for a few. */
export const MAX_KNOWN_ROWS = 32;

const SUMS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const;

/** A row of the database. */
export type Raw = Readonly<Record<string, number | string | Uint8Array | null>>;

const countsOf = (row: Raw, prefix = ''): TokenCounts => ({
  input: Number(row[`${prefix}input`] ?? 0),
  output: Number(row[`${prefix}output`] ?? 0),
  cacheRead: Number(row[`${prefix}cache_read`] ?? 0),
  cacheWrite: Number(row[`${prefix}cache_write`] ?? 0),
  cacheWrite1h: Number(row[`${prefix}cache_write_1h`] ?? 0),
});

/** The usage that is asked for. */
export interface UsageQuery extends Period {
  readonly grouping: UsageGrouping;
  /** Only this agent's. */
  readonly agent: string | undefined;
}

/** Rows that are known, and the agents whose rows must be read again. */
interface Known {
  readonly query: UsageQuery;
  rows: UsageRow[];
  readonly changed: Set<string>;
}

const COLUMNS = [
  ...SUMS.map((name) => `SUM(${name}) AS ${name}`),
  ...SUMS.map((name) => `SUM(${name} * ${SATS_PER_BTC} / btc_usd) AS sats_${name}`),
].join(', ');

const toRow = (row: Raw): UsageRow => ({
  group: String(row.grp),
  provider: String(row.provider),
  model: String(row.model),
  isRecorded: row.recorded === 1,
  hasBtcPrice: row.has_btc_price === 1,
  calls: Number(row.calls),
  errors: Number(row.errors),
  ...countsOf(row),
  usd: Number(row.usd),
  sats: Number(row.sats_usd ?? 0),
  weighted: countsOf(row, 'sats_'),
});

/**
 * Creates the sums of the entries. They stay known until an entry changes. Then only the rows of its agent are
 * read again, where rows are by agent: reading all of them takes half a second for 100,000 entries.
 */
export const createUsageRows = (all: (sql: string, ...values: (string | number)[]) => Raw[]) => {
  const known = new LRUCache<string, Known>({ max: MAX_KNOWN_ROWS });

  const read = ({ grouping, fromMs, toMs, agent }: UsageQuery): UsageRow[] =>
    all(
      `SELECT ${GROUPS[grouping]} AS grp, provider, model, usd > 0 AS recorded, btc_usd IS NOT NULL AS has_btc_price,
        SUM(calls) AS calls, SUM(errors) AS errors, SUM(usd) AS usd, SUM(usd * ${SATS_PER_BTC} / btc_usd) AS sats_usd, ${COLUMNS}
      FROM entries WHERE ${agent === undefined ? '' : 'agent = ? AND '}at_ms >= ? AND at_ms < ?
      GROUP BY 1, 2, 3, 4, 5 ORDER BY 1`,
      ...(agent === undefined ? [] : [agent]),
      fromMs ?? 0,
      toMs ?? Number.MAX_SAFE_INTEGER,
    ).map(toRow);

  const refresh = (entry: Known): UsageRow[] => {
    if (entry.changed.size > 0) {
      const again = [...entry.changed].flatMap((agent) => read({ ...entry.query, agent }));
      entry.rows = [...entry.rows.filter(({ group }) => !entry.changed.has(group)), ...again].sort((a, b) =>
        a.group === b.group ? 0 : a.group < b.group ? -1 : 1,
      );
      entry.changed.clear();
    }
    return entry.rows;
  };

  return {
    /** The sums of a period, sorted by group. */
    rows(query: UsageQuery): UsageRow[] {
      const { grouping, fromMs, toMs, agent } = query;
      const key = JSON.stringify([grouping, fromMs, toMs, agent]);
      const before = known.get(key);
      if (before) return refresh(before);
      const rows = read(query);
      known.set(key, { query, rows, changed: new Set() });
      return rows;
    },
    /** Entries of an agent changed, or of any agent. */
    changed(agent: string | undefined): void {
      for (const [key, { query, changed }] of known.entries()) {
        if (agent !== undefined && query.agent !== undefined && query.agent !== agent) continue;
        if (agent !== undefined && query.agent === undefined && query.grouping === 'agent')
          changed.add(agent);
        else known.delete(key);
      }
    },
  };
};
