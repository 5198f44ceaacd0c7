/** CONTRIBUTING.md: each promise names a test, and `npm test` runs it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Row {
  promise: string;
  path: string;
  title: string;
}

/** The rows of the table "What `npm test` proves". */
const rowsOf = (text: string): Row[] =>
  [...text.matchAll(/^\| (.+) \| `(tests\/[^`]+)`: (.+) \|$/gm)].map(
    ([, promise = '', path = '', title = '']) => ({ promise, path, title }),
  );

/** What is wrong with a row, or undefined. `source` is the text of its test file, if there is one. */
const problemOf = ({ path, title }: Row, source: string | undefined): string | undefined => {
  if (source === undefined) return `${path} doesn't exist.`;
  if (path.includes('/slow/')) return `${path} is slow, so npm test leaves it out.`;
  const at = source.indexOf(title);
  if (at < 0) return `${path} has no test "${title}".`;
  // Options follow the title, before the function.
  const options = source.slice(at + title.length).split('=>', 1)[0] ?? '';
  if (/tags: 'slow'/.test(options)) return `"${title}" is slow, so npm test leaves it out.`;
  if (path.startsWith('tests/e2e/') && !options.includes('@smoke'))
    return `"${title}" has no tag @smoke, so npm test leaves it out.`;
  return undefined;
};

const read = (path: string): string | undefined =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined;

test('npm test runs the test of every promise', () => {
  const rows = rowsOf(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8'));
  expect(rows.length).toBeGreaterThan(30);
  expect(rows.flatMap((row) => problemOf(row, read(row.path)) ?? [])).toEqual([]);
});

test.each([
  { path: 'tests/server/gone.test.ts', source: undefined, problem: /doesn't exist/ },
  { path: 'tests/server/slow/a.test.ts', source: "test('a thing', () => 1)", problem: /is slow/ },
  { path: 'tests/server/a.test.ts', source: "test('other', () => 1)", problem: /has no test/ },
  {
    path: 'tests/server/a.test.ts',
    source: "test('a thing', { tags: 'slow' }, () => 1)",
    problem: /is slow/,
  },
  { path: 'tests/e2e/a.spec.ts', source: "test('a thing', async () => 1)", problem: /no tag @smoke/ },
  { path: 'tests/server/a.test.ts', source: "test('a thing', () => 1)", problem: undefined },
  {
    path: 'tests/e2e/a.spec.ts',
    source: "test('a thing', { tag: '@smoke' }, async () => 1)",
    problem: undefined,
  },
])('finds what is wrong with a row: $problem', ({ path, source, problem }) => {
  const found = problemOf({ promise: 'p', path, title: 'a thing' }, source);
  if (problem) expect(found).toMatch(problem);
  else expect(found).toBeUndefined();
});
