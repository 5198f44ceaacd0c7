import { randomUUID } from 'node:crypto';
import type { OperationKind } from '../../../shared/api/wallet.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SwapPlan } from '../mint/mint.ts';
import {
  type FailedOperation,
  type Failure,
  keptSats,
  type Operation,
  type PendingOperation,
  type Taken,
} from './operation.ts';
import type { Postings } from './postings-table.ts';
import type { Database } from './sqlite.ts';

/** A new operation, before it has a number. */
interface NewOperation {
  kind: OperationKind;
  amount: number;
  fee: number;
  plan: SwapPlan;
  memo?: string | undefined;
  reclaimsOperation?: number;
}

/** An operation that needs no response from the mint. Only a send has a `token`. */
type NewEntry = Pick<NewOperation, 'kind' | 'amount' | 'memo' | 'reclaimsOperation'> & { token?: string };

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
  released: number;
}

/** An operation's earlier plan. Amounts in sats. */
export interface OldPlan {
  plan: SwapPlan;
  amount: number;
  fee: number;
}

/** How long a failed operation's plan is stored, in case the mint turns out to have carried it out. */
const PLANS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

const toOperation = (row: OperationRow): Operation => {
  const base = {
    number: row.number,
    id: row.id,
    amount: row.amount,
    fee: row.fee,
    memo: row.memo ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
  const { kind, state } = row;
  const of = kind === 'reclaim' ? { kind, reclaimsOperation: row.reclaims ?? 0 } : { kind };
  const failure: Failure | undefined = row.failure === null ? undefined : JSON.parse(row.failure);
  const plan: SwapPlan | undefined = row.plan === null ? undefined : JSON.parse(row.plan);
  if (state === 'pending' && plan)
    return { ...base, ...of, state, plan, failure, confirming: row.confirming === 1 };
  if (state === 'failed' && failure)
    return { ...base, ...of, state, failure, isReleased: row.released === 1, plan, rechecks: row.rechecks };
  if (of.kind === 'send' && row.token !== null)
    return {
      ...base,
      kind: of.kind,
      state: 'completed',
      token: row.token,
      spent: row.spent === 1,
      reclaimed: row.reclaimed === 1,
    };
  if (state === 'completed' && of.kind === 'reclaim') return { ...base, ...of, state };
  if (state === 'completed' && of.kind !== 'send' && of.kind !== 'reclaim')
    return { ...base, kind: of.kind, state };
  // The schema rules this out.
  throw new Error(`operation ${row.id} is incomplete`);
};

const toPending = (row: OperationRow): PendingOperation[] => {
  const operation = toOperation(row);
  return operation.state === 'pending' ? [operation] : [];
};

const toFailed = (row: OperationRow): FailedOperation[] => {
  const operation = toOperation(row);
  return operation.state === 'failed' ? [operation] : [];
};

/** Creates the table of operations, the outside proofs that they redeem, and the proofs that left in tokens. */
export const createOperationsTable = (database: Database, postings: Postings, clock: Clock, mint: number) => {
  const one = (sql: string, ...values: (string | number)[]): Operation | undefined => {
    const row = database.get<OperationRow>(
      `SELECT * FROM operations WHERE mint = ? AND ${sql}`,
      mint,
      ...values,
    );
    return row && toOperation(row);
  };

  const takerOf = (y: string): Operation | undefined => {
    const found = database.get<{ operation: number }>(
      'SELECT operation FROM inputs WHERE mint = ? AND y = ?',
      mint,
      y,
    );
    return found && one('number = ?', found.operation);
  };

  const inputYs = (number: number): string[] =>
    database.all<{ y: string }>('SELECT y FROM inputs WHERE operation = ?', number).map(({ y }) => y);

  /** Posts the sats that an operation is now expected to bring, replacing the earlier amount. */
  const expect = (number: number, sats: number) => {
    const more = sats - postings.ofOperation(number, 'incoming');
    postings.post(number, [
      { account: 'incoming', sats: more },
      { account: 'outside', sats: -more },
    ]);
  };

  const insert = (
    state: Operation['state'],
    {
      kind,
      amount,
      fee,
      memo,
      reclaimsOperation,
      plan,
      token,
    }: Omit<NewOperation, 'plan'> & { plan?: SwapPlan; token?: string },
  ): OperationRow => {
    const now = clock.now();
    const row = database.runReturning<OperationRow>(
      `INSERT INTO operations
         (id, mint, kind, state, amount, fee, memo, reclaims, plan, token, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
      randomUUID(),
      mint,
      kind,
      state,
      amount,
      fee,
      memo ?? null,
      reclaimsOperation ?? null,
      plan ? JSON.stringify(plan) : null,
      token ?? null,
      now,
      now,
    );
    if (!row) throw new Error('an inserted row was not returned');
    return row;
  };

  /** Drops what a stranger's token stored once nothing rechecks it. A search for the backup words still finds its outputs. */
  const dropPlan = (number: number) => {
    const changed = database.run(
      `UPDATE operations SET plan = NULL, updated_at = ?
       WHERE number = ? AND kind = 'receive' AND state = 'failed' AND released = 0`,
      clock.now(),
      number,
    );
    if (changed === 1) database.run('DELETE FROM old_plans WHERE operation = ?', number);
  };

  return {
    /** Writes an operation that the mint must finish. */
    add(operation: NewOperation): PendingOperation {
      const row = insert('pending', operation);
      expect(row.number, keptSats(operation.plan));
      const [written] = toPending(row);
      if (!written) throw new Error('a new operation is not pending');
      return written;
    },
    /** Writes a history entry that needs no response from the mint. Returns its number. */
    addCompleted: (entry: NewEntry): number => insert('completed', { ...entry, fee: 0 }).number,
    byId: (id: string) => one('id = ?', id),
    get: (number: number) => one('number = ?', number),
    pending: (): PendingOperation[] =>
      database
        .all<OperationRow>(
          "SELECT * FROM operations WHERE mint = ? AND state = 'pending' ORDER BY number",
          mint,
        )
        .flatMap(toPending),
    /** Returns the operations before a number, newest first. With `agent`, returns only that agent's. */
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
    /** Replaces a pending operation's plan. Set `keepOld` if a request with the old plan may still reach the mint. */
    rewrite(
      { number, plan, amount, fee }: PendingOperation,
      next: OldPlan,
      { keepOld }: { keepOld: boolean },
    ) {
      const changed = database.run(
        `UPDATE operations SET plan = ?, amount = ?, fee = ?, updated_at = ?
         WHERE number = ? AND state = 'pending'`,
        JSON.stringify(next.plan),
        next.amount,
        next.fee,
        clock.now(),
        number,
      );
      if (changed === 0) return;
      expect(number, keptSats(next.plan));
      if (!keepOld) return;
      database.run(
        `INSERT INTO old_plans
         SELECT ?, coalesce(max(version), 0) + 1, ?, ?, ? FROM old_plans WHERE operation = ?`,
        number,
        JSON.stringify(plan),
        amount,
        fee,
        number,
      );
    },
    /** Returns an operation's earlier plans, newest first. */
    oldPlans: (number: number): OldPlan[] =>
      database
        .all<{ plan: string; amount: number; fee: number }>(
          'SELECT plan, amount, fee FROM old_plans WHERE operation = ? ORDER BY version DESC',
          number,
        )
        .map((row) => ({ ...row, plan: JSON.parse(row.plan) })),
    /** Adds newly found sats to a restore's amount. */
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
    /** Returns whether anything is waiting for the mint. */
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
     * Completes an operation, even a failed one that the mint carried out, and posts its fee. Returns false if it
     * was already complete. `sums` are those of the plan that the mint carried out.
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
    /**
     * Fails a pending operation, or returns false. Its plan stays in case the mint carried it out after all, except that
     * of a receive without a recheck. SECURITY: strangers choose the size of its inputs.
     */
    fail(number: number, failure: Failure, recheckAt: number | undefined, isReleased = false): boolean {
      const changed = database.run(
        `UPDATE operations SET state = 'failed', failure = ?, confirming = 0, recheck_at = ?, rechecks = 0, released = ?, updated_at = ?
         WHERE number = ? AND state = 'pending'`,
        JSON.stringify(failure),
        recheckAt ?? null,
        isReleased ? 1 : 0,
        clock.now(),
        number,
      );
      if (changed !== 1) return false;
      expect(number, 0);
      if (recheckAt === undefined) dropPlan(number);
      return true;
    },
    /** Returns the proofs of each restore's swap that failed because some of them were spent or pending. */
    inputsOfSplitRestores: (): SwapPlan['inputs'] =>
      database
        .all<OperationRow>(
          `SELECT * FROM operations WHERE mint = ? AND kind = 'restore' AND state = 'failed' AND plan IS NOT NULL
           AND json_extract(failure, '$.code') IN ('token_spent', 'wallet_busy') AND released = 0`,
          mint,
        )
        .flatMap(toFailed)
        .flatMap(({ plan }) => plan?.inputs ?? []),
    dueRechecks: (limit: number): FailedOperation[] =>
      database
        .all<OperationRow>(
          'SELECT * FROM operations WHERE mint = ? AND recheck_at <= ? ORDER BY recheck_at LIMIT ?',
          mint,
          clock.now(),
          limit,
        )
        .flatMap(toFailed),
    /** Returns when the next recheck is due, in milliseconds since 1970. Undefined if there is none. */
    nextRecheckAt: (): number | undefined =>
      database.get<{ at: number }>(
        'SELECT recheck_at AS at FROM operations WHERE mint = ? AND recheck_at IS NOT NULL ORDER BY recheck_at LIMIT 1',
        mint,
      )?.at,
    postponeRecheck: (number: number, recheckAt: number) =>
      database.run('UPDATE operations SET recheck_at = ? WHERE number = ?', recheckAt, number),
    /** Makes rechecks due that a clock set too far ahead scheduled after `latest`. `now` is in ms since 1970. */
    pullRechecksForward: (now: number, latest: number) =>
      database.run(
        'UPDATE operations SET recheck_at = ? WHERE mint = ? AND recheck_at > ?',
        now,
        mint,
        latest,
      ),
    /** Counts a recheck, and schedules the next one. */
    setRecheck(number: number, recheckAt: number | undefined) {
      database.run(
        'UPDATE operations SET recheck_at = ?, rechecks = rechecks + 1 WHERE number = ?',
        recheckAt ?? null,
        number,
      );
      if (recheckAt === undefined) dropPlan(number);
    },
    /** Returns failed operations that the mint may have carried out after all. Their counters are in use. */
    rechecked: (): FailedOperation[] =>
      database
        .all<OperationRow>(
          'SELECT * FROM operations WHERE mint = ? AND recheck_at IS NOT NULL ORDER BY number',
          mint,
        )
        .flatMap(toFailed),
    /**
     * Returns those of `rechecked` that would have redeemed one of these outside proofs. SECURITY: strangers choose how many
     * there are, so each plan is read once.
     */
    recheckedWith: (ys: readonly string[]): FailedOperation[] =>
      database
        .all<OperationRow>(
          `SELECT * FROM operations WHERE mint = ? AND recheck_at IS NOT NULL AND kind IN ('receive', 'reclaim', 'restore')
           AND EXISTS (
             SELECT 1 FROM json_each(operations.plan, '$.inputs') AS input
             WHERE input.value ->> 'y' IN (SELECT value FROM json_each(?))
           ) ORDER BY number`,
          mint,
          JSON.stringify(ys),
        )
        .flatMap(toFailed),
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
    pendingReclaim: (send: number) => one("reclaims = ? AND state = 'pending'", send),
    completedReclaim: (send: number) => one("reclaims = ? AND state = 'completed'", send),
    /** Marks a sent token as spent. A state check may see our own reclaim as spent before `reclaimed` is set. */
    markSpent: (number: number, reclaimed: boolean) =>
      database.run(
        'UPDATE operations SET spent = 1, reclaimed = ?, updated_at = ? WHERE number = ? AND spent + reclaimed < ?',
        reclaimed ? 1 : 0,
        clock.now(),
        number,
        reclaimed ? 2 : 1,
      ),

    /** Returns the pending or completed operation that has this proof of the wallet's own as an input. */
    takerOf,
    /** Returns what took one of a token's proofs. */
    ofInput(ys: readonly string[]): Taken | undefined {
      for (const y of ys) {
        const operation = takerOf(y);
        if (!operation) continue;
        const known = new Set(ys);
        const isWhole = inputYs(operation.number).every((input) => known.has(input));
        const state = operation.state === 'completed' ? 'completed' : 'pending';
        return { state, operation: isWhole ? operation : undefined };
      }
      return undefined;
    },
    addInputs(number: number, ys: readonly string[]) {
      for (const y of ys) database.run('INSERT INTO inputs VALUES (?, ?, ?)', mint, y, number);
    },
    /**
     * Adds the inputs of a failed operation that the mint carried out. Takes them from an operation that is still pending,
     * but not from another one that the mint carried out.
     */
    claimInputs(number: number, ys: readonly string[]) {
      for (const y of ys)
        database.run(
          `INSERT INTO inputs VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET operation = excluded.operation
           WHERE EXISTS (SELECT 1 FROM operations AS taker WHERE taker.number = inputs.operation AND state <> 'completed')`,
          mint,
          y,
          number,
        );
    },
    freeInputs: (number: number) => database.run('DELETE FROM inputs WHERE operation = ?', number),

    addSent(number: number, ys: readonly string[]) {
      for (const y of ys) database.run('INSERT INTO sent VALUES (?, ?)', number, y);
    },
    sentYs: (number: number): string[] =>
      database.all<{ y: string }>('SELECT y FROM sent WHERE operation = ?', number).map(({ y }) => y),
  };
};
