import { expect, it } from 'vitest';
import { parseInteger } from '../../src/renderer/src/parse-integer.ts';

it.each([
  ['0', 0],
  [' 1500 ', 1500],
  ['007', 7],
  ['1,500', 1500],
  ['1 500', 1500],
  ['1\u00a0500', 1500],
  ['1\u202f500', 1500],
  ['1_500', 1500],
  ['1’500', 1500],
  ["1'500", 1500],
  ['2,100,000,000,000,000', 2_100_000_000_000_000],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
])('reads “%s”', (text, number) => expect(parseInteger(text)).toBe(number));

it.each([
  '',
  ' ',
  '1,5',
  '1 5',
  '1,50',
  '1,5000',
  '0,500',
  '1500,000',
  '1,500 000',
  ',500',
  '1,500,',
  '1,,500',
  '1.5',
  '1.500',
  '-1',
  '1e3',
  '0x10',
  '9007199254740993',
])('reads no whole number from “%s”', (text) => expect(parseInteger(text)).toBeNull());
