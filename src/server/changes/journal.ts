import { hash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LINK_KINDS } from '../../shared/api/names.ts';
import {
  type ChangeAuthor,
  isSessionPath,
  MISSING,
  type PathState,
  type SeenState,
  SHARED_LOCK,
} from '../platform/changes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { createStatements, type Statements } from '../platform/sqlite-statements.ts';
import type { Seen } from '../root-model/seen-states.ts';
import { type ChangedPath, countChangedLines, subjectOf } from './summary.ts';

/** How much the journal keeps. The oldest goes first. */
export interface JournalLimits {
  readonly bytes: number;
  readonly days: number;
  /** How many texts of one file, from each kind of caller. */
  readonly versions: number;
}

const JOURNAL_LIMITS: JournalLimits = { bytes: 500 * 1024 * 1024, days: 90, versions: 100 };

/** A path's states before and after a change. */
export interface JournalItem {
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
}

/** An item to record. */
export interface NewItem extends JournalItem {
  /** True if dot-mi may have written `before` itself, and not learned it yet. See {@link Journal.seeBefore}. */
  readonly isUnsure?: boolean | undefined;
}

/** An item that was recorded earlier. */
export interface RecordedItem extends JournalItem {
  readonly index: number;
  /** `planned` while its change set is open. */
  readonly state: 'planned' | 'applied' | 'refused';
  /** False if its texts were removed, so that it can't be undone. */
  readonly isKept: boolean;
}

/** A recorded change set, without its items. */
export interface RecordedSet {
  readonly seq: number;
  readonly id: string;
  readonly at: string;
  readonly by: ChangeAuthor;
  readonly label: string;
  /** The id of the change set that this one undid. */
  readonly undoes: string | null;
  /** `open` while it's being made, and `partial` if dot-mi stopped before it was finished. */
  readonly state: 'open' | 'partial' | 'done';
  /** How many items it has, and how many of them were applied. */
  readonly items: number;
  readonly applied: number;
}

/** A change set to record. */
export interface NewSet {
  readonly by: ChangeAuthor;
  readonly label: string;
  readonly undoes?: string | undefined;
  readonly items: readonly NewItem[];
}

/** A change set that is being made. */
export interface OpenSet {
  readonly id: string;
  readonly seq: number;
  /** Resolves when the set is on disk. */
  readonly recorded: Promise<void>;
}

/**
 * The record of changes, in one SQLite database. Each function returns undefined, and warns, if the database can't be
 * used. A damaged one is put aside, and a new one begins.
 */
export interface Journal {
  begin(set: NewSet): Promise<OpenSet | undefined>;
  /** Records what another program changed before dot-mi changed it. The caller holds the lock, as for `amend`. */
  seeBefore(item: JournalItem): void;
  /** Replaces an item of an open set. Resolves when it's on disk. */
  amend(seq: number, index: number, item: JournalItem): Promise<void>;
  /** Closes a set. The items at `refused` weren't applied. */
  finish(seq: number, refused: readonly number[]): void;
  /** Removes a set that changed nothing. */
  discard(seq: number): void;
  /** Newest first. A subject is an agent or a shared entry, see {@link subjectOf}. */
  list(filter: {
    subject?: string | undefined;
    beforeSeq?: number | undefined;
    limit: number;
  }): RecordedSet[];
  /** Returns when the subject's next change after a set was made. Undefined if there is none. */
  nextAt(subject: string, seq: number): string | undefined;
  /** Returns the first `most` applied items of a set, and how many there are. With a subject, only its own. */
  changedPaths(
    set: RecordedSet,
    subject: string | undefined,
    most: number,
  ): { readonly paths: ChangedPath[]; readonly count: number };
  find(id: string): RecordedSet | undefined;
  /**
   * Returns whether a subject is another one than after a set: created again, or with other files, whoever changed
   * them. Also true if that is no longer known.
   */
  hasChangedSince(subject: string, seq: number): boolean;
  /** Returns the label of the last set after `seq` that changed a path. */
  laterChange(path: string, seq: number): string | undefined;
  /** Returns the id of the last set that undid a set. */
  undoneBy(id: string): string | undefined;
  items(seq: number): RecordedItem[];
  /** Returns the sets that were open when dot-mi stopped. */
  interrupted(): RecordedSet[];
  /**
   * Compares agents and shared entries with what they had when they were last seen, and records what other programs
   * changed meanwhile. Null is one that is gone. Returns whether that made an entry. Meanwhile, dot-mi writes to none of
   * them.
   */
  see(found: readonly (readonly [subject: string, found: Seen | null])[]): boolean;
  /** Remembers what dot-mi itself wrote, so that it isn't another program's change. The caller holds the locks. */
  learn(written: readonly { readonly path: string; readonly state: PathState }[]): void;
  /**
   * Returns the agents and shared entries that were seen, with their prints. A print is empty if it must be looked at
   * again. Undefined if the journal can't be used.
   */
  seenPrints(): ReadonlyMap<string, string> | undefined;
  /** Ends the first look at all that there is. What appears later is a change. */
  endFirstLook(subjects: readonly string[]): void;
  /** Returns the state of a path when it was last seen. Undefined if it wasn't. */
  lastSeen(path: string): PathState | undefined;
  /** Returns whether what a subject has is taken as it is, because what it had before isn't known. */
  absorbs(subject: string): boolean;
  /**
   * Returns a number that changes whenever dot-mi has written under a lock, or, for a subject, whenever more is known about
   * it.
   */
  learned(lockOrSubject: string): number;
  /** Records how far a set came before dot-mi stopped. */
  recordProgress(seq: number, applied: readonly number[], state: 'partial' | 'done'): void;
  /** Removes what exceeds the limits. */
  prune(): void;
  close(): void;
}

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

/** How many items one transaction adds, so that other requests wait for a moment only. */
const ITEMS_AT_ONCE = 2_000;

/** What an item takes without its texts, roughly. */
const ITEM_BYTES = 200;

/** How many sets are removed at once. */
const SETS_AT_ONCE = 100;

const DAY_MS = 24 * 60 * 60 * 1000;

const flush = promisify(fdatasync);

interface SetRow {
  seq: number;
  id: string;
  at_ms: number;
  kind: ChangeAuthor['kind'];
  key_id: string | null;
  key_label: string | null;
  label: string;
  undoes: string | null;
  state: RecordedSet['state'];
  items: number;
  applied: number;
}

const toSet = (row: SetRow): RecordedSet => ({
  seq: row.seq,
  id: row.id,
  at: new Date(row.at_ms).toISOString(),
  by: {
    kind: row.kind,
    ...(row.key_id === null ? {} : { key: { id: row.key_id, label: row.key_label ?? '' } }),
  },
  label: row.label,
  undoes: row.undoes,
  state: row.state,
  items: row.items,
  applied: row.applied,
});

/** The label of what other programs changed. */
const BY_PROGRAM = 'Changed by another program';

/** A path as it was last seen. */
interface SeenRow {
  path: string;
  state: string;
  hash: Uint8Array | null;
}

/** An item of a later set. Hashes are in hex, and empty if there are none. */
interface LaterRow {
  path: string;
  before: string;
  after: string;
  before_hash: string;
  after_hash: string;
  kept: number;
}

/** Returns a text that is the same for states that {@link isSameState} calls the same. */
const comparable = (encoded: string, hash: string): string => {
  const { is, text } = JSON.parse(encoded) as { is: string; text?: string };
  return `${is} ${text ?? hash}`;
};

const toState = (state: SeenState): PathState => (state.is === 'other' ? { is: 'other' } : state);

/** Returns the lock under which dot-mi changes an agent or a shared entry. */
export const lockOf = (path: string): string => {
  const [top, name = ''] = path.split('/');
  return top === 'shared' ? SHARED_LOCK : name;
};

/**
 * Returns the agent or shared entry in which other programs' changes to a path are looked for. Undefined for an agent
 * itself, a session and a preset.
 */
const followedOf = (path: string): string | undefined => {
  if (isSessionPath(path)) return undefined;
  const subject = subjectOf(path);
  const [top, kind] = path.split('/');
  const isFollowed = top === 'agents' ? path !== subject : LINK_KINDS.some((name) => name === kind);
  return isFollowed ? subject : undefined;
};

const isAgentItself = (path: string): boolean => path.startsWith('agents/') && path === subjectOf(path);

/** An agent's own entry in a folder of links is nothing that a change set restores. */
const asSeen = (path: string, state: PathState): PathState =>
  state.is === 'other' && path.startsWith('agents/') && path.split('/').length === 4 ? MISSING : state;

const textOf = (state: PathState | SeenState): string | undefined =>
  state.is === 'file' ? state.text : undefined;

/** Returns a state without the text of a file. */
const encode = (state: PathState | SeenState): string => {
  if (state.is === 'file') return JSON.stringify({ is: 'file', mode: state.mode });
  if (state.is === 'link') return JSON.stringify({ is: 'link', text: state.text });
  return JSON.stringify(state);
};

const hashOf = (text: string): Buffer => hash('sha256', text, 'buffer');

interface OpenDatabase {
  readonly raw: DatabaseSync;
  readonly statements: Statements;
  /** The descriptor of the write-ahead log. */
  readonly log: number;
  /** The bytes of all texts and items, roughly. */
  bytes: number;
}

/** Counts only the texts of entries. What was last seen of each agent has no limit, because each file has one text there. */
const countBytes = (statements: Statements): number =>
  (statements.get<{ bytes: number | null }>(
    `SELECT SUM(length(data)) AS bytes FROM texts WHERE
     EXISTS (SELECT 1 FROM items WHERE before_hash = hash) OR EXISTS (SELECT 1 FROM items WHERE after_hash = hash)`,
  )?.bytes ?? 0) +
  ITEM_BYTES * (statements.get<{ count: number }>('SELECT COUNT(*) AS count FROM items')?.count ?? 0);

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

/** Creates the {@link Journal} in the file at `path`, which is opened when it's first used. */
export const createJournal = (
  path: string,
  clock: Pick<Clock, 'now'>,
  logger: Pick<Logger, 'warn'>,
  limits: JournalLimits = JOURNAL_LIMITS,
): Journal => {
  let database: OpenDatabase | undefined;
  let isClosed = false;
  /** How often dot-mi has written under each lock, and how often it got to know something about each subject. */
  const learned = new Map<string, number>();
  const count = (lockOrSubject: string) =>
    void learned.set(lockOrSubject, (learned.get(lockOrSubject) ?? 0) + 1);

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

  /** Runs `task` with the database. Undefined if it can't be used, which stops no change. */
  const attempt = <T>(task: (opened: OpenDatabase) => T): T | undefined => {
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
  };

  const transaction = <T>({ statements }: OpenDatabase, task: () => T): T => {
    statements.run('BEGIN IMMEDIATE');
    const result = task();
    statements.run('COMMIT');
    return result;
  };

  /** Flushes what was committed to disk. */
  const flushLog = async (): Promise<void> => {
    const opened = database;
    if (!opened) return;
    try {
      await flush(opened.log);
    } catch (error) {
      // The database can be closed meanwhile, which flushes the log.
      if (database === opened) logger.warn({ err: error, path }, 'the journal of changes can’t be flushed');
    }
  };

  const keepText = (
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

  /** Forgets the texts of a file's oldest version if there are too many. */
  const forgetOldVersion = ({ statements }: OpenDatabase, path: string, kind: string) => {
    const old = statements.get<{ seq: number }>(
      `SELECT seq FROM items WHERE path = ? AND kind = ? AND kept = 1 AND (before_hash IS NOT NULL OR after_hash IS NOT NULL)
       ORDER BY seq DESC LIMIT 1 OFFSET ?`,
      path,
      kind,
      limits.versions,
    );
    if (old)
      statements.run(
        `UPDATE items SET kept = 0, before_hash = NULL, after_hash = NULL
         WHERE path = ? AND kind = ? AND kept = 1 AND (before_hash IS NOT NULL OR after_hash IS NOT NULL) AND seq <= ?`,
        path,
        kind,
        old.seq,
      );
  };

  const writeItem = (opened: OpenDatabase, seq: number, number: number, item: JournalItem, kind: string) => {
    const before = keepText(opened, item.before);
    const after = keepText(opened, item.after);
    const lines = countChangedLines(item.before, item.after);
    opened.statements.run(
      `INSERT OR REPLACE INTO items
       (seq, number, path, subject, kind, before, after, before_hash, after_hash, added, removed, state, kept)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'planned', 1)`,
      seq,
      number,
      item.path,
      subjectOf(item.path),
      kind,
      encode(item.before),
      encode(item.after),
      before.hash,
      after.hash,
      lines?.added ?? null,
      lines?.removed ?? null,
    );
    if (before.hash ?? after.hash) forgetOldVersion(opened, item.path, kind);
    return before.bytes + after.bytes + ITEM_BYTES;
  };

  const addItems = (
    opened: OpenDatabase,
    seq: number,
    { items, by: { kind } }: NewSet,
    first: number,
  ): void => {
    let bytes = 0;
    const subjects = new Set<string>();
    for (const [at, item] of items.slice(first, first + ITEMS_AT_ONCE).entries()) {
      bytes += writeItem(opened, seq, first + at, item, kind);
      subjects.add(subjectOf(item.path));
    }
    for (const subject of subjects)
      opened.statements.run('INSERT OR IGNORE INTO subjects (subject, seq) VALUES (?, ?)', subject, seq);
    opened.statements.run('UPDATE sets SET bytes = bytes + ? WHERE seq = ?', bytes, seq);
    opened.bytes += bytes;
  };

  const addSet = (opened: OpenDatabase, set: NewSet, id: string, atMs = clock.now()): number =>
    opened.statements.run(
      `INSERT INTO sets (id, at_ms, kind, key_id, key_label, label, undoes, state, items, applied, bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, 'open', ?, 0, 0)`,
      id,
      atMs,
      set.by.kind,
      set.by.key?.id ?? null,
      set.by.key?.label ?? null,
      set.label,
      set.undoes ?? null,
      set.items.length,
    ).lastInsertRowid;

  const removeSets = ({ statements }: OpenDatabase, seqs: readonly number[]) => {
    for (const seq of seqs) {
      statements.run('DELETE FROM items WHERE seq = ?', seq);
      statements.run('DELETE FROM subjects WHERE seq = ?', seq);
      statements.run('DELETE FROM sets WHERE seq = ?', seq);
    }
  };

  const removeUnusedTexts = ({ statements }: OpenDatabase) =>
    statements.run(
      `DELETE FROM texts WHERE hash NOT IN (SELECT before_hash FROM items WHERE before_hash IS NOT NULL)
       AND hash NOT IN (SELECT after_hash FROM items WHERE after_hash IS NOT NULL)
       AND hash NOT IN (SELECT hash FROM seen WHERE hash IS NOT NULL)`,
    );

  const seenAt = ({ statements }: OpenDatabase, path: string): SeenRow | undefined =>
    statements.get<SeenRow>('SELECT path, state, hash FROM seen WHERE path = ?', path);

  const isSeen = (row: SeenRow | undefined, state: PathState | SeenState): boolean => {
    if (!row) return state.is === 'missing';
    const text = textOf(state);
    if (text !== undefined) return row.hash !== null && hashOf(text).equals(row.hash);
    return row.hash === null && row.state === encode(state);
  };

  const remember = (opened: OpenDatabase, path: string, state: PathState | SeenState) => {
    count(subjectOf(path));
    if (state.is === 'missing') opened.statements.run('DELETE FROM seen WHERE path = ?', path);
    else
      opened.statements.run(
        'INSERT OR REPLACE INTO seen (path, state, hash) VALUES (?, ?, ?)',
        path,
        encode(state),
        keepText(opened, state).hash,
      );
  };

  const rowsOf = ({ statements }: OpenDatabase, subject: string): SeenRow[] =>
    // The character after the slash ends the range.
    statements.all<SeenRow>(
      'SELECT path, state, hash FROM seen WHERE path = ? OR (path >= ? AND path < ?)',
      subject,
      `${subject}/`,
      `${subject}0`,
    );

  const forgetSubject = ({ statements }: OpenDatabase, subject: string) => {
    count(subject);
    statements.run(
      'DELETE FROM seen WHERE path = ? OR (path >= ? AND path < ?)',
      subject,
      `${subject}/`,
      `${subject}0`,
    );
    statements.run('DELETE FROM seen_subjects WHERE subject = ?', subject);
  };

  const isFirstLook = ({ statements }: OpenDatabase): boolean =>
    statements.get('SELECT 1 FROM first_look') === undefined;

  const knownSubject = (
    { statements }: OpenDatabase,
    subject: string,
  ): { print: string | null } | undefined =>
    statements.get<{ print: string | null }>('SELECT print FROM seen_subjects WHERE subject = ?', subject);

  /** Records what another program changed. `changedAtMs` is when it did so, as far as the system tells. */
  const addSeen = (opened: OpenDatabase, items: readonly JournalItem[], changedAtMs: number) => {
    const [first] = items;
    if (!first) return;
    const latest = opened.statements.get<{ at_ms: number }>(
      `SELECT at_ms FROM subjects JOIN sets ON sets.seq = subjects.seq
       WHERE subject = ? ORDER BY subjects.seq DESC LIMIT 1`,
      subjectOf(first.path),
    );
    const set: NewSet = { by: { kind: 'program' }, label: BY_PROGRAM, items };
    // Entries stay in the order of their times, because costs are added up between them.
    const atMs = Math.min(clock.now(), Math.max(changedAtMs, latest?.at_ms ?? 0));
    const seq = addSet(opened, set, randomUUID(), atMs);
    for (let from = 0; from < items.length; from += ITEMS_AT_ONCE) addItems(opened, seq, set, from);
    opened.statements.run("UPDATE sets SET state = 'done', applied = items WHERE seq = ?", seq);
  };

  /**
   * Records what another program changed since these paths were seen. Their states are `before` now. `looked` has the
   * paths of earlier items, whose states are of the set itself.
   */
  const seeBefore = (opened: OpenDatabase, items: readonly NewItem[], looked = new Set<string>()) => {
    const changed = new Map<string, JournalItem[]>();
    for (const { path, before, isUnsure } of items) {
      const subject = followedOf(path);
      if (subject === undefined || looked.has(path)) continue;
      looked.add(path);
      if (isUnsure) continue;
      const row = seenAt(opened, path);
      const state = asSeen(path, before);
      if (isSeen(row, state)) continue;
      // Without an earlier look, what was there isn’t known.
      if (!row && typeof knownSubject(opened, subject)?.print !== 'string') continue;
      const own = changed.get(subject) ?? [];
      own.push({ path, before: decodeSeen(opened, row), after: state });
      changed.set(subject, own);
    }
    for (const own of changed.values()) {
      addSeen(opened, own, clock.now());
      for (const { path, after } of own) remember(opened, path, after);
    }
  };

  /** Returns the sets to remove first: others’ while they fill more than half, so that they can’t push out the operator’s. */
  const oldest = ({ statements }: OpenDatabase): number[] => {
    const others =
      statements.get<{ bytes: number | null }>(
        "SELECT SUM(bytes) AS bytes FROM sets WHERE kind <> 'operator'",
      )?.bytes ?? 0;
    return statements
      .all<{ seq: number }>(
        `SELECT seq FROM sets WHERE state <> 'open' AND (? = 0 OR kind <> 'operator') ORDER BY seq LIMIT ?`,
        others > limits.bytes / 2 ? 1 : 0,
        SETS_AT_ONCE,
      )
      .map(({ seq }) => seq);
  };

  const pruneIn = (opened: OpenDatabase) => {
    const expired = opened.statements
      .all<{ seq: number }>(
        "SELECT seq FROM sets WHERE at_ms < ? AND state <> 'open'",
        clock.now() - limits.days * DAY_MS,
      )
      .map(({ seq }) => seq);
    transaction(opened, () => {
      removeSets(opened, expired);
      removeUnusedTexts(opened);
    });
    opened.bytes = countBytes(opened.statements);
    while (opened.bytes > limits.bytes) {
      const seqs = oldest(opened);
      if (seqs.length === 0) return;
      transaction(opened, () => {
        removeSets(opened, seqs);
        removeUnusedTexts(opened);
      });
      opened.bytes = countBytes(opened.statements);
    }
  };

  const decode = (opened: OpenDatabase, text: string, key: Uint8Array | null): PathState => {
    const state = JSON.parse(text) as PathState;
    if (state.is !== 'file') return state;
    const found =
      key && opened.statements.get<{ data: Uint8Array }>('SELECT data FROM texts WHERE hash = ?', key);
    return { ...state, text: found ? inflateRawSync(found.data).toString('utf8') : '' };
  };

  const decodeSeen = (opened: OpenDatabase, row: SeenRow | undefined): PathState =>
    row ? toState(decode(opened, row.state, row.hash) as SeenState) : MISSING;

  /** Records that an agent or a shared entry is gone. Returns whether that made an entry. */
  const seeGone = (opened: OpenDatabase, subject: string): boolean => {
    const rows = rowsOf(opened, subject);
    if (!knownSubject(opened, subject) && rows.length === 0) return false;
    const items: JournalItem[] = rows.map((row) => ({
      path: row.path,
      before: decodeSeen(opened, row),
      after: MISSING,
    }));
    if (isAgentItself(subject)) items.push({ path: subject, before: { is: 'directory' }, after: MISSING });
    addSeen(opened, items, clock.now());
    forgetSubject(opened, subject);
    return items.length > 0;
  };

  /** Records how an agent or a shared entry differs from what was seen of it. Returns whether that made an entry. */
  const seeFound = (opened: OpenDatabase, subject: string, found: Seen): boolean => {
    const known = knownSubject(opened, subject);
    const rows = new Map(rowsOf(opened, subject).map((row) => [row.path, row]));
    const isNew = !known && !isFirstLook(opened) && rows.size === 0;
    const isAgent = isAgentItself(subject);
    /** Whether what has no row wasn't there before. */
    const knowsAll = typeof known?.print === 'string' || (isNew && !isAgent);
    const items: JournalItem[] =
      isNew && isAgent ? [{ path: subject, before: MISSING, after: { is: 'directory' } }] : [];
    // The directories of a new entry disappear with it.
    const absent = isNew ? ({ is: 'missing', folderless: true } as const) : MISSING;
    const changed = found.paths.filter(({ path, state }) => !isSeen(rows.get(path), state));
    for (const { path, state } of changed) {
      const row = rows.get(path);
      if (row || knowsAll)
        items.push({ path, before: row ? decodeSeen(opened, row) : absent, after: toState(state) });
    }
    const now = new Set(found.paths.map(({ path }) => path));
    const isUnknown = (path: string) =>
      found.unknown.some((place) => path === place || path.startsWith(`${place}/`));
    const gone = [...rows.values()].filter(({ path }) => !now.has(path) && !isUnknown(path));
    for (const row of gone) items.push({ path: row.path, before: decodeSeen(opened, row), after: MISSING });
    addSeen(opened, items, found.changedAtMs);
    for (const { path, state } of changed) remember(opened, path, state);
    for (const { path } of gone) remember(opened, path, MISSING);
    if (known?.print !== found.print)
      opened.statements.run(
        'INSERT OR REPLACE INTO seen_subjects (subject, print) VALUES (?, ?)',
        subject,
        found.print,
      );
    return items.length > 0;
  };

  return {
    see: (all) =>
      attempt((opened) =>
        transaction(opened, () => {
          let isRecorded = false;
          for (const [subject, found] of all) {
            const isChanged = found ? seeFound(opened, subject, found) : seeGone(opened, subject);
            isRecorded ||= isChanged;
          }
          return isRecorded;
        }),
      ) ?? false,

    learn: (written) =>
      void attempt((opened) =>
        transaction(opened, () => {
          for (const { path, state } of written) {
            const isAgent = isAgentItself(path);
            if (!isAgent && followedOf(path) === undefined) continue;
            count(lockOf(path));
            if (!isAgent) {
              remember(opened, path, asSeen(path, state));
              continue;
            }
            forgetSubject(opened, path);
            if (state.is === 'directory')
              opened.statements.run('INSERT INTO seen_subjects (subject, print) VALUES (?, NULL)', path);
          }
        }),
      ),

    seenPrints: () => {
      const rows = attempt(({ statements }) =>
        statements.all<{ subject: string; print: string | null }>('SELECT subject, print FROM seen_subjects'),
      );
      return rows && new Map(rows.map(({ subject, print }) => [subject, print ?? '']));
    },

    endFirstLook: (subjects) =>
      void attempt((opened) => {
        const { statements } = opened;
        if (!isFirstLook(opened)) return;
        transaction(opened, () => {
          // One that couldn't be read yet isn't new later.
          for (const subject of subjects)
            statements.run('INSERT OR IGNORE INTO seen_subjects (subject, print) VALUES (?, NULL)', subject);
          statements.run('INSERT INTO first_look (ended_at_ms) VALUES (?)', clock.now());
        });
      }),

    lastSeen: (path) =>
      attempt((opened) => {
        const row = seenAt(opened, path);
        const subject = followedOf(path);
        const isKnown = subject !== undefined && typeof knownSubject(opened, subject)?.print === 'string';
        return row || isKnown ? decodeSeen(opened, row) : undefined;
      }),

    absorbs: (subject) =>
      attempt((opened) => {
        const known = knownSubject(opened, subject);
        return known ? known.print === null : isFirstLook(opened);
      }) ?? true,

    learned: (lockOrSubject) => learned.get(lockOrSubject) ?? 0,

    async begin(set) {
      const id = randomUUID();
      const looked = new Set<string>();
      const part = (first: number) => set.items.slice(first, first + ITEMS_AT_ONCE);
      const begun = attempt((opened) => {
        if (opened.bytes > limits.bytes) pruneIn(opened);
        return transaction(opened, () => {
          seeBefore(opened, part(0), looked);
          const seq = addSet(opened, set, id);
          addItems(opened, seq, set, 0);
          return { seq, opened };
        });
      });
      if (!begun) return undefined;
      const { seq, opened } = begun;
      for (let first = ITEMS_AT_ONCE; first < set.items.length; first += ITEMS_AT_ONCE) {
        await nextTurn();
        // The items that are missing couldn't be undone.
        if (database !== opened) return undefined;
        const isAdded = attempt((now) =>
          transaction(now, () => {
            seeBefore(now, part(first), looked);
            addItems(now, seq, set, first);
            return true;
          }),
        );
        if (!isAdded) return undefined;
      }
      return { id, seq, recorded: flushLog() };
    },

    seeBefore: (item) => void attempt((opened) => transaction(opened, () => seeBefore(opened, [item]))),

    async amend(seq, index, item) {
      attempt((opened) =>
        transaction(opened, () => {
          const kind = opened.statements.get<{ kind: string }>(
            'SELECT kind FROM sets WHERE seq = ?',
            seq,
          )?.kind;
          seeBefore(opened, [item]);
          if (kind !== undefined) opened.bytes += writeItem(opened, seq, index, item, kind);
        }),
      );
      await flushLog();
    },

    // Not flushed: after a crash, the files themselves say what was applied.
    finish: (seq, refused) =>
      void attempt((opened) =>
        transaction(opened, () => {
          for (const number of refused)
            opened.statements.run(
              "UPDATE items SET state = 'refused' WHERE seq = ? AND number = ?",
              seq,
              number,
            );
          if (refused.length > 0)
            opened.statements.run(
              `DELETE FROM subjects WHERE seq = ? AND NOT EXISTS (SELECT 1 FROM items
               WHERE items.seq = subjects.seq AND items.subject = subjects.subject AND items.state <> 'refused')`,
              seq,
            );
          opened.statements.run(
            "UPDATE sets SET state = 'done', applied = items - ? WHERE seq = ?",
            refused.length,
            seq,
          );
        }),
      ),

    discard: (seq) => void attempt((opened) => transaction(opened, () => removeSets(opened, [seq]))),

    list: ({ subject, beforeSeq = Number.MAX_SAFE_INTEGER, limit }) =>
      (
        attempt(({ statements }) =>
          subject === undefined
            ? statements.all<SetRow>(
                "SELECT * FROM sets WHERE seq < ? AND state <> 'open' ORDER BY seq DESC LIMIT ?",
                beforeSeq,
                limit,
              )
            : statements.all<SetRow>(
                `SELECT sets.* FROM subjects JOIN sets ON sets.seq = subjects.seq
                 WHERE subject = ? AND subjects.seq < ? AND state <> 'open' ORDER BY subjects.seq DESC LIMIT ?`,
                subject,
                beforeSeq,
                limit,
              ),
        ) ?? []
      ).map(toSet),

    nextAt(subject, seq) {
      const next = attempt(({ statements }) =>
        statements.get<{ at_ms: number }>(
          `SELECT at_ms FROM subjects JOIN sets ON sets.seq = subjects.seq
           WHERE subject = ? AND subjects.seq > ? AND state <> 'open' ORDER BY subjects.seq LIMIT 1`,
          subject,
          seq,
        ),
      );
      return next && new Date(next.at_ms).toISOString();
    },

    changedPaths: ({ seq, state, applied }, subject, most) =>
      attempt(({ statements }) => {
        const where = `seq = ?${subject === undefined ? '' : ' AND subject = ?'}
           AND (state = 'applied'${state === 'done' ? " OR state = 'planned'" : ''})`;
        const values = subject === undefined ? [seq] : [seq, subject];
        const paths = statements.all<ChangedPath>(
          `SELECT path, before ->> 'is' AS was, after ->> 'is' AS "is", added, removed FROM items
           WHERE ${where} ORDER BY number LIMIT ?`,
          ...values,
          most,
        );
        if (paths.length < most) return { paths, count: paths.length };
        if (subject === undefined) return { paths, count: applied };
        const counted = statements.get<{ count: number }>(
          `SELECT COUNT(*) AS count FROM items WHERE ${where}`,
          ...values,
        );
        return { paths, count: counted?.count ?? 0 };
      }) ?? { paths: [], count: 0 },

    find(id) {
      const row = attempt(({ statements }) => statements.get<SetRow>('SELECT * FROM sets WHERE id = ?', id));
      return row && toSet(row);
    },

    hasChangedSince: (subject, seq) =>
      attempt(({ statements }) => {
        const then = new Map<string, string>();
        const now = new Map<string, string>();
        for (const row of statements.all<LaterRow>(
          `SELECT path, before, after, hex(before_hash) AS before_hash, hex(after_hash) AS after_hash, kept
           FROM subjects JOIN items USING (seq, subject) JOIN sets USING (seq)
           WHERE subject = ? AND seq > ? AND (items.state = 'applied' OR (items.state = 'planned' AND sets.state = 'done'))
           ORDER BY seq, number`,
          subject,
          seq,
        )) {
          const { path, before, after } = row;
          const isCreated = path === subject && after === encode({ is: 'directory' });
          if (row.kept === 0 || isCreated) return true;
          if (!then.has(path)) then.set(path, comparable(before, row.before_hash));
          now.set(path, comparable(after, row.after_hash));
        }
        return [...then].some(([path, state]) => now.get(path) !== state);
      }) ?? false,

    laterChange: (path, seq) =>
      attempt(({ statements }) =>
        statements.get<{ label: string }>(
          `SELECT label FROM items JOIN sets USING (seq)
           WHERE path = ? AND seq > ? AND (items.state = 'applied' OR (items.state = 'planned' AND sets.state = 'done'))
           ORDER BY seq DESC LIMIT 1`,
          path,
          seq,
        ),
      )?.label,

    undoneBy: (id) =>
      attempt(({ statements }) =>
        statements.get<{ id: string }>(
          "SELECT id FROM sets WHERE undoes = ? AND state <> 'open' ORDER BY seq DESC LIMIT 1",
          id,
        ),
      )?.id,

    items: (seq) =>
      attempt((opened) => {
        const set = opened.statements.get<SetRow>('SELECT * FROM sets WHERE seq = ?', seq);
        return opened.statements
          .all<{
            number: number;
            path: string;
            before: string;
            after: string;
            before_hash: Uint8Array | null;
            after_hash: Uint8Array | null;
            state: RecordedItem['state'];
            kept: number;
          }>('SELECT * FROM items WHERE seq = ? ORDER BY number', seq)
          .map((row): RecordedItem => {
            const isPlanned = row.state === 'planned';
            return {
              index: row.number,
              path: row.path,
              before: decode(opened, row.before, row.before_hash),
              after: decode(opened, row.after, row.after_hash),
              state: isPlanned && set?.state === 'done' ? 'applied' : row.state,
              isKept: row.kept === 1,
            };
          });
      }) ?? [],

    interrupted: () =>
      // An unused journal isn't created for this.
      existsSync(path)
        ? (
            attempt(({ statements }) => statements.all<SetRow>("SELECT * FROM sets WHERE state = 'open'")) ??
            []
          ).map(toSet)
        : [],

    recordProgress: (seq, applied, state) =>
      void attempt((opened) =>
        transaction(opened, () => {
          for (const number of applied)
            opened.statements.run(
              "UPDATE items SET state = 'applied' WHERE seq = ? AND number = ?",
              seq,
              number,
            );
          opened.statements.run(
            'UPDATE sets SET state = ?, applied = ? WHERE seq = ?',
            state,
            applied.length,
            seq,
          );
        }),
      ),

    prune: () => void (existsSync(path) && attempt(pruneIn)),

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

/** Returns where the journal of a root is. */
export const journalPath = (dataDirectory: string, rootId: string): string =>
  join(dataDirectory, 'data', 'changes', `${rootId}.sqlite`);
