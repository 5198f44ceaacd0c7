import { LRUCache } from 'lru-cache';
import type { Period } from '../../shared/api/fields.ts';
import type { UsageGrouping } from '../../shared/api/usage.ts';
import { SATS_PER_BTC } from '../../shared/sats.ts';
import type { RequestCounts } from './session-line.ts';

/**
 * Totals for one group's entries with one model. Either all or none have a BTC price, and either all or none have a
 * cost. Their requests reach the same tier of prices.
 */
export interface UsageRow extends RequestCounts {
  readonly group: string;
  readonly provider: string;
  readonly model: string;
  readonly isRecorded: boolean;
  readonly hasBtcPrice: boolean;
  /** The number of the terms of the entries' agents. */
  readonly terms: number;
  /** The greatest length of the query or the terms that the requests exceed, in input tokens. 0 if there is none. */
  readonly inputAbove: number;
  readonly calls: number;
  readonly errors: number;
  readonly usd: number;
  /** `usd` in sats, at the BTC price at that time. 0 if there's no BTC price. */
  readonly sats: number;
  /**
   * Each count times the sats per dollar at that time, so that USD prices yield a cost in sats. 0 if there's no BTC
   * price.
   */
  readonly weighted: RequestCounts;
}

const GROUPS: Readonly<Record<UsageGrouping, string>> = {
  agent: 'agent',
  model: "provider || '/' || model",
  // Days are in the user's time zone.
  day: "date(at_ms / 1000, 'unixepoch', 'localtime')",
  session: 'session',
};

/** How many query results are cached. Budgets use two periods, and the window a few. */
export const MAX_KNOWN_ROWS = 32;

const SUMS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const;

/** A row from the database. */
export type Raw = Readonly<Record<string, number | string | Uint8Array | null>>;

const countsOf = (row: Raw, prefix = ''): RequestCounts => ({
  requests: Number(row[`${prefix}requests`] ?? 0),
  input: Number(row[`${prefix}input`] ?? 0),
  output: Number(row[`${prefix}output`] ?? 0),
  cacheRead: Number(row[`${prefix}cache_read`] ?? 0),
  cacheWrite: Number(row[`${prefix}cache_write`] ?? 0),
  cacheWrite1h: Number(row[`${prefix}cache_write_1h`] ?? 0),
});

/** Selects the usage to return. */
export interface UsageQuery extends Period {
  readonly grouping: UsageGrouping;
  /** Limits the usage to this agent. */
  readonly agent: string | undefined;
  /** Adds up requests separately if they have more input tokens than each of these numbers, or those of their terms. Ascending. */
  readonly lengths?: readonly number[];
  /** True to count calls that a subscription covers even if the operator doesn't. The rows are the same. */
  readonly isWithCovered?: boolean;
}

/** An entry that was just added. */
interface AddedEntry extends Omit<RequestCounts, 'requests'> {
  readonly agent: string;
  readonly session: string;
  readonly atMs: number;
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  readonly errors: number;
  readonly usd: number;
  readonly btcUsd: number | undefined;
}

/** The number of each agent's terms, and the numbers of input tokens above which their prices change. */
export type NumberedTerms = ReadonlyMap<
  string,
  { readonly number: number; readonly lengths: readonly number[] }
>;

/** Cached rows, and the entries that were added since. */
interface KnownRows {
  readonly query: UsageQuery;
  rows: UsageRow[];
  added: AddedEntry[];
}

/** With more new entries than this, the next request adds up everything again. */
const MOST_ADDED = 1_000;

/** 1 for an entry with tokens. A provider charges its fee for those. */
const IS_REQUEST = '(input + output + cache_read + cache_write > 0)';

const SUMMED: readonly (readonly [name: string, sql: string])[] = [
  ...SUMS.map((name) => [name, name] as const),
  ['requests', IS_REQUEST],
];

const COLUMNS = [
  ...SUMMED.map(([name, sql]) => `SUM(${sql}) AS ${name}`),
  ...SUMMED.map(([name, sql]) => `SUM(${sql} * ${SATS_PER_BTC} / btc_usd) AS sats_${name}`),
].join(', ');

const inputOf = ({ input, cacheRead, cacheWrite }: Omit<RequestCounts, 'requests'>): number =>
  input + cacheRead + cacheWrite;

const INPUT = '(input + cache_read + cache_write)';

/** The greatest length of an entry's terms that it exceeds. */
const OWN_ABOVE = `(SELECT MAX(above) FROM lengths WHERE lengths.number = terms.number AND above < ${INPUT})`;

/** Returns SQL for the greatest of these lengths, and of the terms', that an entry without a recorded cost exceeds, or 0. */
const aboveOf = (lengths: readonly number[]): string => {
  const whens = lengths.toReversed().map((length) => `WHEN ${INPUT} > ${length} THEN ${length}`);
  const above = whens.length === 0 ? '0' : `CASE ${whens.join(' ')} ELSE 0 END`;
  return `CASE WHEN usd > 0 THEN 0 ELSE MAX(${above}, IFNULL(${OWN_ABOVE}, 0)) END`;
};

const toRow = (row: Raw): UsageRow => ({
  group: String(row.grp),
  provider: String(row.provider),
  model: String(row.model),
  isRecorded: row.recorded === 1,
  hasBtcPrice: row.has_btc_price === 1,
  terms: Number(row.terms),
  inputAbove: Number(row.input_above),
  calls: Number(row.calls),
  errors: Number(row.errors),
  ...countsOf(row),
  usd: Number(row.usd),
  sats: Number(row.sats_usd ?? 0),
  weighted: countsOf(row, 'sats_'),
});

const twoDigits = (value: number): string => String(value).padStart(2, '0');

const GROUP_OF: Readonly<Record<UsageGrouping, (entry: AddedEntry) => string>> = {
  agent: ({ agent }) => agent,
  model: ({ provider, model }) => `${provider}/${model}`,
  day: ({ atMs }) => {
    const day = new Date(atMs);
    return `${day.getFullYear()}-${twoDigits(day.getMonth() + 1)}-${twoDigits(day.getDate())}`;
  },
  session: ({ session }) => session,
};

const mapCounts = (counts: RequestCounts, map: (count: number) => number): RequestCounts => ({
  requests: map(counts.requests),
  input: map(counts.input),
  output: map(counts.output),
  cacheRead: map(counts.cacheRead),
  cacheWrite: map(counts.cacheWrite),
  cacheWrite1h: map(counts.cacheWrite1h),
});

const plus = (a: RequestCounts, b: RequestCounts): RequestCounts => ({
  requests: a.requests + b.requests,
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  cacheWrite1h: a.cacheWrite1h + b.cacheWrite1h,
});

/** Returns the row for a single entry. */
const rowOf = (
  { grouping, lengths = [] }: UsageQuery,
  entry: AddedEntry,
  termsOf: NumberedTerms,
): UsageRow => {
  const counts = { ...entry, requests: inputOf(entry) + entry.output > 0 ? 1 : 0 };
  const { provider, model, calls, errors, usd, btcUsd } = entry;
  const own = termsOf.get(entry.agent);
  const exceeded = [...lengths, ...(own?.lengths ?? [])].filter((length) => inputOf(entry) > length);
  const inSats = (amount: number) => (btcUsd === undefined ? 0 : (amount * SATS_PER_BTC) / btcUsd);
  return {
    group: GROUP_OF[grouping](entry),
    provider,
    model,
    isRecorded: usd > 0,
    hasBtcPrice: btcUsd !== undefined,
    terms: own?.number ?? 0,
    inputAbove: usd > 0 ? 0 : Math.max(0, ...exceeded),
    calls,
    errors,
    ...mapCounts(counts, (count) => count),
    usd,
    sats: inSats(usd),
    weighted: mapCounts(counts, inSats),
  };
};

const sumOf = (a: UsageRow, b: UsageRow): UsageRow => ({
  ...a,
  calls: a.calls + b.calls,
  errors: a.errors + b.errors,
  ...plus(a, b),
  usd: a.usd + b.usd,
  sats: a.sats + b.sats,
  weighted: plus(a.weighted, b.weighted),
});

/** The fields that identify a row, in the order in which the database sorts them. */
const IDENTITY = ['group', 'provider', 'model', 'isRecorded', 'hasBtcPrice', 'inputAbove', 'terms'] as const;

const nameOf = (row: UsageRow): string => JSON.stringify(IDENTITY.map((name) => row[name]));

/** Compares rows in the order in which the database returns them. */
const compare = (a: UsageRow, b: UsageRow): number => {
  for (const name of IDENTITY) if (a[name] !== b[name]) return a[name] < b[name] ? -1 : 1;
  return 0;
};

/** Adds entries to rows. The rows are sorted, and so is the result. */
const addTo = (
  rows: readonly UsageRow[],
  { query, added }: Pick<KnownRows, 'query' | 'added'>,
  termsOf: NumberedTerms,
) => {
  const sums = new Map<string, UsageRow>();
  for (const entry of added) {
    const row = rowOf(query, entry, termsOf);
    const before = sums.get(nameOf(row));
    sums.set(nameOf(row), before ? sumOf(before, row) : row);
  }
  const groups = new Set([...sums.values()].map(({ group }) => group));
  const all = rows.map((row) => {
    if (!groups.has(row.group)) return row;
    const name = nameOf(row);
    const sum = sums.get(name);
    sums.delete(name);
    return sum ? sumOf(row, sum) : row;
  });
  if (sums.size === 0) return all;
  return [...all, ...sums.values()].sort(compare);
};

/**
 * Creates the totals of the entries. They're cached and updated, because reading all 100,000 entries takes half a
 * second, and pi writes one every few seconds.
 */
export const createUsageRows = (all: (sql: string, ...values: (string | number)[]) => Raw[]) => {
  const known = new LRUCache<string, KnownRows>({ max: MAX_KNOWN_ROWS });
  let termsOf: NumberedTerms = new Map();

  const read = ({ grouping, fromMs, toMs, agent, lengths = [] }: UsageQuery): UsageRow[] =>
    all(
      `SELECT ${GROUPS[grouping]} AS grp, provider, model, usd > 0 AS recorded, btc_usd IS NOT NULL AS has_btc_price, ${aboveOf(lengths)} AS input_above, IFNULL(number, 0) AS terms,
        SUM(calls) AS calls, SUM(errors) AS errors, SUM(usd) AS usd, SUM(usd * ${SATS_PER_BTC} / btc_usd) AS sats_usd, ${COLUMNS}
      FROM entries LEFT JOIN terms USING (agent) WHERE ${agent === undefined ? '' : 'agent = ? AND '}at_ms >= ? AND at_ms < ?
      GROUP BY 1, 2, 3, 4, 5, 6, 7 ORDER BY 1, 2, 3, 4, 5, 6, 7`,
      ...(agent === undefined ? [] : [agent]),
      fromMs ?? 0,
      toMs ?? Number.MAX_SAFE_INTEGER,
    ).map(toRow);

  const refresh = (entry: KnownRows): UsageRow[] => {
    if (entry.added.length > 0) entry.rows = addTo(entry.rows, entry, termsOf);
    entry.added = [];
    return entry.rows;
  };

  return {
    /** Returns a period's totals, sorted by group. */
    rows(query: UsageQuery): UsageRow[] {
      const { grouping, fromMs, toMs, agent, lengths } = query;
      const key = JSON.stringify([grouping, fromMs, toMs, agent, lengths]);
      const before = known.get(key);
      if (before) return refresh(before);
      const rows = read(query);
      known.set(key, { query, rows, added: [] });
      return rows;
    },
    /** Call this after adding an entry. */
    added(entry: AddedEntry): void {
      for (const [key, { query, added }] of known.entries()) {
        const { agent, fromMs = 0, toMs = Number.MAX_SAFE_INTEGER } = query;
        if ((agent !== undefined && agent !== entry.agent) || entry.atMs < fromMs || entry.atMs >= toMs)
          continue;
        if (added.length < MOST_ADDED) added.push(entry);
        else known.delete(key);
      }
    },
    /** Call this after entries change or are removed. */
    changed(): void {
      known.clear();
    },
    /** Sets the number of each agent's terms, which are in the tables too. Other agents have number 0. */
    setTerms(numbers: NumberedTerms): void {
      termsOf = numbers;
      known.clear();
    },
  };
};
