import { expect, test } from 'vitest';
import { groupedSettings } from '../../src/renderer/src/features/pi-settings/pi-settings-section.tsx';
import { textOf, typedValue } from '../../src/renderer/src/features/pi-settings/setting-row.tsx';
import type { PiSetting } from '../../src/shared/api/pi-settings.ts';

const SETTINGS: readonly PiSetting[] = [
  { path: ['compaction', 'enabled'], kind: 'switch' },
  { path: ['theme'], kind: 'text', description: 'Colors.' },
  { path: ['defaultModel'], kind: 'text', value: 'gpt-5.4' },
  { path: ['httpProxy'], kind: 'text', isHidden: true },
];

const namesIn = (options: { query: string; changedOnly: boolean }) =>
  groupedSettings(SETTINGS, options).map(([heading, each]) => [
    heading,
    each.map(({ path }) => path.join('.')),
  ]);

test('settings of the model come first, and objects have a heading each', () => {
  expect(namesIn({ query: '', changedOnly: false })).toEqual([
    ['Model', ['defaultModel']],
    ['General', ['theme', 'httpProxy']],
    ['compaction', ['compaction.enabled']],
  ]);
});

test('a search looks at names and descriptions, and hidden values count as changed', () => {
  expect(namesIn({ query: 'color', changedOnly: false })).toEqual([['General', ['theme']]]);
  expect(namesIn({ query: '', changedOnly: true })).toEqual([
    ['Model', ['defaultModel']],
    ['General', ['httpProxy']],
  ]);
});

const setting = (kind: PiSetting['kind'], more: Partial<PiSetting> = {}): PiSetting => ({
  path: ['x'],
  kind,
  ...more,
});

test.each([
  [setting('number'), '30,000', { value: 30_000 }],
  [setting('number', { options: ['disabled'] }), ' disabled ', { value: 'disabled' }],
  [setting('number'), 'many', { problem: 'Enter a number.' }],
  [setting('number'), ' ', { isDefault: true }],
  [setting('list'), 'a\n\n b \n', { value: ['a', ' b '] }],
  [setting('json'), '{"a": 1}', { value: { a: 1 } }],
  [setting('json'), '{', { problem: 'This isn’t valid JSON.' }],
  // The indentation of code.
  [setting('text'), '  ', { value: '  ' }],
  [setting('text'), '', { isDefault: true }],
])('%j reads %j as %j', (field, text, typed) => {
  expect(typedValue(field, text)).toEqual(typed);
});

test('a value that is shown and left as it is means the same value', () => {
  for (const field of [
    setting('number', { value: 5 }),
    setting('number', { value: 'disabled', options: ['disabled'] }),
    setting('list', { value: ['a', 'b'] }),
    setting('json', { value: { a: [1] } }),
    setting('text', { value: ' x ' }),
  ])
    expect(typedValue(field, textOf(field))).toEqual({ value: field.value });
});
