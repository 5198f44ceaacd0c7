import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { createLogger, type Logger } from '../../src/server/platform/logger.ts';
import { importOldWallets } from '../../src/server/wallet/store/import/old-wallets.ts';
import { type Database, openDatabase } from '../../src/server/wallet/store/sqlite.ts';
import { WALLET_MIGRATIONS } from '../../src/server/wallet/store/wallet-schema.ts';
import { makeClock } from './clock.ts';
import { keepLog } from './kept-log.ts';
import { oldNameOf, writeOldDirectory } from './old-version.ts';
import { makeTempDirectory } from './temp.ts';
import { auditWallet } from './wallet-audit.ts';

/** The mints of the fixture, and the names of their databases. */
export const URL_A = 'https://a.invalid';
export const URL_B = 'https://b.invalid';
export const NAME_A = oldNameOf(URL_A);
export const NAME_B = oldNameOf(URL_B);
/** When a start imports, by default. */
export const AT = '2026-11-20T12:10:00.000Z';
/** What the fixture's wallets hold, by account. */
export const A = { free: 733, held: 176, unconfirmed: 55, incoming: 302 };
export const B = { free: 33, incoming: 16 };

/** Makes the old directory. */
export const makeDirectory = async (): Promise<string> => {
  const directory = join(await makeTempDirectory(), 'wallet');
  await writeOldDirectory(directory, { url: URL_A, otherUrl: URL_B });
  return directory;
};

interface Start {
  /** Default: {@link URL_A}. Null imports the wallet of DEV_MODE. */
  mintUrl?: string | null;
  clock?: ReturnType<typeof makeClock>;
  /** Sees the database before the import. */
  prepare?(database: Database): Database;
  logger?(log: Logger): Logger;
}

/** Imports as a start of the server does. Returns what it logged. */
export const start = async (
  directory: string,
  {
    mintUrl = URL_A,
    clock = makeClock(AT),
    prepare = (database) => database,
    logger = (log) => log,
  }: Start = {},
): Promise<string> => {
  const log = keepLog('import');
  const database = await openDatabase(
    join(directory, mintUrl === null ? 'dev-wallet.sqlite' : 'wallet.sqlite'),
    WALLET_MIGRATIONS,
  );
  try {
    await importOldWallets(prepare(database), {
      walletDirectory: directory,
      mintUrl: mintUrl ?? undefined,
      clock,
      logger: logger(createLogger('trace', log)),
    });
  } finally {
    database.close();
  }
  return log.text();
};

/** Rows of a database of the directory. */
export const read = (directory: string, sql: string, name = 'wallet.sqlite') => {
  const database = new DatabaseSync(join(directory, name), { readOnly: true });
  try {
    return database
      .prepare(sql)
      .all()
      .map((row) => Object.values(row));
  } finally {
    database.close();
  }
};

/** The sums of a mint's accounts that aren't 0. */
export const sumsOf = (directory: string, mintUrl: string): Record<string, unknown> =>
  Object.fromEntries(
    read(
      directory,
      `SELECT account, sum(sats) FROM sums JOIN mints ON mints.id = mint
       WHERE url = '${mintUrl}' AND account NOT IN ('outside', 'fee') GROUP BY account HAVING sum(sats) <> 0`,
    ) as [string, unknown][],
  );

/** Checks that both wallets are here, once. */
export const expectBoth = (directory: string) => {
  expect(sumsOf(directory, URL_A)).toEqual(A);
  expect(sumsOf(directory, URL_B)).toEqual(B);
  expect(auditWallet(join(directory, 'wallet.sqlite'))).toEqual([]);
};

/** The old databases and what became of them. */
export const oldFiles = async (directory: string) =>
  (await readdir(directory)).filter((name) => /^(wallet-|dev\.sqlite)/.test(name)).sort();
/** What became of one of them. */
export const keptAs = async (directory: string, name: string, ending = 'imported') =>
  (await oldFiles(directory)).filter((file) => file.startsWith(`${name}.${ending}-`));
