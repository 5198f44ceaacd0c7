import type { Proof } from '../mint/mint.ts';
import type { Database } from './sqlite.ts';

/** A free proof as selection sees it. */
export interface FreeProof {
  y: string;
  id: string;
  amount: number;
}

/** The value in sat and the number of a keyset's free proofs. */
interface KeysetSum {
  keysetId: string;
  amount: number;
  proofs: number;
}

/** A selected proof was spent or reserved after it was selected. Select again. */
export class ProofsTakenError extends Error {
  constructor() {
    super('a selected proof is not free');
  }
}

/** The proofs we hold, and their sums. */
export const createProofsTable = (database: Database) => ({
  add(number: number, proofs: readonly Proof[], reservedBy: number | null = null) {
    for (const { y, id, amount, secret, C } of proofs) {
      database.run(
        'INSERT INTO proofs VALUES (?, ?, ?, ?, ?, ?, ?)',
        y,
        id,
        amount,
        secret,
        C,
        number,
        reservedBy,
      );
    }
  },
  /** The smallest free proof of a keyset that is worth at least `amount` and sorts before `before`. */
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
  /** The largest free proof of a keyset that sorts before `before`. */
  largestBefore: (keysetId: string, before: { amount: number; y: string }): FreeProof | undefined =>
    database.get(
      `SELECT y, keyset_id AS id, amount FROM proofs
       WHERE held_by IS NULL AND keyset_id = ? AND (amount, y) < (?, ?) ORDER BY amount DESC, y DESC LIMIT 1`,
      keysetId,
      before.amount,
      before.y,
    ),
  /** Free proofs of a keyset that are worth more than `above`, largest first. */
  largest: (keysetId: string, above: number, limit: number): FreeProof[] =>
    database.all(
      `SELECT y, keyset_id AS id, amount FROM proofs
       WHERE held_by IS NULL AND keyset_id = ? AND amount > ? ORDER BY amount DESC, y DESC LIMIT ?`,
      keysetId,
      above,
      limit,
    ),
  /** The same, smallest first. */
  smallest: (keysetId: string, above: number, limit: number): FreeProof[] =>
    database.all(
      `SELECT y, keyset_id AS id, amount FROM proofs
       WHERE held_by IS NULL AND keyset_id = ? AND amount > ? ORDER BY amount, y LIMIT ?`,
      keysetId,
      above,
      limit,
    ),
  /** The Ys of free proofs after `y`, in order, so that a caller can read all of them in parts. */
  freeYsAfter: (y: string, limit: number): string[] =>
    database
      .all<{ y: string }>('SELECT y FROM proofs WHERE y > ? AND held_by IS NULL ORDER BY y LIMIT ?', y, limit)
      .map((row) => row.y),
  /** Sums of the free proofs of each keyset. */
  keysetSums: (): KeysetSum[] =>
    database.all(
      `SELECT keyset_id AS keysetId, min(amount, ${Number.MAX_SAFE_INTEGER}) AS amount, proofs FROM keyset_sums WHERE proofs > 0`,
    ),
  /** Reserves free proofs for an operation. Throws {@link ProofsTakenError}. */
  hold(number: number, ys: readonly string[]): void {
    for (const y of ys) {
      const changed = database.run(
        'UPDATE proofs SET held_by = ? WHERE y = ? AND held_by IS NULL',
        number,
        y,
      );
      if (changed !== 1) throw new ProofsTakenError();
    }
  },
  /** Complete proofs by their Y. */
  get: (ys: readonly string[]): Proof[] =>
    ys.flatMap((y) =>
      database.all<Proof>('SELECT y, keyset_id AS id, amount, secret, c AS C FROM proofs WHERE y = ?', y),
    ),
  heldBy: (number: number): { y: string; amount: number }[] =>
    database.all('SELECT y, amount FROM proofs WHERE held_by = ?', number),
  /** Completed operations that reserve proofs which the mint reported as pending. */
  completedHolders: (): { number: number }[] =>
    database.all(
      `SELECT DISTINCT operations.number FROM proofs JOIN operations ON operations.number = proofs.held_by
       WHERE proofs.held_by IS NOT NULL AND operations.state = 'completed'`,
    ),
  release: (y: string) => database.run('UPDATE proofs SET held_by = NULL WHERE y = ?', y),
  releaseHeld: (number: number) => database.run('UPDATE proofs SET held_by = NULL WHERE held_by = ?', number),
  /** Deletes spent proofs. Returns the value of those that counted in the balance, in sat. */
  remove(ys: readonly string[]): number {
    let amount = 0;
    for (const y of ys) {
      const gone = database.get<{ amount: number; reservedBy: number | null }>(
        'DELETE FROM proofs WHERE y = ? RETURNING amount, held_by AS reservedBy',
        y,
      );
      if (gone && gone.reservedBy === null) amount += gone.amount;
    }
    return amount;
  },
  /**
   * Deletes spent proofs that are free, and returns their value in sat. An operation settles the proofs that
   * it reserves.
   */
  removeFree(ys: readonly string[]): number {
    let amount = 0;
    for (const y of ys) {
      const gone = database.get<{ amount: number }>(
        'DELETE FROM proofs WHERE y = ? AND held_by IS NULL RETURNING amount',
        y,
      );
      amount += gone?.amount ?? 0;
    }
    return amount;
  },
  has: (y: string): boolean => database.get('SELECT 1 FROM proofs WHERE y = ?', y) !== undefined,

  // Wallets of earlier versions may hold more than a number can.
  balance: (): number =>
    database.get<{ balance: number }>(
      `SELECT min(balance, ${Number.MAX_SAFE_INTEGER}) AS balance FROM totals`,
    )?.balance ?? 0,
  /** The sats that are free, and those that pending operations add, at most the largest safe number. */
  total: (): number =>
    database.get<{ total: number }>(
      `SELECT min((SELECT balance FROM totals) + coalesce(SUM(expected), 0), ${Number.MAX_SAFE_INTEGER}) AS total
       FROM operations WHERE state = 'pending'`,
    )?.total ?? 0,
  /** Adds simulated sats, which have no proofs (DEV_MODE). The cap keeps the balance readable as a number. */
  addSimulated: (amount: number) =>
    database.run(`UPDATE totals SET balance = min(balance + ?, ${Number.MAX_SAFE_INTEGER})`, amount),
  pending: (): number =>
    database.get<{ pending: number }>(
      `SELECT min(coalesce(SUM(expected), 0), ${Number.MAX_SAFE_INTEGER}) AS pending FROM operations WHERE state = 'pending'`,
    )?.pending ?? 0,
});
