import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** A longer file rarely has one reason to change. */
const MAX_LINES = 450;

it(`no file is over ${MAX_LINES} lines`, () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => join('src', name))
    .filter((path) => /\.tsx?$/.test(path));
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((path) => readFileSync(path, 'utf8').split('\n').length > MAX_LINES)).toEqual([]);
});
