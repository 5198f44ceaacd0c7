import { randomUUID } from 'node:crypto';
import type { OperationKind } from '../../shared/api/wallet.ts';
import type { Clock } from '../platform/clock.ts';
import type { SwapPlan } from './mint.ts';
import type { Failure, Operation } from './operation.ts';
import type { Database } from './sqlite.ts';

/** What a new operation is, before it has a number. */
export interface NewOperation {
  kind: OperationKind;
  amount: number;
  fee: number;
  expected: number;
  plan?: SwapPlan;
  memo?: string | undefined;
  subject?: number;
}

interface OperationRow {
  number: number;
  id: string;
  kind: OperationKind;
  state: Operation['state'];
  amount: number;
  fee: number;
  expected: number;
  memo: string | null;
  token: string | null;
  spent: number;
  reclaimed: number;
  subject: number | null;
  plan: string | null;
  failure: string | null;
  created_at: number;
  updated_at: number;
}

const toOperation = (row: OperationRow): Operation => ({
  number: row.number,
  id: row.id,
  kind: row.kind,
  state: row.state,
  amount: row.amount,
  fee: row.fee,
  expected: row.expected,
  memo: row.memo ?? undefined,
  token: row.token ?? undefined,
  spent: row.spent === 1,
  reclaimed: row.reclaimed === 1,
  subject: row.subject ?? undefined,
  plan: row.plan === null ? undefined : JSON.parse(row.plan),
  failure: row.failure === null ? undefined : JSON.parse(row.failure),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The operations, the proofs from outside that they have as inputs, and the proofs that left in tokens. */
export const createOperationsTable = (database: Database, clock: Clock) => {
  const one = (sql: string, ...values: (string | number)[]): Operation | undefined => {
    const row = database.get<OperationRow>(`SELECT * FROM operations WHERE ${sql}`, ...values);
    return row && toOperation(row);
  };

  return {
    addOperation(operation: NewOperation, completed = false): Operation {
      const now = clock.now();
      const { kind, amount, fee, expected, memo, subject, plan } = operation;
      const row = database.get<OperationRow>(
        `INSERT INTO operations (id, kind, state, amount, fee, expected, memo, subject, plan, created_at, updated_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
        randomUUID(),
        kind,
        completed ? 'completed' : 'pending',
        amount,
        fee,
        expected,
        memo ?? null,
        subject ?? null,
        plan ? JSON.stringify(plan) : null,
        now,
        now,
      );
      if (!row) throw new Error('an inserted row was not returned');
      return toOperation(row);
    },
    operation: (id: string) => one('id = ?', id),
    operationByNumber: (number: number) => one('number = ?', number),
    pendingOperations: (): Operation[] =>
      database
        .all<OperationRow>("SELECT * FROM operations WHERE state = 'pending' ORDER BY number")
        .map(toOperation),
    /** Newest first, those before a number. */
    history: (before: number, limit: number): Operation[] =>
      database
        .all<OperationRow>(
          'SELECT * FROM operations WHERE number < ? ORDER BY number DESC LIMIT ?',
          before,
          limit,
        )
        .map(toOperation),
    replacePlan: (number: number, plan: SwapPlan, sums: { amount: number; fee: number; expected: number }) =>
      database.run(
        `UPDATE operations SET plan = ?, amount = ?, fee = ?, expected = ?, updated_at = ?
         WHERE number = ? AND state = 'pending'`,
        JSON.stringify(plan),
        sums.amount,
        sums.fee,
        sums.expected,
        clock.now(),
        number,
      ),
    /** Whether anything waits for the mint. */
    hasUnfinished: (): boolean =>
      database.get(
        `SELECT 1 FROM operations WHERE state = 'pending' UNION ALL SELECT 1 FROM proofs WHERE held_by IS NOT NULL LIMIT 1`,
      ) !== undefined,
    /** Says why an operation has not ended yet. */
    noteFailure: (number: number, failure: Failure) =>
      database.run(
        "UPDATE operations SET failure = ?, updated_at = ? WHERE number = ? AND state = 'pending'",
        JSON.stringify(failure),
        clock.now(),
        number,
      ),
    /** Returns whether it was pending until now. */
    complete: (number: number, token?: string): boolean =>
      database.run(
        `UPDATE operations SET state = 'completed', plan = NULL, failure = NULL, token = ?, updated_at = ?
         WHERE number = ? AND state = 'pending'`,
        token ?? null,
        clock.now(),
        number,
      ) === 1,
    /** Returns whether it was pending until now. A failed send keeps its plan: no words could bring its outputs back. */
    fail: (number: number, failure: Failure): boolean =>
      database.run(
        `UPDATE operations SET state = 'failed', failure = ?, updated_at = ?,
           plan = CASE kind WHEN 'send' THEN plan ELSE NULL END
         WHERE number = ? AND state = 'pending'`,
        JSON.stringify(failure),
        clock.now(),
        number,
      ) === 1,
    /** A token that we took back is spent at the mint too, so somebody may have been told of that first. */
    markSpent: (number: number, reclaimed: boolean) =>
      database.run(
        'UPDATE operations SET spent = 1, reclaimed = ?, updated_at = ? WHERE number = ? AND spent + reclaimed < ?',
        reclaimed ? 1 : 0,
        clock.now(),
        number,
        reclaimed ? 2 : 1,
      ),

    /** The operation that has one of these proofs as its input, or had and completed. */
    operationOfInput(ys: readonly string[]): Operation | undefined {
      for (const y of ys) {
        const found = database.get<{ operation: number }>('SELECT operation FROM inputs WHERE y = ?', y);
        if (found) return one('number = ?', found.operation);
      }
      return undefined;
    },
    addInputs(number: number, ys: readonly string[]) {
      for (const y of ys) database.run('INSERT INTO inputs VALUES (?, ?)', y, number);
    },
    freeInputs: (number: number) => database.run('DELETE FROM inputs WHERE operation = ?', number),

    addSent(number: number, ys: readonly string[]) {
      for (const y of ys) database.run('INSERT INTO sent VALUES (?, ?)', number, y);
    },
    sent: (number: number): string[] =>
      database.all<{ y: string }>('SELECT y FROM sent WHERE operation = ?', number).map(({ y }) => y),
  };
};
