import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';

const MAX_LINES = 300;
const SPLINTER_LINES = 40;
/** Files whose name says why they are their own: the routes of a feature, its sentences, and single checks. */
const BY_ROLE = /\.routes\.ts$|\/strings\/[a-z-]+\.ts$|\/checks\/rules\/[a-z-]+\.ts$/;
const IMPORT = /(?:from|import|import\(|new URL\()\s*['"](\.[^'"]+\.tsx?)['"]/g;

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .map((name) => join('src', name))
  .filter((path) => /\.tsx?$/.test(path));
const texts = new Map(files.map((path) => [path, readFileSync(path, 'utf8')]));
const linesOf = (path: string): number => (texts.get(path) ?? '').split('\n').length - 1;

const importers = new Map<string, Set<string>>();
for (const [path, text] of texts) {
  for (const [, specifier = ''] of text.matchAll(IMPORT)) {
    const target = relative('.', join(dirname(path), specifier));
    importers.set(target, (importers.get(target) ?? new Set()).add(path));
  }
}

it('no file is over 300 lines', () => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((path) => linesOf(path) > MAX_LINES)).toEqual([]);
});

it('a file under 40 lines with one importer says in its first line why it is a file', () => {
  const splinters = files.filter(
    (path) =>
      linesOf(path) < SPLINTER_LINES &&
      importers.get(path)?.size === 1 &&
      !BY_ROLE.test(path.replaceAll('\\', '/')),
  );
  expect(splinters.length).toBeGreaterThan(0);
  expect(splinters.filter((path) => !/^\/\/ \S/.test(texts.get(path) ?? ''))).toEqual([]);
});
