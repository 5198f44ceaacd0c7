import { chmodSync, closeSync, openSync, statfsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { AppError, systemCode } from '../../platform/app-error.ts';

/** A value as SQLite holds it. */
export type SqlValue = SQLInputValue;

/** The database as the wallet uses it: thin, so that another SQLite could take its place. */
export interface Database {
  /** Runs one statement; returns how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  get<Row>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row>(sql: string, ...values: SqlValue[]): Row[];
  /** All of the task or nothing, also after a crash. On return it is on the disk. */
  transaction<T>(task: () => T): T;
  close(): void;
}

/** One step of the schema: SQL that brings version n-1 to n. Steps are only ever added. */
export type Migration = string;

/** A database that cannot be opened; `message` is a sentence for the person at the machine. */
export class DatabaseUnavailableError extends Error {}

/** Versions before it can corrupt a database that is reset in WAL mode (sqlite.org/wal.html, "WAL-reset bug"). */
const OLDEST_SAFE_SQLITE = [3, 51, 3] as const;

/** Result codes of SQLite (sqlite.org/rescode.html), the primary part. */
const BUSY = 5;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** A complete check of a larger file would be felt at each start; SQLite finds damage there when it reads it. */
const CHECKED_WHOLE_UP_TO_BYTES = 8 * 1024 * 1024;

/** SQLite makes its shared memory in steps of this, and says no more than "I/O error" where there is no room for one. */
const SHARED_MEMORY_BYTES = 32 * 1024;

const hasNoRoom = (path: string): boolean => {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < SHARED_MEMORY_BYTES;
  } catch {
    return false;
  }
};

/** The primary result code of SQLite, but FULL for what failed for want of room. */
const resultCode = (error: unknown, path: string): number | undefined => {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  const code = error.errcode & 0xff;
  return code === IOERR && hasNoRoom(path) ? FULL : code;
};

/** Turns what SQLite refuses at run time into an answer. */
const explain = (error: unknown, path: string): unknown => {
  switch (resultCode(error, path)) {
    case FULL:
      return new AppError('disk_full', 'The disk is full. Free some space and try again.', {}, error);
    case READONLY:
      return new AppError(
        'permission_denied',
        "dot-mi can't write the wallet's database. Check the owner and the mode of the wallet directory.",
        {},
        error,
      );
    case CORRUPT:
    case NOTADB:
    case IOERR:
      return new AppError(
        'wallet_damaged',
        "dot-mi can't read or write the wallet's database. Stop dot-mi, keep the file, and see docs/troubleshooting.md for how to get the sats back.",
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
      return new DatabaseUnavailableError(
        `another dot-mi is using the wallet database ${path}. Stop that one, or set WALLET_DB_PATH to another directory`,
      );
    case READONLY:
    case CANTOPEN:
      return new DatabaseUnavailableError(
        `dot-mi can't write the wallet database ${path}. Check the owner of the file and its directory`,
      );
    case FULL:
      return new DatabaseUnavailableError(
        `the disk with the wallet database ${path} is full. Free some space and start again`,
      );
    case IOERR:
      return new DatabaseUnavailableError(
        `dot-mi can't read or write the wallet database ${path} (I/O error). The file was not changed. Check the disk`,
      );
    case CORRUPT:
    case NOTADB:
      return new DatabaseUnavailableError(
        `the wallet database ${path} is damaged. The file was not changed. Replace it with a good copy, or move it away and restore the wallet from its backup words`,
      );
    default:
      return error;
  }
};

/** Whether a version of SQLite ("3.51.2") can damage what it keeps. */
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
    throw new DatabaseUnavailableError(`a newer dot-mi wrote the wallet database ${path}. Use that version`);
  }
  if (version === migrations.length) return;
  // A fresh database has nothing to lose.
  if (version > 0) {
    const copy = `${path}.before-version-${migrations.length}-${Date.now()}`;
    closeSync(openSync(copy, 'wx', 0o600));
    raw.prepare('VACUUM INTO ?').run(copy);
  }
  // A step may rebuild a table that others refer to (sqlite.org/lang_altertable.html, "Making Other Kinds Of Table Schema Changes").
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
  // The lock of this mode lasts as long as the connection and ends with the process, however that ends.
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
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (!statement) {
      statement = raw.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const withAppErrors = <T>(task: () => T): T => {
    try {
      return task();
    } catch (error) {
      throw explain(error, path);
    }
  };

  return {
    run: (sql, ...values) => withAppErrors(() => Number(prepared(sql).run(...values).changes)),
    get: <Row>(sql: string, ...values: SqlValue[]) =>
      withAppErrors(() => prepared(sql).get(...values) as Row | undefined),
    all: <Row>(sql: string, ...values: SqlValue[]) =>
      withAppErrors(() => prepared(sql).all(...values) as Row[]),
    transaction: (task) =>
      withAppErrors(() => {
        prepared('BEGIN IMMEDIATE').run();
        try {
          const result = task();
          prepared('COMMIT').run();
          return result;
        } catch (error) {
          // A full disk may have rolled back by itself.
          if (raw.isTransaction) prepared('ROLLBACK').run();
          throw error;
        }
      }),
    close: () => {
      if (raw.isOpen) raw.close();
    },
  };
};

/**
 * Opens or makes the database at `path` (mode 0600), in WAL mode, every commit flushed to the disk, and brings its
 * schema to the newest version after a copy of the old file was made beside it.
 *
 * It is ours alone until it is closed. Throws {@link DatabaseUnavailableError} when another process has it, when it is
 * damaged (the file is left as it is) or cannot be written.
 */
export const openDatabase = async (path: string, migrations: readonly Migration[]): Promise<Database> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  let raw: DatabaseSync | undefined;
  try {
    // SECURITY: made with its mode, since SQLite would make it readable for all; its -wal file gets the same mode.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    raw = new DatabaseSync(path);
    const { version } = raw.prepare('SELECT sqlite_version() AS version').get() as { version: string };
    if (isUnsafeSqlite(version)) {
      throw new DatabaseUnavailableError(
        `this Node includes SQLite ${version}, which can damage databases. Use a Node with SQLite ${OLDEST_SAFE_SQLITE.join('.')} or newer`,
      );
    }
    prepareFile(raw, path, migrations);
    return wrap(raw, path);
  } catch (error) {
    raw?.close();
    const code = systemCode(error);
    // What the system says of the file (a directory, a mode, a full disk); SQLite's own errors have a result code.
    if (code && !code.startsWith('ERR_')) {
      const isFull = code === 'ENOSPC' || code === 'EDQUOT';
      throw unavailable(path, Object.assign(new Error(), { errcode: isFull ? FULL : CANTOPEN }));
    }
    throw unavailable(path, error);
  }
};
