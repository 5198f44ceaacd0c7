import { describe, expect, it } from 'vitest';
import {
  fileOwners,
  fileTargets,
  GROUPS,
  type GroupName,
  namedAgents,
  parseQuery,
  rank,
  rankTargets,
} from '../../src/renderer/src/features/palette/search-targets.ts';
import { searchInput, type TypedKey, typeAhead } from '../../src/renderer/src/shell/search.ts';
import { isShortcut, keyCaps } from '../../src/renderer/src/shell/shortcuts.ts';
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

describe('the order of matches', () => {
  it.each<[what: string, query: string, inOrder: string[]]>([
    [
      'exact, then prefix, then word starts, then letters',
      'scout',
      ['scout', 'scout-2', 'my-scout', 'ascout', 's-c-o-u-t'],
    ],
    ['the case means nothing', 'SCOUT', ['Scout', 'scout-2']],
    ['accents mean nothing', 'resume', ['résumé', 'resume-writer']],
    ['an ellipsis means nothing', 'new agent', ['New agent…', 'New agent keys']],
    ['a slash is a space', 'scout sys', ['scout/SYSTEM.md', 'my-scout/SYSTEM.md']],
    ['the shortest prefix is nearest to exact', 'ag', ['agent', 'agent-1', 'agent-10', 'agenda-keeper']],
    ['a prefix beats a word in a shorter title', 'set', ['Settings of the server', 'a-set']],
    ['each word starts one, in any order', 'sum git', ['git-summary', 'resumes-digits-m']],
    ['the inside of a word comes last', 'son', ['sonnet', 'son-net', 'a son', 'person']],
    ['a number inside a name', '4', ['4o-mini', 'gpt-4', 'gpt 4 turbo', 'a14']],
    [
      'letters of another word’s middle come last',
      'port',
      ['Port', 'port-scan', 'the port', 'Export', 'Imports'],
    ],
  ])('%s: "%s"', (_, query, inOrder) => {
    expect(ids([...inOrder].reverse(), query).slice(0, inOrder.length)).toEqual(inOrder);
    expect(ids(inOrder, query).slice(0, inOrder.length)).toEqual(inOrder);
  });

  it('finds the exact one among 10,000 that start with it, and the prefix among as many that contain it', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `port-${at}`);
    expect(ids([...many, 'port'], 'port')[0]).toBe('port');
    expect(ids([...many.map((name) => `ex${name}`), 'portal'], 'port')[0]).toBe('portal');
  });
});

describe('files in the search', () => {
  const agents = [
    { id: 'scout', workspace: false },
    { id: 'writer', workspace: true },
  ];
  const shown = (query: string, openedId: string | null = null, known: readonly EditableFile[] = []) =>
    fileTargets(fileOwners(agents, query, openedId), () => known).map(({ id, label }) => `${id}/${label}`);

  it('are those of the opened agent, or of the agent that the first words name', () => {
    expect(shown('')).toEqual([]);
    expect(shown('', 'writer').slice(0, 5)).toEqual([
      'writer/pi-args',
      'writer/SYSTEM.md',
      'writer/workspace.conf',
      'writer/skills',
      'writer/extensions',
    ]);
    expect(shown('scout/').slice(0, 4)).toEqual([
      'scout/pi-args',
      'scout/SYSTEM.md',
      'scout/skills',
      'scout/extensions',
    ]);
    for (const section of ['checks', 'sessions', 'activity', 'history', 'sell'])
      expect(shown('scout/')).toContain(`scout/${section}`);
    expect(shown('wri sys')).toContain('writer/SYSTEM.md');
    expect(shown('wri sys', 'scout')).not.toContain('scout/SYSTEM.md');
    // The name may come last, and words without any are about the opened agent.
    expect(shown('fix scout', 'writer')).toContain('scout/checks');
    expect(shown('fix scout', 'writer')).not.toContain('writer/checks');
    expect(shown('edit prompt', 'writer')).toContain('writer/SYSTEM.md');
  });

  it('are found by what people call them', () => {
    const places = fileTargets(fileOwners(agents, '', 'scout'), () => []);
    const labels = (word: string) =>
      places.filter(({ keywords }) => keywords?.split(' ').includes(word)).map(({ label }) => label);
    expect(labels('fix')).toEqual(['checks']);
    expect(labels('margin')).toEqual(['activity']);
    expect(labels('prompt')).toEqual(['SYSTEM.md', 'preview']);
  });

  it('a word names agents or begins to, and an exact name comes first', () => {
    const named = (query: string, ...all: string[]) =>
      namedAgents(
        all.map((id) => ({ id, workspace: false })),
        query,
      ).map(({ id }) => id);
    expect(named('run scout', 'scout-2', 'scout', 'writer')).toEqual(['scout', 'scout-2']);
    expect(named('SCOUT budget', 'my-scout', 'Scout')).toEqual(['Scout']);
    expect(named('w r', 'writer', 'reader')).toEqual([]);
    expect(named('ag', 'ag-1', 'ag-2', 'ag-3', 'ag-4')).toHaveLength(3);
  });

  it('include an optional one only if it exists', () => {
    expect(shown('scout workspace')).not.toContain('scout/workspace.conf');
    expect(shown('writer agent')).not.toContain('writer/AGENT.md');
    expect(shown('writer agent', null, ['AGENT.md'])).toContain('writer/AGENT.md');
  });
});

describe('the search', () => {
  const target = (group: GroupName, title: string, keywords = '') => ({
    key: `${group}:${title}`,
    title,
    keywords,
    icon: group,
    run: () => undefined,
  });
  const all = [
    target('agents', 'writer'),
    target('agents', 'night-writer'),
    target('agents', 'day-one'),
    target('agents', 'day-two'),
    target('files', 'writer/SYSTEM.md'),
    target('shared', 'git-summary', 'Summarizes commits'),
    target('models', 'claude-sonnet'),
    target('settings', 'Price interval', 'btc bitcoin refresh seconds'),
    target('settings', 'Port', 'address'),
    target('commands', 'Go to wallet'),
    target('commands', 'New agent…', 'create add'),
  ];
  const targets = Object.fromEntries(
    GROUPS.map((name) => [name, all.filter(({ icon }) => icon === name)]),
  ) as unknown as Record<GroupName, typeof all>;
  const found = (query: string, recent: readonly string[] = []) =>
    rankTargets({ targets, recent }, query).map(({ value, items }) => [
      value,
      ...items.map(({ title }) => title),
    ]);

  it('shows the group with the best match first', () => {
    expect(found('writer')[0]).toEqual(['Agents', 'writer', 'night-writer']);
    expect(found('wri sys')[0]).toEqual(['Files', 'writer/SYSTEM.md']);
    expect(found('claude')[0]).toEqual(['Models', 'claude-sonnet']);
    expect(found('walt')[0]).toEqual(['Commands', 'Go to wallet']);
    expect(found('port')[0]).toEqual(['Settings', 'Port']);
    expect(found('commits')[0]).toEqual(['Shared entries', 'git-summary']);
    expect(found('create')[0]).toEqual(['Commands', 'New agent…']);
    expect(found('zzzz')).toEqual([]);
  });

  it('ranks a title before keywords, exact before recent, and what was opened lately first among equals', () => {
    const port = { ...target('settings', 'Port', 'address'), key: 'settings:Port' };
    const found = (query: string, recent: readonly string[], more: Partial<typeof targets>) =>
      rankTargets({ targets: { ...targets, ...more }, recent }, query).flatMap(({ items }) =>
        items.map(({ title }) => title),
      );
    const commands = [target('commands', 'Go to API', 'port address'), target('commands', 'Export prices')];
    const agents = [target('agents', 'port-scan'), target('agents', 'port')];
    expect(found('port', ['agents:port-scan'], { agents, settings: [port], commands })).toEqual([
      'port',
      'port-scan',
      'Port',
      'Go to API',
      'Export prices',
    ]);
  });

  it('shows what was opened lately first, among about equal matches', () => {
    for (const [first, second] of [
      ['day-one', 'day-two'],
      ['day-two', 'day-one'],
    ])
      expect(found('day', [`agents:${first}`])[0]).toEqual(['Agents', first, second]);
  });

  it('reads ">" as commands only, and "in prompts:" as the text of prompts', () => {
    expect(parseQuery('> theme')).toEqual({ scope: 'commands', text: 'theme' });
    expect(parseQuery('In prompts: courier')).toEqual({ scope: 'prompts', text: 'courier' });
    expect(parseQuery('link: gi')).toEqual({ scope: 'links', text: 'gi' });
    expect(parseQuery('link scout: gi')).toEqual({ scope: 'links', text: 'gi', agent: 'scout' });
    expect(parseQuery('link a skill')).toEqual({ scope: 'all', text: 'link a skill' });
    expect(parseQuery('links')).toEqual({ scope: 'all', text: 'links' });
    expect(parseQuery('in prompting')).toEqual({ scope: 'all', text: 'in prompting' });
  });
});

describe('keys typed before the field has the focus', () => {
  const key = (name: string, more: Partial<TypedKey> = {}): TypedKey => ({
    key: name,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    isComposing: false,
    getModifierState: () => false,
    ...more,
  });
  const typed = (...keys: readonly TypedKey[]) => {
    searchInput.setState({ query: '', keys: [] });
    return keys.map((each) => typeAhead(each, () => undefined));
  };

  it('become the query, and wait if they act on the list', () => {
    typed(key('w'), key('x'), key('Backspace'), key('r'), key('ArrowDown'), key('Enter'));
    expect(searchInput.getState()).toEqual({ query: 'wr', keys: ['ArrowDown', 'Enter'] });
    // A letter starts again at the best match.
    typed(key('w'), key('ArrowDown'), key('r'));
    expect(searchInput.getState()).toEqual({ query: 'wr', keys: [] });
  });

  it('are left alone if they are shortcuts, but not if AltGr types them', () => {
    expect(typed(key('k', { ctrlKey: true }), key('F6'))).toEqual([false, false]);
    const altGr = { ctrlKey: true, altKey: true, getModifierState: (name: string) => name === 'AltGraph' };
    expect(typed(key('@', altGr))).toEqual([true]);
    expect(searchInput.getState().query).toBe('@');
  });

  it('cancel with Escape', () => {
    let cancelled = 0;
    typeAhead(key('Escape'), () => cancelled++);
    expect(cancelled).toBe(1);
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
    expect(isShortcut('search', press('k', { ctrlKey: true }), true, false)).toBe(true);
    expect(isShortcut('search', press('k', { metaKey: true }), true, true)).toBe(true);
    expect(isShortcut('search', press('k', { ctrlKey: true }), true, true)).toBe(false);
    expect(isShortcut('search', press('K', { ctrlKey: true, shiftKey: true }), true, false)).toBe(false);
    expect(isShortcut('search', press('k', { ctrlKey: true, altKey: true }), true, false)).toBe(false);
    expect(keyCaps({ key: 'k', mod: true }, true)).toEqual(['⌘', 'K']);
    expect(keyCaps({ key: 'k', mod: true }, false)).toEqual(['Ctrl', 'K']);
  });

  it('of single keys act in lists, and never while typing or with another key', () => {
    for (const [id, key] of [
      ['newEntry', 'n'],
      ['filter', '/'],
      ['edit', 'e'],
      ['select', 'x'],
    ] as const) {
      expect(isShortcut(id, press(key), false)).toBe(true);
      expect(isShortcut(id, press(key), true)).toBe(false);
      for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }])
        expect(isShortcut(id, press(key, held), false)).toBe(false);
    }
    expect(isShortcut('newEntry', press('N', { shiftKey: true }), false)).toBe(false);
    // The slash is on Shift+7 on a German keyboard.
    expect(isShortcut('filter', press('/', { shiftKey: true }), false)).toBe(true);
  });

  it('ignore letters typed in a field', () => {
    expect(isShortcut('shortcuts', press('?', { shiftKey: true }), false, false)).toBe(true);
    expect(isShortcut('shortcuts', press('?', { shiftKey: true }), true, false)).toBe(false);
  });
});
