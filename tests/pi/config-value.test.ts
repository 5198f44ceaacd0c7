import { expect, test } from 'vitest';
import { resolveConfigValue } from '../../src/pi/config-value.ts';

const resolve = (text: string) =>
  resolveConfigValue(text, (name) => ({ KEY: 'k', EMPTY: '', _A1: 'a' })[name as 'KEY']);

const braced = (name: string): string => `\${${name}}`;

test('replaces variables as pi does, and finds out which one is missing', () => {
  const values: readonly (readonly [text: string, value: string])[] = [
    ['plain', 'plain'],
    ['$KEY', 'k'],
    [braced('KEY'), 'k'],
    [`a-$KEY-${braced('_A1')}`, 'a-k-a'],
    ['$$KEY', '$KEY'],
    ['$!x', '!x'],
    ['$', '$'],
    ['${KEY', '${KEY'],
    [braced('a-$KEY'), braced('a-$KEY')],
    ['$9', '$9'],
    ['x!y', 'x!y'],
  ];
  for (const [text, value] of values) expect.soft([text, resolve(text)]).toEqual([text, { value }]);
  expect([resolve('$KEY$NONE$OTHER'), resolve('$EMPTY'), resolve('!echo $KEY')]).toEqual([
    { missing: 'NONE' },
    { missing: 'EMPTY' },
    { isCommand: true },
  ]);
});
