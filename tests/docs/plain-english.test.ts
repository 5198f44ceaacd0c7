/** The sentences that people see keep to CONTRIBUTING.md: no banned words, no bare clauses at the start, no semicolons. */
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { HABITS } from '../../scripts/plain-english.ts';
import { rules } from '../../src/server/checks/rules/index.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The folders whose strings people see. Elsewhere only whole sentences count: the rest is SQL, headers and log lines. */
const FOLDERS: Readonly<Record<string, 'all' | 'sentences'>> = {
  'src/renderer/src/strings': 'all',
  'src/main': 'all',
  'src/server': 'sentences',
  'src/shared': 'sentences',
};

const isSentence = (text: string): boolean => /^["“]?\p{Lu}.* .*[.?!][”"]?$/su.test(text);

const STARTER_ROOT = 'resources/starter-root';

const MOST_WORDS = 20;

/** A clause in the place of an actor. A question may begin so. */
const BARE_CLAUSE = /^(What|Whatever|Who|Whoever|Whether|Where|Wherever)\b[^?]*$/;

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.?!:][”’"')]*)\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

const wordsOf = (sentence: string): number =>
  sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

/** The words that CONTRIBUTING.md prints bold in its table of terms, each with the term to write. */
const AVOIDED: readonly (readonly [pattern: RegExp, advice: string])[] = readFileSync(
  join(ROOT, 'CONTRIBUTING.md'),
  'utf8',
)
  .split('\n')
  .flatMap((line) => {
    const [, term, words] = /^\| ([^|]+) \| ([^|]+) \|$/.exec(line) ?? [];
    return Array.from((words ?? '').matchAll(/\*\*([^*]+)\*\*/g), ([, word = '']) => {
      const pattern = new RegExp(`\\b${word}s?\\b`, /[a-z]/.test(word) ? 'i' : '');
      return [pattern, `write "${term}"`] as const;
    });
  });

const REFUSED = [...HABITS, ...AVOIDED];

/** What is wrong with a text, one reason each. */
const problemsOf = (text: string): string[] => [
  ...REFUSED.filter(([pattern]) => pattern.test(text)).map(
    ([pattern, advice]) => `"${pattern.exec(text)?.[0].trim()}": ${advice}`,
  ),
  ...sentencesOf(text).flatMap((sentence) => [
    ...(BARE_CLAUSE.test(sentence) ? [`"${sentence.split(' ', 1)[0]} …": put the actor first`] : []),
    ...(wordsOf(sentence) > MOST_WORDS ? [`${wordsOf(sentence)} words: write two sentences`] : []),
  ]),
];

interface Located {
  line: number;
  text: string;
}

/** The strings of a program, without what it imports and what it names things; an inserted value reads as one word. */
const stringsOf = (path: string, source: string): Located[] => {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const found: Located[] = [];
  const add = (node: ts.Node, text: string): void => {
    found.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, text });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isStringLiteralLike(node)) {
      if (!(ts.isPropertyAssignment(node.parent) && node.parent.name === node)) add(node, node.text);
    } else if (ts.isTemplateExpression(node)) {
      add(node, node.head.text + node.templateSpans.map(({ literal }) => `X${literal.text}`).join(''));
    } else if (ts.isJsxText(node)) {
      add(node, node.text.trim());
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

/** The problems of a program's strings, each with its place. */
const findProblems = (
  path: string,
  strings: readonly Located[],
  which: 'all' | 'sentences' = 'all',
): string[] =>
  strings
    .filter(({ text }) => which === 'all' || isSentence(text))
    .flatMap(({ line, text }) =>
      problemsOf(text).map((problem) => `${path}:${line} ${problem}, in “${text}”`),
    );

test('the strings that people see are plain English', async () => {
  const problems: string[] = [];
  let count = 0;
  for (const [folder, which] of Object.entries(FOLDERS)) {
    for (const entry of await readdir(join(ROOT, folder), { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      const source = await readFile(path, 'utf8');
      const strings = stringsOf(path, source);
      count += strings.length;
      problems.push(...findProblems(relative(ROOT, path), strings, which));
    }
  }
  expect(count).toBeGreaterThan(900);
  expect(problems).toEqual([]);
});

/** The lines of a document without code, comments and tables, whose cells may hold a list. */
const proseOf = (text: string): Located[] =>
  text
    .replace(/^```.*?^```/gms, (code) => code.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]*`|<!-- .*? -->/g, 'X')
    .split('\n')
    .flatMap((line, index) => (line.startsWith('|') ? [] : [{ line: index + 1, text: line }]));

test('the titles and reasons of checks are plain English', () => {
  expect(
    rules.flatMap(({ id, title, why }) =>
      [...problemsOf(title), ...problemsOf(why)].map((one) => `${id}: ${one}`),
    ),
  ).toEqual([]);
  // A title says what is wrong, as a sentence does, and not what there is.
  expect(rules.filter(({ title }) => /^(An?|The) /.test(title)).map(({ id }) => id)).toEqual([]);
});

test('the documents and the starter root keep to the same words', async () => {
  const files = [
    ...(await readdir(ROOT)).filter((name) => name.endsWith('.md')),
    ...(await readdir(join(ROOT, 'docs'), { recursive: true }))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
    ...(await readdir(join(ROOT, STARTER_ROOT), { recursive: true }))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(STARTER_ROOT, name)),
  ];
  expect(files.length).toBeGreaterThan(20);
  const problems: string[] = [];
  for (const file of files)
    for (const { line, text } of proseOf(await readFile(join(ROOT, file), 'utf8')))
      for (const [pattern, advice] of REFUSED) {
        // Prompts and skills are read by models, and one sentence can be clearer for them.
        if (pattern.source === ';' && file.startsWith(STARTER_ROOT)) continue;
        const [found] = pattern.exec(text) ?? [];
        if (found !== undefined) problems.push(`${file}:${line} "${found.trim()}": ${advice}`);
      }
  expect(problems).toEqual([]);
});

describe('the check', () => {
  test.each([
    ['No source has told a newer price for a while.', 'told'],
    ['Sats are reckoned with this one until one does.', 'reckon'],
    ['A broken link mends when its target is back.', 'mends'],
    ['A search is under way.', 'under way'],
    ['You may receive it all the same: a token stays yours.', 'all the same'],
    ['Put a file into shared/extensions; it appears here by itself.', 'by itself'],
    ['leads to nothing:', 'leads to'],
    ['The address leads nowhere.', 'leads nowhere'],
    ['Leads out of the root', 'Leads out'],
    ['The guard stands.', 'stands'],
    ['The defaults serve instead.', 'serve'],
    ['Link one from the catalog beside this list.', 'beside this'],
    ['The API goes on.', 'goes on'],
    ['The price list cannot be had.', 'be had'],
    ['10.0.0.1 is no address of this machine', 'is no'],
    ['It opens once it is put right on disk.', 'put right'],
    ['A number from 0 to 1,000,000,000, as 2.5.', ', as 2'],
    ['Something else than the dot-mi API answered', 'Something else than'],
    ['Line endings are mixed; each line keeps its own.', ';'],
    ['What could not be read is lost.', 'What …'],
    ['Saved. Whoever has the words has the sats.', 'Whoever …'],
    ['Whether there is a newer version could not be found out.', 'Whether …'],
    ['Where the page answers on this machine.', 'Where …'],
    [`${'word '.repeat(21)}.`, '21 words'],
    ['Write down your recovery words.', 'recovery words'],
    ['This plugin adds tools.', 'plugin'],
  ])('refuses “%s”', (text, reason) => {
    expect(problemsOf(text).join()).toContain(reason);
  });

  test.each([
    'This price is out of date because no source has answered recently. Sat amounts still use it.',
    'The chart appears after two price updates.',
    'Enter a price, such as 2.5.',
    'Where do your agents live?',
    'What would you like to do?',
    'You can still receive it. The mint checks it then.',
    'Target not found:',
    'The wallet is no longer busy.',
    'There is no agent with this id.',
    'dot-mi can’t tell whether the wallet received the token.',
    'The recommended server understands this.',
    `${'word '.repeat(20)}. ${'word '.repeat(20)}.`,
  ])('accepts “%s”', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  test('reads strings, templates and text of elements, not comments, keys, types or imports', () => {
    const source = `
      import x from './leads to/by itself.ts';
      /** Nothing stands under way. */
      type Kind = 'all the same';
      export const texts = {
        'by itself': 'It mends', // reckoned
        told: (x: string) => \`\${x} leads to \${x}\`,
        element: <p>It goes on</p>,
      };`;
    expect(findProblems('texts.tsx', stringsOf('texts.tsx', source))).toEqual([
      'texts.tsx:6 "mends": write "fix" or "repair", in “It mends”',
      'texts.tsx:7 "leads to": write "points to" or "not found", in “X leads to X”',
      'texts.tsx:8 "goes on": write "continues" or "keeps running", in “It goes on”',
    ]);
  });
});
