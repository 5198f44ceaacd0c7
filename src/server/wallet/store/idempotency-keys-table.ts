import type { Clock } from '../../platform/clock.ts';
import type { Operation } from './operation.ts';
import type { Database } from './sqlite.ts';

/** The Idempotency-Key that a response is stored under. */
export interface ResponseKey {
  route: string;
  key: string;
  bodyHash: string;
}

/** A stored response: the operation that determines it. */
interface StoredResponse {
  bodyHash: string;
  operation: Operation | undefined;
}

/** How long a response is stored. Even without its Idempotency-Key, the wallet refuses a spent token forever. */
const RESPONSES_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** Creates the table of responses stored under Idempotency-Keys. `operationByNumber` finds a response's operation. */
export const createResponsesTable = (
  database: Database,
  clock: Clock,
  mint: number,
  operationByNumber: (number: number) => Operation | undefined,
) => ({
  get({ route, key }: Pick<ResponseKey, 'route' | 'key'>): StoredResponse | undefined {
    const row = database.get<{ body_hash: string; operation: number }>(
      'SELECT body_hash, operation FROM idempotency_keys WHERE mint = ? AND route = ? AND key = ?',
      mint,
      route,
      key,
    );
    return row && { bodyHash: row.body_hash, operation: operationByNumber(row.operation) };
  },
  set: ({ route, key, bodyHash }: ResponseKey, operation: number) =>
    database.run(
      'INSERT OR REPLACE INTO idempotency_keys VALUES (?, ?, ?, ?, ?, ?)',
      mint,
      route,
      key,
      bodyHash,
      operation,
      clock.now(),
    ),
  forgetOld: () =>
    database.run('DELETE FROM idempotency_keys WHERE created_at < ?', clock.now() - RESPONSES_KEPT_MS),
});
