import { DatabaseSync } from 'node:sqlite';

/** One sum that must hold in a wallet's books. Each row of `sql` is a place where it doesn't. */
interface Check {
  /** What the rows are, such as `the postings are not what the proofs are worth`. */
  says: string;
  sql: string;
}

/** The accounts that consist of proofs. Each has the name of their state. */
const OF_PROOFS = "('free', 'held', 'unconfirmed')";

/** What an operation posted, by account. */
const POSTED = `
  SELECT operations.number, operations.id, kind, state, amount, fee,
    coalesce(sum(postings.sats) FILTER (WHERE account = 'outside'), 0) AS outside,
    coalesce(sum(postings.sats) FILTER (WHERE account = 'fee'), 0) AS paid,
    coalesce(sum(postings.sats) FILTER (WHERE account = 'incoming'), 0) AS incoming,
    coalesce(sum(postings.sats) FILTER (WHERE account IN ${OF_PROOFS}), 0) AS ours
  FROM operations LEFT JOIN postings ON postings.operation = operations.number
  GROUP BY operations.number`;

/** What became of each payment of a charge that arrived. `due` is what its customer gets back. */
const PAYMENTS = `
  SELECT charge_payments.operation, charge, balance, charged, kept, done, swept, receives.amount AS paid,
    receives.amount - charged AS due, sends.kind AS sendKind, sends.state AS sendState,
    sends.amount AS change, sends.fee AS changeFee
  FROM charge_payments JOIN operations AS receives ON receives.number = charge_payments.operation
  LEFT JOIN operations AS sends ON sends.number = charge_payments.change
  WHERE receives.state = 'completed'`;

/** What became of each prepaid balance. `running` is what its charges that are not settled can cost. */
const BALANCES = `
  SELECT number, spent, covered,
    coalesce((SELECT sum(charged) FROM prepaid_uses WHERE balance = number), 0) AS used,
    coalesce((SELECT sum(reserved) FROM prepaid_uses WHERE balance = number AND charged IS NULL), 0) AS running,
    coalesce((SELECT sum(paid) FROM (${PAYMENTS}) WHERE balance = number), 0) AS deposited,
    coalesce((SELECT sum(charged) FROM charge_payments WHERE balance = number), 0) AS settled,
    coalesce((SELECT sum(due) FROM (${PAYMENTS}) WHERE balance = number), 0) AS refunded
  FROM prepaid_balances`;

const CHECKS: readonly Check[] = [
  {
    says: 'the postings are not what the proofs are worth',
    sql: `
      SELECT mint, keyset_id AS keyset, account, sum(posted) AS posted, sum(worth) AS worth FROM (
        SELECT mint, keyset_id, account, sats AS posted, 0 AS worth FROM postings WHERE account IN ${OF_PROOFS}
        UNION ALL
        SELECT mint, keyset_id, state, 0, amount FROM proofs WHERE state IN ${OF_PROOFS}
      ) GROUP BY mint, keyset_id, account HAVING sum(posted) <> sum(worth)`,
  },
  {
    says: 'a stored sum is not the sum of its postings',
    sql: `
      SELECT mint, keyset_id AS keyset, account, sum(stored) AS stored, sum(posted) AS posted FROM (
        SELECT mint, keyset_id, account, sats AS stored, 0 AS posted FROM sums
        UNION ALL
        SELECT mint, keyset_id, account, 0, sats FROM postings
      ) GROUP BY mint, keyset_id, account HAVING sum(stored) <> sum(posted)`,
  },
  {
    says: 'an account of ours is below 0',
    sql: `
      SELECT mint, keyset_id AS keyset, account, sum(sats) AS sats FROM postings
      WHERE account IN ${OF_PROOFS} GROUP BY mint, keyset_id, account HAVING sum(sats) < 0`,
  },
  {
    says: 'the postings of an operation do not add up to 0',
    sql: 'SELECT operation, sum(sats) AS sats FROM postings GROUP BY operation HAVING sum(sats) <> 0',
  },
  {
    says: 'an operation that ended still has incoming sats',
    sql: `SELECT id, kind, state, incoming FROM (${POSTED}) WHERE state <> 'pending' AND incoming <> 0`,
  },
  {
    says: 'a completed operation did not post its amount and fee',
    // What a search found while the mint was processing it counts in the amount once the mint confirms it.
    sql: `
      SELECT id, kind, amount, fee, outside, paid, ours FROM (${POSTED}) AS posted
      WHERE state = 'completed' AND (paid <> fee OR outside <> CASE
        WHEN kind IN ('send', 'spent_elsewhere') THEN amount
        WHEN kind = 'swap' THEN 0
        ELSE -amount - fee - coalesce(
          (SELECT sum(proofs.amount) FROM proofs WHERE proofs.operation = posted.number AND why IN ('found', 'found_spent')), 0)
      END)`,
  },
  {
    says: 'a failed operation changed an account',
    sql: `
      SELECT id, kind, account, keyset_id AS keyset, sum(sats) AS sats
      FROM operations JOIN postings ON postings.operation = operations.number
      WHERE state = 'failed' GROUP BY operations.number, account, keyset_id HAVING sum(sats) <> 0`,
  },
  {
    says: 'a customer did not get back what was paid and not charged',
    // A mint that changed its fee meanwhile took it from the seller, and not from the customer.
    sql: `
      SELECT operation, paid, charged, kept, change, changeFee FROM (${PAYMENTS})
      WHERE done = 1 AND (sendState IS 'completed') <> (due > kept) OR kept NOT IN (0, due)
        OR sendState = 'completed' AND (change > due OR due - change > changeFee)`,
  },
  {
    says: 'a charge cost more than was paid, or a payment that did not arrive was charged',
    sql: `
      SELECT operation, paid, charged FROM (${PAYMENTS}) WHERE charged > paid
      UNION ALL
      SELECT operation, amount, charged FROM charge_payments JOIN operations ON number = operation
      WHERE state <> 'completed' AND charged IS NOT NULL`,
  },
  {
    says: 'a payment is no receive, or its change is no send',
    sql: `
      SELECT operation, kind, sendKind FROM (${PAYMENTS}) JOIN operations ON number = operation
      WHERE kind <> 'receive' OR sendKind <> 'send'`,
  },
  {
    says: 'two payments have the same change',
    sql: `
      SELECT change, count(*) AS payments FROM charge_payments
      WHERE change IS NOT NULL GROUP BY change HAVING count(*) > 1`,
  },
  {
    says: 'a charge is settled twice',
    // What a customer paid twice by accident is refunded.
    sql: `
      SELECT charge, count(*) AS payments FROM charge_payments
      WHERE charged > 0 GROUP BY charge HAVING count(*) > 1`,
  },
  {
    says: 'a prepaid balance did not add up what was spent, or what its deposits paid of that',
    sql: `SELECT number, spent, used, covered, settled FROM (${BALANCES}) WHERE spent <> used OR covered <> settled`,
  },
  {
    says: 'a prepaid balance paid more than was in it',
    sql: `
      SELECT number, deposited, used, running, refunded FROM (${BALANCES})
      WHERE used + running + refunded > deposited`,
  },
  {
    says: 'a charge is paid by a token and by a prepaid balance',
    sql: 'SELECT charge_payments.charge FROM charge_payments JOIN prepaid_uses USING (charge)',
  },
  {
    says: 'a proof is held by no pending operation, or is not held by the one that says so',
    sql: `
      SELECT proofs.y, proofs.state, held_by AS holder, operations.state AS holderState
      FROM proofs LEFT JOIN operations ON operations.number = proofs.held_by
      WHERE (proofs.state = 'held') <> (operations.state IS 'pending')`,
  },
];

const spell = (row: Record<string, unknown>): string =>
  Object.entries(row)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** Reads a wallet database whose server has ended, or a copy of one, without changing it. */
const readAudited = <T>(path: string, read: (database: DatabaseSync) => T): T => {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return read(database);
  } finally {
    database.close();
  }
};

/** Whether the server lived long enough to write the tables, which it does at once. */
const hasTables = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'postings'").get() !== undefined;

/** Says where the books of a wallet database don't add up; empty if they do. Its server must have ended. */
export const auditWallet = (path: string): string[] =>
  readAudited(path, (database) => {
    if (!hasTables(database)) return [];
    return CHECKS.flatMap(({ says, sql }) =>
      database
        .prepare(sql)
        .all()
        .map((row) => `${says}: ${spell(row)}`),
    );
  });

/** What customers are owed by a wallet database whose server has ended, in sat: what no send has taken yet. */
export const readOwed = (path: string): number =>
  readAudited(path, (database) =>
    Number(
      database
        .prepare(
          `SELECT (SELECT coalesce(sum(paid - coalesce(charged, 0)), 0) FROM (${PAYMENTS})
             WHERE done = 0 AND (sendState IS NULL OR sendState = 'failed'))
             - (SELECT coalesce(sum(used - settled), 0) FROM (${BALANCES})) AS sats`,
        )
        .get()?.sats,
    ),
  );

/** The sats that a wallet holds by its postings, and its free proofs. */
export interface Holdings {
  free: number;
  held: number;
  unconfirmed: number;
  freeProofs: { y: string; amount: number }[];
}

/** Reads what a wallet database says that it holds of a mint. Its server must have ended. */
export const readHoldings = (path: string, mintUrl: string): Holdings =>
  readAudited(path, (database) => {
    const ofMint = 'mint = (SELECT id FROM mints WHERE url = ?)';
    const sumOf = (account: string) =>
      Number(
        database
          .prepare(`SELECT coalesce(sum(sats), 0) AS sats FROM postings WHERE account = ? AND ${ofMint}`)
          .get(account, mintUrl)?.sats,
      );
    const freeProofs = database
      .prepare(`SELECT y, amount FROM proofs WHERE state = 'free' AND ${ofMint}`)
      .all(mintUrl)
      .map(({ y, amount }) => ({ y: String(y), amount: Number(amount) }));
    return { free: sumOf('free'), held: sumOf('held'), unconfirmed: sumOf('unconfirmed'), freeProofs };
  });
