import { createHash, randomUUID } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { asNumber } from '../postings-table.ts';
import { type Database, openDatabase, toUnavailable } from '../sqlite.ts';
import { OLD_MIGRATIONS } from './old-schema.ts';

/** Dependencies of {@link importOldWallets}. */
export interface OldWalletsDeps {
  walletDirectory: string;
  /** The normalized mint from MINT_URL. Undefined imports the simulated wallet of DEV_MODE. */
  mintUrl: string | undefined;
  clock: Clock;
  logger: Logger;
}

const OLD_FILE = /^wallet-.+\.sqlite$/;
/** The suffix of names from an earlier version. Copies that a person made have other names. */
const GIVEN_NAME = /-[0-9a-f]{8}\.sqlite$/;
/** An earlier version's database for DEV_MODE. */
export const OLD_DEV_FILE = 'dev.sqlite';

/** Returns the name of an earlier version's database for a mint. */
const oldFileOf = (mintUrl: string): string => {
  const { host, pathname } = new URL(mintUrl);
  const name = `${host}${pathname}`.replaceAll(/[^A-Za-z0-9.-]+/g, '-').replace(/-+$/, '');
  const hash = createHash('sha256').update(mintUrl).digest('hex').slice(0, 8);
  return `wallet-${name.slice(0, 60)}-${hash}.sqlite`;
};

/** A completed operation's effect on the balance, in sats, and its time. */
const EFFECT = `CASE kind WHEN 'send' THEN -(amount + fee) WHEN 'swap' THEN -fee
  WHEN 'spent_elsewhere' THEN -amount ELSE amount END`;
const EFFECT_AT = "CASE kind WHEN 'send' THEN created_at ELSE updated_at END";
const IS_FOUND = "kind IN ('restore', 'recovered')";

/**
 * Copies rows unchanged, then posts to the accounts what each operation did, and what the proofs are worth. Earlier
 * versions had no accounts per keyset, so the past is posted without one.
 */
const copy = (database: Database, mint: number, now: number, isSimulated: boolean) => {
  const { base } = database.get<{ base: number }>(
    'SELECT coalesce(max(number), 0) AS base FROM operations',
  ) ?? { base: 0 };
  const run = (sql: string) => {
    const values = { ':mint': mint, ':base': base, ':now': now };
    // Each name stands for one of our numbers, and node:sqlite refuses a name that a statement doesn't use.
    database.run(
      sql.replaceAll(/:(?:mint|base|now)\b/g, (name) => String(values[name as keyof typeof values])),
    );
  };
  const post = (operation: string, account: string, keyset: string, sats: string, at: string, from: string) =>
    run(`INSERT INTO postings (operation, mint, account, keyset_id, sats, at)
         SELECT ${operation}, :mint, '${account}', ${keyset}, sum(${sats}), ${at} FROM ${from}
         GROUP BY 1, 4, 6 HAVING sum(${sats}) <> 0`);

  // A wallet without operations may have checked the mint already, perhaps with other words.
  for (const table of ['metadata', 'counters', 'reusable_counters', 'signed_elsewhere', 'restore_positions'])
    run(`DELETE FROM ${table} WHERE mint = :mint`);
  // An unfinished search names the operation that it credits.
  run(`INSERT INTO metadata
       SELECT :mint, name, CASE WHEN name = 'unfinished_search' AND value ->> '$.operation' IS NOT NULL
         THEN json_set(value, '$.operation', (value ->> '$.operation') + :base) ELSE value END
       FROM old.facts WHERE name <> 'mint'`);
  run(`INSERT INTO operations (number, id, mint, kind, state, amount, fee, memo, token, spent, reclaimed, reclaims, plan,
         failure, confirming, recheck_at, rechecks, released, created_at, updated_at)
       SELECT number + :base, id, :mint, kind, state, amount, fee, memo, token, spent, reclaimed, subject + :base, plan,
         failure, confirming, recheck_at, rechecks, coalesce(json_extract(failure, '$.code') = 'released', 0), created_at,
         updated_at FROM old.operations ORDER BY number`);
  run(`INSERT INTO old_plans SELECT operation + :base, version, plan, amount, fee FROM old.old_plans`);
  run(`INSERT INTO inputs SELECT :mint, y, operation + :base FROM old.inputs`);
  run(`INSERT INTO sent SELECT operation + :base, y FROM old.sent`);
  run(
    `INSERT OR REPLACE INTO keysets SELECT :mint, id, active, input_fee_ppk, final_expiry, keys FROM old.keysets`,
  );
  run(`INSERT INTO counters SELECT :mint, keyset_id, next, signed FROM old.counters`);
  run(`INSERT INTO reusable_counters SELECT :mint, keyset_id, start, count FROM old.spare_counters`);
  run(`INSERT INTO signed_elsewhere SELECT :mint, keyset_id, start, seen_at FROM old.elsewhere`);
  run(
    `INSERT INTO restore_positions SELECT :mint, words_hash, keyset_id, next, last_signed, done FROM old.restore_positions`,
  );
  run(`INSERT INTO test_tokens SELECT operation + :base, mint, amount, memo, token FROM old.test_tokens`);
  run(`INSERT INTO attributions SELECT operation + :base, agent, label FROM old.attributions`);
  run(`INSERT INTO key_operations SELECT operation + :base, key, created_at FROM old.key_operations`);
  run(
    `INSERT OR REPLACE INTO idempotency_keys SELECT :mint, route, key, body_hash, operation + :base, problem, created_at FROM old.answers`,
  );

  // A completed operation reserved proofs that the mint was still processing.
  run(`INSERT INTO proofs
       SELECT :mint, y, keyset_id, proofs.amount, secret, c, operation + :base,
         CASE holder.state WHEN 'pending' THEN 'held' WHEN 'completed' THEN 'unconfirmed' ELSE 'free' END,
         CASE holder.state WHEN 'pending' THEN held_by + :base END,
         CASE holder.state WHEN 'completed' THEN CASE WHEN holder.${IS_FOUND} THEN 'found' ELSE 'pending' END END,
         CASE holder.state WHEN 'completed' THEN :now END,
         CASE holder.state WHEN 'completed' THEN :now END
       FROM old.proofs LEFT JOIN old.operations AS holder ON holder.number = held_by`);

  const completed = "operations WHERE mint = :mint AND state = 'completed'";
  post('number', 'free', "''", EFFECT, EFFECT_AT, completed);
  post('number', 'fee', "''", 'fee', EFFECT_AT, completed);
  post('number', 'outside', "''", `-(${EFFECT}) - fee`, EFFECT_AT, completed);
  const pending = "old.operations WHERE state = 'pending'";
  post('number + :base', 'incoming', "''", 'expected', 'created_at', pending);
  post('number + :base', 'outside', "''", '-expected', 'created_at', pending);
  if (isSimulated) return;

  const found = "proofs WHERE mint = :mint AND why = 'found'";
  post('operation', 'unconfirmed', 'keyset_id', 'amount', ':now', found);
  post('operation', 'outside', "''", '-amount', ':now', found);
  const counted = "proofs WHERE mint = :mint AND coalesce(why, '') <> 'found'";
  post('operation', 'free', 'keyset_id', 'amount', ':now', counted);
  post('operation', 'free', "''", '-amount', ':now', counted);
  const held = "proofs WHERE mint = :mint AND state = 'held'";
  post('held_by', 'free', 'keyset_id', '-amount', ':now', held);
  post('held_by', 'held', 'keyset_id', 'amount', ':now', held);
  const setAside = "proofs WHERE mint = :mint AND why = 'pending'";
  post('operation', 'free', 'keyset_id', '-amount', ':now', setAside);
  post('operation', 'unconfirmed', 'keyset_id', 'amount', ':now', setAside);

  correct(database, mint, now);
};

/** Adds rows to the history if an earlier version's operations don't add up to its proofs. */
const correct = (database: Database, mint: number, now: number) => {
  // Sats without a keyset, in parts that fit a number.
  const rest = () =>
    database.get<{ sats: number }>(
      `SELECT ${asNumber('sum(sats)')} AS sats FROM sums WHERE mint = ? AND account = 'free' AND keyset_id = ''`,
      mint,
    )?.sats ?? 0;
  for (let sats = rest(); sats !== 0; sats = rest()) {
    const row = database.runReturning<{ number: number }>(
      `INSERT INTO operations (id, mint, kind, state, amount, fee, created_at, updated_at)
       VALUES (?, ?, ?, 'completed', ?, 0, ?, ?) RETURNING number`,
      randomUUID(),
      mint,
      sats > 0 ? 'spent_elsewhere' : 'recovered',
      Math.abs(sats),
      now,
      now,
    );
    for (const [account, change] of [
      ['free', -sats],
      ['outside', sats],
    ] as const)
      database.run(
        "INSERT INTO postings (operation, mint, account, keyset_id, sats, at) VALUES (?, ?, ?, '', ?, ?)",
        row?.number ?? null,
        mint,
        account,
        change,
        now,
      );
  }
};

const isInUse = (database: Database, url: string): boolean =>
  database.get(
    'SELECT 1 FROM operations JOIN mints ON mints.id = operations.mint WHERE url = ? LIMIT 1',
    url,
  ) !== undefined;

/**
 * - `imported`: by this start.
 * - `known`: by an earlier start, which ended before it renamed the file, or someone put the file back.
 * - `refused`: it has operations that aren't here, but others of its mint are. Two histories would count sats twice.
 */
type Outcome = 'imported' | 'known' | 'refused';

/** Imports an old database completely or not at all, even if the process ends in between. */
const importFile = (
  database: Database,
  path: string,
  { url, now, isSimulated }: { url: string; now: number; isSimulated: boolean },
): Outcome => {
  database.run('ATTACH DATABASE ? AS old', path);
  try {
    return database.transaction(() => {
      if (isInUse(database, url)) {
        const unknown = database.get(
          `SELECT 1 FROM old.operations AS theirs
           WHERE NOT EXISTS (SELECT 1 FROM main.operations WHERE id = theirs.id) LIMIT 1`,
        );
        return unknown === undefined ? 'known' : 'refused';
      }
      database.run('INSERT OR IGNORE INTO mints (url) VALUES (?)', url);
      const mint = database.get<{ id: number }>('SELECT id FROM mints WHERE url = ?', url)?.id;
      if (mint === undefined) throw new Error('an inserted mint was not found');
      copy(database, mint, now, isSimulated);
      return 'imported';
    });
  } finally {
    database.run('DETACH DATABASE old');
  }
};

/**
 * Imports earlier versions' databases, one for each mint, into the one database of all mints. Each file is then
 * renamed and stays as a backup. If that fails, the next start retries, because the contents show what was imported.
 *
 * Throws `DatabaseUnavailableError` if the current mint's database can't be imported and this one has nothing for
 * that mint. Other mints' databases wait for the next start.
 */
export const importOldWallets = async (
  database: Database,
  { walletDirectory, mintUrl, clock, logger }: OldWalletsDeps,
): Promise<void> => {
  const currentUrl = mintUrl ?? SIMULATED_MINT;
  const currentName = mintUrl === undefined ? OLD_DEV_FILE : oldFileOf(mintUrl);

  const setAside = async (name: string, outcome: Outcome) => {
    const keptAs = `${name}.${outcome === 'refused' ? 'not-imported' : 'imported'}-${clock.now()}`;
    const names = { databaseName: name, keptAs };
    try {
      await rename(join(walletDirectory, name), join(walletDirectory, keptAs));
    } catch (error) {
      logger.warn({ err: error, ...names }, 'the wallet of an earlier version was not renamed');
    }
    if (outcome === 'imported') logger.info(names, 'the wallet of an earlier version was imported');
    else if (outcome === 'known') logger.warn(names, 'the wallet of an earlier version was imported before');
    else
      logger.warn(
        names,
        'the wallet of an earlier version was NOT imported, because this wallet already has other operations with the same mint. Search for missing sats, and keep the old file, because its pending operations and sent tokens may still hold sats',
      );
  };

  const importOne = async (name: string) => {
    const path = join(walletDirectory, name);
    // Migrates it to the last old version, after a backup, and proves that nothing else uses it and that it isn't
    // damaged.
    const old = await openDatabase(path, OLD_MIGRATIONS);
    const recorded = old.get<{ value: string }>("SELECT value FROM facts WHERE name = 'mint'")?.value;
    old.close();
    const url = name === currentName ? currentUrl : recorded;
    if (url === undefined) {
      logger.warn({ databaseName: name }, 'the wallet of an unknown mint was not imported');
      return;
    }
    const now = clock.now();
    await setAside(name, importFile(database, path, { url, now, isSimulated: mintUrl === undefined }));
  };

  const rank = (name: string) => (name === currentName ? 0 : GIVEN_NAME.test(name) ? 1 : 2);
  const names = (await readdir(walletDirectory)).filter((name) =>
    mintUrl === undefined ? name === OLD_DEV_FILE : OLD_FILE.test(name),
  );
  // The current mint first, because without it nothing else matters. Copies last, because they're older.
  for (const name of names.sort((a, b) => rank(a) - rank(b))) {
    try {
      await importOne(name);
    } catch (error) {
      const problem = toUnavailable(join(walletDirectory, name), error);
      if (name === currentName && !isInUse(database, currentUrl)) throw problem;
      logger.warn(
        { err: problem, databaseName: name },
        'the wallet of an earlier version could not be imported; dot-mi will try again at its next start',
      );
    }
  }
};

/** The name of the mint of simulated sats (DEV_MODE). */
export const SIMULATED_MINT = 'simulated';
