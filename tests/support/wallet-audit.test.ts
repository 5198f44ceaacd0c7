import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { holdCharge, settleCharge } from './charges.ts';
import { testMint } from './mint/for-test.ts';
import { until } from './raw-http.ts';
import { makeTempDirectory } from './temp.ts';
import { databasePath } from './wallet.ts';
import { auditWallet } from './wallet-audit.ts';
import { copyWallet, earn, pay, startCopy } from './wallet-copies.ts';
import { send } from './wallet-recovery.ts';

/** A copy of a wallet whose operations completed, failed and still wait for the mint. Returns its database. */
const usedWallet = async (): Promise<string> => {
  const mint = await testMint({ keysets: [{ inputFeePpk: 100 }] });
  const wallet = await startCopy(mint);
  for (const amount of [65, 33, 17, 9]) await earn(wallet, mint, amount);
  await pay(wallet, 20);
  const spent = mint.issue(8, { withoutDleq: true });
  mint.spend([spent]);
  expect((await wallet.receive(spent)).body.code).toBe('token_spent');
  const { id } = await holdCharge(wallet, mint, 33);
  expect((await settleCharge(wallet, id, 5)).status).toBe(200);
  await holdCharge(wallet, mint, 9);
  mint.fail('/v1/swap', { kind: 'hang' });
  const sending = send(wallet, 5);
  await until(() => mint.hanging() === 1);
  const path = await databasePath(await copyWallet(wallet.directory));
  mint.clearFaults();
  await sending;
  return path;
};

/** Mistakes of a wallet, as changes of its database. Postings themselves can only be added. */
const MISTAKES: readonly [change: string, sentence: RegExp][] = [
  [
    "DELETE FROM proofs WHERE state = 'free'",
    /^the postings are not what the proofs are worth: .*account free/,
  ],
  [
    "UPDATE proofs SET state = 'unconfirmed', why = 'pending', since = 0, check_at = 0 WHERE state = 'free'",
    /^the postings are not what the proofs are worth: .*account unconfirmed, posted 0/,
  ],
  ["UPDATE proofs SET amount = amount + 1 WHERE state = 'held'", /^the postings are .*account held/],
  [
    "UPDATE sums SET sats = sats + 1 WHERE account = 'fee'",
    /^a stored sum .*account fee, stored \d+, posted \d+/,
  ],
  [
    "INSERT INTO postings (operation, mint, account, keyset_id, sats, at) SELECT number, mint, 'outside', '', 1, 0 FROM operations",
    /^the postings of an operation do not add up to 0: operation 1, sats 1$/,
  ],
  [
    `INSERT INTO postings (operation, mint, account, keyset_id, sats, at) VALUES
       (1, 1, 'free', 'other', -5, 0), (1, 1, 'outside', '', 5, 0)`,
    /^an account of ours is below 0: mint 1, keyset other, account free, sats -5$/,
  ],
  [
    `INSERT INTO postings (operation, mint, account, keyset_id, sats, at) VALUES
       (1, 1, 'incoming', '', 5, 0), (1, 1, 'fee', '', -5, 0)`,
    /^an operation that ended still has incoming sats: .*incoming 5$/,
  ],
  [
    "UPDATE operations SET amount = amount + 1 WHERE kind = 'receive'",
    /^a completed operation .*kind receive/,
  ],
  ["UPDATE operations SET amount = amount + 1 WHERE kind = 'send'", /^a completed operation .*kind send/],
  [
    "UPDATE operations SET fee = fee + 1 WHERE state = 'completed'",
    /^a completed operation .*fee 2, .*paid 1/,
  ],
  [
    "UPDATE operations SET state = 'failed', failure = '{}' WHERE kind = 'send'",
    /^a failed operation changed an account/,
  ],
  [
    "UPDATE operations SET state = 'completed', token = '' WHERE state = 'pending'",
    /^a proof is held by no pending/,
  ],
  [
    'UPDATE charge_payments SET change = NULL',
    /^a customer did not get back .*paid 32, charged 5, kept 0, change null/,
  ],
  ['UPDATE charge_payments SET kept = 1', /^a customer did not get back .*kept 1/],
  [
    'UPDATE operations SET amount = amount - 1 WHERE number IN (SELECT change FROM charge_payments)',
    /^a customer did not get back/,
  ],
  [
    'UPDATE charge_payments SET charged = 40, decided_at = 0 WHERE charged IS NULL',
    /^a charge cost more than was paid.*charged 40/,
  ],
  [
    `INSERT INTO charge_payments (operation, charge, charged, decided_at)
     SELECT number, 1, 1, 0 FROM operations WHERE state = 'failed'`,
    /^a charge cost more than was paid, or a payment that did not arrive/,
  ],
  [
    "INSERT INTO charge_payments (operation, charge) SELECT number, 2 FROM operations WHERE kind = 'send' LIMIT 1",
    /^a payment is no receive.*kind send/,
  ],
  [
    `UPDATE charge_payments SET charged = 1, decided_at = 0, change = (SELECT max(change) FROM charge_payments)
     WHERE charged IS NULL`,
    /^two payments have the same change/,
  ],
  [
    'UPDATE charge_payments SET charged = 1, decided_at = 0, charge = 1 WHERE charged IS NULL',
    /^a charge is settled twice: charge 1, payments 2/,
  ],
];

test('an audit finds nothing wrong with a wallet in use, and names each kind of mistake in its books', {
  tags: 'slow',
}, async () => {
  const path = await usedWallet();
  expect(auditWallet(path)).toEqual([]);
  const directory = await makeTempDirectory();
  for (const [index, [change, sentence]] of MISTAKES.entries()) {
    const copy = join(directory, `${index}.sqlite`);
    await cp(path, copy);
    await cp(`${path}-wal`, `${copy}-wal`);
    const database = new DatabaseSync(copy);
    database.exec(change);
    database.close();
    expect(auditWallet(copy), change).toContainEqual(expect.stringMatching(sentence));
  }
  expect(auditWallet(path)).toEqual([]);
});

test('an audit of a database without tables finds nothing', async () => {
  const path = join(await makeTempDirectory(), 'empty.sqlite');
  new DatabaseSync(path).exec('PRAGMA journal_mode = WAL');
  expect(auditWallet(path)).toEqual([]);
});
