/** docs/security.md: a guard counts only while the test that holds it exists. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Row {
  threat: string;
  guard: string;
  tests: { path: string; isPlanned: boolean }[];
}

/** The rows of all tables of threats in `text`. */
const rowsOf = (text: string): Row[] =>
  text
    .split('\n')
    .filter((line) => /^\| (?!Threat \|)/.test(line))
    .map((line) => {
      const [threat = '', guard = '', named = ''] = line.slice(1, -1).split(' | ');
      const tests = [...named.matchAll(/(planned: )?`([^`]+)`/g)].map(([, planned, path = '']) => ({
        path,
        isPlanned: planned !== undefined,
      }));
      return { threat: threat.trim(), guard: guard.trim(), tests };
    });

/** What is wrong with the rows, one sentence each. */
const problemsOf = (rows: readonly Row[], exists: (path: string) => boolean): string[] =>
  rows.flatMap(({ threat, guard, tests }) => [
    ...(guard === '' || tests.length === 0 ? [`"${threat}" names no guard or no test.`] : []),
    ...tests
      .filter(({ path }) => !/^tests\/(?:[\w.-]+\/)+[\w-]+\.(test|spec)\.ts$/.test(path))
      .map(({ path }) => `${path} is not a test file.`),
    ...tests
      .filter(({ path, isPlanned }) => !isPlanned && !exists(path))
      .map(({ path }) => `${path} doesn't exist: correct its name, or write "planned: " before it.`),
    ...tests
      .filter(({ path, isPlanned }) => isPlanned && exists(path))
      .map(({ path }) => `${path} exists now: remove "planned: " before it.`),
  ]);

test('names an existing guard and existing tests for every threat', async () => {
  const rows = rowsOf(await readFile(join(ROOT, 'docs/security.md'), 'utf8'));
  expect(rows.length).toBeGreaterThan(20);
  expect(problemsOf(rows, (path) => existsSync(join(ROOT, path)))).toEqual([]);
});

test.each([
  { row: '| A threat | a guard | `tests/server/gone.test.ts` |', problem: /gone\.test\.ts doesn't exist/ },
  { row: '| A threat | a guard | planned: `tests/server/here.test.ts` |', problem: /exists now/ },
  { row: '| A threat | a guard | later |', problem: /names no guard or no test/ },
  { row: '| A threat | a guard | `src/server/here.ts` |', problem: /not a test file/ },
])('finds what is wrong with $row', ({ row, problem }) => {
  const text = `| Threat | Guard | Tests |\n|---|---|---|\n${row}\n`;
  expect(problemsOf(rowsOf(text), (path) => path.includes('here')).join('\n')).toMatch(problem);
});
