import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import {
  askFor,
  chargeOf,
  hashOf,
  heldOf,
  holdCharge,
  openAndPay,
  REQUEST,
  refundOf,
  releaseCharge,
  settleCharge,
} from '../../../support/charges.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import { databasePath } from '../../../support/wallet.ts';
import { as, asOperator, createKey } from '../../../support/wallet-callers.ts';
import { earn, pay, startCopy } from '../../../support/wallet-copies.ts';

/** A wallet with many charges that nobody paid. */

const MANY = 10_000;

/** Adds open charges to a database whose server has ended. Half of them are for the same request, and no owner has too many. */
const addOpenCharges = (path: string) => {
  const database = new DatabaseSync(path);
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${MANY})
    INSERT INTO charges (id, mint_id, owner, agent, request_hash, amount, hold_seconds, payment_request, face_value, created_at, expires_at)
    SELECT 'many-' || n, 1, iif(n % 16 = 0, 'operator', 'key-' || n % 16), iif(n % 3 = 0, 'scout', NULL), iif(n % 2 = 0, '${REQUEST}', '${hashOf('other')}'),
      1, 60, 'creqA', 1, 0, iif(n % 5 = 0, 0, ${Date.now() + 24 * 60 * 60_000}) FROM numbers`);
  database.close();
};

/** Remembers the statements that are prepared until the test ends. */
const recordStatements = (): Set<string> => {
  const { prepare } = DatabaseSync.prototype;
  const statements = new Set<string>();
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, ...rest) {
    statements.add(sql);
    return prepare.call(this, sql, ...rest);
  };
  onTestFinished(() => {
    DatabaseSync.prototype.prepare = prepare;
  });
  return statements;
};

/** The steps of a plan that read a whole table, all of a mint, or all charges that a request ever had. */
const scansOf = (database: DatabaseSync, sql: string): string[] =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map(({ detail }) => String(detail))
    .filter((detail) =>
      /^SCAN (charges|charge_payments|operations|paid|paying|sending)\b|\((mint|request_hash)=\?\)$/.test(
        detail,
      ),
    )
    // It holds only what is not done yet.
    .filter((detail) => detail !== 'SCAN charge_payments USING INDEX charge_payments_unfinished');

test('no statement of a charge reads all charges, payments or operations', { tags: 'slow' }, async () => {
  const mint = await testMint();
  const first = await startCopy(mint);
  await first.close();
  addOpenCharges(await databasePath(first.directory));
  const statements = recordStatements();
  const wallet = asOperator(await startCopy(mint, { directory: first.directory }));
  const key = as(wallet, await createKey(wallet));
  await earn(wallet, mint, 64);
  const [settled, released] = [await holdCharge(wallet, mint, 8), await holdCharge(wallet, mint, 8)];
  expect((await settleCharge(wallet, settled.id, 3)).status).toBe(200);
  expect((await releaseCharge(wallet, released.id)).status).toBe(200);
  expect((await refundOf(wallet, settled.token)).status).toBe(200);
  const one = await openAndPay(wallet, 1, mint.issue(1));
  const another = await openAndPay(wallet, 1, mint.issue(1), { requestHash: hashOf('a third') });
  expect([one.body.state, another.body.state]).toEqual(['held', 'held']);
  expect((await askFor(wallet, 1)).status).toBe(201);
  await pay(wallet, 5);
  expect((await heldOf(wallet)).held).toBe(2);
  for (const query of [
    '',
    '?agent=scout',
    '?state=held',
    '?state=settled',
    '?agent=scout&state=open',
    '?cursor=500',
  ])
    for (const caller of [wallet, key])
      expect((await caller.call('GET', `/api/charges${query}`)).status).toBe(200);
  expect((await chargeOf(wallet, settled.id)).state).toBe('settled');
  expect((await wallet.asOperator('GET', '/api/wallet/history')).status).toBe(200);
  wallet.clock.pass(0);
  wallet.clock.pass(2 * 60 * 60_000);
  await wallet.close();

  const database = new DatabaseSync(await databasePath(first.directory));
  onTestFinished(() => database.close());
  const ofCharges = [...statements].filter(
    (sql) => /\bcharges\b|charge_payments/.test(sql) && !/CREATE/.test(sql),
  );
  expect(ofCharges.length).toBeGreaterThan(15);
  expect(ofCharges.flatMap((sql) => scansOf(database, sql).map((scan) => [scan, sql]))).toEqual([]);
});
