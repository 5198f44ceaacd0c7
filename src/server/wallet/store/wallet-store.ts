import type { Clock } from '../../platform/clock.ts';
import { createAnswersTable } from './answers-table.ts';
import { createCountersTable } from './counters-table.ts';
import { createKeysetsTable } from './keysets-table.ts';
import { createOperationsTable } from './operations-table.ts';
import { createProofsTable } from './proofs-table.ts';
import type { Database } from './sqlite.ts';
import { createTestTokensTable } from './test-tokens-table.ts';

/**
 * The tables of the wallet as functions. Each is one or a few indexed statements; those that must happen together are
 * called inside {@link Database.transaction} by whoever knows what belongs together.
 */
export const createWalletStore = (database: Database, clock: Clock) => {
  const operations = createOperationsTable(database, clock);
  return {
    transaction: database.transaction,
    close: database.close,

    fact: (name: string): string | undefined =>
      database.get<{ value: string }>('SELECT value FROM facts WHERE name = ?', name)?.value,
    setFact: (name: string, value: string) =>
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
