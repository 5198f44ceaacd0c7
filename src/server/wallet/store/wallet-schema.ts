import type { Migration } from './sqlite.ts';

/** The model's cost of work that was done before version 8, in sats. Steps never change, so it has its own copy. */
const earlierCost = `(
  SELECT (used ->> 'inputTokens' * (price ->> 'input_usd_per_million')
    + coalesce(used ->> 'cacheReadTokens', 0) * coalesce(price ->> 'cache_read_usd_per_million', price ->> 'input_usd_per_million')
    + used ->> 'outputTokens' * (price ->> 'output_usd_per_million')) * 100.0 / (price ->> 'btc_price_usd')
  FROM charges WHERE charges.number = charge
)`;

/**
 * The schema of the wallet's database, one step per version. Amounts in sats, times in milliseconds since 1970. All
 * mints share it: `mint` is the owner's row in `mints`.
 *
 * - `metadata`: named values for a mint's wallet, such as its seed's fingerprint.
 * - `operations`: everything the wallet ever did, except failed receives, which are deleted after a day. `plan` is a
 *   pending operation's {@link SwapPlan}, stored for 30 days after a failure, or until a receive's last recheck. `confirming` means that it looks failed and is being checked again. `recheck_at` is when a failed
 *   one is checked again (NULL: never). `reclaims` is the send that a reclaim redeems. `released` means that the
 *   operator released it.
 * - `old_plans`: an operation's earlier plans, whose request may still reach the mint.
 * - `inputs`: each outside proof, by its Y. A second operation for it can't begin. A failed operation frees it.
 * - `sent`: each sent token's proofs, by their Y, to check whether it was redeemed.
 * - `proofs`: the wallet's proofs, each in a {@link StoredProofState}. `operation` added it, and `held_by` is the
 *   operation that uses a held one. `why`, `since` and `check_at` are an unconfirmed proof's reason, start and next
 *   check.
 * - `postings`: what each operation moved between accounts. An operation's postings always add up to 0, and those of
 *   `free`, `held` and `unconfirmed` to the proofs in that state. Rows never change, and are deleted only with a failed
 *   receive.
 * - `sums`: the postings by account and keyset, updated by triggers.
 * - `keysets`: the mint's keysets with their keys, in case the mint drops them (NUT-01, NUT-02).
 * - `keyset_owners`: the mint that each keyset belongs to, by what its secrets depend on. It's the first mint that
 *   listed it.
 * - `counters`: each keyset's next unused counter (NUT-13), which only grows. `signed` is the last one that the mint
 *   is known to have signed.
 * - `reusable_counters`: earlier ranges that can be used again, usually because the mint refused their only request
 *   permanently. Reuse keeps forged tokens from opening a gap that a restore from words doesn't cross.
 * - `signed_elsewhere`: counters that another copy of this wallet used, from `start`, until their sats are credited
 *   here.
 * - `restore_positions`: how far a search for the sats of backup words got, so that it can resume.
 * - `test_tokens`: tokens received in DEV_MODE, which may be real.
 * - `attributions`: the agent that an operation was for, and a label. Nothing else depends on them.
 * - `key_operations`: the agent key that started an operation, if it counts toward the key's limit.
 * - `idempotency_keys`: the operation that each started.
 * - `charges`: requested payments. They never change, but one that nobody can pay ends early. `owner` is the id of
 *   the agent key that opened it, or `operator`, or NULL without a key. Only they can use it.
 * - `charge_payments`: each receive that paid a charge, with its cost for the customer (`charged`), the send with the
 *   change, and whether everything is settled (`done`). The operations have the amounts and outcomes. One with a
 *   `balance` is a deposit, whose charge is settled once uses have cost all of it or it's refunded. `used` are the
 *   work's model tokens, and `cost` what they cost the seller, in sats.
 * - `prepaid_balances`: the balances that customers draw from with a key, with an `owner` as charges have. `spent` is
 *   the cost of their uses, and `covered` the part that settled deposits have paid. Triggers update both. `proven_at`
 *   is the key's first use.
 *   `blocked_at` is when the operator blocked it.
 * - `prepaid_uses`: each charge that a balance pays. `reserved` is its maximum cost.
 * - `sales`: what a service reported about a paid request, once. Rows never change, and none has a text of a customer.
 */
export const WALLET_MIGRATIONS: readonly Migration[] = [
  `
  CREATE TABLE mints (id INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE) STRICT;

  CREATE TABLE metadata (
    mint INTEGER NOT NULL REFERENCES mints (id),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (mint, name)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE operations (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    mint INTEGER NOT NULL REFERENCES mints (id),
    kind TEXT NOT NULL
      CHECK (kind IN ('receive', 'send', 'reclaim', 'restore', 'swap', 'recovered', 'spent_elsewhere')),
    state TEXT NOT NULL CHECK (state IN ('pending', 'completed', 'failed')),
    amount INTEGER NOT NULL CHECK (amount >= 0),
    fee INTEGER NOT NULL CHECK (fee >= 0),
    memo TEXT,
    token TEXT,
    spent INTEGER NOT NULL DEFAULT 0 CHECK (spent IN (0, 1)),
    reclaimed INTEGER NOT NULL DEFAULT 0 CHECK (reclaimed IN (0, 1)),
    reclaims INTEGER REFERENCES operations (number),
    plan TEXT,
    failure TEXT,
    confirming INTEGER NOT NULL DEFAULT 0 CHECK (confirming IN (0, 1)),
    recheck_at INTEGER,
    rechecks INTEGER NOT NULL DEFAULT 0,
    released INTEGER NOT NULL DEFAULT 0 CHECK (released IN (0, 1)),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    CHECK (state <> 'pending' OR plan IS NOT NULL),
    CHECK (state <> 'failed' OR failure IS NOT NULL),
    CHECK (kind <> 'reclaim' OR reclaims IS NOT NULL),
    CHECK (kind <> 'send' OR state <> 'completed' OR token IS NOT NULL)
  ) STRICT;
  CREATE INDEX operations_history ON operations (mint, number);
  CREATE INDEX operations_pending ON operations (mint, number) WHERE state = 'pending';
  CREATE INDEX operations_recheck ON operations (mint, recheck_at) WHERE recheck_at IS NOT NULL;
  CREATE INDEX operations_reclaims ON operations (reclaims) WHERE reclaims IS NOT NULL;

  CREATE TABLE old_plans (
    operation INTEGER NOT NULL REFERENCES operations (number),
    version INTEGER NOT NULL,
    plan TEXT NOT NULL,
    amount INTEGER NOT NULL,
    fee INTEGER NOT NULL,
    PRIMARY KEY (operation, version)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE inputs (
    mint INTEGER NOT NULL REFERENCES mints (id),
    y TEXT NOT NULL,
    operation INTEGER NOT NULL REFERENCES operations (number),
    PRIMARY KEY (mint, y)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX inputs_operation ON inputs (operation);

  CREATE TABLE sent (
    operation INTEGER NOT NULL REFERENCES operations (number),
    y TEXT NOT NULL,
    PRIMARY KEY (operation, y)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE proofs (
    mint INTEGER NOT NULL REFERENCES mints (id),
    y TEXT NOT NULL,
    keyset_id TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    secret TEXT NOT NULL,
    c TEXT NOT NULL,
    operation INTEGER NOT NULL REFERENCES operations (number),
    state TEXT NOT NULL CHECK (state IN ('free', 'held', 'unconfirmed', 'spent')),
    held_by INTEGER REFERENCES operations (number),
    why TEXT CHECK (why IN ('found', 'found_spent', 'pending', 'spent', 'refused')),
    since INTEGER,
    check_at INTEGER,
    PRIMARY KEY (mint, y),
    CHECK ((state = 'held') = (held_by IS NOT NULL)),
    CHECK ((state IN ('unconfirmed', 'spent')) = (since IS NOT NULL AND check_at IS NOT NULL)),
    CHECK ((state = 'unconfirmed') = (why IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX proofs_free ON proofs (mint, keyset_id, amount, y) WHERE state = 'free';
  CREATE INDEX proofs_held ON proofs (held_by) WHERE held_by IS NOT NULL;
  CREATE INDEX proofs_checked ON proofs (mint, check_at) WHERE check_at IS NOT NULL;

  CREATE TABLE postings (
    number INTEGER PRIMARY KEY,
    operation INTEGER NOT NULL REFERENCES operations (number),
    mint INTEGER NOT NULL REFERENCES mints (id),
    account TEXT NOT NULL
      CHECK (account IN ('free', 'held', 'unconfirmed', 'incoming', 'outside', 'fee')),
    keyset_id TEXT NOT NULL,
    sats INTEGER NOT NULL,
    at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX postings_operation ON postings (operation);
  CREATE INDEX postings_free ON postings (mint, at, sats) WHERE account = 'free';

  CREATE TABLE sums (
    mint INTEGER NOT NULL REFERENCES mints (id),
    account TEXT NOT NULL,
    keyset_id TEXT NOT NULL,
    sats INTEGER NOT NULL,
    PRIMARY KEY (mint, account, keyset_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER posting_added AFTER INSERT ON postings BEGIN
    INSERT INTO sums VALUES (new.mint, new.account, new.keyset_id, new.sats)
      ON CONFLICT DO UPDATE SET sats = sats + new.sats;
  END;
  CREATE TRIGGER postings_stay BEFORE UPDATE ON postings BEGIN
    SELECT RAISE(ABORT, 'a posting would change');
  END;
  CREATE TRIGGER postings_stay_there BEFORE DELETE ON postings BEGIN
    SELECT RAISE(ABORT, 'a posting would go');
  END;

  CREATE TABLE keysets (
    mint INTEGER NOT NULL REFERENCES mints (id),
    id TEXT NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    input_fee_ppk INTEGER NOT NULL,
    final_expiry INTEGER,
    keys TEXT NOT NULL,
    PRIMARY KEY (mint, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE counters (
    mint INTEGER NOT NULL REFERENCES mints (id),
    keyset_id TEXT NOT NULL,
    next INTEGER NOT NULL CHECK (next >= 0),
    signed INTEGER NOT NULL DEFAULT -1,
    PRIMARY KEY (mint, keyset_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER counters_only_grow BEFORE UPDATE ON counters WHEN new.next < old.next BEGIN
    SELECT RAISE(ABORT, 'a counter would step back');
  END;

  CREATE TABLE reusable_counters (
    mint INTEGER NOT NULL REFERENCES mints (id),
    keyset_id TEXT NOT NULL,
    start INTEGER NOT NULL CHECK (start >= 0),
    count INTEGER NOT NULL CHECK (count > 0),
    PRIMARY KEY (mint, keyset_id, start)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE signed_elsewhere (
    mint INTEGER NOT NULL REFERENCES mints (id),
    keyset_id TEXT NOT NULL,
    start INTEGER NOT NULL CHECK (start >= 0),
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (mint, keyset_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE restore_positions (
    mint INTEGER NOT NULL REFERENCES mints (id),
    words_hash TEXT NOT NULL,
    keyset_id TEXT NOT NULL,
    next INTEGER NOT NULL,
    last_signed INTEGER NOT NULL,
    done INTEGER NOT NULL CHECK (done IN (0, 1)),
    PRIMARY KEY (mint, words_hash, keyset_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE test_tokens (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    mint TEXT NOT NULL,
    amount INTEGER NOT NULL,
    memo TEXT,
    token TEXT NOT NULL UNIQUE
  ) STRICT;

  CREATE TABLE attributions (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    agent TEXT,
    label TEXT,
    CHECK (agent IS NOT NULL OR label IS NOT NULL)
  ) STRICT;
  CREATE INDEX attributions_agent ON attributions (agent, operation) WHERE agent IS NOT NULL;

  CREATE TABLE key_operations (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX key_operations_day ON key_operations (created_at, key);

  CREATE TABLE idempotency_keys (
    mint INTEGER NOT NULL REFERENCES mints (id),
    route TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    operation INTEGER REFERENCES operations (number),
    problem TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (mint, route, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
  `,
  `
  CREATE TABLE charges (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    mint_id INTEGER NOT NULL REFERENCES mints (id),
    agent TEXT,
    label TEXT,
    request_hash TEXT NOT NULL,
    amount INTEGER NOT NULL CHECK (amount > 0),
    price TEXT,
    hold_seconds INTEGER NOT NULL,
    payment_request TEXT NOT NULL,
    face_value INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX charges_expiry ON charges (expires_at);
  CREATE INDEX charges_request ON charges (request_hash, expires_at);
  CREATE INDEX charges_agent ON charges (agent, number) WHERE agent IS NOT NULL;

  CREATE TABLE charge_payments (
    operation INTEGER PRIMARY KEY REFERENCES operations (number),
    charge INTEGER NOT NULL REFERENCES charges (number),
    charged INTEGER CHECK (charged >= 0),
    capped INTEGER NOT NULL DEFAULT 0 CHECK (capped IN (0, 1)),
    decided_at INTEGER,
    kept INTEGER NOT NULL DEFAULT 0 CHECK (kept >= 0),
    change INTEGER REFERENCES operations (number),
    done INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
    swept INTEGER NOT NULL DEFAULT 0 CHECK (swept IN (0, 1)),
    CHECK ((charged IS NULL) = (decided_at IS NULL)),
    CHECK (charged IS NOT NULL OR (change IS NULL AND done = 0))
  ) STRICT;
  CREATE INDEX charge_payments_charge ON charge_payments (charge);
  CREATE INDEX charge_payments_change ON charge_payments (change) WHERE change IS NOT NULL;
  CREATE INDEX charge_payments_unfinished ON charge_payments (operation) WHERE done = 0;
  CREATE INDEX charge_payments_unswept ON charge_payments (decided_at) WHERE swept = 0 AND done = 1 AND change IS NOT NULL;
  CREATE TRIGGER charge_stays_decided BEFORE UPDATE ON charge_payments
    WHEN old.charged IS NOT NULL AND new.charged IS NOT old.charged BEGIN
    SELECT RAISE(ABORT, 'a settled charge would change');
  END;
  `,
  `
  CREATE TABLE prepaid_balances (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    mint_id INTEGER NOT NULL REFERENCES mints (id),
    key_hash TEXT NOT NULL UNIQUE,
    agent TEXT,
    created_at INTEGER NOT NULL,
    proven_at INTEGER,
    spent INTEGER NOT NULL DEFAULT 0,
    covered INTEGER NOT NULL DEFAULT 0,
    CHECK (covered >= 0 AND covered <= spent)
  ) STRICT;
  CREATE INDEX prepaid_balances_used ON prepaid_balances (mint_id) WHERE spent > covered;

  ALTER TABLE charge_payments ADD COLUMN balance INTEGER REFERENCES prepaid_balances (number);
  ALTER TABLE charge_payments ADD COLUMN used TEXT;
  CREATE INDEX charge_payments_balance ON charge_payments (balance) WHERE balance IS NOT NULL;
  CREATE TRIGGER deposit_covers AFTER UPDATE OF charged ON charge_payments
    WHEN new.balance IS NOT NULL AND old.charged IS NULL AND new.charged IS NOT NULL BEGIN
    UPDATE prepaid_balances SET covered = covered + new.charged WHERE number = new.balance;
  END;

  CREATE TABLE prepaid_uses (
    charge INTEGER PRIMARY KEY REFERENCES charges (number),
    balance INTEGER NOT NULL REFERENCES prepaid_balances (number),
    reserved INTEGER NOT NULL CHECK (reserved > 0),
    charged INTEGER CHECK (charged >= 0 AND charged <= reserved),
    capped INTEGER NOT NULL DEFAULT 0 CHECK (capped IN (0, 1)),
    decided_at INTEGER,
    used TEXT,
    CHECK ((charged IS NULL) = (decided_at IS NULL))
  ) STRICT;
  CREATE INDEX prepaid_uses_running ON prepaid_uses (balance) WHERE charged IS NULL;
  CREATE INDEX prepaid_uses_decided ON prepaid_uses (decided_at) WHERE charged > 0;
  CREATE TRIGGER use_stays_decided BEFORE UPDATE ON prepaid_uses
    WHEN old.charged IS NOT NULL AND new.charged IS NOT old.charged BEGIN
    SELECT RAISE(ABORT, 'a settled charge would change');
  END;
  CREATE TRIGGER use_is_spent AFTER UPDATE OF charged ON prepaid_uses
    WHEN old.charged IS NULL AND new.charged IS NOT NULL BEGIN
    UPDATE prepaid_balances SET spent = spent + new.charged WHERE number = new.balance;
  END;
  `,
  `
  ALTER TABLE charges ADD COLUMN owner TEXT;
  ALTER TABLE prepaid_balances ADD COLUMN owner TEXT;
  UPDATE charges SET owner = 'operator';
  UPDATE prepaid_balances SET owner = 'operator';
  DROP INDEX charges_request;
  CREATE INDEX charges_request ON charges (request_hash, owner, expires_at);
  CREATE INDEX charges_owner ON charges (owner, number) WHERE owner IS NOT NULL;
  CREATE INDEX charges_open ON charges (owner, expires_at);
  `,
  `
  DELETE FROM idempotency_keys WHERE operation IS NULL;
  ALTER TABLE idempotency_keys DROP COLUMN problem;
  `,
  `
  CREATE TABLE keyset_owners (
    derivation TEXT PRIMARY KEY,
    mint INTEGER NOT NULL REFERENCES mints (id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX keyset_owners_mint ON keyset_owners (mint);
  `,
  `
  UPDATE operations SET plan = NULL
    WHERE kind = 'receive' AND state = 'failed' AND recheck_at IS NULL AND released = 0;
  DELETE FROM old_plans WHERE operation IN (SELECT number FROM operations WHERE plan IS NULL);
  CREATE INDEX operations_ended ON operations (mint, updated_at)
    WHERE kind = 'receive' AND state = 'failed' AND recheck_at IS NULL AND released = 0;
  CREATE INDEX proofs_operation ON proofs (operation);
  CREATE INDEX idempotency_keys_operation ON idempotency_keys (operation);
  DROP TRIGGER postings_stay_there;
  CREATE TRIGGER postings_stay_there BEFORE DELETE ON postings
    WHEN NOT EXISTS (
      SELECT 1 FROM operations WHERE number = old.operation
        AND kind = 'receive' AND state = 'failed' AND recheck_at IS NULL
    ) BEGIN
    SELECT RAISE(ABORT, 'a posting would go');
  END;
  CREATE TRIGGER posting_gone AFTER DELETE ON postings BEGIN
    UPDATE sums SET sats = sats - old.sats
      WHERE mint = old.mint AND account = old.account AND keyset_id = old.keyset_id;
  END;
  `,
  `
  CREATE TABLE sales (
    charge INTEGER PRIMARY KEY REFERENCES charges (number),
    at INTEGER NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('sold', 'refunded')),
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    status INTEGER NOT NULL,
    message TEXT
  ) STRICT;
  ALTER TABLE prepaid_balances ADD COLUMN blocked_at INTEGER;
  ALTER TABLE charge_payments ADD COLUMN cost REAL;
  ALTER TABLE prepaid_uses ADD COLUMN cost REAL;
  UPDATE charge_payments SET cost = ${earlierCost} WHERE used IS NOT NULL;
  UPDATE prepaid_uses SET cost = ${earlierCost} WHERE used IS NOT NULL;
  `,
];
