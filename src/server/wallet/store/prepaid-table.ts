import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { type Cost, LONGEST_HOLD_MS, modelCost, type Owner } from './charges-table.ts';
import type { Database } from './sqlite.ts';

/** A prepaid balance as the database stores it. Amounts in sats, times in milliseconds since 1970. */
export interface StoredBalance {
  number: number;
  id: string;
  owner: Owner;
  agent: string | undefined;
  createdAt: number;
  /** When its key was first used. Undefined until someone proves that they have it. */
  provenAt: number | undefined;
  /** When the operator blocked it. Undefined if it isn't blocked. */
  blockedAt: number | undefined;
  /** The total cost of its uses. */
  spent: number;
  /** The rest of the deposits that arrived, minus what is reserved. */
  available: number;
  /** The maximum cost of unsettled charges. */
  reserved: number;
}

interface BalanceRow {
  number: number;
  id: string;
  owner: string | null;
  agent: string | null;
  created_at: number;
  proven_at: number | null;
  blocked_at: number | null;
  spent: number;
  covered: number;
  deposited: number;
  reserved: number;
}

/** Selects balances. `deposited` is the sats of unsettled deposits, and `reserved` those for running requests. */
const BALANCES = `SELECT prepaid_balances.*,
    (SELECT coalesce(sum(operations.amount), 0) FROM charge_payments
      CROSS JOIN operations ON operations.number = operation
      WHERE balance = prepaid_balances.number AND charged IS NULL AND operations.state = 'completed') AS deposited,
    (SELECT coalesce(sum(reserved), 0) FROM prepaid_uses
      WHERE balance = prepaid_balances.number AND charged IS NULL) AS reserved
  FROM prepaid_balances`;

const toBalance = (row: BalanceRow): StoredBalance => ({
  number: row.number,
  id: row.id,
  owner: row.owner,
  agent: row.agent ?? undefined,
  createdAt: row.created_at,
  provenAt: row.proven_at ?? undefined,
  blockedAt: row.blocked_at ?? undefined,
  spent: row.spent,
  available: row.deposited - (row.spent - row.covered) - row.reserved,
  reserved: row.reserved,
});

/** Creates the table of a mint's prepaid balances, and the charges that they pay. */
export const createPrepaidTable = (database: Database, clock: Clock, mint: number) => {
  const one = (sql: string, value: string | number): StoredBalance | undefined => {
    const row = database.get<BalanceRow>(`${BALANCES} WHERE mint_id = ? AND ${sql}`, mint, value);
    return row && toBalance(row);
  };
  return {
    /** Adds an empty balance, and returns its number. */
    add(keyHash: string, owner: Owner, agent: string | undefined): number {
      const row = database.runReturning<{ number: number }>(
        `INSERT INTO prepaid_balances (id, mint_id, key_hash, owner, agent, created_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING number`,
        randomUUID(),
        mint,
        keyHash,
        owner,
        agent ?? null,
        clock.now(),
      );
      if (!row) throw new Error('an inserted balance was not returned');
      return row.number;
    },
    get: (number: number) => one('number = ?', number),
    byId: (id: string) => one('id = ?', id),
    /** Blocks a balance, or unblocks it. */
    setBlocked: (number: number, isBlocked: boolean) =>
      database.run(
        'UPDATE prepaid_balances SET blocked_at = ? WHERE number = ?',
        isBlocked ? clock.now() : null,
        number,
      ),
    byKey: (keyHash: string) => one('key_hash = ?', keyHash),
    /** Gives a balance another key. Returns false if its current key was already used. */
    replaceKey: (number: number, keyHash: string): boolean =>
      database.run(
        'UPDATE prepaid_balances SET key_hash = ? WHERE number = ? AND proven_at IS NULL',
        keyHash,
        number,
      ) > 0,
    /** Records that a balance's key was used. */
    prove: (number: number) =>
      database.run(
        'UPDATE prepaid_balances SET proven_at = ? WHERE number = ? AND proven_at IS NULL',
        clock.now(),
        number,
      ),

    reserve: (balance: number, charge: number, sats: number) =>
      database.run(
        'INSERT INTO prepaid_uses (charge, balance, reserved) VALUES (?, ?, ?)',
        charge,
        balance,
        sats,
      ),
    /** Returns the number of the charge that a balance already pays for this request. */
    chargeOf: (balance: number, requestHash: string): number | undefined =>
      database.get<{ number: number }>(
        `SELECT number FROM charges CROSS JOIN prepaid_uses ON charge = number
         WHERE request_hash = ? AND mint_id = ? AND balance = ?`,
        requestHash,
        mint,
        balance,
      )?.number,
    /** Records what a charge costs its balance. Returns false if it was already recorded. */
    decide: (charge: number, { charged, isCapped = false, used }: Cost): boolean =>
      database.run(
        `UPDATE prepaid_uses SET charged = ?, capped = ?, decided_at = ?, used = ?, cost = ?
         WHERE charge = ? AND charged IS NULL`,
        charged,
        isCapped ? 1 : 0,
        clock.now(),
        used ? JSON.stringify(used) : null,
        modelCost(
          database.get<{ price: string | null }>('SELECT price FROM charges WHERE number = ?', charge)?.price,
          used,
        ),
        charge,
      ) > 0,
    /** Returns the charges whose work wasn't done in time. */
    overdue: (): number[] =>
      database
        .all<{ charge: number }>(
          `SELECT charge FROM prepaid_uses CROSS JOIN charges ON number = charge
           WHERE charged IS NULL AND mint_id = ? AND NOT created_at + hold_seconds * 1000 BETWEEN ? AND ?`,
          mint,
          clock.now() + 1,
          clock.now() + LONGEST_HOLD_MS,
        )
        .map(({ charge }) => charge),
  };
};
