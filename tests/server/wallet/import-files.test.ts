import { cpSync, existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { OLD_MIGRATIONS } from '../../../src/server/wallet/store/import/old-schema.ts';
import {
  DatabaseInUseError,
  DatabaseUnavailableError,
  openDatabase,
} from '../../../src/server/wallet/store/sqlite.ts';
import { makeClock } from '../../support/clock.ts';
import { firstQuick } from '../../support/first-quick.ts';
import {
  A,
  AT,
  B,
  expectBoth,
  keptAs,
  makeDirectory,
  NAME_A,
  NAME_B,
  oldFiles,
  read,
  start,
  sumsOf,
  URL_A,
  URL_B,
} from '../../support/old-import.ts';
import { editOld } from '../../support/old-version.ts';
import { makeTempDirectory } from '../../support/temp.ts';
import { auditWallet } from '../../support/wallet-audit.ts';

/** Which files of an old directory are imported, what becomes of them, and what a crash or a damaged file changes. */

test('each old database stays byte for byte under a new name, readable by its owner alone', {
  tags: 'slow',
}, async () => {
  const directory = await makeDirectory();
  const before = new Map<string, Buffer>();
  for (const name of [NAME_A, NAME_B]) before.set(name, await readFile(join(directory, name)));
  const log = await start(directory);
  expectBoth(directory);
  expect(log.match(/was imported"/g)).toHaveLength(2);
  for (const [name, bytes] of before) {
    const [kept = '', ...more] = await keptAs(directory, name);
    expect([more, existsSync(join(directory, name))]).toEqual([[], false]);
    expect((await readFile(join(directory, kept))).equals(bytes)).toBe(true);
    expect((await stat(join(directory, kept))).mode & 0o777).toBe(0o600);
  }
  // Nothing else is left of them, and the wallet of DEV_MODE isn't touched.
  expect(await oldFiles(directory)).toHaveLength(3);
  expect(existsSync(join(directory, 'dev.sqlite'))).toBe(true);
});

test('a second start imports nothing again', { tags: 'slow' }, async () => {
  const directory = await makeDirectory();
  await start(directory);
  const files = await oldFiles(directory);
  expect(await start(directory)).toBe('');
  expectBoth(directory);
  expect(await oldFiles(directory)).toEqual(files);
});

test('a kill before the commit leaves all to the next start', async () => {
  const directory = await makeDirectory();
  const copies = await makeTempDirectory();
  let statements = 0;
  await start(directory, {
    prepare: (database) => ({
      ...database,
      run(sql, ...values) {
        const changes = database.run(sql, ...values);
        // As a kill here leaves the files, after every tenth statement.
        if (statements % 10 === 0) cpSync(directory, join(copies, String(statements)), { recursive: true });
        statements += 1;
        return changes;
      },
    }),
  });
  expect(statements).toBeGreaterThan(60);
  for (let at = 0; at < statements; at += 10) {
    const killed = join(copies, String(at));
    await start(killed);
    expectBoth(killed);
    expect([await keptAs(killed, NAME_A), await keptAs(killed, NAME_B)]).toEqual([
      [expect.any(String)],
      [expect.any(String)],
    ]);
  }
});

test('a kill between the commit and the new name loses nothing and doubles nothing', async () => {
  const directory = await makeDirectory();
  await start(directory);
  for (const name of [NAME_A, NAME_B]) {
    const [kept = ''] = await keptAs(directory, name);
    await rename(join(directory, kept), join(directory, name));
  }
  const log = await start(directory);
  expect(log.match(/was imported before/g)).toHaveLength(2);
  expectBoth(directory);
  expect([await keptAs(directory, NAME_A), await keptAs(directory, NAME_B)]).toEqual([
    [expect.any(String)],
    [expect.any(String)],
  ]);
});

test('a file that can’t be renamed stops nothing, and the next start renames it', {
  tags: 'slow',
}, async () => {
  const directory = await makeDirectory();
  const clock = makeClock(AT);
  // A directory is in the way.
  await mkdir(join(directory, `${NAME_A}.imported-${clock.now()}`, 'x'), { recursive: true });
  expect(await start(directory, { clock })).toMatch(/was not renamed/);
  expectBoth(directory);
  expect(existsSync(join(directory, NAME_A))).toBe(true);
  clock.pass(1);
  await start(directory, { clock });
  expectBoth(directory);
  expect(existsSync(join(directory, NAME_A))).toBe(false);
});

const damage = async (path: string) => {
  const bytes = await readFile(path);
  bytes.fill(0xff, 4096, 4096 * 3);
  await writeFile(path, bytes);
  return bytes;
};

test('a damaged database of another mint waits for the next start', { tags: 'slow' }, async () => {
  const directory = await makeDirectory();
  const path = join(directory, NAME_B);
  const good = await readFile(path);
  const bytes = await damage(path);
  expect(await start(directory)).toMatch(/could not be imported; dot-mi will try again at its next start/);
  expect(sumsOf(directory, URL_A)).toEqual(A);
  expect((await readFile(path)).equals(bytes)).toBe(true);
  await writeFile(path, good);
  await start(directory);
  expectBoth(directory);
});

test('a damaged database of the current mint is an error, and neither it nor the new one changes', {
  tags: 'slow',
}, async () => {
  const directory = await makeDirectory();
  const path = join(directory, NAME_A);
  const good = await readFile(path);
  const bytes = await damage(path);
  await expect(start(directory)).rejects.toThrow(DatabaseUnavailableError);
  await expect(start(directory)).rejects.toThrow(/is damaged. The file was not changed/);
  expect((await readFile(path)).equals(bytes)).toBe(true);
  expect(read(directory, 'SELECT * FROM mints')).toEqual([]);
  // Two ways out: a good copy, or none.
  const moved = join(await makeTempDirectory(), 'wallet');
  await cp(directory, moved, { recursive: true });
  await writeFile(path, good);
  await start(directory);
  expectBoth(directory);
  await rm(join(moved, NAME_A));
  await start(moved);
  expect([sumsOf(moved, URL_A), sumsOf(moved, URL_B)]).toEqual([{}, B]);
});

test('damage that shows only while a large database is read is an error too', { tags: 'slow' }, async () => {
  const directory = await makeDirectory();
  const path = join(directory, NAME_A);
  // Larger than what is checked whole.
  editOld(path, (database) => {
    database.exec("INSERT INTO facts VALUES ('large', hex(zeroblob(5000000)))");
  });
  const { rootpage } = (() => {
    const database = new DatabaseSync(path);
    const row = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'proofs'").get();
    database.close();
    return { rootpage: Number(row?.rootpage) };
  })();
  const bytes = await readFile(path);
  bytes.fill(0xff, (rootpage - 1) * 4096, rootpage * 4096);
  await writeFile(path, bytes);
  await expect(start(directory)).rejects.toThrow(/is damaged. The file was not changed/);
  expect((await readFile(path)).equals(bytes)).toBe(true);
  expect(read(directory, 'SELECT * FROM mints')).toEqual([]);
});

test('a database that another dot-mi uses is an error if it is the current mint’s, and else waits', {
  tags: 'slow',
}, async () => {
  const directory = await makeDirectory();
  const used = await openDatabase(join(directory, NAME_B), OLD_MIGRATIONS);
  onTestFinished(used.close);
  expect(await start(directory)).toMatch(/another dot-mi is using/);
  expect([sumsOf(directory, URL_A), sumsOf(directory, URL_B)]).toEqual([A, {}]);
  await expect(start(directory, { mintUrl: URL_B })).rejects.toThrow(DatabaseInUseError);
  used.close();
  await start(directory);
  expectBoth(directory);
});

test('the wallet of an unknown mint waits until MINT_URL names its mint', { tags: 'slow' }, async () => {
  const directory = await makeDirectory();
  editOld(join(directory, NAME_B), (database) => database.exec("DELETE FROM facts WHERE name = 'mint'"));
  expect(await start(directory)).toMatch(/unknown mint was not imported/);
  expect([sumsOf(directory, URL_A), sumsOf(directory, URL_B)]).toEqual([A, {}]);
  expect(existsSync(join(directory, NAME_B))).toBe(true);
  await start(directory, { mintUrl: URL_B });
  expectBoth(directory);
});

test.each([1, 2, 3, 4])(
  'a database with schema %i is brought to the last one first, after a backup',
  { tags: 'slow' },
  async (version) => {
    const directory = await makeTempDirectory();
    const path = join(directory, NAME_A);
    editOld(path, (database) => {
      for (const step of OLD_MIGRATIONS.slice(0, version)) database.exec(step);
      database.exec(`PRAGMA user_version = ${version};
      INSERT INTO operations (number, id, kind, state, amount, fee, expected, created_at, updated_at)
        VALUES (7, 'an id', 'receive', 'completed', 5, 1, 5, 1, 2);
      INSERT INTO proofs VALUES ('y1', 'k', 4, 's1', 'c1', 7, NULL), ('y2', 'k', 1, 's2', 'c2', 7, NULL);
      INSERT INTO counters (keyset_id, next) VALUES ('k', 9);`);
    });
    await start(directory);
    expect(sumsOf(directory, URL_A)).toEqual({ free: 5 });
    expect(read(directory, 'SELECT next FROM counters')).toEqual([[9]]);
    expect(auditWallet(join(directory, 'wallet.sqlite'))).toEqual([]);
    const files = await oldFiles(directory);
    expect(files.filter((name) => name.startsWith(`${NAME_A}.before-version-5-`))).toHaveLength(1);
    expect(files.filter((name) => name.startsWith(`${NAME_A}.imported-`))).toHaveLength(1);
  },
);

for (const [tags, rows] of firstQuick(1, [
  [
    'more than its proofs',
    'DELETE FROM proofs WHERE amount = 256 AND held_by IS NULL',
    'spent_elsewhere',
    512,
    A.free - 512,
  ],
  [
    'less than its proofs',
    "INSERT INTO proofs SELECT 'another', keyset_id, 8, 'a secret', c, operation, NULL FROM proofs LIMIT 1",
    'recovered',
    8,
    A.free + 8,
  ],
]))
  test.each(rows)(
    'a wallet whose operations bring %s gets an entry for the difference',
    { tags },
    async (_name, edit, kind, amount, free) => {
      const directory = await makeDirectory();
      editOld(join(directory, NAME_A), (database) => database.exec(edit));
      await start(directory);
      expect(sumsOf(directory, URL_A)).toEqual({ ...A, free });
      expect(
        read(
          directory,
          'SELECT kind, state, amount FROM operations WHERE mint = 1 ORDER BY number DESC LIMIT 1',
        ),
      ).toEqual([[kind, 'completed', amount]]);
      expect(auditWallet(join(directory, 'wallet.sqlite'))).toEqual([]);
    },
  );

test('sums that no number holds are imported', { tags: 'slow' }, async () => {
  const directory = await makeDirectory();
  const most = 2 ** 52;
  editOld(join(directory, NAME_A), (database) => {
    for (let at = 0; at < 5; at++) {
      database.exec(`
        INSERT INTO operations (number, id, kind, state, amount, fee, expected, created_at, updated_at)
          VALUES (${100 + at}, 'large ${at}', 'receive', 'completed', ${at < 2 ? most : 1}, 0, 0, 1, 1);
        INSERT INTO proofs VALUES ('large ${at}', 'k', ${most}, 's', 'c', ${100 + at}, NULL);`);
    }
  });
  await start(directory);
  // 3 of 5 aren't in the history, which is more than one entry can hold.
  const [row] = read(
    directory,
    "SELECT CAST(sum(sats) AS TEXT) FROM sums WHERE mint = 1 AND account = 'free' UNION ALL SELECT CAST(sum(amount) AS TEXT) FROM proofs WHERE mint = 1 AND state = 'free'",
  );
  expect(row).toEqual([String(5n * BigInt(most) + 733n)]);
  expect(read(directory, 'SELECT max(amount) <= 9007199254740991 FROM operations')).toEqual([[1]]);
});

test('an old file that is put back beside newer operations is not imported, stays, and the log says so', {
  tags: 'slow',
}, async () => {
  const directory = await makeDirectory();
  const clock = makeClock(AT);
  const old = await readFile(join(directory, NAME_A));
  await start(directory, { clock });
  // A copy of what was imported: nothing in it is new.
  await writeFile(join(directory, NAME_A), old);
  clock.pass(1);
  expect(await start(directory, { clock })).toMatch(/was imported before/);
  expect(await keptAs(directory, NAME_A)).toHaveLength(2);
  // The version before went on with it.
  await writeFile(join(directory, NAME_A), old);
  editOld(join(directory, NAME_A), (database) =>
    database.exec(
      "INSERT INTO operations (id, kind, state, amount, fee, expected, created_at, updated_at) VALUES ('newer', 'receive', 'completed', 5, 0, 5, 1, 1)",
    ),
  );
  clock.pass(1);
  expect(await start(directory, { clock })).toMatch(/"level":40.*was NOT imported/);
  expect(await keptAs(directory, NAME_A, 'not-imported')).toHaveLength(1);
  expectBoth(directory);
  // A damaged one changes nothing for a wallet that works.
  await writeFile(join(directory, NAME_A), old);
  await damage(join(directory, NAME_A));
  expect(await start(directory, { clock })).toMatch(/could not be imported/);
  expectBoth(directory);
});

test('a backup is imported into a wallet that has done nothing yet, even if an empty one was imported before', {
  tags: 'slow',
}, async () => {
  const directory = await makeDirectory();
  const old = await readFile(join(directory, NAME_A));
  await rm(join(directory, NAME_A));
  await (await openDatabase(join(directory, NAME_A), OLD_MIGRATIONS)).close();
  await start(directory);
  // It has looked at the mint, with other words.
  editOld(join(directory, 'wallet.sqlite'), (database) =>
    database.exec(`
      INSERT INTO metadata VALUES (1, 'seed', '000000000000');
      INSERT INTO counters SELECT 1, keyset_id, 1, 0 FROM (SELECT 'k' AS keyset_id);
      INSERT INTO restore_positions VALUES (1, 'hash', 'k', 1, 1, 0);
      INSERT INTO idempotency_keys VALUES (1, 'receive', 'bad-1', 'hash', NULL, '{}', 1);`),
  );
  await writeFile(join(directory, NAME_A), old);
  await start(directory, { clock: makeClock('2026-11-20T12:11:00.000Z') });
  expectBoth(directory);
  expect(
    read(directory, "SELECT value <> '000000000000' FROM metadata WHERE name = 'seed' AND mint = 1"),
  ).toEqual([[1]]);
  expect(read(directory, "SELECT * FROM counters WHERE keyset_id = 'k'")).toEqual([]);
});

test('a copy that a person made is imported only if nothing else of its mint is there', {
  tags: 'slow',
}, async () => {
  const directory = await makeDirectory();
  const copy = 'wallet-a copy.sqlite';
  await cp(join(directory, NAME_B), join(directory, copy));
  editOld(join(directory, copy), (database) =>
    database.exec("DELETE FROM operations WHERE state = 'pending'"),
  );
  await start(directory);
  expectBoth(directory);
  expect(await keptAs(directory, copy)).toHaveLength(1);

  const alone = await makeDirectory();
  await rename(join(alone, NAME_B), join(alone, copy));
  await start(alone);
  expectBoth(alone);
});

test('a file without its -wal, and one whose -wal has the last changes, are imported as SQLite reads them', async () => {
  const directory = await makeDirectory();
  const path = join(directory, NAME_A);
  const killed = join(await makeTempDirectory(), 'wallet');
  editOld(path, (database) => {
    database.exec("UPDATE operations SET memo = 'in the -wal' WHERE number = 1");
    cpSync(directory, killed, { recursive: true });
  });
  expect((await stat(join(killed, `${NAME_A}-wal`))).size).toBeGreaterThan(0);
  await start(killed);
  expectBoth(killed);
  expect(read(killed, 'SELECT memo FROM operations WHERE number = 1')).toEqual([['in the -wal']]);
  expect((await oldFiles(killed)).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
});

test('a disk that is full in the middle changes nothing, and with space the next start imports all', {
  tags: 'slow',
}, async () => {
  const directory = await makeDirectory();
  const bytes = await readFile(join(directory, NAME_A));
  const limited = start(directory, {
    prepare(database) {
      database.run('PRAGMA max_page_count = 40');
      return database;
    },
  });
  await expect(limited).rejects.toThrow(/the disk with the wallet database .* is full/);
  expect((await readFile(join(directory, NAME_A))).equals(bytes)).toBe(true);
  expect(read(directory, 'SELECT * FROM mints')).toEqual([]);
  await start(directory);
  expectBoth(directory);
});

test('whatever is wrong with a database, the server can say so', { tags: 'slow' }, async () => {
  const directory = await makeDirectory();
  editOld(join(directory, NAME_A), (database) =>
    database.exec('UPDATE attributions SET operation = 9999 WHERE operation = 1'),
  );
  await expect(start(directory)).rejects.toThrow(DatabaseUnavailableError);
  await expect(start(directory)).rejects.toThrow(/FOREIGN KEY constraint failed/);
  await truncate(join(directory, NAME_A), 100);
  await expect(start(directory)).rejects.toThrow(DatabaseUnavailableError);
});

test('the simulated wallet of DEV_MODE is imported into its own database', { tags: 'slow' }, async () => {
  const directory = await makeDirectory();
  await start(directory, { mintUrl: null });
  expect(read(directory, "SELECT sum(sats) FROM sums WHERE account = 'free'", 'dev-wallet.sqlite')).toEqual([
    [26],
  ]);
  expect(read(directory, 'SELECT amount FROM test_tokens ORDER BY 1', 'dev-wallet.sqlite')).toEqual([
    [5],
    [21],
  ]);
  expect(await keptAs(directory, 'dev.sqlite')).toHaveLength(1);
  expect(existsSync(join(directory, NAME_A))).toBe(true);
});
