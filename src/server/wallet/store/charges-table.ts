import { randomBytes } from 'node:crypto';
import type { UsedTokens } from '../../../shared/api/charge-fields.ts';
import type { ChargeState } from '../../../shared/api/charge-state.ts';
import type { FrozenPrice } from '../../../shared/api/charges.ts';
import { workSats } from '../../../shared/price-math.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from './sqlite.ts';

/**
 * No hold is longer than a day. One that ends more than two days from now began while the clock was ahead, so it ends now. A
 * clock that was set back by less only makes it longer, because the work may not be done.
 */
export const LONGEST_HOLD_MS = 49 * 60 * 60_000;

/**
 * Who opened a charge or a prepaid balance, and can use it: the id of an agent key, or `operator`. Null if it was opened
 * without a key. It then belongs to whoever knows its id, or the key of the balance.
 */
export type Owner = string | null;

/** A charge as its seller requested it. Amounts in sats. */
export interface ChargeTerms {
  agent?: string | undefined;
  label?: string | undefined;
  requestHash: string;
  /** The amount that must arrive after the mint's fee. */
  amount: number;
  price?: FrozenPrice | undefined;
  ttlSeconds: number;
  holdSeconds: number;
}

/** Terms with the one who opens the charge. */
export interface OwnedTerms extends ChargeTerms {
  owner: Owner;
}

/** A charge as the database stores it. Times in milliseconds since 1970. */
export interface StoredCharge extends Omit<OwnedTerms, 'ttlSeconds'> {
  /** Orders the list, because ids have no order. */
  number: number;
  id: string;
  paymentRequest: string;
  /** The face value in the payment request, in sats. */
  faceValue: number;
  createdAt: number;
  expiresAt: number;
  state: ChargeState;
  /** The number of the receive that pays or paid the charge. */
  payment: number | undefined;
  /** Set if a prepaid balance pays the charge. */
  use: PrepaidUse | undefined;
}

/** The outcome of a payment. Amounts in sats. */
export interface Decision {
  /** The amount paid, or reserved in a prepaid balance. */
  paid: number;
  /** Undefined until the charge is settled or refunded. */
  charged: number | undefined;
  isCapped: boolean;
  /** When the charge was settled or refunded, in milliseconds since 1970. */
  decidedAt: number | undefined;
  /** Change that the seller keeps, because it isn't worth its own fee. */
  kept: number;
  /** The model's usage, if the seller reported it. */
  used: UsedTokens | undefined;
}

/** How a prepaid balance pays a charge. */
export interface PrepaidUse extends Decision {
  balance: number;
}

/** A receive that paid a charge, and its outcome. Amounts in sats. */
export interface ChargePayment extends Decision {
  /** The number of the receive. */
  operation: number;
  charge: number;
  /** The receive's state. Its sats are available only once it's completed. */
  paymentState: 'pending' | 'completed' | 'failed';
  /** The number of the prepaid balance that received the payment. */
  balance: number | undefined;
  /** The number of the send that contains the change. */
  change: number | undefined;
  isSwept: boolean;
}

/** Selects charges by their agent and state. */
export interface ChargeFilter {
  agent?: string | undefined;
  state?: ChargeState | undefined;
}

/** The final cost for the customer, in sats. */
export interface Cost {
  charged: number;
  isCapped?: boolean;
  used?: UsedTokens | undefined;
}

interface ChargeRow {
  number: number;
  id: string;
  owner: string | null;
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
  use_balance: number | null;
  use_reserved: number | null;
  use_charged: number | null;
  use_capped: number | null;
  use_decided_at: number | null;
  use_used: string | null;
}

interface PaymentRow {
  operation: number;
  charge: number;
  paid: number;
  payment_state: ChargePayment['paymentState'];
  balance: number | null;
  charged: number | null;
  capped: number;
  decided_at: number | null;
  used: string | null;
  kept: number;
  change: number | null;
  swept: number;
}

/** Selects the receive that counts for a charge: the last one that didn't fail, or else the last one. */
export const PAYMENT = `(
  SELECT operation FROM charge_payments JOIN operations AS paying ON paying.number = operation
  WHERE charge = charges.number ORDER BY paying.state <> 'failed' DESC, operation DESC LIMIT 1
)`;

const STATE = `CASE
  WHEN paid.state = 'completed' OR prepaid_uses.charge IS NOT NULL THEN
    CASE coalesce(charge_payments.charged, prepaid_uses.charged, -1)
      WHEN -1 THEN 'held'
      WHEN 0 THEN 'refunded'
      ELSE 'settled'
    END
  WHEN paid.state = 'pending' OR expires_at > ? THEN 'open'
  ELSE 'expired'
END`;

const CHARGES = `SELECT charges.*, ${STATE} AS state, charge_payments.operation AS payment,
    prepaid_uses.balance AS use_balance, prepaid_uses.reserved AS use_reserved, prepaid_uses.charged AS use_charged,
    prepaid_uses.capped AS use_capped, prepaid_uses.decided_at AS use_decided_at, prepaid_uses.used AS use_used
  FROM charges
  LEFT JOIN prepaid_uses ON prepaid_uses.charge = charges.number
  LEFT JOIN charge_payments ON charge_payments.operation = ${PAYMENT}
  LEFT JOIN operations AS paid ON paid.number = charge_payments.operation`;

// Payments are first in each join, because few are unfinished, while a mint's history is long.
const PAID = 'charge_payments CROSS JOIN operations ON operations.number = operation';

const PAYMENTS = `SELECT charge_payments.*, operations.amount AS paid, operations.state AS payment_state FROM ${PAID}`;

/** Selects charges that may be held. */
const HELD = `SELECT charge FROM charge_payments WHERE done = 0
  UNION ALL SELECT charge FROM prepaid_uses WHERE charged IS NULL`;

/** Selects a payment's sats that are still owed to its customer, and aren't in a send yet. */
const IS_OWED = `done = 0 AND operations.state = 'completed' AND NOT EXISTS (
  SELECT 1 FROM operations AS sending WHERE sending.number = charge_payments.change AND sending.state <> 'failed'
)`;

/**
 * Calculates what the model cost in sats, from its usage at a charge's prices. Null if the usage or a price isn't known.
 * Stored with the decision, because reading the JSON of many sales again is slow.
 */
export const modelCost = (price: string | null | undefined, used: UsedTokens | undefined): number | null =>
  price && used ? workSats(JSON.parse(price) as FrozenPrice, used) : null;

/** Selects payments whose change can still be fetched or taken back. */
const IS_UNSWEPT = 'swept = 0 AND done = 1 AND change IS NOT NULL AND kept = 0';

const usedOf = (text: string | null): UsedTokens | undefined =>
  text === null ? undefined : JSON.parse(text);

const toUse = (row: ChargeRow): PrepaidUse | undefined =>
  row.use_balance === null
    ? undefined
    : {
        balance: row.use_balance,
        paid: row.use_reserved ?? 0,
        charged: row.use_charged ?? undefined,
        isCapped: row.use_capped === 1,
        decidedAt: row.use_decided_at ?? undefined,
        kept: 0,
        used: usedOf(row.use_used),
      };

const toCharge = (row: ChargeRow): StoredCharge => ({
  number: row.number,
  id: row.id,
  owner: row.owner,
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
  use: toUse(row),
});

const toPayment = (row: PaymentRow): ChargePayment => ({
  operation: row.operation,
  charge: row.charge,
  paid: row.paid,
  paymentState: row.payment_state,
  balance: row.balance ?? undefined,
  charged: row.charged ?? undefined,
  isCapped: row.capped === 1,
  decidedAt: row.decided_at ?? undefined,
  used: usedOf(row.used),
  kept: row.kept,
  change: row.change ?? undefined,
  isSwept: row.swept === 1,
});

/** Creates the table of a mint's charges, and of the receives that paid them. */
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
  const get = (number: number) => one('charges.number = ?', number);
  const payments = (sql: string, ...values: number[]): ChargePayment[] =>
    database.all<PaymentRow>(`${PAYMENTS} WHERE mint = ? AND ${sql}`, mint, ...values).map(toPayment);

  return {
    add(
      terms: OwnedTerms,
      { paymentRequest, faceValue }: Pick<StoredCharge, 'paymentRequest' | 'faceValue'>,
    ): StoredCharge {
      const now = clock.now();
      const { owner, agent, label, requestHash, amount, price, ttlSeconds, holdSeconds } = terms;
      const row = database.runReturning<{ number: number }>(
        `INSERT INTO charges (id, mint_id, owner, agent, label, request_hash, amount, price, hold_seconds, payment_request, face_value, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING number`,
        // SECURITY: whoever knows the id of a charge that was opened without a key can use it.
        randomBytes(16).toString('hex'),
        mint,
        owner,
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
      const charge = row && get(row.number);
      if (!charge) throw new Error('an inserted charge was not found');
      return charge;
    },
    byId: (id: string) => one('charges.id = ?', id),
    get,
    /** Returns the charges before a number, newest first. `owner` is undefined for those of all owners. */
    page: (
      before: number,
      limit: number,
      { owner, agent, state }: ChargeFilter & { owner: Owner | undefined },
    ): StoredCharge[] =>
      database
        .all<ChargeRow>(
          `SELECT * FROM (${CHARGES} WHERE mint_id = ? AND charges.number < ?
             ${owner === undefined ? '' : 'AND charges.owner = ?'}
             ${agent === undefined ? '' : 'AND charges.agent = ?'}
             ${state === 'held' ? `AND charges.number IN (${HELD})` : ''})
           ${state === undefined ? '' : 'WHERE state = ?'} ORDER BY number DESC LIMIT ?`,
          clock.now(),
          mint,
          before,
          ...(owner === undefined ? [] : [owner]),
          ...(agent === undefined ? [] : [agent]),
          ...(state === undefined ? [] : [state]),
          limit,
        )
        .map(toCharge),
    /** Counts an owner's charges that can still be paid, up to `most`. */
    countOpen: (owner: Owner, most: number): number =>
      database.get<{ count: number }>(
        'SELECT count(*) AS count FROM (SELECT 1 FROM charges WHERE owner IS ? AND expires_at > ? LIMIT ?)',
        owner,
        clock.now(),
        most,
      )?.count ?? 0,
    /** Expires a charge now, if it can still be paid. */
    expire: (number: number) =>
      database.run(
        'UPDATE charges SET expires_at = ? WHERE number = ? AND expires_at > ?',
        clock.now(),
        number,
        clock.now(),
      ),

    /** Records that a receive pays a charge, which is a deposit if `balance` is set. */
    addPayment: (charge: number, operation: number, balance?: number) =>
      database.run(
        'INSERT INTO charge_payments (operation, charge, balance) VALUES (?, ?, ?)',
        operation,
        charge,
        balance ?? null,
      ),
    payment: (operation: number): ChargePayment | undefined => payments('operation = ?', operation)[0],
    /** Returns the payment whose change is in a send. */
    paymentOfChange: (send: number): ChargePayment | undefined => payments('change = ?', send)[0],
    /** Records what a paid charge costs its customer. Returns false if it was already recorded. */
    decide: (operation: number, { charged, isCapped = false, used }: Cost): boolean =>
      database.run(
        `UPDATE charge_payments SET charged = ?, capped = ?, decided_at = ?, used = ?, cost = ?
         WHERE operation = ? AND charged IS NULL`,
        charged,
        isCapped ? 1 : 0,
        clock.now(),
        used ? JSON.stringify(used) : null,
        modelCost(
          database.get<Pick<ChargeRow, 'price'>>(
            'SELECT price FROM charges JOIN charge_payments ON charge = charges.number WHERE operation = ?',
            operation,
          )?.price,
          used,
        ),
        operation,
      ) > 0,
    /** Returns a prepaid balance's deposits that arrived, oldest first. */
    deposits: (balance: number): ChargePayment[] =>
      payments("balance = ? AND operations.state = 'completed' ORDER BY operation", balance),
    setChange: (operation: number, send: number) =>
      database.run('UPDATE charge_payments SET change = ? WHERE operation = ?', send, operation),
    /** Records that nothing more is owed for a payment. `kept` is change that the seller keeps, in sats. */
    finish: (operation: number, kept = 0) =>
      database.run('UPDATE charge_payments SET done = 1, kept = ? WHERE operation = ?', kept, operation),
    markSwept: (operation: number) =>
      database.run('UPDATE charge_payments SET swept = 1 WHERE operation = ?', operation),
    /** Returns what customers paid for unfinished work, and change that isn't in a send yet, in sats. */
    owed: (): number =>
      database.get<{ sats: number }>(
        `SELECT (SELECT coalesce(sum(operations.amount - coalesce(charged, 0)), 0) FROM ${PAID} WHERE mint = ?1 AND ${IS_OWED})
           - (SELECT coalesce(sum(spent - covered), 0) FROM prepaid_balances WHERE mint_id = ?1 AND spent > covered) AS sats`,
        mint,
      )?.sats ?? 0,
    /** Returns the payments for which something is still owed. */
    unfinished: (): ChargePayment[] => payments("done = 0 AND operations.state = 'completed'"),
    /** Returns whether something is owed to a customer, or change can still be fetched or taken back. */
    hasUnfinished: (): boolean =>
      payments("done = 0 AND operations.state = 'completed' LIMIT 1").length > 0 ||
      payments(`${IS_UNSWEPT} LIMIT 1`).length > 0,
    /** Returns when the next held payment is refunded, in milliseconds since 1970. */
    nextRefundAt: (): number | undefined =>
      database.get<{ at: number | null }>(
        `SELECT min(at) AS at FROM (
           SELECT operations.updated_at + hold_seconds * 1000 AS at FROM ${PAID}
           CROSS JOIN charges ON charges.number = charge
           WHERE mint = ?1 AND done = 0 AND charged IS NULL AND balance IS NULL AND operations.state = 'completed'
           UNION ALL
           SELECT created_at + hold_seconds * 1000 FROM prepaid_uses
           CROSS JOIN charges ON charges.number = charge WHERE mint_id = ?1 AND charged IS NULL)`,
        mint,
      )?.at ?? undefined,
    /** Returns held payments whose work wasn't done in time. */
    overdue: (): ChargePayment[] =>
      payments(
        `done = 0 AND charged IS NULL AND balance IS NULL AND operations.state = 'completed' AND NOT operations.updated_at
           + (SELECT hold_seconds FROM charges WHERE charges.number = charge) * 1000 BETWEEN ? AND ?`,
        clock.now() + 1,
        clock.now() + LONGEST_HOLD_MS,
      ),
    /**
     * Returns up to 20 payments whose change was made before a time and wasn't taken back. They come after an operation, so
     * that those that can't be taken back don't block others.
     */
    unswept: (beforeMs: number, after: number): ChargePayment[] =>
      payments(
        `${IS_UNSWEPT} AND decided_at < ? AND operation > ? ORDER BY operation LIMIT 20`,
        beforeMs,
        after,
      ),
    /** Deletes charges that expired in a time range without any attempt to pay them. */
    forgetUnpaid: (fromMs: number, beforeMs: number) =>
      database.run(
        `DELETE FROM charges WHERE expires_at >= ? AND expires_at < ?
           AND NOT EXISTS (SELECT 1 FROM charge_payments WHERE charge = charges.number)
           AND NOT EXISTS (SELECT 1 FROM prepaid_uses WHERE charge = charges.number)`,
        fromMs,
        beforeMs,
      ),
  };
};

/** What {@link createChargesTable} returns. */
export type ChargesTable = ReturnType<typeof createChargesTable>;
