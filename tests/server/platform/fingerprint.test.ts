import { lstat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fingerprintOf, mayKeepRead } from '../../../src/server/platform/fingerprint.ts';
import { makeTempDirectory } from '../../support/temp.ts';

const fingerprint = async (path: string) => fingerprintOf(await lstat(path, { bigint: true }));

test('a file that was just changed is not settled, and one that was left alone is', async () => {
  const path = join(await makeTempDirectory(), 'file');
  await writeFile(path, 'x');
  const now = await fingerprint(path);
  expect(mayKeepRead(now, now.changedAtMs)).toBe(false);
  expect(mayKeepRead(now, now.changedAtMs + 2000)).toBe(false);
  expect(mayKeepRead(now, now.changedAtMs + 3001)).toBe(true);
});

test('setting the time of a file back does not make it settled, nor hide the change', async () => {
  const path = join(await makeTempDirectory(), 'file');
  const old = new Date('2020-01-01');
  await writeFile(path, 'one');
  await utimes(path, old, old);
  const before = await fingerprint(path);
  expect(mayKeepRead(before, Date.now())).toBe(false);
  await writeFile(path, 'two');
  await utimes(path, old, old);
  expect((await fingerprint(path)).text).not.toBe(before.text);
});

test('a file with a time in the future is never settled', () => {
  expect(mayKeepRead({ changedAtMs: 2_000_000 }, 1_000_000)).toBe(false);
});
