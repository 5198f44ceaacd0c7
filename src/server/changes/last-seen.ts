import { SHARED_WITH_HISTORY } from '../../shared/api/names.ts';
import { isSessionPath, MISSING, type PathState, type SeenState, SHARED_LOCK } from '../platform/changes.ts';
import type { Clock } from '../platform/clock.ts';
import type { Seen } from '../root-model/seen-states.ts';
import {
  decode,
  encode,
  hashOf,
  type JournalDatabase,
  keepText,
  type OpenDatabase,
  textOf,
  transaction,
} from './journal-database.ts';
import { subjectOf } from './summary.ts';

/** A path's states before and after a change. */
export interface JournalItem {
  readonly path: string;
  readonly before: PathState;
  readonly after: PathState;
}

/** An item to record. */
export interface NewItem extends JournalItem {
  /** True if dot-mi may have written `before` itself, and not learned it yet. See {@link LastSeen.seeBefore}. */
  readonly isUnsure?: boolean | undefined;
}

/** What agents and shared entries had when they were last seen, so that other programs' changes are noticed. */
export interface LastSeen {
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
  /**
   * Records what another program changed since these paths were seen. Their states are `before` now. `looked` has the
   * paths of earlier items, whose states are of the set itself.
   */
  seeBefore(opened: OpenDatabase, items: readonly NewItem[], looked?: Set<string>): void;
}

/** A path as it was last seen. */
interface SeenRow {
  path: string;
  state: string;
  hash: Uint8Array | null;
}

const toState = (state: SeenState): PathState => (state.is === 'other' ? { is: 'other' } : state);

/** Returns the lock under which dot-mi changes an agent or a shared entry. */
export const lockOf = (path: string): string => {
  const [top, name = ''] = path.split('/');
  return top === 'shared' ? SHARED_LOCK : name;
};

/**
 * Returns the agent, shared entry or preset in which other programs' changes to a path are looked for. Undefined for an
 * agent itself and a session.
 */
const followedOf = (path: string): string | undefined => {
  if (isSessionPath(path)) return undefined;
  const subject = subjectOf(path);
  const [top, kind] = path.split('/');
  const isFollowed = top === 'agents' ? path !== subject : SHARED_WITH_HISTORY.some((name) => name === kind);
  return isFollowed ? subject : undefined;
};

const isAgentItself = (path: string): boolean => path.startsWith('agents/') && path === subjectOf(path);

/** An agent's own entry in a folder of links is nothing that a change set restores. */
const asSeen = (path: string, state: PathState): PathState =>
  state.is === 'other' && path.startsWith('agents/') && path.split('/').length === 4 ? MISSING : state;

const seenAt = ({ statements }: OpenDatabase, path: string): SeenRow | undefined =>
  statements.get<SeenRow>('SELECT path, state, hash FROM seen WHERE path = ?', path);

const isSeen = (row: SeenRow | undefined, state: PathState | SeenState): boolean => {
  if (!row) return state.is === 'missing';
  const text = textOf(state);
  if (text !== undefined) return row.hash !== null && hashOf(text).equals(row.hash);
  return row.hash === null && row.state === encode(state);
};

const rowsOf = ({ statements }: OpenDatabase, subject: string): SeenRow[] =>
  // The character after the slash ends the range.
  statements.all<SeenRow>(
    'SELECT path, state, hash FROM seen WHERE path = ? OR (path >= ? AND path < ?)',
    subject,
    `${subject}/`,
    `${subject}0`,
  );

const isFirstLook = ({ statements }: OpenDatabase): boolean =>
  statements.get('SELECT 1 FROM first_look') === undefined;

const knownSubject = ({ statements }: OpenDatabase, subject: string): { print: string | null } | undefined =>
  statements.get<{ print: string | null }>('SELECT print FROM seen_subjects WHERE subject = ?', subject);

const decodeSeen = (opened: OpenDatabase, row: SeenRow | undefined): PathState =>
  row ? toState(decode(opened, row.state, row.hash) as SeenState) : MISSING;

/** Creates {@link LastSeen}. `record` adds what another program changed in one subject to the journal. */
export const createLastSeen = (
  { attempt }: Pick<JournalDatabase, 'attempt'>,
  clock: Pick<Clock, 'now'>,
  record: (opened: OpenDatabase, items: readonly JournalItem[], changedAtMs: number) => void,
): LastSeen => {
  /** How often dot-mi has written under each lock, and how often it got to know something about each subject. */
  const learned = new Map<string, number>();
  const count = (lockOrSubject: string) =>
    void learned.set(lockOrSubject, (learned.get(lockOrSubject) ?? 0) + 1);

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
      record(opened, own, clock.now());
      for (const { path, after } of own) remember(opened, path, after);
    }
  };

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
    record(opened, items, clock.now());
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
    record(opened, items, found.changedAtMs);
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

    seeBefore,
  };
};
