import type { Clock } from '../../platform/clock.ts';
import type { KeysetKeys } from '../mint/mint.ts';
import { createCountersTable } from './counters-table.ts';
import { createAnswersTable } from './idempotency-keys-table.ts';
import { createOperationsTable } from './operations-table.ts';
import { createProofsTable } from './proofs-table.ts';
import { type Database, openDatabase } from './sqlite.ts';
import { WALLET_MIGRATIONS } from './wallet-schema.ts';

/** A token received in DEV_MODE. `id` is its operation's, `receivedAt` in milliseconds since 1970. */
interface TestToken {
  id: string;
  amount: number;
  memo: string | undefined;
  receivedAt: number;
  token: string;
}

/** Tokens that were received in DEV_MODE and may be real. */
const createTestTokensTable = (database: Database) => ({
  /** Keeps a token that was received in DEV_MODE, once. */
  keepTestToken: (row: { operation: number; mint: string; amount: number; memo?: string; token: string }) =>
    database.run(
      'INSERT OR IGNORE INTO test_tokens VALUES (?, ?, ?, ?, ?)',
      row.operation,
      row.mint,
      row.amount,
      row.memo ?? null,
      row.token,
    ),
  testTokens: (mint: string): TestToken[] =>
    database
      .all<Omit<TestToken, 'memo'> & { memo: string | null }>(
        `SELECT operations.id, test_tokens.amount, test_tokens.memo, operations.created_at AS receivedAt, test_tokens.token
         FROM test_tokens JOIN operations ON operations.number = test_tokens.operation
         WHERE test_tokens.mint = ? ORDER BY operations.number`,
        mint,
      )
      .map((row) => ({ ...row, memo: row.memo ?? undefined })),
  dropTestToken: (id: string): boolean =>
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

/** The keysets that the mint listed, with their keys: a mint that drops its keys must not strand what it signed. */
const createKeysetsTable = (database: Database) => ({
  storedKeysets: (): KeysetKeys[] =>
    database.all<KeysetRow>('SELECT * FROM keysets').map((row) => ({
      id: row.id,
      active: row.active === 1,
      inputFeePpk: row.input_fee_ppk,
      ...(row.final_expiry === null ? {} : { finalExpiry: row.final_expiry }),
      keys: JSON.parse(row.keys),
    })),
  storeKeysets: (keysets: readonly KeysetKeys[]) =>
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

/**
 * The tables of the wallet as functions. Each is one or a few indexed statements; those that must happen together are
 * called inside {@link Database.transaction} by whoever knows what belongs together.
 */
export const createWalletStore = (database: Database, clock: Clock) => {
  const operations = createOperationsTable(database, clock);
  return {
    transaction: database.transaction,
    close: database.close,

    metadata: (name: string): string | undefined =>
      database.get<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value,
    setMetadata: (name: string, value: string) =>
      database.run(
        'INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
        name,
        value,
      ),

    ...operations,
    ...createProofsTable(database),
    ...createCountersTable(database),
    ...createKeysetsTable(database),
    ...createTestTokensTable(database),
    ...createAnswersTable(database, clock, operations.operationByNumber),
  };
};

/** The wallet's tables; made by {@link createWalletStore}. */
export type WalletStore = ReturnType<typeof createWalletStore>;

/** Opens a wallet database, and creates or migrates it first. Throws {@link DatabaseUnavailableError}. */
export const openWalletStore = async (path: string, clock: Clock): Promise<WalletStore> => {
  const store = createWalletStore(await openDatabase(path, WALLET_MIGRATIONS), clock);
  store.forgetOldAnswers();
  store.forgetOldPlans();
  return store;
};
