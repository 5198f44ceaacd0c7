import type { Clock } from '../../platform/clock.ts';
import { createAttributionsTable } from './attributions-table.ts';
import { createChargesTable } from './charges-table.ts';
import { createCountersTable } from './counters-table.ts';
import { createFailedReceives } from './failed-receives.ts';
import { createResponsesTable } from './idempotency-keys-table.ts';
import { createKeyOperationsTable } from './key-operations-table.ts';
import { claimUsedKeysets, createKeysetsTable } from './keysets-table.ts';
import { createOperationsTable } from './operations-table.ts';
import { createPostingsTable } from './postings-table.ts';
import { createPrepaidTable } from './prepaid-table.ts';
import { createProofsTable } from './proofs-table.ts';
import { createSalesTable, type SalesTable } from './sales-table.ts';
import { type Database, openDatabase } from './sqlite.ts';
import { WALLET_MIGRATIONS } from './wallet-schema.ts';

/** A token received in DEV_MODE. `id` is the operation's id. `receivedAt` is in milliseconds since 1970. */
interface TestToken {
  id: string;
  amount: number;
  memo: string | undefined;
  receivedAt: number;
  token: string;
}

/** Creates the table of tokens that were received in DEV_MODE and may be real. */
const createTestTokensTable = (database: Database) => ({
  /** Stores a token received in DEV_MODE, unless it's already stored. */
  keep: (row: Omit<TestToken, 'id' | 'receivedAt'> & { operation: number; mint: string }) =>
    database.run(
      'INSERT OR IGNORE INTO test_tokens VALUES (?, ?, ?, ?, ?)',
      row.operation,
      row.mint,
      row.amount,
      row.memo ?? null,
      row.token,
    ),
  list: (mint: string): TestToken[] =>
    database
      .all<Omit<TestToken, 'memo'> & { memo: string | null }>(
        `SELECT operations.id, test_tokens.amount, test_tokens.memo, operations.created_at AS receivedAt, test_tokens.token
         FROM test_tokens JOIN operations ON operations.number = test_tokens.operation
         WHERE test_tokens.mint = ? ORDER BY operations.number`,
        mint,
      )
      .map((row) => ({ ...row, memo: row.memo ?? undefined })),
  drop: (id: string): boolean =>
    database.run(
      'DELETE FROM test_tokens WHERE operation = (SELECT number FROM operations WHERE id = ?)',
      id,
    ) === 1,
});

/** Creates the key-value table of a mint's wallet. */
const createMetadataTable = (database: Database, mint: number) => ({
  get: (name: string): string | undefined =>
    database.get<{ value: string }>('SELECT value FROM metadata WHERE mint = ? AND name = ?', mint, name)
      ?.value,
  set: (name: string, value: string) =>
    database.run(
      'INSERT INTO metadata VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
      mint,
      name,
      value,
    ),
});

/** The metadata key of a mint's earlier addresses. */
const EARLIER_URLS = 'earlier_urls';

/** Returns a mint's earlier addresses, which its tokens can still name. */
export const earlierUrlsOf = (metadata: Pick<ReturnType<typeof createMetadataTable>, 'get'>): string[] =>
  JSON.parse(metadata.get(EARLIER_URLS) ?? '[]');

/**
 * Creates the tables of a mint's wallet, as functions. Each runs one or a few indexed statements. Callers use {@link
 * Database.transaction} for statements that belong together.
 */
export const createWalletStore = (database: Database, clock: Clock, mint: number) => {
  const postings = createPostingsTable(database, clock, mint);
  const operations = createOperationsTable(database, postings, clock, mint);
  return {
    transaction: database.transaction,
    /**
     * Returns the sats of the wallet's proofs. SECURITY: leaves out what pending operations will bring, because anybody can
     * forge tokens that claim any amount.
     */
    total: (): number => postings.sum('free') + postings.sum('held') + postings.sum('unconfirmed'),
    metadata: createMetadataTable(database, mint),
    operations,
    failedReceives: createFailedReceives(database, clock, mint),
    attributions: createAttributionsTable(database),
    charges: createChargesTable(database, clock, mint),
    prepaid: createPrepaidTable(database, clock, mint),
    keyUse: createKeyOperationsTable(database, clock),
    postings,
    proofs: createProofsTable(database, postings, mint),
    counters: createCountersTable(database, mint),
    keysets: createKeysetsTable(database, mint),
    testTokens: createTestTokensTable(database),
    answers: createResponsesTable(database, clock, mint, operations.get),
  };
};

/** The tables of a mint's wallet, created by {@link createWalletStore}. */
export type WalletStore = ReturnType<typeof createWalletStore>;

/** The database of all mints' wallets. */
export interface WalletDatabase {
  /** Returns a mint's wallet, creating it if needed. `mintUrl` is normalized. */
  ofMint(mintUrl: string): WalletStore;
  /** What services reported about paid requests at all mints. */
  sales: SalesTable;
  /** Returns the mints that have a wallet. */
  mintUrls(): string[];
  /** Gives the wallet at `from` the address `to`. A wallet that has that address gets the other one. */
  changeAddress(from: string, to: string): void;
  close(): void;
}

/**
 * Opens the wallet's database, after creating or migrating it if needed. Throws {@link DatabaseUnavailableError}.
 */
export const openWalletDatabase = async (path: string, clock: Clock): Promise<WalletDatabase> => {
  const database = await openDatabase(path, WALLET_MIGRATIONS);
  try {
    claimUsedKeysets(database);
  } catch (error) {
    database.close();
    throw error;
  }
  const idOf = (url: string): number => {
    database.run('INSERT OR IGNORE INTO mints (url) VALUES (?)', url);
    const row = database.get<{ id: number }>('SELECT id FROM mints WHERE url = ?', url);
    if (!row) throw new Error('an inserted mint was not found');
    return row.id;
  };
  return {
    sales: createSalesTable(database, clock),
    ofMint(mintUrl) {
      const store = createWalletStore(database, clock, idOf(mintUrl));
      store.answers.forgetOld();
      store.operations.forgetOldPlans();
      store.failedReceives.forget();
      return store;
    },
    changeAddress(from, to) {
      const moved = createMetadataTable(database, idOf(from));
      const earlier = new Set([...earlierUrlsOf(moved), from]);
      earlier.delete(to);
      database.transaction(() => {
        moved.set(EARLIER_URLS, JSON.stringify([...earlier]));
        database.run("UPDATE mints SET url = '' WHERE url = ?", from);
        database.run('UPDATE mints SET url = ? WHERE url = ?', from, to);
        database.run("UPDATE mints SET url = ? WHERE url = ''", to);
      });
    },
    mintUrls: () => database.all<{ url: string }>('SELECT url FROM mints ORDER BY id').map(({ url }) => url),
    close: database.close,
  };
};
