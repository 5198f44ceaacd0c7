import type { Clock } from '../../platform/clock.ts';
import type { Database } from './sqlite.ts';

/**
 * A posting's account.
 *
 * - `free`, `held`, `unconfirmed`: the wallet's proofs in that state.
 * - `incoming`: sats that pending operations will bring. No proof backs them yet.
 * - `fee`: mints' fees.
 * - `outside`: everyone else. Sats that came from outside are negative.
 */
type Account = 'free' | 'held' | 'unconfirmed' | 'incoming' | 'fee' | 'outside';

/** A change to an account, in sats. Proof accounts are split by keyset. */
export interface Entry {
  account: Account;
  keysetId?: string;
  sats: number;
}

/** Reads a sum as a number, because earlier versions' wallets may hold more than a number can. */
const asNumber = (sql: string): string =>
  `max(min(coalesce(${sql}, 0), ${Number.MAX_SAFE_INTEGER}), ${-Number.MAX_SAFE_INTEGER})`;

/** Creates the accounts of a mint's wallet. Every sum that the wallet shows is a sum of postings. */
export const createPostingsTable = (database: Database, clock: Clock, mint: number) => ({
  /** Posts an operation's changes. Throws unless they add up to 0, because sats always come from somewhere. */
  post(operation: number, entries: readonly Entry[]): void {
    const sums = new Map<string, Entry>();
    for (const { account, keysetId = '', sats } of entries) {
      const key = `${account} ${keysetId}`;
      sums.set(key, { account, keysetId, sats: (sums.get(key)?.sats ?? 0) + sats });
    }
    const changes = [...sums.values()].filter(({ sats }) => sats !== 0);
    if (changes.reduce((total, { sats }) => total + sats, 0) !== 0)
      throw new Error(`the postings of operation ${operation} don’t sum to 0`);
    const now = clock.now();
    for (const { account, keysetId, sats } of changes) {
      database.run(
        `INSERT INTO postings (operation, mint, account, keyset_id, sats, at) VALUES (?, ?, ?, ?, ?, ?)`,
        operation,
        mint,
        account,
        keysetId ?? '',
        sats,
        now,
      );
    }
  },
  /** Returns an account's sum, in sats. */
  sum: (account: Account): number =>
    database.get<{ sats: number }>(
      `SELECT ${asNumber('sum(sats)')} AS sats FROM sums WHERE mint = ? AND account = ?`,
      mint,
      account,
    )?.sats ?? 0,
  /** Returns an account's sums by keyset, except zeros. */
  byKeyset: (account: Account): { keysetId: string; sats: number }[] =>
    database.all(
      `SELECT keyset_id AS keysetId, ${asNumber('sats')} AS sats FROM sums WHERE mint = ? AND account = ? AND sats > 0`,
      mint,
      account,
    ),
  /** Returns an operation's change to an account, in sats. */
  ofOperation: (operation: number, account: Account): number =>
    database.get<{ sats: number }>(
      `SELECT ${asNumber('sum(sats)')} AS sats FROM postings WHERE operation = ? AND account = ?`,
      operation,
      account,
    )?.sats ?? 0,
  /** Returns the free sats at each of these times, in milliseconds since 1970. */
  freeAt(times: readonly number[]): number[] {
    const sums = times.map((_, index) => `${asNumber('sum(sats) FILTER (WHERE at <= ?)')} AS at_${index}`);
    const row = database.get<Record<string, number>>(
      `SELECT ${sums.join(', ')} FROM postings WHERE mint = ? AND account = 'free'`,
      ...times,
      mint,
    );
    return times.map((_, index) => row?.[`at_${index}`] ?? 0);
  },
});

/** The accounts of a mint's wallet, created by {@link createPostingsTable}. */
export type Postings = ReturnType<typeof createPostingsTable>;
