import { readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { AppError } from '../../../src/server/platform/app-error.ts';
import {
  DatabaseUnavailableError,
  isUnsafeSqlite,
  openDatabase,
} from '../../../src/server/wallet/store/sqlite.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const STEPS = [
  'CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT',
  "ALTER TABLE notes ADD COLUMN author TEXT NOT NULL DEFAULT 'nobody'; CREATE INDEX by_author ON notes (author)",
  'CREATE TABLE more (id INTEGER PRIMARY KEY) STRICT; INSERT INTO more SELECT id FROM notes',
];

const newPath = async () => join(await makeTempDirectory(), 'deep/er/test.sqlite');

const open = async (path: string, steps: readonly string[] = STEPS) => {
  const database = await openDatabase(path, steps);
  onTestFinished(() => database.close());
  return database;
};

/** A database of the first version with two notes, closed. */
const makeOld = async () => {
  const path = await newPath();
  const old = await openDatabase(path, STEPS.slice(0, 1));
  old.run('INSERT INTO notes (text) VALUES (?)', 'one');
  old.run('INSERT INTO notes (text) VALUES (?)', 'two');
  old.close();
  return path;
};

const namesBeside = async (path: string) =>
  (await readdir(dirname(path))).filter((name) => name !== basename(path) && !/-(wal|shm)$/.test(name));

test('is in WAL mode, flushes every commit, and keeps foreign keys', async () => {
  const database = await open(await newPath());
  const pragma = (name: string) =>
    Object.values(database.get<Record<string, unknown>>(`PRAGMA ${name}`) ?? {})[0];
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1]);
  expect(pragma('user_version')).toBe(3);
});

test('an old version is brought to the newest, step by step, with a whole copy of the old one next to it', async () => {
  const path = await makeOld();
  const database = await open(path);
  expect(database.all('SELECT * FROM notes')).toEqual([
    { id: 1, text: 'one', author: 'nobody' },
    { id: 2, text: 'two', author: 'nobody' },
  ]);
  expect(database.all('SELECT * FROM more')).toEqual([{ id: 1 }, { id: 2 }]);
  const names = await namesBeside(path);
  expect(names).toEqual([expect.stringMatching(/^test\.sqlite\.before-version-3-\d+$/)]);
  const copyPath = join(dirname(path), names[0] ?? '');
  if (process.platform !== 'win32') expect((await stat(copyPath)).mode & 0o777).toBe(0o600);
  const copy = new DatabaseSync(copyPath, { readOnly: true });
  onTestFinished(() => copy.close());
  expect(copy.prepare('SELECT * FROM notes').all()).toEqual([
    { id: 1, text: 'one' },
    { id: 2, text: 'two' },
  ]);
  expect(copy.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
});

test('a new database, or one of the newest version, gets no copy', async () => {
  const path = await newPath();
  (await openDatabase(path, STEPS)).close();
  await open(path);
  expect(await namesBeside(path)).toEqual([]);
});

test('a migration that fails leaves the old version whole, and can be tried again', async () => {
  const path = await makeOld();
  const broken = [...STEPS.slice(0, 2), 'INSERT INTO more VALUES (1)'];
  await expect(openDatabase(path, broken)).rejects.toThrow('no such table');
  const old = await openDatabase(path, STEPS.slice(0, 1));
  expect(old.all('SELECT * FROM notes')).toEqual([
    { id: 1, text: 'one' },
    { id: 2, text: 'two' },
  ]);
  expect(old.get("SELECT 1 AS there FROM sqlite_master WHERE name = 'by_author'")).toBeUndefined();
  old.close();
  expect((await open(path)).all('SELECT * FROM more')).toHaveLength(2);
});

test('one of a newer version is refused and left as it is', async () => {
  const path = await newPath();
  (await openDatabase(path, STEPS)).close();
  const before = await readFile(path);
  await expect(openDatabase(path, STEPS.slice(0, 2))).rejects.toThrow(DatabaseUnavailableError);
  await expect(openDatabase(path, STEPS.slice(0, 2))).rejects.toThrow(/newer version of dot-mi/);
  expect((await readFile(path)).equals(before)).toBe(true);
  expect(await namesBeside(path)).toEqual([]);
});

test('it has one owner at a time, also for reading, until it is closed', async () => {
  const path = await newPath();
  const first = await open(path);
  await expect(openDatabase(path, STEPS)).rejects.toThrow(/another dot-mi is using the wallet database/);
  const reader = new DatabaseSync(path, { readOnly: true });
  expect(() => reader.prepare('SELECT * FROM notes').all()).toThrow(/locked/);
  reader.close();
  first.run("INSERT INTO notes (text) VALUES ('still works')");
  first.close();
  first.close();
  // One that was there already is as much ours.
  expect((await open(path)).all('SELECT text FROM notes')).toEqual([{ text: 'still works' }]);
  await expect(openDatabase(path, STEPS)).rejects.toThrow(/another dot-mi is using the wallet database/);
});

test('a transaction is all or nothing, and the next one works', async () => {
  const database = await open(await newPath());
  const add = (text: string) => database.run('INSERT INTO notes (text) VALUES (?)', text);
  expect(
    database.transaction(() => {
      add('kept');
      return 'result';
    }),
  ).toBe('result');
  expect(() =>
    database.transaction(() => {
      add('gone');
      throw new Error('mine');
    }),
  ).toThrow('mine');
  expect(() =>
    database.transaction(() => {
      add('gone too');
      database.run('INSERT INTO notes (id, text) VALUES (1, ?)', 'taken');
    }),
  ).toThrow(/UNIQUE/);
  database.transaction(() => add('kept too'));
  expect(database.all<{ text: string }>('SELECT text FROM notes').map(({ text }) => text)).toEqual([
    'kept',
    'kept too',
  ]);
});

test('run returns how many rows it changed, and get and all return rows, or none', async () => {
  const database = await open(await newPath());
  for (const text of ['a', 'b', 'c']) database.run('INSERT INTO notes (text) VALUES (?)', text);
  expect(database.run("UPDATE notes SET text = 'x' WHERE id > ?", 1)).toBe(2);
  expect(database.run('DELETE FROM notes WHERE id = 99')).toBe(0);
  expect(database.get('SELECT text FROM notes WHERE id = 1')).toEqual({ text: 'a' });
  expect(database.get('SELECT 1 FROM notes WHERE id = 99')).toBeUndefined();
  expect(database.all('SELECT 1 FROM notes WHERE id = 99')).toEqual([]);
});

test('a full disk is disk_full and leaves nothing half done, and with space the work continues', async () => {
  const database = await open(await newPath());
  database.run("INSERT INTO notes (text) VALUES ('first')");
  const [pages] = Object.values(database.get<{ page_count: number }>('PRAGMA page_count') ?? {});
  database.run(`PRAGMA max_page_count = ${pages}`);
  const fill = () =>
    database.transaction(() => {
      for (let count = 0; count < 50; count += 1) {
        database.run('INSERT INTO notes (text) VALUES (?)', 'x'.repeat(1000));
      }
    });
  expect(fill).toThrow(AppError);
  expect(fill).toThrow(expect.objectContaining({ code: 'disk_full' }));
  expect(database.all('SELECT text FROM notes')).toEqual([{ text: 'first' }]);
  database.run('PRAGMA max_page_count = 1000000');
  fill();
  expect(database.all('SELECT text FROM notes')).toHaveLength(51);
});

test('a database that cannot be written is permission_denied', async () => {
  const database = await open(await newPath());
  database.run('PRAGMA query_only = 1');
  expect(() => database.run("INSERT INTO notes (text) VALUES ('x')")).toThrow(
    expect.objectContaining({ code: 'permission_denied' }),
  );
});

/** A database that is larger than what is checked whole at the start, closed. */
const makeLarge = async () => {
  const path = await newPath();
  const database = await openDatabase(path, STEPS);
  database.transaction(() => {
    for (let count = 0; count < 20_000; count += 1) {
      database.run('INSERT INTO notes (text) VALUES (?)', 'x'.repeat(500));
    }
  });
  database.close();
  return path;
};

test('damage that is found only during a read is wallet_damaged', async () => {
  const path = await makeLarge();
  const bytes = await readFile(path);
  const pageSize = bytes.readUInt16BE(16);
  bytes.fill(0xff, pageSize * 1000, pageSize * 1001);
  await writeFile(path, bytes);
  const damaged = await open(path);
  expect(() => damaged.all('SELECT sum(length(text)) FROM notes')).toThrow(
    expect.objectContaining({ code: 'wallet_damaged' }),
  );
});

test('a large file that lacks its end is refused before anything is written to it', async () => {
  const path = await makeLarge();
  const { size } = await stat(path);
  await truncate(path, size - 4096);
  const before = await readFile(path);
  await expect(openDatabase(path, STEPS)).rejects.toThrow(/is damaged\. The file was not changed/);
  expect((await readFile(path)).equals(before)).toBe(true);
});

test('recognizes versions of SQLite that can damage their data', () => {
  for (const version of ['3.51.2', '3.50.9', '3.9.0', '2.8.17'])
    expect([version, isUnsafeSqlite(version)]).toEqual([version, true]);
  for (const version of ['3.51.3', '3.51.10', '3.52.0', '4.0.0'])
    expect([version, isUnsafeSqlite(version)]).toEqual([version, false]);
});

test('the write-ahead log stays small, however many rows are added one at a time', {
  tags: 'slow',
}, async () => {
  const path = await newPath();
  const database = await open(path);
  const text = 'x'.repeat(40_000);
  for (let at = 0; at < 300; at++)
    expect(
      database.runReturning('INSERT INTO notes (text) VALUES (?) RETURNING length(text) AS length', text),
    ).toEqual({ length: 40_000 });
  // The log is emptied at 1,000 pages of 4 KiB. A commit adds a few.
  expect((await stat(`${path}-wal`)).size).toBeLessThan(1_100 * 4_096);
  expect((await stat(path)).size).toBeGreaterThan(100 * 40_000);
});

test('a log that grew once is cut', async () => {
  const path = await newPath();
  const database = await open(path);
  database.transaction(() => {
    for (let at = 0; at < 300; at++) database.run('INSERT INTO notes (text) VALUES (?)', 'x'.repeat(40_000));
  });
  expect((await stat(`${path}-wal`)).size).toBeGreaterThan(10_000_000);
  // The next commit starts over.
  database.run("INSERT INTO notes (text) VALUES ('more')");
  expect((await stat(`${path}-wal`)).size).toBeLessThanOrEqual(4 * 1024 * 1024);
});

test('a statement runs only with the function that finishes it', async () => {
  const database = await open(await newPath());
  const insert = "INSERT INTO notes (text) VALUES ('x')";
  expect(() => database.get(`${insert} RETURNING id`)).toThrow('returns changes');
  expect(() => database.all(`${insert} RETURNING id`)).toThrow('returns changes');
  expect(() => database.run(`${insert} RETURNING id`)).toThrow('returns changes');
  expect(() => database.get(insert)).toThrow('changes');
  expect(() => database.runReturning(insert)).toThrow('changes');
  expect(() => database.run('SELECT 1')).toThrow('reads');
  expect(database.all('SELECT * FROM notes')).toEqual([]);
});
