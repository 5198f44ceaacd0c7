import type { Proof } from '../mint/mint.ts';
import type { Entry, Postings } from './postings-table.ts';
import type { Database } from './sqlite.ts';

/** A free proof in the form that selection uses. */
export interface FreeProof {
  y: string;
  id: string;
  amount: number;
}

/**
 * Why a proof is `unconfirmed`, so that nothing selects it and the balance doesn't count it.
 *
 * - `found`: the mint was processing it when a search found it. `found_spent`: the mint then reported it as spent,
 *   once.
 * - `pending`: the mint is processing it, or may be (NUT-07).
 * - `spent`: the mint reported it as spent, once.
 * - `refused`: the mint refused its own signature.
 */
type UnconfirmedWhy = 'found' | 'found_spent' | 'pending' | 'spent' | 'refused';

/** A proof to check with the mint again. Times in milliseconds since 1970. */
export interface DueProof extends FreeProof {
  /** The operation that added the proof. */
  operation: number;
  /** Undefined if the proof counts as spent. */
  why: UnconfirmedWhy | undefined;
  since: number;
}

/** Thrown if a selected proof has been spent or reserved in the meantime. Select again. */
export class ProofsTakenError extends Error {
  constructor() {
    super('a selected proof is not free');
  }
}

type State = 'free' | 'held' | 'unconfirmed' | 'spent';

interface Row {
  y: string;
  keysetId: string;
  amount: number;
  operation: number;
  state: State;
}

/** Returns a proof's account. A spent or missing proof belongs to someone else. */
const entry = (state: State | 'gone', keysetId: string, sats: number): Entry =>
  state === 'spent' || state === 'gone' ? { account: 'outside', sats } : { account: state, keysetId, sats };

const COLUMNS = 'y, keyset_id AS keysetId, amount, operation, state';
const FREE = "mint = ? AND state = 'free'";

/**
 * Creates the table of a mint's proofs. Each function that changes them also posts the change, so the accounts stay
 * complete. Amounts in sats.
 */
export const createProofsTable = (database: Database, postings: Postings, mint: number) => {
  const rowsOf = (ys: readonly string[], states: readonly State[]): Row[] =>
    ys.flatMap((y) =>
      database
        .all<Row>(`SELECT ${COLUMNS} FROM proofs WHERE mint = ? AND y = ?`, mint, y)
        .filter(({ state }) => states.includes(state)),
    );
  const heldRows = (operation: number): Row[] =>
    database.all<Row>(`SELECT ${COLUMNS} FROM proofs WHERE held_by = ?`, operation);

  /** Posts a move of proofs under one operation, or under the operations that added them. Returns their value. */
  const post = (rows: readonly Row[], to: State | 'gone', under?: number): number => {
    const byOperation = new Map<number, Entry[]>();
    for (const { state, keysetId, amount, operation } of rows) {
      const entries = byOperation.get(under ?? operation) ?? [];
      entries.push(entry(state, keysetId, -amount), entry(to, keysetId, amount));
      byOperation.set(under ?? operation, entries);
    }
    for (const [operation, entries] of byOperation) postings.post(operation, entries);
    return rows.reduce((sum, { amount }) => sum + amount, 0);
  };

  const setFree = (rows: readonly Row[], under?: number): number => {
    for (const { y } of rows)
      database.run(
        `UPDATE proofs SET state = 'free', held_by = NULL, why = NULL, since = NULL, check_at = NULL
         WHERE mint = ? AND y = ?`,
        mint,
        y,
      );
    return post(rows, 'free', under);
  };

  const remove = (rows: readonly Row[], under?: number): number => {
    for (const { y } of rows) database.run('DELETE FROM proofs WHERE mint = ? AND y = ?', mint, y);
    return post(rows, 'gone', under);
  };

  const firstFree = (condition: string, order: string, ...values: (string | number)[]): FreeProof[] =>
    database.all(
      `SELECT y, keyset_id AS id, amount FROM proofs WHERE ${FREE} AND keyset_id = ? AND ${condition} ORDER BY ${order} LIMIT ?`,
      mint,
      ...values,
    );

  return {
    /** Adds new proofs, free ones or `unconfirmed` ones that are checked again at once. */
    add(operation: number, proofs: readonly Proof[], unconfirmed?: { why: UnconfirmedWhy; at: number }) {
      const state = unconfirmed ? 'unconfirmed' : 'free';
      for (const { y, id, amount, secret, C } of proofs) {
        database.run(
          'INSERT INTO proofs VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, ?, ?)',
          mint,
          y,
          id,
          amount,
          secret,
          C,
          operation,
          state,
          unconfirmed?.why ?? null,
          unconfirmed?.at ?? null,
          unconfirmed?.at ?? null,
        );
      }
      postings.post(
        operation,
        proofs.flatMap(({ id, amount }) => [entry(state, id, amount), entry('gone', id, -amount)]),
      );
    },
    /** Returns a keyset's smallest free proof that is worth at least `amount` and sorts before `before`. */
    smallestFrom: (keysetId: string, amount: number, before: { amount: number; y: string }) =>
      firstFree(
        'amount >= ? AND (amount, y) < (?, ?)',
        'amount, y',
        keysetId,
        amount,
        before.amount,
        before.y,
        1,
      )[0],
    /** Returns a keyset's largest free proof that sorts before `before`. */
    largestBefore: (keysetId: string, before: { amount: number; y: string }) =>
      firstFree('(amount, y) < (?, ?)', 'amount DESC, y DESC', keysetId, before.amount, before.y, 1)[0],
    /** Returns the sats in a keyset's free proofs that are worth at most `amount` each. */
    freeUpTo: (keysetId: string, amount: number): number =>
      database.get<{ sats: number }>(
        `SELECT coalesce(sum(amount), 0) AS sats FROM proofs WHERE ${FREE} AND keyset_id = ? AND amount <= ?`,
        mint,
        keysetId,
        amount,
      )?.sats ?? 0,
    /** Returns a keyset's free proofs worth more than `above`, largest first. */
    largest: (keysetId: string, above: number, limit: number) =>
      firstFree('amount > ?', 'amount DESC, y DESC', keysetId, above, limit),
    /** Like `largest`, but smallest first. */
    smallest: (keysetId: string, above: number, limit: number) =>
      firstFree('amount > ?', 'amount, y', keysetId, above, limit),
    /** Counts a keyset's free proofs, up to `most`. */
    countFree: (keysetId: string, most: number): number =>
      database.get<{ count: number }>(
        `SELECT count(*) AS count FROM (SELECT 1 FROM proofs WHERE ${FREE} AND keyset_id = ? LIMIT ?)`,
        mint,
        keysetId,
        most,
      )?.count ?? 0,
    /** Returns the Ys of free proofs after `y`, in order, so that a caller can read all of them in parts. */
    freeYsAfter: (y: string, limit: number): string[] =>
      database
        .all<{ y: string }>(`SELECT y FROM proofs WHERE y > ? AND ${FREE} ORDER BY y LIMIT ?`, y, mint, limit)
        .map((row) => row.y),
    /** Returns complete proofs by their Y. */
    get: (ys: readonly string[]): Proof[] =>
      ys.flatMap((y) =>
        database.all<Proof>(
          'SELECT y, keyset_id AS id, amount, secret, c AS C FROM proofs WHERE mint = ? AND y = ?',
          mint,
          y,
        ),
      ),
    /** Returns whether the wallet has a proof, even one that counts as spent. */
    has: (y: string): boolean =>
      database.get('SELECT 1 FROM proofs WHERE mint = ? AND y = ?', mint, y) !== undefined,
    /** Returns whether a proof counts as spent. */
    isSpent: (y: string): boolean => rowsOf([y], ['spent']).length > 0,

    /** Reserves proofs for an operation. Throws {@link ProofsTakenError} if one is in none of these states. */
    hold(operation: number, ys: readonly string[], from: readonly State[] = ['free']): void {
      const rows = rowsOf(ys, from);
      if (rows.length < ys.length) throw new ProofsTakenError();
      for (const { y } of rows)
        database.run(
          `UPDATE proofs SET state = 'held', held_by = ?, why = NULL, since = NULL, check_at = NULL
           WHERE mint = ? AND y = ?`,
          operation,
          mint,
          y,
        );
      post(rows, 'held', operation);
    },
    /** Frees an operation's reserved proofs. */
    releaseHeld: (operation: number): number => setFree(heldRows(operation), operation),
    /** Deletes an operation's reserved proofs, because the mint accepted them. Returns their value. */
    removeHeld: (operation: number): number => remove(heldRows(operation), operation),
    /** Like `removeHeld`, but for unreserved proofs. Returns the value of those that didn't count as spent. */
    remove(operation: number, ys: readonly string[]): number {
      remove(rowsOf(ys, ['spent']), operation);
      return remove(rowsOf(ys, ['free', 'unconfirmed']), operation);
    },

    /** Sets unreserved proofs aside until the mint reports more. Returns the value of those that were free. */
    setAside(ys: readonly string[], why: UnconfirmedWhy, since: number, checkAt: number): number {
      const rows = rowsOf(ys, ['free']);
      for (const { y } of rows)
        database.run(
          `UPDATE proofs SET state = 'unconfirmed', why = ?, since = ?, check_at = ? WHERE mint = ? AND y = ?`,
          why,
          since,
          checkAt,
          mint,
          y,
        );
      return post(rows, 'unconfirmed');
    },
    /** Sets when the wallet checks a proof again, and why it's unconfirmed, if that changed. */
    checkAgain(y: string, checkAt: number, changed?: { why: UnconfirmedWhy; since: number }) {
      const where = "mint = ? AND y = ? AND state IN ('unconfirmed', 'spent')";
      database.run(`UPDATE proofs SET check_at = ? WHERE ${where}`, checkAt, mint, y);
      if (changed)
        database.run(
          `UPDATE proofs SET why = ?, since = ? WHERE ${where}`,
          changed.why,
          changed.since,
          mint,
          y,
        );
    },
    /** Returns unconfirmed proofs, and spent ones to check again, that are due at a time. Oldest first. */
    due: (at: number, limit: number): DueProof[] =>
      database
        .all<Omit<DueProof, 'why'> & { why: UnconfirmedWhy | null }>(
          `SELECT y, keyset_id AS id, amount, operation, why, since FROM proofs
           WHERE mint = ? AND check_at <= ? ORDER BY check_at LIMIT ?`,
          mint,
          at,
          limit,
        )
        .map((row) => ({ ...row, why: row.why ?? undefined })),
    /** Returns those proofs that are still unconfirmed for the same reason, or still count as spent. */
    stillDue: (due: readonly DueProof[]): DueProof[] =>
      due.filter(
        ({ y, why }) =>
          database.get(
            'SELECT 1 FROM proofs WHERE mint = ? AND y = ? AND check_at IS NOT NULL AND why IS ?',
            mint,
            y,
            why ?? null,
          ) !== undefined,
      ),
    /** Makes checks due that a clock set too far ahead scheduled after `latest`. `now` is in milliseconds since 1970. */
    pullForward: (now: number, latest: number) =>
      database.run(
        'UPDATE proofs SET check_at = ?, since = min(since, ?) WHERE mint = ? AND check_at > ?',
        now,
        now,
        mint,
        latest,
      ),
    /** Returns when the wallet next checks a proof with the mint, in milliseconds since 1970. */
    nextDueAt: (): number | undefined =>
      database.get<{ at: number }>(
        'SELECT check_at AS at FROM proofs WHERE mint = ? AND check_at IS NOT NULL ORDER BY check_at LIMIT 1',
        mint,
      )?.at,
    /** Frees unconfirmed proofs. Returns their value. */
    confirm: (ys: readonly string[]): number => setFree(rowsOf(ys, ['unconfirmed'])),
    /**
     * Counts proofs as spent by someone else, posts that to an operation, and checks them again at `checkAt`. Skips
     * those that an operation reserves, because it decides about them. Returns their value.
     */
    writeOff(operation: number, ys: readonly string[], at: number, checkAt: number): number {
      const rows = rowsOf(ys, ['free', 'unconfirmed']);
      for (const { y } of rows)
        database.run(
          `UPDATE proofs SET state = 'spent', why = NULL, since = ?, check_at = ? WHERE mint = ? AND y = ?`,
          at,
          checkAt,
          mint,
          y,
        );
      return post(rows, 'spent', operation);
    },
    /** Frees proofs that counted as spent, and posts that to an operation. Returns their value. */
    revive: (operation: number, ys: readonly string[]): number => setFree(rowsOf(ys, ['spent']), operation),
    /** Deletes unconfirmed or spent proofs. Posts that to the operations that added them. */
    forget: (ys: readonly string[]): number => remove(rowsOf(ys, ['unconfirmed', 'spent'])),
    /** Returns the value of those proofs that are in one of these states. */
    valueOf: (ys: readonly string[], states: readonly State[]): number =>
      rowsOf(ys, states).reduce((sum, { amount }) => sum + amount, 0),
    /** Returns the value of proofs that the mint was processing when a search found them. */
    foundUnconfirmed: (): number =>
      database.get<{ sats: number }>(
        "SELECT coalesce(sum(amount), 0) AS sats FROM proofs WHERE mint = ? AND why IN ('found', 'found_spent')",
        mint,
      )?.sats ?? 0,
  };
};
