import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checksDocument } from '../../scripts/checks-document.ts';
import { rules } from '../../src/server/checks/rules/index.ts';

test('docs/checks.md describes the rules as they are (node scripts/checks-document.ts writes it)', () => {
  const text = readFileSync('docs/checks.md', 'utf8').replaceAll('\r\n', '\n');
  expect(text).toBe(checksDocument());
  for (const { id } of rules) expect(text.split(`\`${id}\``)).toHaveLength(2);
});

test('each rule has a name of its own and a test', () => {
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  const tests = readdirSync('tests/server/checks')
    .map((name) => readFileSync(`tests/server/checks/${name}`, 'utf8'))
    .join('\n');
  for (const { id } of rules) expect(tests).toContain(`'${id}'`);
});
