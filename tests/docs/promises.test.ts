/** CONTRIBUTING.md: each promise names a test, and `npm test` runs it. Other sentences name theirs in a comment. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** Proofs in the documents: `<!-- tests/server/a.test.ts: title -->` after a sentence. The title may be left out. */
const PROOF = /<!-- (tests\/\S+?\.(?:test|spec)\.ts)(?:: (.+?))? -->/g;

/** What is wrong with the proofs in a text. A slow test counts, because CI runs it. */
const proofProblems = (text: string, sourceOf: (path: string) => string | undefined): string[] =>
  [...text.matchAll(PROOF)].flatMap(([, path = '', title = '']) => {
    const source = sourceOf(path);
    if (source === undefined) return `${path} doesn't exist.`;
    return source.includes(title) ? [] : `${path} has no test "${title}".`;
  });

test('every proof that a document names exists', () => {
  const documents = [
    ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  ];
  const texts = documents.map((name) => read(name) ?? '');
  expect(texts.join('').match(PROOF)?.length).toBeGreaterThan(40);
  // A comment with a test in another form is a proof that nobody checks.
  expect(texts.join('').match(/<!-- tests\/(?!\S+?\.(test|spec)\.ts(: .+?)? -->).*/g)).toBeNull();
  expect(texts.flatMap((text) => proofProblems(text, read))).toEqual([]);
});

test.each([
  ['<!-- tests/a.test.ts -->', undefined, /doesn't exist/],
  ['<!-- tests/a.test.ts: another thing -->', "test('a thing')", /has no test/],
  ['<!-- tests/a.test.ts: a thing -->', "test('a thing')", /^$/],
])('finds what is wrong with the proof %s', (text, source, problem) => {
  expect(proofProblems(text, () => source).join()).toMatch(problem);
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
