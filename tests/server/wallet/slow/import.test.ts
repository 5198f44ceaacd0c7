import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import type { TestMint } from '../../../support/mint/test-mint.ts';
import { editOld, makeOldVersion, type OldVersion, serveOldVersion } from '../../../support/old-version.ts';
import { until } from '../../../support/raw-http.ts';
import { makeTempDirectory } from '../../../support/temp.ts';
import { readRows } from '../../../support/wallet.ts';
import { auditWallet } from '../../../support/wallet-audit.ts';
import { copyWallet, earn, pay, untilConfirmed } from '../../../support/wallet-copies.ts';
import { settle, type TimedWallet } from '../../../support/wallet-recovery.ts';
import { type Entry, readHistory } from '../../../torture/ask.ts';
import { addUp } from '../../../torture/audit.ts';

/** A directory that the version before `wallet.sqlite` really wrote, in each of its states, is opened by this version. */

/** A search found 16 sat and a receive got 39 while the mint was processing them. The old version left them out of its sums. */
const UNCONFIRMED = { found: 16, pending: 39 };

/** What the other mint's wallet received. */
const OTHER_EARNED = 40;

const isForScout = (entry: Entry) => 'agent' in entry && entry.agent === 'scout';

const readSql = (path: string, sql: string): Record<string, unknown>[] => {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
};

const get = async (wallet: TimedWallet, path: string) =>
  (await wallet.asOperator('GET', `/api/${path}`)).body;

/** What a wallet's database has, when its server is closed or quiet. */
const audit = async (directory: string) => auditWallet(join(await copyWallet(directory), 'wallet.sqlite'));

/** Starts the wallet while its mints don't answer, so that it does nothing. */
const serveWaiting = async (old: OldVersion) => {
  for (const mint of [old.mint, old.other]) mint.fail('*', { kind: 'hang' });
  const wallet = await serveOldVersion(old);
  const proceed = () => {
    for (const mint of [old.mint, old.other]) mint.clearFaults();
  };
  return { ...wallet, proceed };
};

/** Lets the wallet finish all that is left, also what the mint was processing, and a released receive that the mint did. */
const finish = async (wallet: TimedWallet, { mint, other, expected }: OldVersion) => {
  await settle(wallet, 10_000);
  mint.clearPending();
  await untilConfirmed(wallet);
  await until(async () => {
    wallet.clock.pass(10_000);
    const [at] = (await get(wallet, 'wallet/balance')).otherMints;
    return at.mint === other.url && at.pending === 0;
  });
  await until(async () => {
    wallet.clock.pass(10_000);
    const { releasedTaken } = expected.ids;
    return (await readHistory(wallet)).some(({ id, state }) => id === releasedTaken && state === 'completed');
  });
};

/** Waits until every sat is there. The search that the old version began takes real time, however far the clock is. */
const untilAddedUp = ({ clock, ...wallet }: TimedWallet, mint: TestMint, tokens: readonly string[]) =>
  eventually(async () => {
    clock.pass(31_000);
    const given = tokens.map((text) => ({ text }));
    expect(await addUp(wallet, mint, await readHistory(wallet), given)).toMatchObject({ difference: 0 });
  });

test('before anything else happens, the wallet says what the old version said', async () => {
  const old = await makeOldVersion();
  const { expected, directory } = old;
  const wallet = await serveWaiting(old);
  const { unconfirmed, ...balance } = await get(wallet, 'wallet/balance');
  expect(balance).toEqual(expected.balance);
  expect(await readHistory(wallet)).toEqual(expected.history);
  expect(await get(wallet, 'keys')).toEqual(expected.keys);
  expect(await get(wallet, 'wallet/seed')).toEqual(expected.seed);
  expect(await get(wallet, 'wallet/test-tokens')).toEqual(expected.testTokens);
  expect((await get(wallet, 'wallet/history?agent=scout')).entries).toEqual(
    expected.history.filter(isForScout),
  );
  const received = expected.history.filter(({ kind, state }) => kind === 'receive' && state === 'completed');
  const sumOf = (entries: readonly { amount: number }[]) =>
    entries.reduce((sum, { amount }) => sum + amount, 0);
  const earnings = await get(wallet, 'earnings');
  expect(earnings.groups).toMatchObject([
    { key: 'scout', earnedSats: sumOf(received.filter(isForScout)), payments: 1 },
    { key: null },
  ]);
  // This version adds what was earned at other mints.
  expect(earnings.total.earnedSats).toBe(sumOf(received) + OTHER_EARNED);

  // This version shows what isn't free although it is the wallet's.
  expect(unconfirmed).toBe(UNCONFIRMED.found + UNCONFIRMED.pending);
  // The old version's chart counted what completed operations brought. This one shows the balance.
  expect((await get(wallet, 'wallet/balance/history?days=7')).points).toEqual(
    expected.balanceHistory.points.map((point, index, { length }) =>
      index === length - 1 ? { ...point, balance: balance.balance } : point,
    ),
  );
  expect(await audit(directory)).toEqual([]);
  wallet.proceed();
});

/** The tables whose rows the import copies, with the columns that they have in common, or their old names. */
const COPIED: Readonly<Record<string, { from?: string; columns: string; renamed?: string }>> = {
  operations: {
    columns:
      'number, id, kind, state, amount, fee, memo, token, spent, reclaimed, plan, failure, confirming, recheck_at, rechecks, created_at, updated_at, reclaims',
    renamed: 'subject',
  },
  old_plans: { columns: 'operation, version, plan, amount, fee' },
  inputs: { columns: 'y, operation' },
  sent: { columns: 'operation, y' },
  proofs: { columns: 'y, keyset_id, amount, secret, c, operation' },
  counters: { columns: 'keyset_id, next, signed' },
  reusable_counters: { from: 'spare_counters', columns: 'keyset_id, start, count' },
  signed_elsewhere: { from: 'elsewhere', columns: 'keyset_id, start, seen_at' },
  restore_positions: { columns: 'words_hash, keyset_id, next, last_signed, done' },
  keysets: { columns: 'id, active, input_fee_ppk, final_expiry, keys' },
  attributions: { columns: 'operation, agent, label' },
  key_operations: { columns: 'operation, key, created_at' },
  idempotency_keys: { from: 'answers', columns: 'route, key, body_hash, operation, problem, created_at' },
};

test('every row of the old database is in the new one', async () => {
  const old = await makeOldVersion();
  const before = await copyWallet(old.directory);
  const wallet = await serveWaiting(old);
  const after = await copyWallet(old.directory);
  wallet.proceed();
  for (const [table, { from = table, columns, renamed = 'reclaims' }] of Object.entries(COPIED)) {
    const rows = readSql(
      join(before, old.name),
      `SELECT ${columns.replace('reclaims', renamed)} FROM ${from} ORDER BY 1, 2`,
    );
    const isOfMint = columns.startsWith('operation,')
      ? '(SELECT mint FROM operations WHERE number = operation) = 1'
      : 'mint = 1';
    const imported = readSql(
      join(after, 'wallet.sqlite'),
      `SELECT ${columns} FROM ${table} WHERE ${isOfMint} ORDER BY 1, 2`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(imported.map((row) => Object.values(row))).toEqual(rows.map((row) => Object.values(row)));
  }
});

test('every pending operation ends, every sat is there, and a restore from the words finds them all', async () => {
  const old = await makeOldVersion();
  const { mint, other, expected, directory } = old;
  const wallet = await serveOldVersion(old);
  await finish(wallet, old);
  const states = new Map((await readHistory(wallet)).map(({ id, state }) => [id, state]));
  const ended = Object.entries(expected.ids).map(([name, id]) => [name, states.get(id)]);
  expect(Object.fromEntries(ended)).toEqual({
    ...Object.fromEntries(Object.keys(expected.ids).map((name) => [name, 'completed'])),
    released: 'failed',
  });
  await untilAddedUp(wallet, mint, expected.given.m);
  const { balance, otherMints } = await get(wallet, 'wallet/balance');
  expect(otherMints).toEqual([{ mint: other.url, balance: 49, pending: 0 }]);
  await wallet.close();
  expect(await audit(directory)).toEqual([]);

  const restored = await serveOldVersion({ ...old, directory: join(await makeTempDirectory(), 'wallet') });
  const { status, body } = await restored.asOperator('POST', '/api/wallet/restore', {
    mnemonic: expected.words,
  });
  expect([status, body.amount]).toEqual([200, balance]);
});

test('Idempotency-Keys of the old version still get responses, also those of pending operations and of agent keys', async () => {
  const old = await makeOldVersion();
  const { expected } = old;
  const wallet = await serveOldVersion(old);
  const repeat = ({ route, key, agentKey, body }: (typeof expected.requests)[number]) =>
    wallet.asOperator('POST', `/api/wallet/${route}`, body, {
      'Idempotency-Key': key,
      ...(agentKey ? { Authorization: `Bearer ${expected.key.secret}` } : {}),
    });
  await finish(wallet, old);
  for (const request of expected.requests) {
    const { status, body } = await repeat(request);
    const { token, ...answer } = request.answer;
    if (request.status !== 503) {
      expect([request.key, status, body]).toEqual([
        request.key,
        request.status,
        expect.objectContaining(answer),
      ]);
      expect(typeof body.token).toBe(typeof token);
      continue;
    }
    expect([request.key, status, body.operationId]).toEqual([
      request.key,
      request.route === 'send' ? 201 : 200,
      answer.operationId,
    ]);
  }
  const [first] = expected.requests;
  const changed = await repeat({ ...first, body: { ...first?.body, label: 'other' } } as NonNullable<
    typeof first
  >);
  expect(changed.body.code).toBe('idempotency_key_reused');
  // Nothing was received or sent once more.
  const after = await readHistory(wallet);
  const isMoved = ({ kind }: Entry) => kind === 'receive' || kind === 'send' || kind === 'reclaim';
  expect(after.filter(isMoved)).toHaveLength(expected.history.filter(isMoved).length);
});

test('an unfinished search continues at its operation, also when that has another number now', {
  tags: 'slow',
}, async () => {
  const old = await makeOldVersion();
  const { expected, directory, other } = old;
  // First the other mint's, so that its operations have the first numbers. This mint's wallet is imported with it.
  const first = await serveOldVersion({ ...old, mint: other });
  await first.close();
  const numbers = await readRows(
    directory,
    "SELECT number, json_extract(value, '$.operation') AS named FROM operations, metadata WHERE name = 'unfinished_search' AND value <> '' AND kind = 'recovered' AND operations.mint = metadata.mint ORDER BY number DESC LIMIT 1",
  );
  expect(numbers).toEqual([{ number: 20 + 1 + 3, named: 20 + 1 + 3 }]);
  const wallet = await serveOldVersion(old);
  await finish(wallet, old);
  await untilAddedUp(wallet, old.mint, expected.given.m);
  const [before] = expected.history.filter(({ kind }) => kind === 'recovered');
  const after = (await readHistory(wallet)).find(({ id }) => id === before?.id);
  expect(after?.amount).toBeGreaterThanOrEqual(before?.amount ?? 0);
  await wallet.close();
  expect(await audit(directory)).toEqual([]);
});

test('with only an old backup left, the wallet catches up with what it did since', {
  tags: 'slow',
}, async () => {
  const old = await makeOldVersion();
  const { mint, expected, directory } = old;
  const backup = join(await makeTempDirectory(), 'backup');
  await cp(directory, backup, { recursive: true });
  const lost = await serveOldVersion(old);
  await finish(lost, old);
  const earned = await earn(lost, mint, 77);
  const token = await pay(lost, 150);
  mint.spend([await pay(lost, 33)]);
  const { clock } = lost;
  await lost.close();

  const wallet = await serveOldVersion({ ...old, directory: backup }, { clock });
  await finish(wallet, old);
  // The lost wallet's token is known to its recipient only.
  await untilAddedUp(wallet, mint, [...expected.given.m, earned, token]);
  await wallet.close();
  expect(await audit(backup)).toEqual([]);
});

test('in DEV_MODE, the simulated wallet is what it was, and its tokens can be redeemed after it', async () => {
  const old = await makeOldVersion();
  const { expected, directory } = old;
  const dev = await serveOldVersion(old, { environment: { DEV_MODE: 'true' } });
  expect(await get(dev, 'wallet/balance')).toEqual(expected.dev.balance);
  expect(await readHistory(dev)).toEqual(expected.dev.history);
  await dev.close();
  expect(auditWallet(join(directory, 'dev-wallet.sqlite')).filter((line) => !/are worth/.test(line))).toEqual(
    [],
  );
  const wallet = await serveOldVersion(old);
  const [listed] = (await get(wallet, 'wallet/test-tokens')).tokens;
  expect(listed).toEqual(expected.testTokens.tokens[0]);
  const redeemed = await wallet.asOperator('POST', `/api/wallet/test-tokens/${listed.id}/redeem`);
  expect([redeemed.status, redeemed.body.amount]).toEqual([200, 20]);
});

test('a wallet that can’t be imported responds with wallet_damaged, stays as it is, and the rest of the server works', async () => {
  const old = await makeOldVersion();
  const path = join(old.directory, old.name);
  editOld(path, (database) => database.exec('UPDATE attributions SET operation = 9999 WHERE operation = 1'));
  const bytes = await readFile(path);
  const wallet = await serveOldVersion(old);
  const { status, body } = await wallet.call('GET', '/api/wallet/balance');
  expect([status, body.code]).toEqual([500, 'wallet_damaged']);
  expect(body.error).toContain(old.name);
  expect(body.error).not.toContain(old.directory);
  expect((await wallet.call('GET', '/api/agents')).status).toBe(200);
  await wallet.close();
  expect((await readFile(path)).equals(bytes)).toBe(true);

  editOld(path, (database) => database.exec('UPDATE attributions SET operation = 1 WHERE operation = 9999'));
  const again = await serveOldVersion(old);
  expect(await again.balance()).toBe(old.expected.balance.balance);
});
