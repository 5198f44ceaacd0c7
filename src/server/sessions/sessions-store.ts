import { closeSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { createStatements } from '../platform/sqlite-statements.ts';
import type { RequestCounts, SessionModel, UsageLine } from './session-line.ts';
import { createUsageRows, type NumberedTerms, type Raw } from './usage-rows.ts';

/** The tokens of requests of about the same length. */
interface RequestsOfSession extends RequestCounts {
  /** Each of these requests has more input tokens than this, and is at most {@link LENGTH_STEP} longer. */
  readonly inputAbove: number;
}

/** A model that a session used, with its requests without a recorded cost. */
export interface ModelOfSession extends SessionModel {
  readonly requests: readonly RequestsOfSession[];
}

/** The known facts about a session file. */
export interface SessionFile {
  readonly id: number;
  readonly path: string;
  readonly agent: string;
  /** The `lstat` data of the last read, or an empty string. */
  fingerprint: string;
  /** The digest of its first line and the bytes before `offset`, to detect rewrites. */
  head: string;
  tail: string;
  /** How far it was read, in bytes. */
  offset: number;
  /** Undefined until its header is read. */
  sessionId: string | undefined;
  /** True if its first line of JSON isn't a session's header. pi ignores such a file too. */
  isOther: boolean;
  version: number;
  name: string | undefined;
  /** The start of the first user message, on one line. */
  firstMessage: string | undefined;
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
  /** The cost as pi adds it up: over every line, in file order, including copies from other sessions. */
  usd: number;
  /** How many lines are too long to read. */
  tooLong: number;
  /** How many lines aren't JSON and may hold a call, or the header. */
  damaged: number;
  /** How many lines have an amount that counts as 0. */
  refused: number;
  /** True if the last line has no end. */
  isUnfinished: boolean;
}

/**
 * Incremented with each change to the tables. An index with another version is discarded, because it can be rebuilt.
 */
const SCHEMA_VERSION = 6;

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
CREATE INDEX entries_by_agent ON entries (agent, at_ms);
CREATE INDEX entries_without_btc_price ON entries (at_ms) WHERE btc_usd IS NULL;
CREATE INDEX entries_without_id ON entries (unnamed_in) WHERE unnamed_in IS NOT NULL;
`;

/** The number of each agent's terms, and the lengths at which their prices change. Both change with the agents' files. */
const TERMS_TABLE = `PRAGMA temp_store = MEMORY;
CREATE TEMP TABLE terms (agent TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TEMP TABLE lengths (number INTEGER, above REAL, PRIMARY KEY (number, above)) STRICT, WITHOUT ROWID`;

/** How long steps can wait for their commit. */
const MOST_UNCOMMITTED_MS = 200;

const open = (path: string): DatabaseSync => {
  // SECURITY: sessions' working directories, names and first messages are private.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path);
  try {
    // This allows 32 MiB of pages in memory, so that steps that are committed together aren't written earlier.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -32768');
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
    // It's damaged, or from another version. It's only an index, so delete it.
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    return open(path);
  }
};

/**
 * Opens the index of sessions in a SQLite file, which can be deleted at any time. Counted entries stay even if their
 * file is gone. A damaged index is replaced by an empty one.
 */
export const openSessionsStore = (path: string) => {
  const database = openOrReplace(path);
  database.exec(TERMS_TABLE);
  const { run, all } = createStatements(database);
  const usage = createUsageRows(all<Raw>);
  let begunAtMs = 0;
  const commit = (): void => {
    if (database.isTransaction) database.exec('COMMIT');
  };
  /** Runs a statement that changes entries. Returns whether it changed any. */
  const change = (sql: string, ...values: SQLInputValue[]): boolean => run(sql, ...values).changes > 0;
  const toFile = ({ id, path: filePath, agent, state }: Raw): SessionFile => ({
    ...(JSON.parse(String(state)) as SessionFile),
    id: Number(id),
    path: String(filePath),
    agent: String(agent),
  });

  return {
    /**
     * Applies the entire task or nothing. Commits several together, because a commit takes as long as reading a
     * small file. If the commit fails or the process ends first, none of them are applied. See `discard`.
     */
    step(task: () => void): void {
      if (!database.isTransaction) {
        database.exec('BEGIN IMMEDIATE');
        begunAtMs = performance.now();
      }
      database.exec('SAVEPOINT step');
      try {
        task();
        database.exec('RELEASE step');
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK TO step; RELEASE step');
        usage.changed();
        throw error;
      }
      if (performance.now() - begunAtMs > MOST_UNCOMMITTED_MS) commit();
    },
    /** Commits the steps so far. */
    commit,
    /** Discards uncommitted steps. Files must then be read again. */
    discard(): void {
      if (database.isTransaction) database.exec('ROLLBACK');
      usage.changed();
    },
    /** Returns every file that was ever read, including deleted ones. */
    files: (): SessionFile[] => all<Raw>('SELECT id, path, agent, state FROM files').map(toFile),
    addFile(filePath: string, agent: string): number {
      return run("INSERT INTO files (path, agent, state) VALUES (?, ?, '{}')", filePath, agent)
        .lastInsertRowid;
    },
    saveFile({ id, path: _path, agent: _agent, ...state }: SessionFile): void {
      run('UPDATE files SET state = ? WHERE id = ?', JSON.stringify(state), id);
    },
    removeFile: (id: number) => void run('DELETE FROM files WHERE id = ?', id),
    /** Removes a file's entries without an id, before it's read again with ids. */
    removeUnnamed(fileId: number): void {
      if (change('DELETE FROM entries WHERE unnamed_in = ?', fileId)) usage.changed();
    },
    /** Counts an entry, unless a copy of it was already counted. */
    addEntry(file: SessionFile, line: UsageLine, atMs: number, btcUsd: number | undefined): void {
      const { agent, sessionId: session = '' } = file;
      const [calls, errors] = [line.isCall ? 1 : 0, line.isError ? 1 : 0];
      const isNew = change(
        'INSERT OR IGNORE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
        line.key,
        agent,
        session,
        atMs,
        line.provider,
        line.model,
        calls,
        errors,
        line.input,
        line.output,
        line.cacheRead,
        line.cacheWrite,
        line.cacheWrite1h,
        line.usd,
        btcUsd ?? null,
        line.hasId ? null : file.id,
      );
      if (isNew) usage.added({ ...line, agent, session, atMs, calls, errors, btcUsd });
    },
    /** Assigns a BTC price to entries that have none, starting at a time. */
    addBtcPrices(sinceMs: number, btcUsdAt: (atMs: number) => number | undefined): void {
      for (const { key, at_ms: atMs } of all<Raw>(
        'SELECT key, at_ms FROM entries WHERE btc_usd IS NULL AND at_ms >= ?',
        sinceMs,
      )) {
        const btcUsd = btcUsdAt(Number(atMs));
        if (
          btcUsd !== undefined &&
          change('UPDATE entries SET btc_usd = ? WHERE key = ?', btcUsd, key ?? null)
        )
          usage.changed();
      }
    },
    /** Sets the number of each agent's terms. Other agents have number 0. */
    setTerms(numbers: NumberedTerms): void {
      const terms = [...numbers].map(([agent, { number }]) => [agent, number]);
      const lengths = [...numbers.values()].flatMap(({ number, lengths: own }) =>
        own.map((length) => [number, length]),
      );
      for (const [table, rows] of Object.entries({ terms, lengths })) {
        run(`DELETE FROM ${table}`);
        run(
          `INSERT OR IGNORE INTO ${table} SELECT value ->> 0, value ->> 1 FROM json_each(?)`,
          JSON.stringify(rows),
        );
      }
      usage.setTerms(numbers);
    },
    sums: usage.rows,
    close() {
      commit();
      database.close();
    },
  };
};

/** An open index of sessions. */
export type SessionsStore = ReturnType<typeof openSessionsStore>;
