import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Period } from '../../shared/api/period.ts';
import type { UsageGrouping } from '../../shared/api/usage.ts';
import { SATS_PER_BTC } from '../../shared/price-math.ts';
import type { SessionModel, TokenCounts, UsageLine } from './session-line.ts';

/** A model that a session used, with its tokens that have no recorded cost. */
export interface ModelOfSession extends SessionModel, TokenCounts {}

/** What is known about a session file. */
export interface SessionFile {
  readonly id: number;
  readonly path: string;
  readonly agent: string;
  /** The `lstat` data when it was read last, or an empty text. */
  fingerprint: string;
  /** The digest of its first line and of the bytes before `offset`, to notice that it was rewritten. */
  head: string;
  tail: string;
  /** Up to where it was read, in bytes. */
  offset: number;
  /** Undefined until its header was read. */
  sessionId: string | undefined;
  version: number;
  name: string | undefined;
  cwd: string | undefined;
  parentSession: string | undefined;
  startedAtMs: number | undefined;
  endedAtMs: number | undefined;
  /** The model in use at `offset`. */
  provider: string;
  model: string;
  models: ModelOfSession[];
  calls: number;
  errors: number;
  tokens: number;
  /** As pi adds it up: every line of the file in its order, copies of other sessions included. */
  usd: number;
  tooLong: number;
}

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

/** Raised with each change of the tables. An older index is thrown away, because it can be built again. */
const SCHEMA_VERSION = 2;

const SCHEMA = `
CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  agent TEXT NOT NULL,
  state TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
  key BLOB PRIMARY KEY,
  agent TEXT NOT NULL,
  session TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  calls INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  usd REAL NOT NULL,
  btc_usd REAL,
  -- The file of an entry without an id, which gets one when pi rewrites the file.
  unnamed_in INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX entries_by_time ON entries (at_ms);
CREATE INDEX entries_without_btc_price ON entries (at_ms) WHERE btc_usd IS NULL;
CREATE INDEX entries_without_id ON entries (unnamed_in) WHERE unnamed_in IS NOT NULL;
`;

const GROUPS: Readonly<Record<UsageGrouping, string>> = {
  agent: 'agent',
  model: "provider || '/' || model",
  // The days of the person at this machine.
  day: "date(at_ms / 1000, 'unixepoch', 'localtime')",
  session: 'session',
};

/** The window asks for one or two. */
const MAX_KNOWN_SUMS = 8;

const SUMS = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'] as const;

type Raw = Readonly<Record<string, number | string | null>>;

const countsOf = (row: Raw, prefix = ''): TokenCounts => ({
  input: Number(row[`${prefix}input`] ?? 0),
  output: Number(row[`${prefix}output`] ?? 0),
  cacheRead: Number(row[`${prefix}cache_read`] ?? 0),
  cacheWrite: Number(row[`${prefix}cache_write`] ?? 0),
  cacheWrite1h: Number(row[`${prefix}cache_write_1h`] ?? 0),
});

const open = (path: string): DatabaseSync => {
  // SECURITY: the working directories and names of sessions are nobody else's business.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    const { user_version: version } = database.prepare('PRAGMA user_version').get() as Raw;
    if (version === SCHEMA_VERSION) return database;
    if (version !== 0) throw new Error(`the index has version ${version}`);
    database.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

const openOrReplace = (path: string): DatabaseSync => {
  try {
    return open(path);
  } catch {
    // Damaged, or from another version: it is only an index.
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    return open(path);
  }
};

/**
 * Opens the index of sessions in a SQLite file, which may be deleted at any time. An entry that was counted
 * stays after its file is gone. A damaged index is replaced by an empty one.
 */
export const openSessionsStore = (path: string) => {
  const database = openOrReplace(path);
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  /** Sums by their grouping and period, until an entry changes. */
  const knownSums = new LRUCache<string, UsageRow[]>({ max: MAX_KNOWN_SUMS });
  /** Runs a statement that changes entries. */
  const change = (sql: string, ...values: SQLInputValue[]): void => {
    if (prepared(sql).run(...values).changes > 0) knownSums.clear();
  };
  const all = (sql: string, ...values: SQLInputValue[]) => prepared(sql).all(...values) as Raw[];
  const toFile = ({ id, path: filePath, agent, state }: Raw): SessionFile => ({
    ...(JSON.parse(String(state)) as SessionFile),
    id: Number(id),
    path: String(filePath),
    agent: String(agent),
  });

  return {
    /** Applies all of the task or nothing. */
    transaction(task: () => void): void {
      database.exec('BEGIN IMMEDIATE');
      try {
        task();
        database.exec('COMMIT');
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    },
    /** Every file that was ever read, also those that are gone. */
    files: (): SessionFile[] => all('SELECT id, path, agent, state FROM files').map(toFile),
    addFile(filePath: string, agent: string): number {
      return Number(
        prepared("INSERT INTO files (path, agent, state) VALUES (?, ?, '{}')").run(filePath, agent)
          .lastInsertRowid,
      );
    },
    saveFile({ id, path: _path, agent: _agent, ...state }: SessionFile): void {
      prepared('UPDATE files SET state = ? WHERE id = ?').run(JSON.stringify(state), id);
    },
    removeFile: (id: number) => void prepared('DELETE FROM files WHERE id = ?').run(id),
    /** Forgets the entries without an id of a file that is about to be read again with ids. */
    removeUnnamed: (fileId: number) => change('DELETE FROM entries WHERE unnamed_in = ?', fileId),
    /** Counts an entry, unless a copy of it was counted before. */
    addEntry(file: SessionFile, line: UsageLine, atMs: number, btcUsd: number | undefined): void {
      change(
        'INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        line.key,
        file.agent,
        file.sessionId ?? '',
        atMs,
        line.provider,
        line.model,
        line.isCall ? 1 : 0,
        line.isError ? 1 : 0,
        line.input,
        line.output,
        line.cacheRead,
        line.cacheWrite,
        line.cacheWrite1h,
        line.usd,
        btcUsd ?? null,
        line.hasId ? null : file.id,
      );
    },
    /** Gives a BTC price to the entries that have none, from a time on. */
    addBtcPrices(sinceMs: number, btcUsdAt: (atMs: number) => number | undefined): void {
      for (const { key, at_ms: atMs } of all(
        'SELECT key, at_ms FROM entries WHERE btc_usd IS NULL AND at_ms >= ?',
        sinceMs,
      )) {
        const btcUsd = btcUsdAt(Number(atMs));
        if (btcUsd !== undefined)
          change('UPDATE entries SET btc_usd = ? WHERE key = ?', btcUsd, key as unknown as Uint8Array);
      }
    },
    /** Sums of the entries of a period. */
    sums(grouping: UsageGrouping, { fromMs, toMs }: Period): UsageRow[] {
      const key = `${grouping} ${fromMs} ${toMs}`;
      const known = knownSums.get(key);
      if (known) return known;
      const columns = [
        ...SUMS.map((name) => `SUM(${name}) AS ${name}`),
        ...SUMS.map((name) => `SUM(${name} * ${SATS_PER_BTC} / btc_usd) AS sats_${name}`),
      ];
      const rows = all(
        `SELECT ${GROUPS[grouping]} AS grp, provider, model, usd > 0 AS recorded, btc_usd IS NOT NULL AS has_btc_price,
          SUM(calls) AS calls, SUM(errors) AS errors, SUM(usd) AS usd, SUM(usd * ${SATS_PER_BTC} / btc_usd) AS sats_usd, ${columns}
        FROM entries WHERE at_ms >= ? AND at_ms < ? GROUP BY 1, 2, 3, 4, 5 ORDER BY 1`,
        fromMs ?? 0,
        toMs ?? Number.MAX_SAFE_INTEGER,
      ).map((row) => ({
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
      }));
      knownSums.set(key, rows);
      return rows;
    },
    close: () => database.close(),
  };
};

/** An open index of sessions. */
export type SessionsStore = ReturnType<typeof openSessionsStore>;
