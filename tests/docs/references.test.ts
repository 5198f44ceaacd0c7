/** What the documents and the code refer to exists. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { anchorOf } from '../../scripts/checks-document.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const SOURCES = ['docs', 'src', 'scripts', 'tests', 'packaging'];

const filesBelow = async (folder: string): Promise<string[]> => {
  const entries = await readdir(join(ROOT, folder), { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
};

const topLevel = async (end: RegExp): Promise<string[]> =>
  (await readdir(ROOT)).filter((name) => end.test(name)).map((name) => join(ROOT, name));

test('every relative link in a document points to a file', async () => {
  const documents = [
    ...(await topLevel(/\.md$/)),
    ...(await filesBelow('docs')).filter((file) => file.endsWith('.md')),
  ];
  expect(documents.length).toBeGreaterThan(25);
  const missing: string[] = [];
  for (const file of documents) {
    for (const [, target = ''] of (await readFile(file, 'utf8')).matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)) {
      const path = relative(ROOT, join(dirname(file), target));
      if (!/^https?:/.test(target) && !existsSync(join(ROOT, path)))
        missing.push(`${relative(ROOT, file)}: ${target}`);
    }
  }
  expect(missing).toEqual([]);
});

test('every link to a part of a document names one of its headings', async () => {
  const anchors = new Map<string, Set<string>>();
  const anchorsOf = async (path: string): Promise<Set<string>> => {
    const known = anchors.get(path);
    if (known) return known;
    const text = (await readFile(path, 'utf8')).replaceAll(/^```.*?^```/gms, '');
    const found = new Set([...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => anchorOf(title)));
    anchors.set(path, found);
    return found;
  };
  const missing: string[] = [];
  const documents = [
    ...(await topLevel(/\.md$/)),
    ...(await filesBelow('docs')).filter((file) => file.endsWith('.md')),
  ];
  for (const file of documents) {
    for (const [, target = '', anchor = ''] of (await readFile(file, 'utf8')).matchAll(
      /\]\(([^)\s#:]*)#([^)]*)\)/g,
    )) {
      const path = target === '' ? file : join(dirname(file), target);
      if (path.endsWith('.md') && existsSync(path) && !(await anchorsOf(path)).has(anchor))
        missing.push(`${relative(ROOT, file)}: ${target}#${anchor}`);
    }
  }
  expect(anchors.size).toBeGreaterThan(5);
  expect(missing).toEqual([]);
});

test('every document that the code cites exists', async () => {
  const records = (await readdir(join(ROOT, 'docs/adr'))).map((name) => name.slice(0, 4));
  const missing: string[] = [];
  const files = [
    ...(await Promise.all(SOURCES.map(filesBelow))).flat(),
    ...(await topLevel(/\.[cm]?[jt]s$/)),
  ];
  for (const file of files.filter((name) => /\.(ts|tsx|cjs|md|nsh)$/.test(name))) {
    const text = await readFile(file, 'utf8');
    for (const [path] of text.matchAll(/\bdocs\/[\w./-]+?\.md\b/g))
      if (!existsSync(join(ROOT, path))) missing.push(`${relative(ROOT, file)}: ${path}`);
    for (const [cited, number = ''] of text.matchAll(/\bdocs\/adr\/(\d{4})/g))
      if (!records.includes(number)) missing.push(`${relative(ROOT, file)}: ${cited}`);
    // The design notes of the first version aren't in the repository.
    for (const [, name] of text.matchAll(/\(([\w-]+\.md), "/g))
      missing.push(`${relative(ROOT, file)}: ${name}`);
  }
  expect(missing).toEqual([]);
});

test('the README stays under 120 lines', async () => {
  expect((await readFile(join(ROOT, 'README.md'), 'utf8')).split('\n').length).toBeLessThan(120);
});
