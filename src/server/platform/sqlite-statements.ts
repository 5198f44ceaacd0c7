import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

/** How many rows a statement changed, and the rowid of the last one that it inserted. */
interface Changed {
  readonly changes: number;
  readonly lastInsertRowid: number;
}

/** The only way to run statements of a database. Each of them runs to its end. */
export interface Statements {
  /** Runs a statement that returns no rows. */
  run(sql: string, ...values: SQLInputValue[]): Changed;
  /** Runs a statement with RETURNING. Returns the first row that it changed. */
  runReturning<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined;
  /** Returns the first row of a SELECT or PRAGMA. */
  get<Row>(sql: string, ...values: SQLInputValue[]): Row | undefined;
  /** Returns all rows of a SELECT or PRAGMA. */
  all<Row>(sql: string, ...values: SQLInputValue[]): Row[];
}

type Kind = 'reads' | 'changes' | 'returns changes';

const kindOf = (sql: string): Kind => {
  if (/^\s*(SELECT\b|PRAGMA [^=]*$)/i.test(sql)) return 'reads';
  return /\bRETURNING\b/i.test(sql) ? 'returns changes' : 'changes';
};

/** SQLite cuts its write-ahead log to this size when it starts over. It does so at about 1,000 pages of 4 KiB. */
const LOG_LIMIT_BYTES = 4 * 1024 * 1024;

/**
 * Prepares statements once. Limits the size of the write-ahead log.
 *
 * `get` stops after a row. SQLite commits such a statement, but moves nothing out of its log until a statement that
 * writes has run to its end (sqlite.org/wal.html, "Automatic Checkpoint"). So each function accepts only its own kind of
 * statement, and throws otherwise.
 */
export const createStatements = (database: DatabaseSync): Statements => {
  database.exec(`PRAGMA journal_size_limit = ${LOG_LIMIT_BYTES}`);
  const known = new Map<string, { readonly kind: Kind; readonly statement: StatementSync }>();
  const prepared = (sql: string, expected: Kind): StatementSync => {
    let found = known.get(sql);
    if (!found) {
      found = { kind: kindOf(sql), statement: database.prepare(sql) };
      known.set(sql, found);
    }
    if (found.kind !== expected)
      throw new Error(`this statement ${found.kind}, so another function must run it: ${sql}`);
    return found.statement;
  };
  return {
    run(sql, ...values) {
      const { changes, lastInsertRowid } = prepared(sql, 'changes').run(...values);
      return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) };
    },
    runReturning: <Row>(sql: string, ...values: SQLInputValue[]) =>
      prepared(sql, 'returns changes').all(...values)[0] as Row | undefined,
    get: <Row>(sql: string, ...values: SQLInputValue[]) =>
      prepared(sql, 'reads').get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: SQLInputValue[]) => prepared(sql, 'reads').all(...values) as Row[],
  };
};
