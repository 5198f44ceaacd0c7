import { randomUUID } from 'node:crypto';
import type { ChargeState } from '../../../shared/api/charge-state.ts';
import type { FrozenPrice } from '../../../shared/api/charges.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from './sqlite.ts';

/** A charge as its seller asked for it. Amounts in sat. */
export interface ChargeTerms {
  agent?: string | undefined;
  label?: string | undefined;
  requestHash: string;
  /** What must arrive after the mint's fee. */
  amount: number;
  price?: FrozenPrice | undefined;
  ttlSeconds: number;
  holdSeconds: number;
}

/** A charge as the database stores it. Times in milliseconds since 1970. */
export interface StoredCharge extends Omit<ChargeTerms, 'ttlSeconds'> {
  /** Orders the list. Ids have no order. */
  number: number;
  id: string;
  paymentRequest: string;
  /** The face value that the request asks for, in sat. */
  faceValue: number;
  createdAt: number;
  expiresAt: number;
  state: ChargeState;
  /** The number of the receive that pays or paid it. */
  payment: number | undefined;
}

/** A receive that paid a charge, and what became of it. Amounts in sat. */
export interface ChargePayment {
  /** The number of the receive. */
  operation: number;
  /** The number of the charge. */
  charge: number;
  /** What arrived. Only what a completed receive brought is there. */
  paid: number;
  paymentState: 'pending' | 'completed' | 'failed';
  /** Undefined until it is settled or refunded. */
  charged: number | undefined;
  isCapped: boolean;
  /** When it was settled or refunded, in milliseconds since 1970. */
  decidedAt: number | undefined;
  /** Change that isn't worth its own fee. */
  kept: number;
  /** The number of the send that has the change. */
  change: number | undefined;
  isSwept: boolean;
}

interface ChargeRow {
  number: number;
  id: string;
  agent: string | null;
  label: string | null;
  request_hash: string;
  amount: number;
  price: string | null;
  hold_seconds: number;
  payment_request: string;
  face_value: number;
  created_at: number;
  expires_at: number;
  state: ChargeState;
  payment: number | null;
}

interface PaymentRow {
  operation: number;
  charge: number;
  paid: number;
  payment_state: ChargePayment['paymentState'];
  charged: number | null;
  capped: number;
  decided_at: number | null;
  kept: number;
  change: number | null;
  swept: number;
}

/** The receive that counts for a charge: the last one that didn't fail, or else the last one. */
const PAYMENT = `(
  SELECT operation FROM charge_payments JOIN operations AS paying ON paying.number = operation
  WHERE charge = charges.number ORDER BY paying.state <> 'failed' DESC, operation DESC LIMIT 1
)`;

const STATE = `CASE
  WHEN paid.state = 'completed' AND charged IS NULL THEN 'held'
  WHEN paid.state = 'completed' AND charged = 0 THEN 'refunded'
  WHEN paid.state = 'completed' THEN 'settled'
  WHEN paid.state = 'pending' OR expires_at > ? THEN 'open'
  ELSE 'expired'
END`;

const CHARGES = `SELECT charges.*, ${STATE} AS state, charge_payments.operation AS payment FROM charges
  LEFT JOIN charge_payments ON charge_payments.operation = ${PAYMENT}
  LEFT JOIN operations AS paid ON paid.number = charge_payments.operation`;

// The payments come first in each join, because few are unfinished, and the history of a mint is long.
const PAID = 'charge_payments CROSS JOIN operations ON operations.number = operation';

const PAYMENTS = `SELECT charge_payments.*, operations.amount AS paid, operations.state AS payment_state FROM ${PAID}`;

/** Whether sats of a payment are still owed to its customer, and not in a send already. */
const IS_OWED = `done = 0 AND operations.state = 'completed' AND NOT EXISTS (
  SELECT 1 FROM operations AS sending WHERE sending.number = charge_payments.change AND sending.state <> 'failed'
)`;

const toCharge = (row: ChargeRow): StoredCharge => ({
  number: row.number,
  id: row.id,
  agent: row.agent ?? undefined,
  label: row.label ?? undefined,
  requestHash: row.request_hash,
  amount: row.amount,
  price: row.price === null ? undefined : JSON.parse(row.price),
  holdSeconds: row.hold_seconds,
  paymentRequest: row.payment_request,
  faceValue: row.face_value,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  state: row.state,
  payment: row.payment ?? undefined,
});

const toPayment = (row: PaymentRow): ChargePayment => ({
  operation: row.operation,
  charge: row.charge,
  paid: row.paid,
  paymentState: row.payment_state,
  charged: row.charged ?? undefined,
  isCapped: row.capped === 1,
  decidedAt: row.decided_at ?? undefined,
  kept: row.kept,
  change: row.change ?? undefined,
  isSwept: row.swept === 1,
});

/** The charges of a mint's wallet, and the receives that paid them. */
export const createChargesTable = (database: Database, clock: Clock, mint: number) => {
  const one = (sql: string, ...values: (string | number | null)[]): StoredCharge | undefined => {
    const row = database.get<ChargeRow>(
      `${CHARGES} WHERE mint_id = ? AND ${sql}`,
      clock.now(),
      mint,
      ...values,
    );
    return row && toCharge(row);
  };
  const payments = (sql: string, ...values: number[]): ChargePayment[] =>
    database.all<PaymentRow>(`${PAYMENTS} WHERE mint = ? AND ${sql}`, mint, ...values).map(toPayment);

  return {
    add(
      terms: ChargeTerms,
      { paymentRequest, faceValue }: Pick<StoredCharge, 'paymentRequest' | 'faceValue'>,
    ): StoredCharge {
      const now = clock.now();
      const { agent, label, requestHash, amount, price, ttlSeconds, holdSeconds } = terms;
      const row = database.get<Omit<ChargeRow, 'state' | 'payment'>>(
        `INSERT INTO charges (id, mint_id, agent, label, request_hash, amount, price, hold_seconds, payment_request, face_value, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING *`,
        randomUUID(),
        mint,
        agent ?? null,
        label ?? null,
        requestHash,
        amount,
        price ? JSON.stringify(price) : null,
        holdSeconds,
        paymentRequest,
        faceValue,
        now,
        now + ttlSeconds * 1_000,
      );
      if (!row) throw new Error('an inserted charge was not returned');
      return toCharge({ ...row, state: 'open', payment: null });
    },
    byId: (id: string) => one('charges.id = ?', id),
    get: (number: number) => one('charges.number = ?', number),
    /** The newest charge of a request that can still be paid. */
    openFor: (requestHash: string, agent: string | undefined) =>
      one(
        `request_hash = ? AND charges.agent IS ? AND expires_at > ? AND (paid.state IS NULL OR paid.state = 'failed')
           ORDER BY charges.number DESC LIMIT 1`,
        requestHash,
        agent ?? null,
        clock.now(),
      ),
    /** The charges before a number, newest first. */
    page: (
      before: number,
      limit: number,
      { agent, state }: { agent?: string | undefined; state?: ChargeState | undefined },
    ): StoredCharge[] =>
      database
        .all<ChargeRow>(
          `SELECT * FROM (${CHARGES} WHERE mint_id = ? AND charges.number < ?
             ${agent === undefined ? '' : 'AND charges.agent = ?'}
             ${state === 'held' ? 'AND charges.number IN (SELECT charge FROM charge_payments WHERE done = 0)' : ''})
           ${state === undefined ? '' : 'WHERE state = ?'} ORDER BY number DESC LIMIT ?`,
          clock.now(),
          mint,
          before,
          ...(agent === undefined ? [] : [agent]),
          ...(state === undefined ? [] : [state]),
          limit,
        )
        .map(toCharge),
    /** How many charges can still be paid, counted up to `most`. */
    countOpen: (most: number): number =>
      database.get<{ count: number }>(
        'SELECT count(*) AS count FROM (SELECT 1 FROM charges WHERE expires_at > ? LIMIT ?)',
        clock.now(),
        most,
      )?.count ?? 0,
    /** Ends the time in which a charge can be paid. */
    expire: (number: number) =>
      database.run(
        'UPDATE charges SET expires_at = ? WHERE number = ? AND expires_at > ?',
        clock.now(),
        number,
        clock.now(),
      ),

    /** Says that a receive pays a charge. */
    addPayment: (charge: number, operation: number) =>
      database.run('INSERT INTO charge_payments (operation, charge) VALUES (?, ?)', operation, charge),
    payment: (operation: number): ChargePayment | undefined => payments('operation = ?', operation)[0],
    /** The payment whose change a send has. */
    paymentOfChange: (send: number): ChargePayment | undefined => payments('change = ?', send)[0],
    /** Records what a paid charge costs its customer. Returns false if that was recorded before. */
    decide: (operation: number, charged: number, isCapped: boolean): boolean =>
      database.run(
        'UPDATE charge_payments SET charged = ?, capped = ?, decided_at = ? WHERE operation = ? AND charged IS NULL',
        charged,
        isCapped ? 1 : 0,
        clock.now(),
        operation,
      ) > 0,
    setChange: (operation: number, send: number) =>
      database.run('UPDATE charge_payments SET change = ? WHERE operation = ?', send, operation),
    /** Says that nothing more is owed for a payment. `kept` is change that the seller keeps, in sat. */
    finish: (operation: number, kept = 0) =>
      database.run('UPDATE charge_payments SET done = 1, kept = ? WHERE operation = ?', kept, operation),
    markSwept: (operation: number) =>
      database.run('UPDATE charge_payments SET swept = 1 WHERE operation = ?', operation),
    /** What customers paid for work that isn't done, and change that is in no send yet, in sat. */
    owed: (): number =>
      database.get<{ sats: number }>(
        `SELECT coalesce(sum(operations.amount - coalesce(charged, 0)), 0) AS sats
         FROM ${PAID} WHERE mint = ? AND ${IS_OWED}`,
        mint,
      )?.sats ?? 0,
    /** The payments of which something is still owed. */
    unfinished: (): ChargePayment[] => payments("done = 0 AND operations.state = 'completed'"),
    /** Whether something is owed to a customer, or change can still be fetched or taken back. */
    hasUnfinished: (): boolean =>
      payments("done = 0 AND operations.state = 'completed' LIMIT 1").length > 0 ||
      payments('swept = 0 AND done = 1 AND change IS NOT NULL LIMIT 1').length > 0,
    /** When the next held payment is refunded, in milliseconds since 1970. */
    nextRefundAt: (): number | undefined =>
      database.get<{ at: number | null }>(
        `SELECT min(operations.updated_at + hold_seconds * 1000) AS at FROM ${PAID}
         CROSS JOIN charges ON charges.number = charge
         WHERE mint = ? AND done = 0 AND charged IS NULL AND operations.state = 'completed'`,
        mint,
      )?.at ?? undefined,
    /** Held payments whose work isn't done in time. */
    overdue: (): ChargePayment[] =>
      payments(
        `done = 0 AND charged IS NULL AND operations.state = 'completed' AND operations.updated_at
           + (SELECT hold_seconds FROM charges WHERE charges.number = charge) * 1000 <= ?`,
        clock.now(),
      ),
    /** Payments whose change was made before a time and has not been swept. */
    unswept: (beforeMs: number): ChargePayment[] =>
      payments('swept = 0 AND done = 1 AND change IS NOT NULL AND decided_at < ? LIMIT 20', beforeMs),
    /** Forgets charges that expired from one time on and before another, and that nobody tried to pay. */
    forgetUnpaid: (fromMs: number, beforeMs: number) =>
      database.run(
        `DELETE FROM charges WHERE expires_at >= ? AND expires_at < ?
           AND NOT EXISTS (SELECT 1 FROM charge_payments WHERE charge = charges.number)`,
        fromMs,
        beforeMs,
      ),
  };
};

/** The functions of {@link createChargesTable}. */
export type ChargesTable = ReturnType<typeof createChargesTable>;
