import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangeAuthor } from '../platform/changes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Statements } from '../platform/sqlite-statements.ts';
import {
  createJournalDatabase,
  decode,
  encode,
  keepText,
  type OpenDatabase,
  transaction,
} from './journal-database.ts';
import { createLastSeen, type JournalItem, type LastSeen, type NewItem } from './last-seen.ts';
import { type ChangedPath, countChangedLines, subjectOf } from './summary.ts';

/** How much the journal keeps. The oldest goes first. */
export interface JournalLimits {
  readonly bytes: number;
  readonly days: number;
  /** How many texts of one file, from each kind of caller. */
  readonly versions: number;
}

const JOURNAL_LIMITS: JournalLimits = { bytes: 500 * 1024 * 1024, days: 90, versions: 100 };

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
export interface Journal extends Omit<LastSeen, 'seeBefore'> {
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
  /** Records how far a set came before dot-mi stopped. */
  recordProgress(seq: number, applied: readonly number[], state: 'partial' | 'done'): void;
  /** Removes what exceeds the limits. */
  prune(): void;
  close(): void;
}

/** How many items one transaction adds, so that other requests wait for a moment only. */
const ITEMS_AT_ONCE = 2_000;

/** What an item takes without its texts, roughly. */
const ITEM_BYTES = 200;

/** How many sets are removed at once. */
const SETS_AT_ONCE = 100;

const DAY_MS = 24 * 60 * 60 * 1000;

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

/** Counts only the texts of entries. What was last seen of each agent has no limit, because each file has one text there. */
const countBytes = (statements: Statements): number =>
  (statements.get<{ bytes: number | null }>(
    `SELECT SUM(length(data)) AS bytes FROM texts WHERE
     EXISTS (SELECT 1 FROM items WHERE before_hash = hash) OR EXISTS (SELECT 1 FROM items WHERE after_hash = hash)`,
  )?.bytes ?? 0) +
  ITEM_BYTES * (statements.get<{ count: number }>('SELECT COUNT(*) AS count FROM items')?.count ?? 0);

/** Creates the {@link Journal} in the file at `path`, which is opened when it's first used. */
export const createJournal = (
  path: string,
  clock: Pick<Clock, 'now'>,
  logger: Pick<Logger, 'warn'>,
  limits: JournalLimits = JOURNAL_LIMITS,
): Journal => {
  const database = createJournalDatabase(path, logger);
  const { attempt } = database;

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

  const { seeBefore, ...seen } = createLastSeen(database, clock, addSeen);

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

  return {
    ...seen,

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
        if (!database.isOpen(opened)) return undefined;
        const isAdded = attempt((now) =>
          transaction(now, () => {
            seeBefore(now, part(first), looked);
            addItems(now, seq, set, first);
            return true;
          }),
        );
        if (!isAdded) return undefined;
      }
      return { id, seq, recorded: database.flush() };
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
      await database.flush();
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

    close: database.close,
  };
};

/** Returns where the journal of a root is. */
export const journalPath = (dataDirectory: string, rootId: string): string =>
  join(dataDirectory, 'data', 'changes', `${rootId}.sqlite`);
