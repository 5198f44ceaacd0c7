import type { Clock } from '../../platform/clock.ts';
import type { Failure, Operation } from './operation.ts';
import type { Database } from './sqlite.ts';

/** A key under which an answer is kept. */
export interface AnswerKey {
  route: string;
  key: string;
  bodyHash: string;
}

/** What is kept under a key: the operation that tells the answer, or the problem that came before there was one. */
export interface StoredAnswer {
  bodyHash: string;
  operation: Operation | undefined;
  problem: Failure | undefined;
}

/** How long an answer is kept under its key. Without a key a spent token is refused for ever. */
const ANSWERS_KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/** The answers under Idempotency-Keys; `operationByNumber` finds the operation that tells one. */
export const createAnswersTable = (
  database: Database,
  clock: Clock,
  operationByNumber: (number: number) => Operation | undefined,
) => ({
  answer({ route, key }: Pick<AnswerKey, 'route' | 'key'>): StoredAnswer | undefined {
    const row = database.get<{ body_hash: string; operation: number | null; problem: string | null }>(
      'SELECT body_hash, operation, problem FROM answers WHERE route = ? AND key = ?',
      route,
      key,
    );
    return (
      row && {
        bodyHash: row.body_hash,
        operation: row.operation === null ? undefined : operationByNumber(row.operation),
        problem: row.problem === null ? undefined : JSON.parse(row.problem),
      }
    );
  },
  setAnswer: ({ route, key, bodyHash }: AnswerKey, of: { operation: number } | { problem: Failure }) =>
    database.run(
      'INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?)',
      route,
      key,
      bodyHash,
      'operation' in of ? of.operation : null,
      'problem' in of ? JSON.stringify(of.problem) : null,
      clock.now(),
    ),
  forgetOldAnswers: () =>
    database.run('DELETE FROM answers WHERE created_at < ?', clock.now() - ANSWERS_KEPT_MS),
});
