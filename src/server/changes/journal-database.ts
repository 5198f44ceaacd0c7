import { hash } from 'node:crypto';
import { chmodSync, closeSync, fdatasync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { PathState, SeenState } from '../platform/changes.ts';
import type { Logger } from '../platform/logger.ts';
import { createStatements, type Statements } from '../platform/sqlite-statements.ts';

const SCHEMA_VERSION = 3;

const SCHEMA = `
CREATE TABLE sets (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  key_id TEXT,
  key_label TEXT,
  label TEXT NOT NULL,
  undoes TEXT,
  state TEXT NOT NULL,
  items INTEGER NOT NULL,
  applied INTEGER NOT NULL,
  bytes INTEGER NOT NULL
) STRICT;
CREATE INDEX sets_open ON sets (state) WHERE state = 'open';
CREATE INDEX sets_undoes ON sets (undoes) WHERE undoes IS NOT NULL;
CREATE TABLE items (
  seq INTEGER NOT NULL,
  number INTEGER NOT NULL,
  path TEXT NOT NULL,
  subject TEXT NOT NULL,
  kind TEXT NOT NULL,
  before TEXT NOT NULL,
  after TEXT NOT NULL,
  before_hash BLOB,
  after_hash BLOB,
  -- The number of lines that were added and removed. Null if one of the states isn't a file.
  added INTEGER,
  removed INTEGER,
  state TEXT NOT NULL,
  kept INTEGER NOT NULL,
  PRIMARY KEY (seq, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX items_of_subject ON items (seq, subject);
CREATE INDEX items_with_texts ON items (path, kind, seq) WHERE kept = 1 AND (before_hash IS NOT NULL OR after_hash IS NOT NULL);
CREATE INDEX items_before ON items (before_hash) WHERE before_hash IS NOT NULL;
CREATE INDEX items_after ON items (after_hash) WHERE after_hash IS NOT NULL;
CREATE TABLE subjects (
  subject TEXT NOT NULL,
  seq INTEGER NOT NULL,
  PRIMARY KEY (subject, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX subjects_of_set ON subjects (seq);
-- The agents and shared entries that were seen. A print of NULL belongs to an agent that dot-mi has made since then.
CREATE TABLE seen_subjects (
  subject TEXT PRIMARY KEY,
  print TEXT
) STRICT, WITHOUT ROWID;
CREATE TABLE seen (
  path TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  hash BLOB
) STRICT, WITHOUT ROWID;
CREATE INDEX seen_hash ON seen (hash) WHERE hash IS NOT NULL;
CREATE TABLE first_look (
  ended_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE texts (
  hash BLOB PRIMARY KEY,
  data BLOB NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** SQLite's result codes for a damaged file (sqlite.org/rescode.html). */
const DAMAGED: readonly number[] = [11, 26];

const flush = promisify(fdatasync);

/** The journal's database while it's open. */
export interface OpenDatabase {
  readonly raw: DatabaseSync;
  readonly statements: Statements;
  /** The descriptor of the write-ahead log. */
  readonly log: number;
  /** The bytes of all texts and items, roughly. */
  bytes: number;
}

/** The database of a journal, which is opened when it's first used. */
export interface JournalDatabase {
  /** Runs `task` with the database. Undefined if it can't be used, which stops no change. */
  attempt<T>(task: (opened: OpenDatabase) => T): T | undefined;
  /** Returns whether a database that a task was given is still in use. A damaged one is put aside. */
  isOpen(opened: OpenDatabase): boolean;
  /** Flushes what was committed to disk. */
  flush(): Promise<void>;
  close(): void;
}

/** Returns at least {@link countBytes}, in a moment: texts that were removed since count, too. */
const estimateBytes = (statements: Statements): number =>
  statements.get<{ bytes: number | null }>('SELECT SUM(bytes) AS bytes FROM sets')?.bytes ?? 0;

const open = (path: string): OpenDatabase => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // SECURITY: earlier texts can contain secrets.
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
  const raw = new DatabaseSync(path);
  try {
    raw.exec('PRAGMA busy_timeout = 200; PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF');
    const { user_version: version } = raw.prepare('PRAGMA user_version').get() as { user_version: number };
    if (version === 0) raw.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
    else if (version !== SCHEMA_VERSION)
      throw Object.assign(new Error(`the journal has version ${version}`), { errcode: DAMAGED[0] });
    // A commit only writes the log. Flushing it is up to us, because a thread can do that while the new file is written.
    raw.exec('PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE; COMMIT');
    const statements = createStatements(raw);
    const bytes = estimateBytes(statements);
    const directory = openSync(dirname(path), 'r');
    try {
      // The log's name must be on disk, too. Windows can't flush a directory.
      if (process.platform !== 'win32') fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
    return { raw, statements, bytes, log: openSync(`${path}-wal`, 'r+') };
  } catch (error) {
    raw.close();
    throw error;
  }
};

const isDamage = (error: unknown): boolean =>
  error instanceof Error &&
  'errcode' in error &&
  typeof error.errcode === 'number' &&
  DAMAGED.includes(error.errcode & 0xff);

/** Creates the {@link JournalDatabase} in the file at `path`. */
export const createJournalDatabase = (path: string, logger: Pick<Logger, 'warn'>): JournalDatabase => {
  let database: OpenDatabase | undefined;
  let isClosed = false;

  const close = () => {
    if (!database) return;
    closeSync(database.log);
    if (database.raw.isOpen) database.raw.close();
    database = undefined;
  };

  const putAside = () => {
    close();
    for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    renameSync(path, `${path}.damaged`);
  };

  return {
    attempt(task) {
      if (isClosed) return undefined;
      for (let isAgain = false; ; isAgain = true) {
        try {
          database ??= open(path);
          return task(database);
        } catch (error) {
          if (database?.raw.isTransaction) database.raw.exec('ROLLBACK');
          const isDamaged = isDamage(error);
          logger.warn(
            { err: error, path },
            isDamaged
              ? 'the journal of changes is damaged, so a new one begins; earlier changes can’t be undone'
              : 'the journal of changes can’t be used; changes are made, but can’t be undone',
          );
          try {
            if (isDamaged) putAside();
            else close();
          } catch (second) {
            logger.warn({ err: second, path }, 'the damaged journal can’t be moved');
            return undefined;
          }
          if (!isDamaged || isAgain) return undefined;
        }
      }
    },

    isOpen: (opened) => database === opened,

    async flush() {
      const opened = database;
      if (!opened) return;
      try {
        await flush(opened.log);
      } catch (error) {
        // The database can be closed meanwhile, which flushes the log.
        if (database === opened) logger.warn({ err: error, path }, 'the journal of changes can’t be flushed');
      }
    },

    close() {
      isClosed = true;
      try {
        close();
      } catch (error) {
        logger.warn({ err: error, path }, 'the journal of changes can’t be closed');
      }
    },
  };
};

/** Runs `task` in a transaction. {@link JournalDatabase.attempt} rolls it back if it throws. */
export const transaction = <T>({ statements }: OpenDatabase, task: () => T): T => {
  statements.run('BEGIN IMMEDIATE');
  const result = task();
  statements.run('COMMIT');
  return result;
};

/** Returns the text of a file. Undefined if the state isn't one. */
export const textOf = (state: PathState | SeenState): string | undefined =>
  state.is === 'file' ? state.text : undefined;

/** Returns a state without the text of a file. */
export const encode = (state: PathState | SeenState): string => {
  if (state.is === 'file') return JSON.stringify({ is: 'file', mode: state.mode });
  if (state.is === 'link') return JSON.stringify({ is: 'link', text: state.text });
  return JSON.stringify(state);
};

/** Returns the key of a text. */
export const hashOf = (text: string): Buffer => hash('sha256', text, 'buffer');

/** Keeps the text of a state, and returns its key and how many bytes that added. */
export const keepText = (
  opened: OpenDatabase,
  state: PathState | SeenState,
): { hash: Buffer | null; bytes: number } => {
  const text = textOf(state);
  if (text === undefined) return { hash: null, bytes: 0 };
  const key = hashOf(text);
  if (opened.statements.get('SELECT 1 FROM texts WHERE hash = ?', key)) return { hash: key, bytes: 0 };
  const data = deflateRawSync(text, { level: 1 });
  opened.statements.run('INSERT INTO texts (hash, data) VALUES (?, ?)', key, data);
  return { hash: key, bytes: data.length };
};

/** Returns a state with its text. */
export const decode = (opened: OpenDatabase, text: string, key: Uint8Array | null): PathState => {
  const state = JSON.parse(text) as PathState;
  if (state.is !== 'file') return state;
  const found =
    key && opened.statements.get<{ data: Uint8Array }>('SELECT data FROM texts WHERE hash = ?', key);
  return { ...state, text: found ? inflateRawSync(found.data).toString('utf8') : '' };
};
