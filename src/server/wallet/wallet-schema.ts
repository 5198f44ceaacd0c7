import type { Migration } from './sqlite.ts';

/**
 * The schema of a wallet's database, one step a version. Amounts in sat, times in milliseconds since 1970.
 *
 * - `operations`: everything the wallet ever did; the ledger. `plan` is the {@link SwapPlan} of one that is under way.
 *   `expected` is what its completion adds to the balance. `subject` is the send that a reclaim takes back.
 * - `inputs`: each proof that came from outside, by its Y: a second operation for it cannot begin. A failed one frees it.
 * - `sent`: the proofs of each token that left, by their Y, to see whether it was redeemed.
 * - `proofs`: what we hold. `held_by` is the operation under way that spends it. Spent ones are gone.
 * - `totals`: the balance, kept by triggers so that it can never differ from the proofs and never has to be added up.
 * - `counters`: the next unused counter of each keyset (NUT-13); they only grow.
 * - `spare_counters`: ranges below it whose one request the mint refused for good. They are used again, so that forged tokens
 *   cannot open a gap that a restore from words does not cross.
 * - `answers`: Idempotency-Keys; the answer itself only where no operation tells it.
 */
export const WALLET_MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE operations (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('receive', 'send', 'reclaim', 'restore', 'swap')),
    state TEXT NOT NULL CHECK (state IN ('pending', 'completed', 'failed')),
    amount INTEGER NOT NULL CHECK (amount >= 0),
    fee INTEGER NOT NULL CHECK (fee >= 0),
    expected INTEGER NOT NULL CHECK (expected >= 0),
    memo TEXT,
    token TEXT,
    spent INTEGER NOT NULL DEFAULT 0 CHECK (spent IN (0, 1)),
    reclaimed INTEGER NOT NULL DEFAULT 0 CHECK (reclaimed IN (0, 1)),
    subject INTEGER REFERENCES operations (number),
    plan TEXT,
    failure TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK (state <> 'pending' OR plan IS NOT NULL),
    CHECK (kind <> 'send' OR state <> 'completed' OR token IS NOT NULL)
  ) STRICT;
  CREATE INDEX operations_pending ON operations (number) WHERE state = 'pending';

  CREATE TABLE inputs (
    y TEXT PRIMARY KEY,
    operation INTEGER NOT NULL REFERENCES operations (number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX inputs_operation ON inputs (operation);

  CREATE TABLE sent (
    operation INTEGER NOT NULL REFERENCES operations (number),
    y TEXT NOT NULL,
    PRIMARY KEY (operation, y)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE proofs (
    y TEXT PRIMARY KEY,
    keyset_id TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    secret TEXT NOT NULL,
    c TEXT NOT NULL,
    operation INTEGER NOT NULL REFERENCES operations (number),
    held_by INTEGER REFERENCES operations (number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX proofs_free ON proofs (keyset_id, amount, y) WHERE held_by IS NULL;
  CREATE INDEX proofs_held ON proofs (held_by) WHERE held_by IS NOT NULL;

  CREATE TABLE totals (only INTEGER PRIMARY KEY CHECK (only = 1), balance INTEGER NOT NULL CHECK (balance >= 0)) STRICT;
  INSERT INTO totals VALUES (1, 0);
  CREATE TRIGGER proof_added AFTER INSERT ON proofs WHEN new.held_by IS NULL BEGIN
    UPDATE totals SET balance = balance + new.amount;
  END;
  CREATE TRIGGER proof_held AFTER UPDATE OF held_by ON proofs
    WHEN old.held_by IS NULL AND new.held_by IS NOT NULL BEGIN
    UPDATE totals SET balance = balance - new.amount;
  END;
  CREATE TRIGGER proof_freed AFTER UPDATE OF held_by ON proofs
    WHEN old.held_by IS NOT NULL AND new.held_by IS NULL BEGIN
    UPDATE totals SET balance = balance + new.amount;
  END;
  CREATE TRIGGER proof_gone AFTER DELETE ON proofs WHEN old.held_by IS NULL BEGIN
    UPDATE totals SET balance = balance - old.amount;
  END;

  CREATE TABLE counters (keyset_id TEXT PRIMARY KEY, next INTEGER NOT NULL CHECK (next >= 0)) STRICT, WITHOUT ROWID;
  CREATE TRIGGER counters_only_grow BEFORE UPDATE ON counters WHEN new.next < old.next BEGIN
    SELECT RAISE(ABORT, 'a counter would step back');
  END;

  CREATE TABLE answers (
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    operation INTEGER REFERENCES operations (number),
    problem TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (route, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX answers_age ON answers (created_at);
  `,
  `
  CREATE TABLE spare_counters (
    keyset_id TEXT NOT NULL,
    start INTEGER NOT NULL CHECK (start >= 0),
    count INTEGER NOT NULL CHECK (count > 0),
    PRIMARY KEY (keyset_id, start)
  ) STRICT, WITHOUT ROWID;
  `,
];
