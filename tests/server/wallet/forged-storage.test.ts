import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { askFor, openAndPay, payCharge } from '../../support/charges.ts';
import { firstQuick } from '../../support/first-quick.ts';
import { testMint } from '../../support/mint/for-test.ts';
import type { TestMint } from '../../support/mint/test-mint.ts';
import { until } from '../../support/raw-http.ts';
import { databasePath, readRows } from '../../support/wallet.ts';
import { auditWallet } from '../../support/wallet-audit.ts';
import { copyWallet } from '../../support/wallet-copies.ts';
import {
  expectNothingLost,
  serveTimedWallet,
  sums,
  type TimedWallet,
} from '../../support/wallet-recovery.ts';
import { readHistory } from '../../torture/ask.ts';

/** Forged tokens cost a stranger nothing, so they must not fill the disk or bury the history. */

const DAY_MS = 24 * 60 * 60_000;
/** Longer than the time between two cleanups. */
const LOOK_MS = 11 * 60_000;
const MOST_KEPT = 1_000;

const forge = (mint: TestMint, proofs: number): string =>
  mint.issue(proofs, { split: Array<number>(proofs).fill(1), forged: true, withoutDleq: true });

const bytesOf = async (directory: string): Promise<number> => {
  const [row] = await readRows(
    await copyWallet(directory),
    'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size',
  );
  return Number(row?.bytes);
};

const countOf = async (directory: string, table: string): Promise<number> =>
  Number((await readRows(await copyWallet(directory), `SELECT count(*) AS count FROM ${table}`))[0]?.count);

const failed = async (wallet: TimedWallet) =>
  (await readHistory(wallet)).filter(({ state }) => state === 'failed');

for (const [tags, counts] of firstQuick(1, [20, 300]))
  test.each(counts)(
    '%i forged tokens of 200 proofs, also in payments and deposits, leave next to nothing',
    {
      tags,
    },
    async (count) => {
      const mint = await testMint();
      const wallet = await serveTimedWallet(mint, { mintTimeoutMs: 20_000 });
      const tokens = [63, 5].map((sats) => mint.issue(sats, { withoutDleq: true }));
      expect((await wallet.receive(tokens[0])).status).toBe(200);
      const { id } = (await askFor(wallet, 1)).body;
      const before = await bytesOf(wallet.directory);
      const forged = Array.from({ length: 10 }, () => forge(mint, 200));
      const ways = [
        (token: string, key: string) => wallet.receive(token, key),
        (token: string) => openAndPay(wallet, 1, token),
        (token: string) => payCharge(wallet, id, token),
        (token: string) => wallet.call('POST', '/api/prepaid-balances', { token }),
      ];
      for (let at = 0; at < count; at++) {
        const answer = await ways[at % ways.length]?.(forged[at % forged.length] ?? '', `key-${at}`);
        expect(answer?.body.code).toBe('invalid_signature');
      }
      // A plan that is still being decided takes more than 50 KB, and each row 2 KB.
      expect((await bytesOf(wallet.directory)) - before).toBeLessThan(200_000 + count * 3_000);
      expect(await failed(wallet)).toHaveLength(count);

      // The newest row stays until another follows, so that no number is used again.
      expect((await wallet.receive(tokens[1])).status).toBe(200);
      wallet.clock.pass(DAY_MS);
      await until(async () => {
        wallet.clock.pass(LOOK_MS);
        return (await readHistory(wallet)).length === tokens.length;
      });
      for (const table of ['charges', 'charge_payments', 'prepaid_balances', 'idempotency_keys'])
        expect([table, await countOf(wallet.directory, table)]).toEqual([table, 0]);
      expect(auditWallet(await databasePath(await copyWallet(wallet.directory)))).toEqual([]);
      expect(await sums(wallet)).toEqual({ balance: 68, pending: 0 });
      await expectNothingLost(wallet, mint, tokens);
    },
  );

test('only the newest thousand failed receives stay, and one that is rechecked stays beyond them', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { mintTimeoutMs: 20_000 });
  const { operationId } = (await wallet.receive(forge(mint, 1))).body;
  const path = await databasePath(wallet.directory);
  const { directory } = wallet;
  await wallet.close();
  const database = new DatabaseSync(path);
  // Copies of the failed receive, of which each 50th is not final.
  database.exec(`
    WITH RECURSIVE numbers (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1500)
    INSERT INTO operations (number, id, mint, kind, state, amount, fee, failure, recheck_at, created_at, updated_at)
    SELECT n, 'copy-' || n, mint, kind, state, amount, fee, failure, iif(n % 50 = 0, updated_at + 3600000, NULL),
      created_at, updated_at - 10000 + n FROM operations, numbers WHERE number = 1`);
  database.close();
  const again = await serveTimedWallet(mint, { directory, mintTimeoutMs: 20_000 });
  expect((await again.receive(forge(mint, 1))).body.code).toBe('invalid_signature');
  const rows = await failed(again);
  expect(rows).toHaveLength(MOST_KEPT + 30);
  expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(['copy-50', 'copy-1499']));
  expect(rows.map(({ id }) => id)).not.toContain(operationId);
});

test('a refused token gets the same response within the day, and is decided anew after it', async () => {
  const mint = await testMint();
  const wallet = await serveTimedWallet(mint, { mintTimeoutMs: 20_000 });
  const token = forge(mint, 3);
  const first = (await wallet.receive(token, 'a key')).body;
  expect(first.code).toBe('invalid_signature');
  const asked = mint.requestCount('/v1/swap');
  expect((await wallet.receive(token, 'a key')).body.code).toBe('invalid_signature');
  expect(mint.requestCount('/v1/swap')).toBe(asked);
  // Without its Idempotency-Key, it's an attempt of its own.
  expect((await wallet.receive(token)).body.code).toBe('invalid_signature');
  expect(await failed(wallet)).toHaveLength(2);
  wallet.clock.pass(DAY_MS);
  await until(async () => {
    wallet.clock.pass(LOOK_MS);
    return (await failed(wallet)).length === 1;
  });
  expect((await wallet.receive(token, 'a key')).body.code).toBe('invalid_signature');
});
