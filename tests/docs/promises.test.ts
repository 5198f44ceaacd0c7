/**
 * CONTRIBUTING.md: each promise names a test, and `npm test` runs it. Other sentences name theirs in a comment. A
 * sentence with "never", "always" or an amount fails if its paragraph, list item or row names no test.
 */
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

/** Without docs/checks.md, which is generated from the rules. tests/server/checks has their tests. */
const PROMISING = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...['docs', 'docs/api'].flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.md') && name !== 'checks.md')
      .map((name) => join(folder, name)),
  ),
];

/** What an amount counts in. */
const UNIT =
  '(?:%|percent|sats?|(?:model )?tokens?|bytes?|characters?|bits?|[kKMG]i?B|ms|s|(?:milli)?seconds?|minutes?|hours?|days?|weeks?|months?)(?![\\w-])';
const WRITTEN_NUMBER =
  '(?:two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand)';

/** A word that follows a number without being what the number counts. */
const NOT_COUNTED =
  '(?:a|an|and|as|at|because|but|by|can|for|from|has|have|if|in|is|it|of|on|or|that|the|there|to|when|while|with)\\b';

const NUMBER = '(?<![\\w.:/-])\\d[\\d,]*(?:\\.\\d+)?';
const CLAIMS = [
  /\b(?:never|always)\b/i,
  new RegExp(`${NUMBER}[ -]?${UNIT}`),
  new RegExp(`\\b${WRITTEN_NUMBER}[ -]${UNIT}`, 'i'),
  new RegExp(`${NUMBER} to \\d`),
  // A count, such as "512 connections". A version has a point.
  new RegExp(`(?<![\\w.:/-])\\d[\\d,]*(?= (?!${NOT_COUNTED})[a-z])`),
];

/** What makes no claim about dot-mi, whatever number is in it. */
const NO_CLAIMS: readonly (readonly [why: string, pattern: RegExp])[] = [
  ['code, and the address of a link or picture', /`[^`]*`|!\[[^\]]*\]\([^)]*\)|(?<=\])\([^)]*\)/g],
  ['the number of a step', /^\d+\. /g],
  ['an HTTP status', new RegExp(`\\b(?:20|30|40|41|42|50)\\d\\b(?!,\\d|[ -]?${UNIT}| [a-z]{3,}s\\b)`, 'g')],
  [
    'a program with its version, a port, and the number of a document',
    /\b(?:ADR|Debian|Electron|Node|NUT|pi|port|Ubuntu) \d[\d.]*(?:(?:, | and | or )\d[\d.]*\b)*/gi,
  ],
  ['an example', /\b(?:such as|for example)\b[^.:;]*/gi],
  ['a default that a setting changes', /\([^()]*\bby default\)/g],
  [
    'an instruction',
    /(?<=^|[.:!?]\*{0,2} )(?:Never|Always|Choose|Enter|Pay|Press|Sell|Set|Write)\b [^.!?]*/g,
  ],
];

/** Paragraphs, list items and rows of tables, without programs, titles and the default values of settings. */
const unitsOf = (text: string): string[] =>
  text
    .replaceAll(/^ *```.*?^ *```/gms, '')
    .replaceAll(/^#.*$/gm, '')
    .replaceAll(/^\| .* \| Default \| .*(?:\n\|.*)+/gm, (table) =>
      table.replaceAll(/^(\|[^|]*\|)[^|]*\|/gm, '$1'),
    )
    .split(/\n\s*\n|\n(?= *[-|] | *\d+\. )/)
    .map((unit) => unit.trim());

/** The sentences that promise something, and whose unit names no test. */
const unprovedIn = (text: string): string[] =>
  unitsOf(text)
    .filter((unit) => !/<!-- tests\/|`tests\//.test(unit))
    .flatMap((unit) => unit.replaceAll(/\s*\n\s*/g, ' ').split(/(?<=[.!?](?:\*\*)?) /))
    .filter((sentence) => {
      const left = NO_CLAIMS.reduce((rest, [, pattern]) => rest.replaceAll(pattern, 'X'), sentence);
      return CLAIMS.some((claim) => claim.test(left));
    });

test('every sentence that promises something names its test', () => {
  expect(PROMISING.length).toBeGreaterThan(15);
  expect(
    PROMISING.flatMap((name) => unprovedIn(read(name) ?? '').map((sentence) => `${name}: ${sentence}`)),
  ).toEqual([]);
});

test.each([
  'dot-mi never shows keys.',
  'The history always adds up.',
  'Deleted agents stay for 30 days.',
  'A run takes ten seconds.',
  'A token can have 16,000 bytes.',
  'A fee above 10% is refused.',
  'After 7 days, it expires.',
  'The service accepts 512 connections.',
  'The service handles 402 requests.',
  '`holdSeconds` is 60 to 86,400.',
  '- **A limit**: 256 KB.\n\n<!-- tests/a.test.ts -->',
  '- One item waits for 5 s.\n- Another.\n  <!-- tests/a.test.ts -->',
  '| A row | 3 minutes |\n| Another | 1 <!-- tests/a.test.ts --> |',
  '| Setting | Default | Meaning |\n|---|---|---|\n| `A` | 300 | At most 30 seconds. |',
])('a promise needs a proof: %s', (text) => {
  expect(unprovedIn(text)).toHaveLength(1);
});

test.each([
  'dot-mi never shows keys.\n<!-- tests/a.test.ts: a title -->',
  '| A threat | 16 characters | `tests/a.test.ts` |',
  'The response is 404, or 503 with `Retry-After`.',
  'Node 20.19 or newer, pi 0.73, 0.87 and 1.5, and port 8000.',
  '1. Choose **Install**.\n2. Wait.',
  'An amount, such as 5 sat.',
  'It takes a while (300 seconds by default).',
  '- **A rule.** Never open that port.',
  'Sell it for 5 sat.',
  '```sh\nsleep 30 seconds\n```',
  '`sleep 30 seconds`',
  '# In 30 seconds',
  '| Setting | Default | Meaning |\n|---|---|---|\n| `A` | 300 s | How long. |',
])('no promise lacks a proof: %s', (text) => {
  expect(unprovedIn(text)).toEqual([]);
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
