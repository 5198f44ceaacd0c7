import { expect, test } from 'vitest';
import { ignoreRulesIn, isIgnored } from '../../src/shared/pi/ignore-rules.ts';

test.for([
  ['name', 'name', true],
  ['name', 'group/name', true],
  ['/name', 'group/name', true],
  ['group/name', 'group/name', true],
  ['group/name', 'other/group/name', false],
  ['group/', 'group/name', true],
  ['draft-*', 'draft-one', true],
  ['draft-?', 'draft-one', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['**/deep', 'a/b/deep', true],
  ['a/**', 'a/b', true],
  ['a/**/z', 'a/z', true],
  ['a/**/z', 'a/b/c/z', true],
  ['name\n!name', 'name', false],
  ['# name', 'name', false],
  ['*\n!group', 'group/name', true],
] as const)('the rules %j on %s: %s', ([text, path, expected]) => {
  expect(isIgnored(ignoreRulesIn(text, ''), path, true)).toBe(expected);
});

test('answers for bait, which would keep a rule that backtracks busy for years', () => {
  const rules = ignoreRulesIn(`${'*a'.repeat(120)}b`, '');
  expect(isIgnored(rules, 'a'.repeat(250), true)).toBe(false);
});
