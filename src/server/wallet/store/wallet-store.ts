import type { Clock } from '../../platform/clock.ts';
import type { KeysetKeys } from '../mint/mint.ts';
import { createAttributionsTable } from './attributions-table.ts';
import { createCountersTable } from './counters-table.ts';
import { createAnswersTable } from './idempotency-keys-table.ts';
import { createKeyOperationsTable } from './key-operations-table.ts';
import { createOperationsTable } from './operations-table.ts';
import { createProofsTable } from './proofs-table.ts';
import { createSettledBalances } from './settled-balances.ts';
import { type Database, openDatabase } from './sqlite.ts';
import { WALLET_MIGRATIONS } from './wallet-schema.ts';

/** A token received in DEV_MODE. `id` is that of its operation, `receivedAt` in milliseconds since 1970. */
interface TestToken {
  id: string;
  amount: number;
  memo: string | undefined;
  receivedAt: number;
  token: string;
}

/** Tokens that were received in DEV_MODE and may be real. */
const createTestTokensTable = (database: Database) => ({
  /** Stores a token that was received in DEV_MODE, unless it is stored already. */
  keep: (row: { operation: number; mint: string; amount: number; memo?: string; token: string }) =>
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

interface KeysetRow {
  id: string;
  active: number;
  input_fee_ppk: number;
  final_expiry: number | null;
  keys: string;
}

/** The mint's keysets with their keys, so that proofs stay usable if the mint drops the keys. */
const createKeysetsTable = (database: Database) => ({
  all: (): KeysetKeys[] =>
    database.all<KeysetRow>('SELECT * FROM keysets').map((row) => ({
      id: row.id,
      active: row.active === 1,
      inputFeePpk: row.input_fee_ppk,
      ...(row.final_expiry === null ? {} : { finalExpiry: row.final_expiry }),
      keys: JSON.parse(row.keys),
    })),
  store: (keysets: readonly KeysetKeys[]) =>
    database.transaction(() => {
      for (const { id, active, inputFeePpk, finalExpiry, keys } of keysets) {
        database.run(
          'INSERT OR REPLACE INTO keysets VALUES (?, ?, ?, ?, ?)',
          id,
          active ? 1 : 0,
          inputFeePpk,
          finalExpiry ?? null,
          JSON.stringify(keys),
        );
      }
    }),
});

/** Named texts of the wallet. */
const createMetadataTable = (database: Database) => ({
  get: (name: string): string | undefined =>
    database.get<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value,
  set: (name: string, value: string) =>
    database.run(
      'INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
      name,
      value,
    ),
});

/**
 * The tables of the wallet as functions. Each is one or a few indexed statements. Callers use {@link
 * Database.transaction} for statements that belong together.
 */
export const createWalletStore = (database: Database, clock: Clock) => {
  const operations = createOperationsTable(database, clock);
  return {
    transaction: database.transaction,
    close: database.close,

    metadata: createMetadataTable(database),
    operations,
    attributions: createAttributionsTable(database),
    keyUse: createKeyOperationsTable(database, clock),
    balances: createSettledBalances(database),
    proofs: createProofsTable(database),
    counters: createCountersTable(database),
    keysets: createKeysetsTable(database),
    testTokens: createTestTokensTable(database),
    answers: createAnswersTable(database, clock, operations.get),
  };
};

/** The wallet's tables, created by {@link createWalletStore}. */
export type WalletStore = ReturnType<typeof createWalletStore>;

/**
 * Opens a wallet database, after creating or migrating it if needed. Throws {@link DatabaseUnavailableError}.
 */
export const openWalletStore = async (path: string, clock: Clock): Promise<WalletStore> => {
  const store = createWalletStore(await openDatabase(path, WALLET_MIGRATIONS), clock);
  store.answers.forgetOld();
  store.operations.forgetOldPlans();
  return store;
};
