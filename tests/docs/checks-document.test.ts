import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { anchorOf, checksDocument } from '../../scripts/checks-document.ts';
import { rules } from '../../src/server/checks/rules/index.ts';

test('docs/checks.md describes the rules as they are (node scripts/checks-document.ts writes it)', () => {
  const text = readFileSync('docs/checks.md', 'utf8').replaceAll('\r\n', '\n');
  expect(text).toBe(checksDocument());
  // Once in the summary, and once above its paragraph.
  for (const { id } of rules) expect(text.split(`\`${id}\``)).toHaveLength(3);
});

test('the summary links to each rule and names the kind of its fix', () => {
  const text = checksDocument();
  const anchors = [...text.matchAll(/^### (.+)$/gm)].map(([, title = '']) => anchorOf(title));
  expect(new Set(anchors).size).toBe(rules.length);
  for (const { title } of rules) expect(text).toContain(`](#${anchorOf(title)})`);
  const fixOf = (id: string) => new RegExp(`^\\| \`${id}\` .*\\| (.*) \\|$`, 'm').exec(text)?.[1];
  expect(fixOf('pi-args-spaces')).toBe('Safe fix');
  expect(fixOf('tool-unknown')).toBe('Fix to review');
  expect(fixOf('link-broken')).toBe('Repair or remove');
  expect(fixOf('link-outside')).toBe('');
});

test('each rule has a name of its own and a test', () => {
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  const tests = readdirSync('tests/server/checks')
    .map((name) => readFileSync(`tests/server/checks/${name}`, 'utf8'))
    .join('\n');
  for (const { id } of rules) expect(tests).toContain(`'${id}'`);
});
