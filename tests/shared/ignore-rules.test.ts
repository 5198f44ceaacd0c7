import { expect, test } from 'vitest';
import { ignoreRulesIn, isIgnored } from '../../src/pi/ignore-rules.ts';

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
  // As the package that pi uses has it.
  ['NAME', 'name', true],
  ['x\\', 'x', false],
  ['*\n!group', 'group/name', true],
] as const)('the rules %j on %s: %s', ([text, path, expected]) => {
  expect(isIgnored(ignoreRulesIn(text, ''), path, true)).toBe(expected);
});

test.for([
  [`${'*a'.repeat(120)}b`, 'a'.repeat(250)],
  [`${'*aa'.repeat(80)}b`, 'a'.repeat(250)],
  [`${'*[ab]'.repeat(50)}c`, 'a'.repeat(250)],
  [`${'*?'.repeat(100)}c`, 'a'.repeat(250)],
  [`${'**/a/'.repeat(40)}b`, 'a/'.repeat(120).slice(0, -1)],
  [`${'a/**/'.repeat(40)}b`, 'a/'.repeat(120).slice(0, -1)],
  // As many as a rule may have.
  [`${'**/a/'.repeat(2)}b`, 'a/'.repeat(120).slice(0, -1)],
] as const)('never backtracks over bait such as %j', ([text, path]) => {
  // Without a limit of its own, this would take years.
  expect(isIgnored(ignoreRulesIn(text, ''), path, true)).toBe(false);
});
