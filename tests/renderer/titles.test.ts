import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const RENDERER = new URL('../../src/renderer/src/', import.meta.url);

/** An opening tag of HTML, up to its end. Arrow functions in it have the only other ">". */
const TAG = /<([a-z][a-z0-9]*)\b((?:[^>]|=>)*)>/g;

test('no element has its only hint in a title, which the keyboard and touch can’t reach', () => {
  const files = globSync('**/*.tsx', { cwd: RENDERER });
  expect(files.length).toBeGreaterThan(100);
  const found = files.flatMap((file) =>
    Array.from(readFileSync(new URL(file, RENDERER), 'utf8').matchAll(TAG)).flatMap(
      ([tag, name, attributes]) =>
        /\stitle[={]/.test(attributes ?? '') ? [`${file}: <${name}> ${tag.slice(0, 120)}`] : [],
    ),
  );
  expect(found).toEqual([]);
});
