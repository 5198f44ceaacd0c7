CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE inputs (
    y TEXT PRIMARY KEY,
    operation INTEGER NOT NULL REFERENCES operations (number)
  ) STRICT, WITHOUT ROWID;
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
CREATE TABLE totals (only INTEGER PRIMARY KEY CHECK (only = 1), balance INTEGER NOT NULL CHECK (balance >= 0)) STRICT;
INSERT INTO totals VALUES (1, 26);
CREATE TABLE counters (keyset_id TEXT PRIMARY KEY, next INTEGER NOT NULL CHECK (next >= 0), signed INTEGER NOT NULL DEFAULT -1) STRICT, WITHOUT ROWID;
CREATE TABLE answers (
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    operation INTEGER REFERENCES operations (number),
    problem TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (route, key)
  ) STRICT, WITHOUT ROWID;
INSERT INTO answers VALUES ('receive', 'dev-1', 'TKRlE+a4Abopi55AS1kJOebA76O4BmgwMhze0SlwaM0=', 1, NULL, 1795176001000);
CREATE TABLE spare_counters (
    keyset_id TEXT NOT NULL,
    start INTEGER NOT NULL CHECK (start >= 0),
    count INTEGER NOT NULL CHECK (count > 0),
    PRIMARY KEY (keyset_id, start)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE "operations" (
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
INSERT INTO operations VALUES (1, 'fc8899bb-476f-49cb-bb7a-8e30e0b8aabf', 'receive', 'completed', 21, 0, 0, 'coffee', NULL, 0, 0, NULL, NULL, NULL, 1795176001000, 1795176001000, 0, NULL, 0);
INSERT INTO operations VALUES (2, '2becc565-640a-4171-9482-49a3d561ee95', 'receive', 'completed', 5, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 1795176001000, 1795176001000, 0, NULL, 0);
INSERT INTO operations VALUES (3, '877728c7-4d8f-46aa-bd30-fb05e94a77b8', 'receive', 'completed', 0, 0, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, 1795176001000, 1795176001000, 0, NULL, 0);
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
INSERT INTO test_tokens VALUES (1, 'MINT_URL', 21, 'coffee', 'cashuBpGFtdmh0dHA6Ly8xMjcuMC4wLjE6Mzk2MzdhdWNzYXRhdIGiYWlIAV4HBRTu9UZhcIOjYWEBYXN4QDFkODhlYTUxZjAwNjM0NGRiYjhmNGUxNDE3NGE1YWE4YmNhNzIwMjMxNDBhZDY2YWZkZGFhODQ2N2Y1NjdlOTNhY1ghArWMbgflmyCer-iGszEzQGHHzrEup9uiyp9CCdMFgcswo2FhBGFzeEA0YmZjOTI2YjQwY2I3OGI3MzZhYzM5YWQwOGJkMDdlZDBjZDAxNjRhOTA0MTNiNWY4MmYzYWM4ZDI0ZTczZGU5YWNYIQPiDJbJEKFfQx3_jPAg5u5lVB0tsUeQmxovTbQ7T3qVoqNhYRBhc3hAY2NiMDk4NGEwMWQzNDZiNzcyNGZkM2FmNmFmYjk1NGFjM2ZlNTEzMWFkNDk2MjAzNjRjN2NmYmZlZWI3NTE3MWFjWCECtUXUx_OP8PH3Rdh6PsTQorH_58c8KQiJ8oLSfcH43HFhZGZjb2ZmZWU');
INSERT INTO test_tokens VALUES (2, 'https://another.invalid', 5, NULL, 'cashuBo2Ftd2h0dHBzOi8vYW5vdGhlci5pbnZhbGlkYXVjc2F0YXSBomFpSAFeBwUU7vVGYXCCo2FhAWFzeEBkYjc4YWY1ZDAwMWM4MWMxN2U5OTU3YzVkYWQ4MGI0YmRkZjBmODU5MzE3MWYyYzEwYzlhYTYwOWU0MWE4NmYxYWNYIQJV405M5UExvhdaF8zrhcP2GzjcdtleH3wXc0QWrJHFmqNhYQRhc3hANzc4NjJmN2MyMmRiOGI3ZDlhMGJhNDEzMTc4NWNjMWQ5OGMwNzQ5MDkyN2FiODY0NTI0MTg0ODZjYjM3NGI2ZWFjWCECMOKHX8mhyG9SeUZLxacRvdN6uKpZVOYZPHMBbfXc8co');
CREATE TABLE attributions (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    agent TEXT,
    label TEXT,
    CHECK (agent IS NOT NULL OR label IS NOT NULL)
  ) STRICT;
CREATE TABLE key_operations (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
CREATE INDEX inputs_operation ON inputs (operation);
CREATE INDEX proofs_free ON proofs (keyset_id, amount, y) WHERE held_by IS NULL;
CREATE INDEX proofs_held ON proofs (held_by) WHERE held_by IS NOT NULL;
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
CREATE TRIGGER counters_only_grow BEFORE UPDATE ON counters WHEN new.next < old.next BEGIN
    SELECT RAISE(ABORT, 'a counter would step back');
  END;
CREATE INDEX answers_age ON answers (created_at);
CREATE INDEX operations_pending ON operations (number) WHERE state = 'pending';
CREATE INDEX operations_recheck ON operations (recheck_at) WHERE recheck_at IS NOT NULL;
CREATE INDEX operations_unredeemed ON operations (number) WHERE kind = 'send' AND state = 'completed' AND spent = 0;
CREATE INDEX operations_subject ON operations (subject) WHERE subject IS NOT NULL;
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
CREATE INDEX attributions_agent ON attributions (agent, operation) WHERE agent IS NOT NULL;
CREATE INDEX key_operations_day ON key_operations (created_at, key);
PRAGMA user_version = 5;
