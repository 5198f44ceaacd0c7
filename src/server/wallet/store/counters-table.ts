import type { CounterRange } from '../mint/mint.ts';
import type { Database } from './sqlite.ts';

/** The counters of a keyset: the next one to use, and the last one the mint is known to have signed (-1: none). */
export interface Counters {
  next: number;
  signed: number;
}

/** Counters of a keyset that another copy of this wallet used. `seenAt` in milliseconds since 1970. */
export interface Elsewhere {
  keysetId: string;
  start: number;
  seenAt: number;
}

/** How far the search for the sats of some words has come in a keyset. `lastSigned` is -1 while nothing was found. */
export interface RestorePosition {
  keysetId: string;
  next: number;
  lastSigned: number;
  done: boolean;
}

/** The counters that outputs are made from (NUT-13), and what is known of those that others used. */
export const createCountersTable = (database: Database) => ({
  counters: (keysetId: string): Counters =>
    database.get<Counters>('SELECT next, signed FROM counters WHERE keyset_id = ?', keysetId) ?? {
      next: 0,
      signed: -1,
    },
  /** Every keyset the wallet ever made outputs for: those its proofs can be of. */
  countedKeysets: (): string[] =>
    database.all<{ id: string }>('SELECT keyset_id AS id FROM counters').map(({ id }) => id),
  /** Counters below `next` are used from now on. Never steps back. */
  advanceCounter: (keysetId: string, next: number) =>
    database.run(
      'INSERT INTO counters (keyset_id, next) VALUES (?, ?) ON CONFLICT DO UPDATE SET next = max(next, excluded.next)',
      keysetId,
      next,
    ),
  /** The mint has signed this counter, and those before it are below the gap that a restore crosses. */
  markSigned: (keysetId: string, counter: number) =>
    database.run(
      `INSERT INTO counters (keyset_id, next, signed) VALUES (?, ? + 1, ?)
       ON CONFLICT DO UPDATE SET next = max(next, excluded.next), signed = max(signed, excluded.signed)`,
      keysetId,
      counter,
      counter,
    ),
  /**
   * Takes `count` counters that the mint will never sign for what they were used for, and returns the first; undefined when there
   * are not so many in a row.
   */
  takeReusableCounters: (keysetId: string, count: number): number | undefined =>
    database.transaction(() => {
      const reusable = database.get<CounterRange>(
        'SELECT start, count FROM spare_counters WHERE keyset_id = ? AND count >= ? ORDER BY start LIMIT 1',
        keysetId,
        count,
      );
      if (!reusable) return undefined;
      database.run('DELETE FROM spare_counters WHERE keyset_id = ? AND start = ?', keysetId, reusable.start);
      if (reusable.count > count) {
        const rest = [keysetId, reusable.start + count, reusable.count - count] as const;
        database.run('INSERT INTO spare_counters VALUES (?, ?, ?)', ...rest);
      }
      return reusable.start;
    }),
  /** The first spare ranges of a keyset. */
  reusableRanges: (keysetId: string, limit: number): CounterRange[] =>
    database.all(
      'SELECT start, count FROM spare_counters WHERE keyset_id = ? ORDER BY start LIMIT ?',
      keysetId,
      limit,
    ),
  /** Lets counters be used once more, and joins them with those next to them. */
  reuseCounters(keysetId: string, { start, count }: CounterRange) {
    const before = database.get<CounterRange>(
      'DELETE FROM spare_counters WHERE keyset_id = ? AND start + count = ? RETURNING start, count',
      keysetId,
      start,
    );
    const after = database.get<CounterRange>(
      'DELETE FROM spare_counters WHERE keyset_id = ? AND start = ? RETURNING start, count',
      keysetId,
      start + count,
    );
    database.run(
      'INSERT OR REPLACE INTO spare_counters VALUES (?, ?, ?)',
      keysetId,
      before?.start ?? start,
      (before?.count ?? 0) + count + (after?.count ?? 0),
    );
  },
  /** No counter of the keyset up to this one may be used again: somebody used them. */
  forgetSpareUpTo: (keysetId: string, counter: number) =>
    database.run('DELETE FROM spare_counters WHERE keyset_id = ? AND start <= ?', keysetId, counter),
  /** Other words come: what was spare under the old ones may be signed under these. */
  forgetReusableCounters: () => database.run('DELETE FROM spare_counters'),
  /** Other words come: what is known of the counters is about the old ones. */
  resetCounters: () => database.run('DELETE FROM counters'),

  elsewhere: (): Elsewhere[] =>
    database.all('SELECT keyset_id AS keysetId, start, seen_at AS seenAt FROM elsewhere'),
  noteElsewhere: ({ keysetId, start, seenAt }: Elsewhere) =>
    database.run(
      `INSERT INTO elsewhere VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET start = min(start, excluded.start), seen_at = max(seen_at, excluded.seen_at)`,
      keysetId,
      start,
      seenAt,
    ),
  forgetElsewhere: (keysetId: string) => database.run('DELETE FROM elsewhere WHERE keyset_id = ?', keysetId),

  restorePositions: (wordsHash: string): RestorePosition[] =>
    database
      .all<Omit<RestorePosition, 'done'> & { done: number }>(
        `SELECT keyset_id AS keysetId, next, last_signed AS lastSigned, done FROM restore_positions WHERE words_hash = ?`,
        wordsHash,
      )
      .map((row) => ({ ...row, done: row.done === 1 })),
  setRestorePosition: (wordsHash: string, { keysetId, next, lastSigned, done }: RestorePosition) =>
    database.run(
      'INSERT OR REPLACE INTO restore_positions VALUES (?, ?, ?, ?, ?)',
      wordsHash,
      keysetId,
      next,
      lastSigned,
      done ? 1 : 0,
    ),
  forgetRestorePositions: (wordsHash: string) =>
    database.run('DELETE FROM restore_positions WHERE words_hash = ?', wordsHash),
});
