import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checksDocument } from '../../scripts/checks-document.ts';
import { rules } from '../../src/server/checks/rules/index.ts';

test('docs/checks.md describes the rules as they are (node scripts/checks-document.ts writes it)', () => {
  const text = readFileSync('docs/checks.md', 'utf8').replaceAll('\r\n', '\n');
  expect(text).toBe(checksDocument());
  for (const { id } of rules) expect(text.split(`\`${id}\``)).toHaveLength(2);
});

test('each rule is in a file of its name, and has a test', () => {
  const files = readdirSync('src/server/checks/rules').filter((name) => name !== 'index.ts');
  expect(rules.map(({ id }) => `${id}.ts`).sort()).toEqual(files.sort());
  const tests = readdirSync('tests/server/checks')
    .map((name) => readFileSync(`tests/server/checks/${name}`, 'utf8'))
    .join('\n');
  for (const { id } of rules) expect(tests).toContain(`'${id}'`);
});
