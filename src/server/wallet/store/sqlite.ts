import { chmodSync, closeSync, openSync, statfsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { AppError, systemCode } from '../../platform/app-error.ts';
import { createStatements } from '../../platform/sqlite-statements.ts';

type SqlValue = SQLInputValue;

/** The part of SQLite that the wallet uses, kept small so that another library could replace it. */
export interface Database {
  /** Runs one statement and returns how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Runs one statement with RETURNING. Returns the first row that it changed. */
  runReturning<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
  /** Applies the entire task or nothing, even after a crash. Changes are on disk when it returns. */
  transaction<T>(task: () => T): T;
  close(): void;
}

/** One step of the schema: SQL that upgrades version n-1 to n. New steps are added, and old ones never change. */
export type Migration = string;

/** Thrown if a database can't be opened. `message` is a sentence for the operator. */
export class DatabaseUnavailableError extends Error {}

/** Thrown if another process has the database open. */
export class DatabaseInUseError extends DatabaseUnavailableError {}

/**
 * The oldest safe version. Older ones can corrupt a database that is reset in WAL mode (sqlite.org/wal.html,
 * "WAL-reset bug").
 */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;

/** SQLite's primary result codes (sqlite.org/rescode.html). */
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/**
 * The largest file that is checked completely. Checking a larger one would slow each start. SQLite detects damage
 * there when it reads it.
 */
const CHECKED_WHOLE_UP_TO_BYTES = 8 * 1024 * 1024;

/** The size of the steps in which SQLite allocates shared memory. Without room for one, it only reports "I/O error". */
const SHARED_MEMORY_BYTES = 32 * 1024;

const hasNoRoom = (path: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < SHARED_MEMORY_BYTES;
  } catch {
    return false;
  }
};

/** Returns SQLite's primary result code, or FULL for an I/O error on a full disk. */
const resultCode = (error: unknown, path: string): number | undefined => {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  const code = error.errcode & 0xff;
  return code === IOERR && hasNoRoom(path) ? FULL : code;
};

/** Converts SQLite's runtime errors to API errors. */
const explain = (error: unknown, path: string): unknown => {
  switch (resultCode(error, path)) {
    case FULL:
      return new AppError('disk_full', 'The disk is full. Free some space and try again.', {}, error);
    case READONLY:
      return new AppError(
        'permission_denied',
        'dot-mi can’t write the wallet’s database. Check the owner and mode of the wallet directory.',
        {},
        error,
      );
    case CORRUPT:
    case NOTADB:
    case IOERR:
      return new AppError(
        'wallet_damaged',
        'dot-mi can’t read or write the wallet’s database. Stop dot-mi, keep the file, and see docs/troubleshooting.md for how to get the sats back.',
        {},
        error,
      );
    default:
      return error;
  }
};

const unavailable = (path: string, error: unknown): unknown => {
  switch (resultCode(error, path)) {
    case BUSY:
      return new DatabaseInUseError(
        `another dot-mi is using the wallet database ${path}. Stop that one, or set WALLET_DB_PATH to another directory`,
      );
    case READONLY:
    case CANTOPEN:
      return new DatabaseUnavailableError(
        `dot-mi can’t write the wallet database ${path}. Check the owner of the file and its directory`,
      );
    case FULL:
      return new DatabaseUnavailableError(
        `the disk with the wallet database ${path} is full. Free some space and start again`,
      );
    case IOERR:
      return new DatabaseUnavailableError(
        `dot-mi can’t read or write the wallet database ${path} (I/O error). The file was not changed. Check the disk`,
      );
    case CORRUPT:
    case NOTADB:
      return new DatabaseUnavailableError(
        `the wallet database ${path} is damaged. The file was not changed. Replace it with a good copy, or move it somewhere else and restore the wallet from its backup words`,
      );
    default:
      return error;
  }
};

/** Returns whether a version of SQLite, such as "3.51.2", can damage a database. */
export const isUnsafeSqlite = (version: string): boolean => {
  const numbers = version.split('.').map(Number);
  for (const [index, oldest] of OLDEST_SAFE_SQLITE.entries()) {
    const number = numbers[index] ?? 0;
    if (number !== oldest) return number < oldest;
  }
  return false;
};

const damaged = (path: string) => unavailable(path, Object.assign(new Error(), { errcode: CORRUPT }));

const versionOf = (raw: DatabaseSync): number =>
  Number((raw.prepare('PRAGMA user_version').get() as { user_version: number }).user_version);

const migrate = (raw: DatabaseSync, path: string, migrations: readonly Migration[]) => {
  const version = versionOf(raw);
  if (version > migrations.length) {
    throw new DatabaseUnavailableError(
      `a newer version of dot-mi wrote the wallet database ${path}. Use that version`,
    );
  }
  if (version === migrations.length) return;
  // A new database has nothing to back up.
  if (version > 0) {
    const copy = `${path}.before-version-${migrations.length}-${Date.now()}`;
    closeSync(openSync(copy, 'wx', 0o600));
    raw.prepare('VACUUM INTO ?').run(copy);
  }
  // A step may rebuild a table that others reference (sqlite.org/lang_altertable.html, "Making Other Kinds Of Table
  // Schema Changes").
  raw.exec('PRAGMA foreign_keys = OFF');
  raw.exec('BEGIN IMMEDIATE');
  try {
    for (const step of migrations.slice(version)) raw.exec(step);
    if (raw.prepare('PRAGMA foreign_key_check').all().length > 0) throw damaged(path);
    raw.exec(`PRAGMA user_version = ${migrations.length}`);
    raw.exec('COMMIT');
  } catch (error) {
    raw.exec('ROLLBACK');
    throw error;
  } finally {
    raw.exec('PRAGMA foreign_keys = ON');
  }
};

const prepareFile = (raw: DatabaseSync, path: string, migrations: readonly Migration[]) => {
  // The lock lasts as long as the connection, and ends with the process, even after a crash.
  raw.exec('PRAGMA locking_mode = EXCLUSIVE');
  raw.exec('PRAGMA journal_mode = WAL');
  raw.exec('PRAGMA synchronous = FULL');
  raw.exec('PRAGMA foreign_keys = ON');
  raw.exec('BEGIN IMMEDIATE; COMMIT');
  if (statSync(path).size <= CHECKED_WHOLE_UP_TO_BYTES) {
    const found = raw.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
    if (found.quick_check !== 'ok') throw damaged(path);
  }
  migrate(raw, path, migrations);
};

const wrap = (raw: DatabaseSync, path: string): Database => {
  const statements = createStatements(raw);
  const withAppErrors = <T>(task: () => T): T => {
    try {
      return task();
    } catch (error) {
      throw explain(error, path);
    }
  };

  return {
    run: (sql, ...values) => withAppErrors(() => statements.run(sql, ...values).changes),
    runReturning: <Row>(sql: string, ...values: SqlValue[]) =>
      withAppErrors(() => statements.runReturning<Row>(sql, ...values)),
    get: <Row>(sql: string, ...values: SqlValue[]) =>
      withAppErrors(() => statements.get<Row>(sql, ...values)),
    all: <Row>(sql: string, ...values: SqlValue[]) =>
      withAppErrors(() => statements.all<Row>(sql, ...values)),
    transaction: (task) =>
      withAppErrors(() => {
        statements.run('BEGIN IMMEDIATE');
        try {
          const result = task();
          statements.run('COMMIT');
          return result;
        } catch (error) {
          // SQLite may have rolled back already, for example on a full disk.
          if (raw.isTransaction) statements.run('ROLLBACK');
          throw error;
        }
      }),
    close: () => {
      if (raw.isOpen) raw.close();
    },
  };
};

/**
 * Opens or creates the database at `path` (mode 0600) in WAL mode, and flushes every commit to disk. Before migrating
 * the schema to the newest version, it copies the old file to the same directory.
 *
 * The lock lasts until the database is closed. Throws {@link DatabaseUnavailableError} if another process has it
 * open, or if it's damaged (the file isn't changed) or unwritable.
 */
export const openDatabase = async (path: string, migrations: readonly Migration[]): Promise<Database> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let raw: DatabaseSync | undefined;
  try {
    // SECURITY: create the file with its mode, because SQLite would let everyone read it. Its -wal file gets the
    // same mode.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    raw = new DatabaseSync(path);
    const { version } = raw.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    if (isUnsafeSqlite(version)) {
      throw new DatabaseUnavailableError(
        `this version of Node.js includes SQLite ${version}, which can damage databases. Use a version with SQLite ${OLDEST_SAFE_SQLITE.join('.')} or newer`,
      );
    }
    prepareFile(raw, path, migrations);
    return wrap(raw, path);
  } catch (error) {
    raw?.close();
    const code = systemCode(error);
    // This is a system error about the file (a directory, a mode, a full disk). SQLite's errors have a result code.
    if (code && !code.startsWith('ERR_')) {
      const isFull = code === 'ENOSPC' || code === 'EDQUOT';
      throw unavailable(path, Object.assign(new Error(), { errcode: isFull ? FULL : CANTOPEN }));
    }
    throw unavailable(path, error);
  }
};
