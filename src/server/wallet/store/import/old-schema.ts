import type { Migration } from '../sqlite.ts';

/**
 * The schema of the databases that earlier versions had, one for each mint, one step per version. Amounts in sats, times in milliseconds since 1970.
 *
 * - `operations`: everything the wallet ever did. `plan` is the {@link SwapPlan} of a pending operation. A
 *   failed one keeps it for 30 days. `confirming` means that it looks failed and is being checked again.
 *   `recheck_at` is when a failed one is checked again (NULL: never). `expected` is what its completion adds
 *   to the balance. `subject` is the send that a reclaim redeems.
 * - `old_plans`: earlier plans of an operation, whose request may still reach the mint.
 * - `inputs`: each proof from outside, by its Y. A second operation for it can't begin. A failed operation
 *   frees it.
 * - `sent`: the proofs of each sent token, by their Y, to check whether it was redeemed.
 * - `proofs`: the proofs that the wallet holds. `held_by` is the operation that reserves one. Spent ones are
 *   deleted.
 * - `totals`: the sum of free proofs and simulated sats. Triggers keep it equal to the proofs.
 * - `keyset_sums`: the same per keyset, so that expired and unlisted sats need no scan of the proofs.
 * - `keysets`: the mint's keysets with their keys, in case the mint drops them (NUT-01, NUT-02).
 * - `counters`: the next unused counter of each keyset (NUT-13), which only grows. `signed` is the last one
 *   that the mint is known to have signed.
 * - `spare_counters`: reusable ranges below it, usually because the mint refused their only request for good.
 *   Reuse keeps forged tokens from opening a gap that a restore from words doesn't cross.
 * - `elsewhere`: counters that another copy of this wallet used, from `start`, until their sats are credited
 *   here.
 * - `restore_positions`: how far a search for the sats of backup words got, so that it can resume.
 * - `test_tokens`: tokens received in DEV_MODE, which may be real.
 * - `attributions`: the agent that an operation was for, and a label. Nothing else depends on it.
 * - `key_operations`: the agent key that an operation was started with, if it counts for the key's limit.
 * - `answers`: Idempotency-Keys. Holds the response itself only if no operation determines it.
 */
export const OLD_MIGRATIONS: readonly Migration[] = [
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
  `
  CREATE TABLE operations_3 (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL
      CHECK (kind IN ('receive', 'send', 'reclaim', 'restore', 'swap', 'recovered', 'spent_elsewhere')),
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
    confirming INTEGER NOT NULL DEFAULT 0 CHECK (confirming IN (0, 1)),
    recheck_at INTEGER,
    rechecks INTEGER NOT NULL DEFAULT 0,
    CHECK (state <> 'pending' OR plan IS NOT NULL),
    CHECK (kind <> 'send' OR state <> 'completed' OR token IS NOT NULL)
  ) STRICT;
  INSERT INTO operations_3
    (number, id, kind, state, amount, fee, expected, memo, token, spent, reclaimed, subject, plan, failure, created_at, updated_at)
    SELECT number, id, kind, state, amount, fee, expected, memo, token, spent, reclaimed, subject, plan, failure, created_at, updated_at
    FROM operations;
  DROP TABLE operations;
  ALTER TABLE operations_3 RENAME TO operations;
  CREATE INDEX operations_pending ON operations (number) WHERE state = 'pending';
  CREATE INDEX operations_recheck ON operations (recheck_at) WHERE recheck_at IS NOT NULL;
  CREATE INDEX operations_unredeemed ON operations (number) WHERE kind = 'send' AND state = 'completed' AND spent = 0;
  CREATE INDEX operations_subject ON operations (subject) WHERE subject IS NOT NULL;

  CREATE TABLE old_plans (
    operation INTEGER NOT NULL REFERENCES operations (number),
    version INTEGER NOT NULL,
    plan TEXT NOT NULL,
    amount INTEGER NOT NULL,
    fee INTEGER NOT NULL,
    expected INTEGER NOT NULL,
    PRIMARY KEY (operation, version)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keysets (
    id TEXT PRIMARY KEY,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    input_fee_ppk INTEGER NOT NULL,
    final_expiry INTEGER,
    keys TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE keyset_sums (
    keyset_id TEXT PRIMARY KEY,
    amount INTEGER NOT NULL CHECK (amount >= 0),
    proofs INTEGER NOT NULL CHECK (proofs >= 0)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO keyset_sums
    SELECT keyset_id, SUM(amount), COUNT(*) FROM proofs WHERE held_by IS NULL GROUP BY keyset_id;
  CREATE TRIGGER keyset_proof_added AFTER INSERT ON proofs WHEN new.held_by IS NULL BEGIN
    INSERT INTO keyset_sums VALUES (new.keyset_id, new.amount, 1)
      ON CONFLICT DO UPDATE SET amount = amount + new.amount, proofs = proofs + 1;
  END;
  CREATE TRIGGER keyset_proof_held AFTER UPDATE OF held_by ON proofs
    WHEN old.held_by IS NULL AND new.held_by IS NOT NULL BEGIN
    UPDATE keyset_sums SET amount = amount - new.amount, proofs = proofs - 1 WHERE keyset_id = new.keyset_id;
  END;
  CREATE TRIGGER keyset_proof_freed AFTER UPDATE OF held_by ON proofs
    WHEN old.held_by IS NOT NULL AND new.held_by IS NULL BEGIN
    INSERT INTO keyset_sums VALUES (new.keyset_id, new.amount, 1)
      ON CONFLICT DO UPDATE SET amount = amount + new.amount, proofs = proofs + 1;
  END;
  CREATE TRIGGER keyset_proof_gone AFTER DELETE ON proofs WHEN old.held_by IS NULL BEGIN
    UPDATE keyset_sums SET amount = amount - old.amount, proofs = proofs - 1 WHERE keyset_id = old.keyset_id;
  END;

  ALTER TABLE counters ADD COLUMN signed INTEGER NOT NULL DEFAULT -1;
  UPDATE counters SET signed = next - 1;

  CREATE TABLE elsewhere (
    keyset_id TEXT PRIMARY KEY,
    start INTEGER NOT NULL CHECK (start >= 0),
    seen_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE restore_positions (
    words_hash TEXT NOT NULL,
    keyset_id TEXT NOT NULL,
    next INTEGER NOT NULL,
    last_signed INTEGER NOT NULL,
    done INTEGER NOT NULL CHECK (done IN (0, 1)),
    PRIMARY KEY (words_hash, keyset_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE test_tokens (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    mint TEXT NOT NULL,
    amount INTEGER NOT NULL,
    memo TEXT,
    token TEXT NOT NULL UNIQUE
  ) STRICT;
  `,
  `
  CREATE TABLE attributions (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    agent TEXT,
    label TEXT,
    CHECK (agent IS NOT NULL OR label IS NOT NULL)
  ) STRICT;
  CREATE INDEX attributions_agent ON attributions (agent, operation) WHERE agent IS NOT NULL;
  `,
  `
  CREATE TABLE key_operations (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX key_operations_day ON key_operations (created_at, key);
  `,
];
