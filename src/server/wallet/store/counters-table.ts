import type { CounterRange } from '../mint/mint.ts';
import type { Database } from './sqlite.ts';

/** A keyset's next counter, and the last one that the mint is known to have signed (-1: none). */
interface Counters {
  next: number;
  signed: number;
}

/** A keyset's counters that another copy of this wallet used. `seenAt` in milliseconds since 1970. */
export interface Elsewhere {
  keysetId: string;
  start: number;
  seenAt: number;
}

/** How far a search for the sats of backup words got in a keyset. `lastSigned` is -1 until it finds something. */
export interface RestorePosition {
  keysetId: string;
  next: number;
  lastSigned: number;
  done: boolean;
}

/** Creates the table of counters from which outputs are derived (NUT-13), and of counters that other copies used. */
export const createCountersTable = (database: Database, mint: number) => ({
  of: (keysetId: string): Counters =>
    database.get<Counters>(
      'SELECT next, signed FROM counters WHERE mint = ? AND keyset_id = ?',
      mint,
      keysetId,
    ) ?? {
      next: 0,
      signed: -1,
    },
  /** Marks the counters below `next` as used. The counter never moves back. */
  advance: (keysetId: string, next: number) =>
    database.run(
      'INSERT INTO counters (mint, keyset_id, next) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET next = max(next, excluded.next)',
      mint,
      keysetId,
      next,
    ),
  /** Records that the mint signed a counter. A restore counts its gap from the last signed counter. */
  markSigned: (keysetId: string, counter: number) =>
    database.run(
      `INSERT INTO counters (mint, keyset_id, next, signed) VALUES (?, ?, ? + 1, ?)
       ON CONFLICT DO UPDATE SET next = max(next, excluded.next), signed = max(signed, excluded.signed)`,
      mint,
      keysetId,
      counter,
      counter,
    ),
  /**
   * Takes `count` consecutive counters whose earlier request the mint will never sign. Returns the first one, or
   * undefined if no range is long enough.
   */
  takeReusable: (keysetId: string, count: number): number | undefined =>
    database.transaction(() => {
      const reusable = database.get<CounterRange>(
        'SELECT start, count FROM reusable_counters WHERE mint = ? AND keyset_id = ? AND count >= ? ORDER BY start LIMIT 1',
        mint,
        keysetId,
        count,
      );
      if (!reusable) return undefined;
      database.run(
        'DELETE FROM reusable_counters WHERE mint = ? AND keyset_id = ? AND start = ?',
        mint,
        keysetId,
        reusable.start,
      );
      if (reusable.count > count) {
        const rest = [mint, keysetId, reusable.start + count, reusable.count - count] as const;
        database.run('INSERT INTO reusable_counters VALUES (?, ?, ?, ?)', ...rest);
      }
      return reusable.start;
    }),
  /** Returns a keyset's reusable ranges, the lowest first. */
  reusable: (keysetId: string, limit: number): CounterRange[] =>
    database.all(
      'SELECT start, count FROM reusable_counters WHERE mint = ? AND keyset_id = ? ORDER BY start LIMIT ?',
      mint,
      keysetId,
      limit,
    ),
  /** Makes counters reusable, and joins them with adjacent ranges. */
  reuse(keysetId: string, { start, count }: CounterRange) {
    const before = database.runReturning<CounterRange>(
      'DELETE FROM reusable_counters WHERE mint = ? AND keyset_id = ? AND start + count = ? RETURNING start, count',
      mint,
      keysetId,
      start,
    );
    const after = database.runReturning<CounterRange>(
      'DELETE FROM reusable_counters WHERE mint = ? AND keyset_id = ? AND start = ? RETURNING start, count',
      mint,
      keysetId,
      start + count,
    );
    database.run(
      'INSERT OR REPLACE INTO reusable_counters VALUES (?, ?, ?, ?)',
      mint,
      keysetId,
      before?.start ?? start,
      (before?.count ?? 0) + count + (after?.count ?? 0),
    );
  },
  /**
   * Drops the reusable ranges that start at or before this counter, because another copy may have used them. Only a
   * search from the first of them finds what it got for them.
   */
  forgetReusableUpTo: (keysetId: string, counter: number) =>
    database.run(
      'DELETE FROM reusable_counters WHERE mint = ? AND keyset_id = ? AND start <= ?',
      mint,
      keysetId,
      counter,
    ),
  /** Call this for new backup words, because the mint may have signed these counters for them. */
  forgetReusable: () => database.run('DELETE FROM reusable_counters WHERE mint = ?', mint),
  /** Call this for new backup words, because the stored counters belong to the old ones. */
  reset: () => database.run('DELETE FROM counters WHERE mint = ?', mint),

  elsewhere: (): Elsewhere[] =>
    database.all(
      'SELECT keyset_id AS keysetId, start, seen_at AS seenAt FROM signed_elsewhere WHERE mint = ?',
      mint,
    ),
  noteElsewhere: ({ keysetId, start, seenAt }: Elsewhere) =>
    database.run(
      `INSERT INTO signed_elsewhere VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET start = min(start, excluded.start), seen_at = max(seen_at, excluded.seen_at)`,
      mint,
      keysetId,
      start,
      seenAt,
    ),
  /** Corrects notes that a clock set too far ahead dated. `now` is in milliseconds since 1970. */
  dateElsewhere: (now: number) =>
    database.run('UPDATE signed_elsewhere SET seen_at = ? WHERE mint = ? AND seen_at > ?', now, mint, now),
  /** Does nothing if the note has changed since it was read. */
  forgetElsewhere: ({ keysetId, start, seenAt }: Elsewhere) =>
    database.run(
      'DELETE FROM signed_elsewhere WHERE mint = ? AND keyset_id = ? AND start = ? AND seen_at = ?',
      mint,
      keysetId,
      start,
      seenAt,
    ),

  searches: (wordsHash: string): RestorePosition[] =>
    database
      .all<Omit<RestorePosition, 'done'> & { done: number }>(
        `SELECT keyset_id AS keysetId, next, last_signed AS lastSigned, done FROM restore_positions WHERE mint = ? AND words_hash = ?`,
        mint,
        wordsHash,
      )
      .map((row) => ({ ...row, done: row.done === 1 })),
  setSearch: (wordsHash: string, { keysetId, next, lastSigned, done }: RestorePosition) =>
    database.run(
      'INSERT OR REPLACE INTO restore_positions VALUES (?, ?, ?, ?, ?, ?)',
      mint,
      wordsHash,
      keysetId,
      next,
      lastSigned,
      done ? 1 : 0,
    ),
  forgetSearches: (wordsHash: string) =>
    database.run('DELETE FROM restore_positions WHERE mint = ? AND words_hash = ?', mint, wordsHash),
});
