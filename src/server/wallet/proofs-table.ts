import type { CounterRange, Proof } from './mint.ts';
import type { Database } from './sqlite.ts';

/** A free proof as selection sees it. */
export interface FreeProof {
  y: string;
  id: string;
  amount: number;
}

/** The proofs we hold, their sum, and the counters that the next ones are made from. */
export const createProofsTable = (database: Database) => ({
  addProofs(number: number, proofs: readonly Proof[], heldBy: number | null = null) {
    for (const { y, id, amount, secret, C } of proofs) {
      database.run(
        'INSERT INTO proofs VALUES (?, ?, ?, ?, ?, ?, ?)',
        y,
        id,
        amount,
        secret,
        C,
        number,
        heldBy,
      );
    }
  },
  /** The smallest free proof of a keyset that is worth at least as much, of those before one. */
  smallestFrom: (
    keysetId: string,
    amount: number,
    before: { amount: number; y: string },
  ): FreeProof | undefined =>
    database.get(
      `SELECT y, keyset_id AS id, amount FROM proofs
       WHERE held_by IS NULL AND keyset_id = ? AND amount >= ? AND (amount, y) < (?, ?) ORDER BY amount, y LIMIT 1`,
      keysetId,
      amount,
      before.amount,
      before.y,
    ),
  /** The largest free proof of a keyset of those before one. */
  largestBefore: (keysetId: string, before: { amount: number; y: string }): FreeProof | undefined =>
    database.get(
      `SELECT y, keyset_id AS id, amount FROM proofs
       WHERE held_by IS NULL AND keyset_id = ? AND (amount, y) < (?, ?) ORDER BY amount DESC, y DESC LIMIT 1`,
      keysetId,
      before.amount,
      before.y,
    ),
  /** All free proofs of a keyset. */
  freeProofs: (keysetId: string, limit: number): FreeProof[] =>
    database.all(
      'SELECT y, keyset_id AS id, amount FROM proofs WHERE held_by IS NULL AND keyset_id = ? LIMIT ?',
      keysetId,
      limit,
    ),
  freeAmount: (keysetId: string): number =>
    database.get<{ amount: number }>(
      'SELECT coalesce(SUM(amount), 0) AS amount FROM proofs WHERE held_by IS NULL AND keyset_id = ?',
      keysetId,
    )?.amount ?? 0,
  /** Takes free proofs for an operation. Throws when one is not free (any more). */
  hold(number: number, ys: readonly string[]): void {
    for (const y of ys) {
      const changed = database.run(
        'UPDATE proofs SET held_by = ? WHERE y = ? AND held_by IS NULL',
        number,
        y,
      );
      if (changed !== 1) throw new Error('a selected proof is not free');
    }
  },
  /** Whole proofs by their Y. */
  proofs: (ys: readonly string[]): Proof[] =>
    ys.flatMap((y) =>
      database.all<Proof>('SELECT y, keyset_id AS id, amount, secret, c AS C FROM proofs WHERE y = ?', y),
    ),
  heldProofs: (number: number): { y: string; amount: number }[] =>
    database.all('SELECT y, amount FROM proofs WHERE held_by = ?', number),
  /** Restores that hold proofs the mint called pending. */
  completedHolders: (): { number: number }[] =>
    database.all(
      `SELECT DISTINCT operations.number FROM proofs JOIN operations ON operations.number = proofs.held_by
       WHERE proofs.held_by IS NOT NULL AND operations.state = 'completed'`,
    ),
  release: (y: string) => database.run('UPDATE proofs SET held_by = NULL WHERE y = ?', y),
  releaseHeld: (number: number) => database.run('UPDATE proofs SET held_by = NULL WHERE held_by = ?', number),
  removeProof: (y: string) => database.run('DELETE FROM proofs WHERE y = ?', y),

  balance: (): number => database.get<{ balance: number }>('SELECT balance FROM totals')?.balance ?? 0,
  /** Simulated sats have no proofs (DEV_MODE), and no measure: more than a number can hold could not be read again. */
  addSimulated: (amount: number) =>
    database.run(`UPDATE totals SET balance = min(balance + ?, ${Number.MAX_SAFE_INTEGER})`, amount),
  pending: (): number =>
    database.get<{ pending: number }>(
      `SELECT min(coalesce(SUM(expected), 0), ${Number.MAX_SAFE_INTEGER}) AS pending FROM operations WHERE state = 'pending'`,
    )?.pending ?? 0,

  counter: (keysetId: string): number =>
    database.get<{ next: number }>('SELECT next FROM counters WHERE keyset_id = ?', keysetId)?.next ?? 0,
  /** Every keyset the wallet ever made outputs for: those its proofs can be of. */
  countedKeysets: (): string[] =>
    database.all<{ id: string }>('SELECT keyset_id AS id FROM counters').map(({ id }) => id),
  /** Counters below `next` are used from now on. Never steps back. */
  advanceCounter: (keysetId: string, next: number) =>
    database.run(
      'INSERT INTO counters VALUES (?, ?) ON CONFLICT DO UPDATE SET next = max(next, excluded.next)',
      keysetId,
      next,
    ),
  /**
   * Takes `count` counters that the mint will never sign for what they were used for, and returns the first; undefined when there
   * are not so many in a row.
   */
  takeSpareCounters: (keysetId: string, count: number): number | undefined =>
    database.transaction(() => {
      const spare = database.get<CounterRange>(
        'SELECT start, count FROM spare_counters WHERE keyset_id = ? AND count >= ? ORDER BY start LIMIT 1',
        keysetId,
        count,
      );
      if (!spare) return undefined;
      database.run('DELETE FROM spare_counters WHERE keyset_id = ? AND start = ?', keysetId, spare.start);
      if (spare.count > count) {
        const rest = [keysetId, spare.start + count, spare.count - count] as const;
        database.run('INSERT INTO spare_counters VALUES (?, ?, ?)', ...rest);
      }
      return spare.start;
    }),
  /** Lets counters be used once more, and joins them with those beside them. */
  spareCounters(keysetId: string, { start, count }: CounterRange) {
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
      'INSERT INTO spare_counters VALUES (?, ?, ?)',
      keysetId,
      before?.start ?? start,
      (before?.count ?? 0) + count + (after?.count ?? 0),
    );
  },
  /** Other words come: what was spare under the old ones may be signed under these. */
  forgetSpareCounters: () => database.run('DELETE FROM spare_counters'),
});
