import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ProofState, WireSignature } from './protocol.ts';

/** Sums in one unit. The amount in circulation is `issued - melted - fees`. */
export interface Totals {
  /** Handed out: by `issue` and by minting. */
  issued: number;
  /** Paid out: by melting and by `spend`. */
  melted: number;
  /** Kept by the mint: input fees of swaps and melts. */
  fees: number;
  /** The sum of all spent proofs. */
  spent: number;
}

/** A stored keyset. Its keys come from the seed and the index. */
export interface KeysetRow {
  idx: number;
  unit: string;
  version: number;
  input_fee_ppk: number;
  final_expiry: number | null;
  unverifiable: number;
  active: number;
  listed: number;
  keys_served: number;
}

/** A quote of the fake Lightning. `state` is the state of NUT-04 or NUT-05. */
export interface QuoteRow {
  id: string;
  kind: 'mint' | 'melt';
  unit: string;
  amount: number;
  fee_reserve: number;
  request: string;
  state: string;
  /** The change of a melt as JSON (NUT-08). */
  change: string | null;
}

/** All changes of one request. They are written in one transaction or not at all. */
export interface Change {
  unit: string;
  spend?: { y: string; amount: number; witness?: string | undefined }[];
  sign?: { b: string; signature: WireSignature }[];
  /** When the mint signed, in Unix seconds. */
  signedAt?: number;
  totals?: Partial<Totals>;
  /** The value of proofs created without a signature of the mint's own: those of `issue`. */
  given?: number;
  quote?: { id: string; state: string; change?: WireSignature[] };
  /** The answer to keep for the same request (NUT-19). */
  answer?: { key: string; body: string };
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS meta (seed TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS keysets (idx INTEGER PRIMARY KEY, unit TEXT NOT NULL, version INTEGER NOT NULL,
    input_fee_ppk INTEGER NOT NULL, final_expiry INTEGER, unverifiable INTEGER NOT NULL, active INTEGER NOT NULL,
    listed INTEGER NOT NULL, keys_served INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS spent (y TEXT PRIMARY KEY, amount INTEGER NOT NULL, witness TEXT) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pending (y TEXT PRIMARY KEY, until REAL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS lies (y TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS pending_outputs (b TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS signatures (b TEXT PRIMARY KEY, json TEXT NOT NULL, signed_at REAL NOT NULL)
    WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS quotes (id TEXT PRIMARY KEY, kind TEXT NOT NULL, unit TEXT NOT NULL,
    amount INTEGER NOT NULL, fee_reserve INTEGER NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL, change TEXT);
  CREATE TABLE IF NOT EXISTS totals (unit TEXT PRIMARY KEY, issued INTEGER NOT NULL, melted INTEGER NOT NULL,
    fees INTEGER NOT NULL, spent INTEGER NOT NULL, signed INTEGER NOT NULL, given INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID;`;

const SCHEMA_VERSION = 3;

const open = (directory: string | undefined): DatabaseSync => {
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const db = new DatabaseSync(directory === undefined ? ':memory:' : join(directory, 'mint.sqlite'));
  // NORMAL in WAL mode survives SIGKILL of the process. Only a power cut could lose the last commits.
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = 5000;');
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  const isNew = db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
  if (!isNew && version !== SCHEMA_VERSION) {
    db.close();
    throw new Error(`${directory} holds the state of an older test mint. Use another directory.`);
  }
  // In one transaction, because the process can be killed here too.
  db.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT;`);
  return db;
};

/**
 * Opens the mint's state. Without a directory it is in memory. A directory keeps its first seed, so `seed`
 * applies only to a new one. `now` gives the mint's time in Unix seconds.
 */
export const openStore = (directory: string | undefined, seed: string | undefined, now: () => number) => {
  const db = open(directory);
  db.prepare('INSERT INTO meta (seed) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM meta)').run(
    seed ?? randomBytes(32).toString('hex'),
  );
  const isSpent = db.prepare('SELECT witness FROM spent WHERE y = ?');
  const isPending = db.prepare('SELECT 1 FROM pending WHERE y = ? AND (until IS NULL OR until > ?)');
  const findSignature = db.prepare('SELECT json FROM signatures WHERE b = ?');
  const addSpent = db.prepare('INSERT INTO spent (y, amount, witness) VALUES (?, ?, ?)');
  const findSignedAt = db.prepare('SELECT signed_at FROM signatures WHERE b = ?');
  const addSignature = db.prepare('INSERT INTO signatures (b, json, signed_at) VALUES (?, ?, ?)');
  const isOutputPending = db.prepare('SELECT 1 FROM pending_outputs WHERE b = ?');
  const addPendingOutput = db.prepare('INSERT OR IGNORE INTO pending_outputs (b) VALUES (?)');
  const addPending = db.prepare('INSERT OR REPLACE INTO pending (y, until) VALUES (?, ?)');
  const addLie = db.prepare('INSERT OR IGNORE INTO lies (y) VALUES (?)');
  const removePending = db.prepare('DELETE FROM pending WHERE y = ?');
  const addAnswer = db.prepare('INSERT OR REPLACE INTO answers (key, body) VALUES (?, ?)');
  const addTotals = db.prepare(
    `INSERT INTO totals (unit, issued, melted, fees, spent, signed, given) VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (unit) DO UPDATE SET issued = issued + excluded.issued, melted = melted + excluded.melted,
      fees = fees + excluded.fees, spent = spent + excluded.spent, signed = signed + excluded.signed,
      given = given + excluded.given`,
  );

  const transaction = (write: () => void) => {
    db.exec('BEGIN IMMEDIATE');
    try {
      write();
      db.exec('COMMIT');
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  };

  return {
    seed: String(db.prepare('SELECT seed FROM meta').get()?.seed),
    close: () => db.close(),

    keysets: () => db.prepare('SELECT * FROM keysets ORDER BY idx').all() as unknown as KeysetRow[],
    /** Adds and replaces keysets in one transaction. */
    putKeysets: (rows: KeysetRow[]) =>
      transaction(() => {
        const put = db.prepare(
          `INSERT OR REPLACE INTO keysets VALUES (:idx, :unit, :version, :input_fee_ppk, :final_expiry, :unverifiable,
            :active, :listed, :keys_served)`,
        );
        for (const row of rows) put.run({ ...row });
      }),

    state: (y: string): { state: ProofState; witness: string | null } => {
      const spent = isSpent.get(y);
      if (spent) return { state: 'SPENT', witness: spent.witness as string | null };
      return { state: isPending.get(y, now()) ? 'PENDING' : 'UNSPENT', witness: null };
    },
    /** Marks proofs as pending for this many seconds, or until they are cleared. */
    setPending: (ys: string[], seconds?: number) =>
      transaction(() => {
        const until = seconds === undefined ? null : now() + seconds;
        for (const y of ys) addPending.run(y, until);
      }),
    clearPending: (ys?: string[]) =>
      transaction(() => {
        if (ys === undefined) db.exec('DELETE FROM pending');
        else ys.forEach((y) => void removePending.run(y));
      }),

    /** Notes that the mint lies about a proof. Returns false if it did so before. */
    addLie: (y: string): boolean => addLie.run(y).changes === 1,
    /** The number of proofs that were ever pending for a set time, and that the mint ever lied about. */
    troubled: (): { leftPending: number; liedAbout: number } => ({
      leftPending: Number(db.prepare('SELECT count(until) AS n FROM pending').get()?.n),
      liedAbout: Number(db.prepare('SELECT count(*) AS n FROM lies').get()?.n),
    }),

    signature: (b: string): WireSignature | undefined => {
      const found = findSignature.get(b);
      return found && (JSON.parse(String(found.json)) as WireSignature);
    },
    isOutputSigned: (b: string) => findSignature.get(b) !== undefined,
    /** When the mint signed an output, in Unix seconds. */
    signedAt: (b: string): number | undefined => {
      const found = findSignedAt.get(b);
      return found && Number(found.signed_at);
    },
    isOutputPending: (b: string) => isOutputPending.get(b) !== undefined,
    /** Replaces the pending outputs. */
    setPendingOutputs: (bs: string[]) =>
      transaction(() => {
        db.exec('DELETE FROM pending_outputs');
        for (const b of bs) addPendingOutput.run(b);
      }),

    addQuote: (quote: QuoteRow) =>
      db
        .prepare('INSERT INTO quotes VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
        .run(
          quote.id,
          quote.kind,
          quote.unit,
          quote.amount,
          quote.fee_reserve,
          quote.request,
          quote.state,
          quote.change,
        ),
    quote: (id: string, kind: QuoteRow['kind']) =>
      db.prepare('SELECT * FROM quotes WHERE id = ? AND kind = ?').get(id, kind) as unknown as
        | QuoteRow
        | undefined,
    isPaid: (request: string) =>
      db
        .prepare("SELECT 1 FROM quotes WHERE kind = 'melt' AND state = 'PAID' AND request = ?")
        .get(request) !== undefined,

    answer: (key: string): string | undefined => {
      const found = db.prepare('SELECT body FROM answers WHERE key = ?').get(key);
      return found && String(found.body);
    },

    /** Writes all of a change or none of it, whatever happens to the process. */
    commit: ({ unit, spend = [], sign = [], signedAt = 0, totals = {}, given = 0, quote, answer }: Change) =>
      transaction(() => {
        for (const { y, amount, witness } of spend) addSpent.run(y, amount, witness ?? null);
        for (const { b, signature } of sign) addSignature.run(b, JSON.stringify(signature), signedAt);
        if (quote) {
          db.prepare('UPDATE quotes SET state = ?, change = ? WHERE id = ?').run(
            quote.state,
            quote.change ? JSON.stringify(quote.change) : null,
            quote.id,
          );
        }
        if (answer) addAnswer.run(answer.key, answer.body);
        addTotals.run(
          unit,
          totals.issued ?? 0,
          totals.melted ?? 0,
          totals.fees ?? 0,
          spend.reduce((sum, { amount }) => sum + amount, 0),
          sign.reduce((sum, { signature }) => sum + signature.amount, 0),
          given,
        );
      }),

    totals: (unit: string): Totals => {
      const found = db.prepare('SELECT issued, melted, fees, spent FROM totals WHERE unit = ?').get(unit);
      return { issued: 0, melted: 0, fees: 0, spent: 0, ...(found as Partial<Totals> | undefined) };
    },

    /**
     * The value of all unspent proofs, calculated in two ways: from what came in and went out, and from what
     * was created and spent. Throws if they differ, because no test can trust such a mint.
     */
    outstanding: (unit: string): number => {
      const found = db.prepare('SELECT * FROM totals WHERE unit = ?').get(unit);
      if (!found) return 0;
      const { issued, melted, fees, spent, signed, given } = found as Record<string, number>;
      const byFlow = Number(issued) - Number(melted) - Number(fees);
      const byProofs = Number(given) + Number(signed) - Number(spent);
      if (byFlow === byProofs) return byFlow;
      throw new Error(`the test mint's own sums differ: ${byFlow} ${unit} by flow, ${byProofs} by proofs`);
    },
  };
};

/** The state of a mint, on disk or in memory. */
export type MintStore = ReturnType<typeof openStore>;
