import type { Database } from './sqlite.ts';

/** A token received in DEV_MODE. `id` is its operation's, `receivedAt` in milliseconds since 1970. */
export interface TestToken {
  id: string;
  amount: number;
  memo: string | undefined;
  receivedAt: number;
  token: string;
}

/** Tokens that were received in DEV_MODE and may be real. */
export const createTestTokensTable = (database: Database) => ({
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
