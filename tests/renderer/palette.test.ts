import { describe, expect, it } from 'vitest';
import { isShortcut, keyCaps } from '../../src/renderer/src/commands/shortcuts.ts';
import { rank } from '../../src/renderer/src/features/palette/fuzzy.ts';
import { quickTargets } from '../../src/renderer/src/features/palette/quick-targets.ts';
import type { EditableFile } from '../../src/shared/api/names.ts';

const ids = (names: readonly string[], query: string) => rank(names, query, (name) => name, 50);

describe('fuzzy search', () => {
  it('requires the letters in order', () => {
    expect(ids(['scout'], 'sct')).toEqual(['scout']);
    expect(ids(['scout'], 'tcs')).toEqual([]);
    expect(ids(['scout'], 'scoutt')).toEqual([]);
  });

  it('ranks the whole word first, then the beginnings of words, then scattered letters', () => {
    expect(ids(['s-c-o-u-t', 'my-scout', 'scout', 'ascout'], 'scout')).toEqual([
      'scout',
      'my-scout',
      'ascout',
      's-c-o-u-t',
    ]);
    expect(ids(['brown-rat', 'bug-report'], 'br')).toEqual(['brown-rat', 'bug-report']);
  });

  it('requires each word of the query, in any order, and keeps the order of equal matches', () => {
    expect(ids(['night-writer', 'writer'], 'wri nig')).toEqual(['night-writer']);
    expect(ids(['b', 'a'], '')).toEqual(['b', 'a']);
  });

  it('returns no more matches than requested, and searches 10,000 quickly', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `agent-${String(at).padStart(5, '0')}`);
    expect(ids(many, 'agent')).toHaveLength(50);
    expect(ids(many, '09999')).toEqual(['agent-09999']);
  });
});

describe('quick open', () => {
  const agents = [
    { id: 'scout', workspace: false },
    { id: 'writer', workspace: true },
  ];
  const shown = (query: string, openedId: string | null = null, known: readonly EditableFile[] = []) =>
    quickTargets(agents, query, openedId, () => known).map(({ id, label }) =>
      label ? `${id}/${label}` : id,
    );

  it('starts with the opened agent and its files', () => {
    expect(shown('')).toEqual(['scout', 'writer']);
    expect(shown('', 'writer')).toEqual([
      'writer/pi-args',
      'writer/SYSTEM.md',
      'writer/workspace.conf',
      'writer/extensions',
      'writer/skills',
      'scout',
    ]);
  });

  it('reads a second word, or text after "/", as a file', () => {
    expect(shown('wri sys')[0]).toBe('writer/SYSTEM.md');
    expect(shown('scout/skills')).toEqual(['scout/skills']);
    expect(shown('scout/')).toEqual([
      'scout',
      'scout/pi-args',
      'scout/SYSTEM.md',
      'scout/extensions',
      'scout/skills',
    ]);
  });

  it('finds a file of the opened agent by its name alone', () => {
    expect(shown('pi-a', 'scout')).toEqual(['scout/pi-args']);
    expect(shown('pi-a')).toEqual([]);
  });

  it('offers an optional file only if it exists', () => {
    expect(shown('scout workspace')).toEqual([]);
    expect(shown('writer workspace')).toEqual(['writer/workspace.conf']);
    expect(shown('writer agent')).toEqual([]);
    expect(shown('writer agent', null, ['SYSTEM.md', 'AGENT.md'])).toEqual(['writer/AGENT.md']);
    expect(shown('agent', 'scout', ['AGENT.md'])).toEqual(['scout/AGENT.md']);
  });
});

describe('shortcuts', () => {
  const press = (key: string, more: Partial<KeyboardEvent> = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...more,
  });

  it('are with ⌘ on a Mac and with Ctrl elsewhere, and say so', () => {
    expect(isShortcut('palette', press('k', { ctrlKey: true }), true, false)).toBe(true);
    expect(isShortcut('palette', press('k', { metaKey: true }), true, true)).toBe(true);
    expect(isShortcut('palette', press('k', { ctrlKey: true }), true, true)).toBe(false);
    expect(isShortcut('palette', press('K', { ctrlKey: true, shiftKey: true }), true, false)).toBe(false);
    expect(isShortcut('palette', press('k', { ctrlKey: true, altKey: true }), true, false)).toBe(false);
    expect(keyCaps({ key: 'k', mod: true }, true)).toEqual(['⌘', 'K']);
    expect(keyCaps({ key: 'k', mod: true }, false)).toEqual(['Ctrl', 'K']);
  });

  it('ignore letters typed in a field', () => {
    expect(isShortcut('shortcuts', press('?', { shiftKey: true }), false, false)).toBe(true);
    expect(isShortcut('shortcuts', press('?', { shiftKey: true }), true, false)).toBe(false);
  });
});
