import { expect, test } from 'vitest';
import { previewPreset } from '../../src/renderer/src/presets/preview-preset.ts';
import { presets as words } from '../../src/renderer/src/strings/presets.ts';
import type { LinkMatrix } from '../../src/shared/api/links.ts';
import { byKind, type LinkKind } from '../../src/shared/api/names.ts';

const EMPTY = { names: [], missing: 0, agents: [] };
const MATRICES: Record<LinkKind, LinkMatrix> = {
  prompts: { kind: 'prompts', ...EMPTY },
  themes: { kind: 'themes', ...EMPTY },
  skills: {
    kind: 'skills',
    names: ['a', 'b', 'c', 'gone'],
    missing: 1,
    agents: [
      { id: 'one', cells: 'lo-b' },
      { id: 'two', cells: '-bs' },
      { id: 'three', cells: 'l4' },
      { id: 'locked', cells: '', problem: { code: 'unreadable', message: 'No permission.' } },
    ],
  },
  extensions: {
    kind: 'extensions',
    names: ['say.ts'],
    missing: 0,
    agents: [
      { id: 'one', cells: '' },
      { id: 'two', cells: 'l' },
      { id: 'three', cells: '' },
      { id: 'locked', cells: '' },
    ],
  },
};
const PRESET = { ...byKind(() => []), skills: ['a', 'b', 'gone', 'unknown'], extensions: ['say.ts'] };
const NONE = { isMissing: false, added: 0, replaced: 0, linked: 0, kept: 0 };

test('a preview says what each name adds, replaces, finds and leaves in the chosen agents', () => {
  const preview = previewPreset(PRESET, MATRICES, ['one', 'two'], false);
  expect(preview.names).toEqual([
    { ...NONE, kind: 'skills', name: 'a', added: 1, linked: 1 },
    { ...NONE, kind: 'skills', name: 'b', replaced: 1, kept: 1 },
    // A broken link to a skill that is gone stays as it is.
    { ...NONE, kind: 'skills', name: 'gone', isMissing: true },
    { ...NONE, kind: 'skills', name: 'unknown', isMissing: true },
    { ...NONE, kind: 'extensions', name: 'say.ts', added: 1, linked: 1 },
  ]);
  expect([preview.links, preview.unlinks, preview.removed, preview.unread]).toEqual([3, 0, [], 0]);
});

test('a preview names the links that the preset removes, and agents that cannot be read', () => {
  const preview = previewPreset(
    { ...byKind(() => []), skills: ['a'] },
    MATRICES,
    ['one', 'two', 'locked'],
    true,
  );
  expect(preview.removed).toEqual([
    { kind: 'skills', name: 'b', agents: 1 },
    { kind: 'skills', name: 'c', agents: 1 },
    { kind: 'skills', name: 'gone', agents: 1 },
    { kind: 'extensions', name: 'say.ts', agents: 1 },
  ]);
  expect([preview.links, preview.unlinks, preview.unread]).toEqual([1, 4, 1]);
});

test('the texts of a preview count agents, and of a single one say what happens', () => {
  expect(words.changes({ ...NONE, added: 2, linked: 1, kept: 1 }, 4)).toBe(
    '2 new, 1 already linked, 1 agent keeps its own',
  );
  expect(words.changes({ ...NONE, replaced: 1 }, 1)).toBe('Replaces a broken link');
  expect([words.summary(0, 0), words.summary(1, 0), words.summary(0, 2), words.summary(3, 1)]).toEqual([
    'Nothing to change.',
    'Adds 1 link.',
    'Removes 2 links.',
    'Adds 3 links and removes 1 link.',
  ]);
});
