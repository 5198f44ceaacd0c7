import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { askFor, hashOf } from '../../../support/charges.ts';
import { flood } from '../../../support/flood.ts';
import { testMint } from '../../../support/mint/for-test.ts';
import { databasePath } from '../../../support/wallet.ts';
import { startCopy } from '../../../support/wallet-copies.ts';

/** SQLite empties its write-ahead log at 1,000 pages of 4 KiB. A commit can add some more. */
const FULL_LOG_BYTES = 1_100 * 4_096;

test('20,000 prices that strangers ask for fill the database, and not its log', async () => {
  const wallet = await startCopy(await testMint());
  const path = await databasePath(wallet.directory);
  await flood(20_000, 64, async (at) =>
    expect((await askFor(wallet, 1, { requestHash: hashOf(`${at}`) })).status).toBe(201),
  );
  expect((await stat(`${path}-wal`)).size).toBeLessThan(FULL_LOG_BYTES);
  expect((await stat(path)).size).toBeGreaterThan(FULL_LOG_BYTES);
  expect((await wallet.asOperator('GET', '/api/charges')).status).toBe(200);
});
