import { randomUUID } from 'node:crypto';
import type { OperationKind } from '../../../shared/api/wallet.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SwapPlan } from '../mint/mint.ts';
import { type Failure, keptSats, type Operation } from './operation.ts';
import type { Postings } from './postings-table.ts';
import type { Database } from './sqlite.ts';

/** A new operation, before it has a number. */
interface NewOperation {
  kind: OperationKind;
  amount: number;
  fee: number;
  plan?: SwapPlan;
  memo?: string | undefined;
  reclaimsOperation?: number;
}

interface OperationRow {
  number: number;
  id: string;
  kind: OperationKind;
  state: Operation['state'];
  amount: number;
  fee: number;
  memo: string | null;
  token: string | null;
  spent: number;
  reclaimed: number;
  reclaims: number | null;
  plan: string | null;
  failure: string | null;
  created_at: number;
  updated_at: number;
  confirming: number;
  rechecks: number;
}

/** An earlier plan of an operation, with its sums in sat. */
export interface OldPlan {
  plan: SwapPlan;
  amount: number;
  fee: number;
}

/** How long the plan of a failed operation is kept, in case the mint did what it denied. */
const PLANS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

const toOperation = (row: OperationRow): Operation => ({
  number: row.number,
  id: row.id,
  kind: row.kind,
  state: row.state,
  amount: row.amount,
  fee: row.fee,
  memo: row.memo ?? undefined,
  token: row.token ?? undefined,
  spent: row.spent === 1,
  reclaimed: row.reclaimed === 1,
  reclaimsOperation: row.reclaims ?? undefined,
  plan: row.plan === null ? undefined : JSON.parse(row.plan),
  failure: row.failure === null ? undefined : JSON.parse(row.failure),
  confirming: row.confirming === 1,
  rechecks: row.rechecks,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The operations, the proofs from outside that they redeem, and the proofs that left in tokens. */
export const createOperationsTable = (database: Database, postings: Postings, clock: Clock, mint: number) => {
  const one = (sql: string, ...values: (string | number)[]): Operation | undefined => {
    const row = database.get<OperationRow>(
      `SELECT * FROM operations WHERE mint = ? AND ${sql}`,
      mint,
      ...values,
    );
    return row && toOperation(row);
  };

  /** Posts what an operation will bring now, in place of what it would have brought before. */
  const expect = (number: number, sats: number) => {
    const more = sats - postings.ofOperation(number, 'incoming');
    postings.post(number, [
      { account: 'incoming', sats: more },
      { account: 'outside', sats: -more },
    ]);
  };

  return {
    add(operation: NewOperation, completed = false): Operation {
      const now = clock.now();
      const { kind, amount, fee, memo, reclaimsOperation, plan } = operation;
      const row = database.get<OperationRow>(
        `INSERT INTO operations (id, mint, kind, state, amount, fee, memo, reclaims, plan, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
        randomUUID(),
        mint,
        kind,
        completed ? 'completed' : 'pending',
        amount,
        fee,
        memo ?? null,
        reclaimsOperation ?? null,
        plan ? JSON.stringify(plan) : null,
        now,
        now,
      );
      if (!row) throw new Error('an inserted row was not returned');
      if (plan) expect(row.number, keptSats(plan));
      return toOperation(row);
    },
    byId: (id: string) => one('id = ?', id),
    get: (number: number) => one('number = ?', number),
    pending: (): Operation[] =>
      database
        .all<OperationRow>(
          "SELECT * FROM operations WHERE mint = ? AND state = 'pending' ORDER BY number",
          mint,
        )
        .map(toOperation),
    /** The operations before a number, newest first. With `agent`, only those that were for it. */
    page: (before: number, limit: number, agent?: string): Operation[] =>
      (agent === undefined
        ? database.all<OperationRow>(
            'SELECT * FROM operations WHERE mint = ? AND number < ? ORDER BY number DESC LIMIT ?',
            mint,
            before,
            limit,
          )
        : database.all<OperationRow>(
            `SELECT operations.* FROM attributions JOIN operations ON number = operation
             WHERE agent = ? AND operation < ? AND mint = ? ORDER BY operation DESC LIMIT ?`,
            agent,
            before,
            mint,
            limit,
          )
      ).map(toOperation),
    /**
     * Replaces the plan of an operation. Set `keepOld` if a request with the old plan may still reach the
     * mint.
     */
    rewrite({ number, plan, amount, fee }: Operation, next: OldPlan, { keepOld }: { keepOld: boolean }) {
      if (keepOld && plan) {
        database.run(
          `INSERT INTO old_plans
           SELECT ?, coalesce(max(version), 0) + 1, ?, ?, ? FROM old_plans WHERE operation = ?`,
          number,
          JSON.stringify(plan),
          amount,
          fee,
          number,
        );
      }
      database.run(
        `UPDATE operations SET plan = ?, amount = ?, fee = ?, updated_at = ?
         WHERE number = ? AND state = 'pending'`,
        JSON.stringify(next.plan),
        next.amount,
        next.fee,
        clock.now(),
        number,
      );
      expect(number, keptSats(next.plan));
    },
    /** The earlier plans of an operation, newest first. */
    oldPlans: (number: number): OldPlan[] =>
      database
        .all<{ plan: string; amount: number; fee: number }>(
          'SELECT plan, amount, fee FROM old_plans WHERE operation = ? ORDER BY version DESC',
          number,
        )
        .map((row) => ({ ...row, plan: JSON.parse(row.plan) })),
    /** Adds newly found sats to the amount of a restore. */
    addToAmount: (number: number, more: number) =>
      database.run(
        'UPDATE operations SET amount = amount + ?, updated_at = ? WHERE number = ?',
        more,
        clock.now(),
        number,
      ),
    hasPending: (): boolean =>
      database.get("SELECT 1 FROM operations WHERE mint = ? AND state = 'pending' LIMIT 1", mint) !==
      undefined,
    /** Whether anything is waiting for the mint. */
    hasUnfinished: (): boolean =>
      database.get(
        `SELECT 1 FROM operations WHERE mint = ? AND state = 'pending'
         UNION ALL SELECT 1 FROM proofs WHERE mint = ? AND state = 'unconfirmed' LIMIT 1`,
        mint,
        mint,
      ) !== undefined,
    /** Records why an operation is still pending. */
    noteFailure: (number: number, failure: Failure | undefined, confirming: boolean) =>
      database.run(
        "UPDATE operations SET failure = ?, confirming = ?, updated_at = ? WHERE number = ? AND state = 'pending'",
        failure ? JSON.stringify(failure) : null,
        confirming ? 1 : 0,
        clock.now(),
        number,
      ),
    /**
     * Completes an operation, even a failed one that the mint did after all, and posts its fee. Returns false if it was
     * complete already. `sums` are those of the plan that the mint carried out.
     */
    complete(number: number, { amount, fee }: Omit<OldPlan, 'plan'>, token?: string): boolean {
      database.run('DELETE FROM old_plans WHERE operation = ?', number);
      const changed = database.run(
        `UPDATE operations SET state = 'completed', plan = NULL, failure = NULL, confirming = 0, recheck_at = NULL, token = ?,
           amount = ?, fee = ?, updated_at = ?
         WHERE number = ? AND state <> 'completed'`,
        token ?? null,
        amount,
        fee,
        clock.now(),
        number,
      );
      if (changed === 0) return false;
      expect(number, 0);
      postings.post(number, [
        { account: 'fee', sats: fee },
        { account: 'outside', sats: -fee },
      ]);
      return true;
    },
    /** Fails a pending operation, or returns false. Its plan stays, in case the mint did what it denied. */
    fail(number: number, failure: Failure, recheckAt: number | undefined): boolean {
      const changed = database.run(
        `UPDATE operations SET state = 'failed', failure = ?, confirming = 0, recheck_at = ?, rechecks = 0, updated_at = ?
         WHERE number = ? AND state = 'pending'`,
        JSON.stringify(failure),
        recheckAt ?? null,
        clock.now(),
        number,
      );
      if (changed === 1) expect(number, 0);
      return changed === 1;
    },
    /** Failed operations whose recheck is due. */
    dueRechecks: (limit: number): Operation[] =>
      database
        .all<OperationRow>(
          'SELECT * FROM operations WHERE mint = ? AND recheck_at <= ? ORDER BY recheck_at LIMIT ?',
          mint,
          clock.now(),
          limit,
        )
        .map(toOperation),
    /** When the next recheck is due, in milliseconds since 1970. Undefined if there is none. */
    nextRecheckAt: (): number | undefined =>
      database.get<{ at: number }>(
        'SELECT recheck_at AS at FROM operations WHERE mint = ? AND recheck_at IS NOT NULL ORDER BY recheck_at LIMIT 1',
        mint,
      )?.at,
    setRecheck: (number: number, recheckAt: number | undefined) =>
      database.run(
        'UPDATE operations SET recheck_at = ?, rechecks = rechecks + 1 WHERE number = ?',
        recheckAt ?? null,
        number,
      ),
    /** Failed operations that the mint may still have done. Their counters are in use. */
    rechecked: (): Operation[] =>
      database
        .all<OperationRow>(
          'SELECT * FROM operations WHERE mint = ? AND recheck_at IS NOT NULL ORDER BY number',
          mint,
        )
        .map(toOperation),
    forgetOldPlans() {
      const before = clock.now() - PLANS_KEPT_MS;
      database.run(
        "UPDATE operations SET plan = NULL WHERE mint = ? AND state = 'failed' AND plan IS NOT NULL AND recheck_at IS NULL AND updated_at < ?",
        mint,
        before,
      );
      database.run(
        "DELETE FROM old_plans WHERE operation IN (SELECT number FROM operations WHERE state <> 'pending' AND plan IS NULL)",
      );
    },
    /** The pending reclaim of a send. */
    pendingReclaim: (send: number) => one("reclaims = ? AND state = 'pending'", send),
    /**
     * Marks a sent token as spent. A state check may see our own reclaim as spent before `reclaimed` is set.
     */
    markSpent: (number: number, reclaimed: boolean) =>
      database.run(
        'UPDATE operations SET spent = 1, reclaimed = ?, updated_at = ? WHERE number = ? AND spent + reclaimed < ?',
        reclaimed ? 1 : 0,
        clock.now(),
        number,
        reclaimed ? 2 : 1,
      ),

    /** The operation that has one of these proofs as an input, if it is pending or completed. */
    ofInput(ys: readonly string[]): Operation | undefined {
      for (const y of ys) {
        const found = database.get<{ operation: number }>(
          'SELECT operation FROM inputs WHERE mint = ? AND y = ?',
          mint,
          y,
        );
        if (found) return one('number = ?', found.operation);
      }
      return undefined;
    },
    addInputs(number: number, ys: readonly string[]) {
      for (const y of ys) database.run('INSERT INTO inputs VALUES (?, ?, ?)', mint, y, number);
    },
    /**
     * Adds the inputs of a failed operation that the mint did after all, except those of other operations.
     */
    claimInputs(number: number, ys: readonly string[]) {
      for (const y of ys) database.run('INSERT OR IGNORE INTO inputs VALUES (?, ?, ?)', mint, y, number);
    },
    freeInputs: (number: number) => database.run('DELETE FROM inputs WHERE operation = ?', number),

    addSent(number: number, ys: readonly string[]) {
      for (const y of ys) database.run('INSERT INTO sent VALUES (?, ?)', number, y);
    },
    sentYs: (number: number): string[] =>
      database.all<{ y: string }>('SELECT y FROM sent WHERE operation = ?', number).map(({ y }) => y),
  };
};
