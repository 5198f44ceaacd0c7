import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { askFor, hashOf } from '../../../../support/charges.ts';
import { flood } from '../../../../support/flood.ts';
import { testMint } from '../../../../support/mint/for-test.ts';
import { databasePath } from '../../../../support/wallet.ts';
import { startCopy } from '../../../../support/wallet-copies.ts';

/** SQLite empties its write-ahead log at 1,000 pages of 4 KiB. A commit can add some more. */
const FULL_LOG_BYTES = 1_100 * 4_096;
/** How many unpaid charges an owner can have. */
const MOST_OPEN = 1_000;

test('14,000 unpaid charges fill the database, and not its log', async () => {
  const wallet = await startCopy(await testMint());
  const path = await databasePath(wallet.directory);
  for (let made = 0; made < 14_000; made += MOST_OPEN) {
    await flood(MOST_OPEN, 64, async (at) =>
      expect((await askFor(wallet, 1, { requestHash: hashOf(`${at}`), ttlSeconds: 60 })).status).toBe(201),
    );
    const refused = await askFor(wallet, 1);
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_charges']);
    wallet.clock.pass(60_000);
  }
  expect((await stat(`${path}-wal`)).size).toBeLessThan(FULL_LOG_BYTES);
  expect((await stat(path)).size).toBeGreaterThan(FULL_LOG_BYTES);
  expect((await wallet.asOperator('GET', '/api/charges')).status).toBe(200);
});
