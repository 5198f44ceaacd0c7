import { posix } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGlob } from '../../src/pi/glob.ts';

/** The parts of patterns. A part of dots alone is left out: no name is like that. */
const piece = fc.constantFrom(
  'a',
  'b',
  'ab',
  '.',
  '*',
  '?',
  '**',
  '[ab]',
  '[!a]',
  '[a-c]',
  '{a,b}',
  '{a,b*}',
  '/',
  '/',
  '/**/',
);
const pattern = fc.array(piece, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''));
const path = fc
  .array(fc.constantFrom('a', 'b', 'ab', '.a', 'ba.b', 'c'), { minLength: 1, maxLength: 4 })
  .map((names) => names.join('/'));

test('a glob matches what the minimatch in Node matches', () => {
  fc.assert(
    fc.property(pattern, path, (glob, name) => {
      fc.pre(!glob.split('/').some((part) => /^\.+$/.test(part)));
      expect([glob, name, compileGlob(glob)(name)]).toEqual([glob, name, posix.matchesGlob(name, glob)]);
    }),
    { numRuns: 2_000 },
  );
});

test.for([
  // Node has other rules for these: pi's minimatch reads `!` and `#` at the start, and `\\` as an escape.
  ['!a', 'b', true],
  ['!a', 'a', false],
  ['!!a', 'a', true],
  ['#a', '#a', false],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  // Not understood.
  ['+(a|b)', 'a', false],
  ['[b-a]', 'b', false],
] as const)('the glob %j on %s: %s', ([glob, name, expected]) => {
  expect(compileGlob(glob)(name)).toBe(expected);
});

test.for([
  [`${'*a'.repeat(120)}b`, 'a'.repeat(250)],
  [`${'*[ab]'.repeat(50)}c`, 'a'.repeat(250)],
  [`${'*?'.repeat(100)}c`, 'a'.repeat(250)],
  [`${'**/a/'.repeat(40)}b`, 'a/'.repeat(120).slice(0, -1)],
  [`${'a/**/'.repeat(40)}b`, 'a/'.repeat(120).slice(0, -1)],
  ['{a,b}'.repeat(100), 'a'.repeat(100)],
  [`${'{a,'.repeat(300)}`, 'a'],
] as const)('never backtracks over bait such as %j', ([glob, name]) => {
  // Without a limit of its own, this would take years.
  expect(compileGlob(glob)(name)).toBe(false);
});
