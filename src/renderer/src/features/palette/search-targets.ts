import fuzzysort from 'fuzzysort';
import type { ReactNode } from 'react';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES, type EditableFile, isOptionalFile } from '../../../../shared/api/names.ts';
import type { AgentSection } from '../../routes.ts';
import type { ShortcutId } from '../../shell/shortcuts.ts';
import { agents as agentWords } from '../../strings/agents.ts';
import { SHOWN_KINDS } from '../../strings/link-kinds.ts';
import { search as words } from '../../strings/palette.ts';

/** Returns the words of a query. Each must match. */
const queryWords = (query: string): readonly string[] => query.split(/[\s/]+/).filter(Boolean);

/** Normalizes text for comparison: lowercase, without accents, with single spaces, and without a final ellipsis. */
const comparable = (text: string): string =>
  (/[^\0-\x7f]/.test(text) ? text.normalize('NFD').replace(/\p{M}/gu, '') : text)
    .toLowerCase()
    .replace(/[\s/]+/g, ' ')
    .replace(/…$/, '');

/** Returns whether any word in the text starts with `word`. Anything but a letter or digit ends a word. */
const startsWord = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '')) return true;
  return false;
};

/** How well text matches, best last. fuzzysort finds `letters`: scattered letters. */
const MATCHES = { letters: 0, keywords: 1, words: 2, prefix: 3, exact: 4 } as const;

/** Returns how well a title matches a query. `letters` means that it may not match at all. */
const matchOf = (typed: string, typedWords: readonly string[], title: string, keywords: string): number => {
  const text = comparable(title);
  if (text === typed) return MATCHES.exact;
  if (text.startsWith(typed)) return MATCHES.prefix;
  const starts = (all: string): boolean => typedWords.every((word) => startsWord(all, word));
  if (starts(text)) return MATCHES.words;
  return keywords !== '' && starts(`${text} ${comparable(keywords)}`) ? MATCHES.keywords : MATCHES.letters;
};

interface Ranking<T> {
  readonly titleOf: (item: T) => string;
  /** Returns other words that find an item. */
  readonly keywordsOf?: (item: T) => string;
  /** Returns whether an item sorts first among equally good ones. */
  readonly isRecent?: (item: T) => boolean;
  readonly limit: number;
  /** How good scattered letters must be, from 0 to 1. */
  readonly threshold?: number;
}

/** An item with its score. The integer part is its {@link MATCHES}. */
interface Scored<T> {
  readonly item: T;
  readonly score: number;
}

/** Among equally good matches, recent items sort first, then the shortest titles. */
const RECENT_BONUS = 0.5;
const LENGTH_BONUS = 0.4;
/** Small enough that a much better match of scattered letters beats a recent item. */
const RECENT_LETTERS_BONUS = 0.05;

/**
 * Ranks the items for a query: exact titles, then titles that start with it, then those in which each of its words
 * starts a word, then those whose keywords do, then scattered letters.
 */
const rankAll = <T>(items: readonly T[], query: string, ranking: Ranking<T>): readonly Scored<T>[] => {
  const { titleOf, keywordsOf = () => '', isRecent = () => false, limit, threshold = 0 } = ranking;
  const typed = comparable(queryWords(query).join(' '));
  const typedWords = queryWords(typed);
  const scored: Scored<T>[] = [];
  const rest: T[] = [];
  for (const item of items) {
    const title = titleOf(item);
    const match = matchOf(typed, typedWords, title, keywordsOf(item));
    const bonus =
      (isRecent(item) ? RECENT_BONUS : 0) + (LENGTH_BONUS * typed.length) / (title.length + typed.length);
    if (match === MATCHES.letters) rest.push(item);
    else scored.push({ item, score: match + bonus });
  }
  if (scored.length < limit) {
    // Find more items than are shown, so that a recent one among them can move up.
    const found = fuzzysort.go(typed, rest, {
      // Without a threshold, the letters of many keywords would match anything.
      key: (item) => (threshold > 0 ? `${titleOf(item)} ${keywordsOf(item)}` : titleOf(item)),
      limit: limit * 4,
      threshold,
    });
    for (const { obj, score } of found)
      scored.push({
        item: obj,
        score: Math.min(score + (isRecent(obj) ? RECENT_LETTERS_BONUS : 0), 1) * 0.99,
      });
  }
  return scored.sort((a, b) => b.score - a.score).slice(0, limit);
};

/** Returns the best `limit` items for a query, best first. Without a query, returns the first ones in their order. */
export const rank = <T>(
  items: readonly T[],
  query: string,
  titleOf: (item: T) => string,
  limit: number,
): readonly T[] =>
  queryWords(query).length === 0
    ? items.slice(0, limit)
    : rankAll(items, query, { titleOf, limit }).map(({ item }) => item);

/** A file or section of an agent. */
export interface FileTarget {
  readonly id: string;
  readonly section: AgentSection;
  /** For example `SYSTEM.md` or `skills`. */
  readonly label: string;
  /** Other words that find the file or section. */
  readonly keywords?: string | undefined;
}

/** How many agents' files are searched, because the first words may match many agents. */
const LOOKED_INTO = 30;

/** Returns an agent's optional files that are known to exist. */
export type KnownFiles = (id: string) => readonly EditableFile[];

/** An agent's sections other than its files. */
const SECTIONS: readonly AgentSection[] = [
  ...SHOWN_KINDS.map((kind) => ({ kind })),
  { kind: 'mcp' },
  { kind: 'checks' },
  { kind: 'prompt' },
  { kind: 'sessions', session: null },
  { kind: 'activity' },
  { kind: 'history' },
  { kind: 'sell' },
  { kind: 'models' },
  { kind: 'settings' },
  { kind: 'entries' },
];

/** Other words that people use for the files and sections. */
const PLACE_KEYWORDS: Readonly<Record<string, string>> = {
  'SYSTEM.md': 'edit prompt',
  'pi-args': 'flags',
  checks: 'fix problems errors warnings',
  mcp: 'servers tools context protocol',
  prompt: 'prompt predicted',
  sessions: 'transcripts',
  activity: 'earned spent cost margin payments',
  history: 'versions changes undo restore',
  sell: 'price customers',
  prompts: 'slash commands',
  entries: 'files directory',
  models: 'providers models.json prices api key url',
  settings: 'pi settings.json options theme compaction retry packages npm install',
};

const placesOf = ({ id, workspace }: AgentListEntry, knownFiles: KnownFiles): FileTarget[] => {
  // Opening a missing optional file would create it, so only known ones are offered.
  const known = knownFiles(id);
  const isThere = (file: EditableFile): boolean =>
    !isOptionalFile(file) || known.includes(file) || (file === 'workspace.conf' && workspace);
  return [
    ...EDITABLE_FILES.filter(isThere).map((file) => ({
      id,
      section: { kind: 'files', file } as const,
      label: file,
      keywords: PLACE_KEYWORDS[file],
    })),
    ...SECTIONS.map((section) => ({
      id,
      section,
      label: agentWords.section[section.kind].toLowerCase(),
      keywords: PLACE_KEYWORDS[section.kind],
    })),
  ];
};

/**
 * Returns the agents whose files and sections a query may mean, best match first. With a second word or a "/", these
 * are the agents that match the words before the last one (`scout sys`, `scout/skills`), or any word (`fix scout`).
 * Otherwise it's the opened agent.
 */
export const fileOwners = (
  agents: readonly AgentListEntry[],
  query: string,
  openedId: string | null,
): readonly AgentListEntry[] => {
  const typed = queryWords(query);
  const isPath = query.endsWith('/');
  if (typed.length > 1 || (typed.length === 1 && isPath)) {
    const found = rank(agents, (isPath ? typed : typed.slice(0, -1)).join(' '), ({ id }) => id, LOOKED_INTO);
    const named = found.length > 0 ? found : namedAgents(agents, query);
    if (named.length > 0) return named;
  }
  return agents.filter(({ id }) => id === openedId);
};

/** The shortest word that can match an agent's name. */
const MIN_NAME = 2;
/** How many agents' actions are offered. */
const NAMED = 3;

/**
 * Returns the agents whose names start with one of a query's words, best match first. Actions on agents that aren't
 * open need their name: `scout run`, `budget scout`.
 */
export const namedAgents = (agents: readonly AgentListEntry[], query: string): readonly AgentListEntry[] => {
  const typed = queryWords(comparable(query)).filter(({ length }) => length >= MIN_NAME);
  const isExact = ({ id }: AgentListEntry): boolean => typed.includes(comparable(id));
  return agents
    .filter(({ id }) => typed.some((word) => comparable(id).startsWith(word)))
    .sort((a, b) => Number(isExact(b)) - Number(isExact(a)))
    .slice(0, NAMED);
};

/** Returns the files and sections that a query may mean. The search ranks them. */
export const fileTargets = (owners: readonly AgentListEntry[], knownFiles: KnownFiles): FileTarget[] =>
  owners.flatMap((agent) => placesOf(agent, knownFiles));

/** The search groups. Equally good groups are shown in this order. */
export const GROUPS = ['agents', 'files', 'shared', 'models', 'settings', 'commands'] as const;

export type GroupName = (typeof GROUPS)[number];

/** Something that the search can open or do. */
export interface SearchTarget {
  /** A unique key, such as `agent:scout`, which also identifies recent targets. */
  readonly key: string;
  readonly title: string;
  /** The agent, section or provider that the target belongs to. */
  readonly detail?: string;
  /** Other words that find the target. */
  readonly keywords?: string;
  readonly icon: GroupName | 'prompts' | 'links';
  readonly shortcut?: ShortcutId;
  /** The query to show next, instead of closing. */
  readonly query?: string;
  /** Replaces the title on the screen, for example with marked letters. */
  readonly shown?: ReactNode;
  readonly run: () => void;
}

/** Targets under one heading. */
export interface TargetGroup {
  readonly value: string;
  readonly items: readonly SearchTarget[];
}

/** The targets by group, and the keys of recent targets, newest first. */
export interface RankOptions {
  readonly targets: Readonly<Record<GroupName, readonly SearchTarget[]>>;
  readonly recent: readonly string[];
}

/** How many matches each group shows. Nobody reads a longer list, and the next letter shortens it. */
const LIMITS: Readonly<Record<GroupName, number>> = {
  agents: 10,
  files: 8,
  shared: 6,
  models: 6,
  settings: 6,
  commands: 8,
};

// Scattered letters help to find an agent, but match too much elsewhere.
const THRESHOLDS: Partial<Record<GroupName, number>> = { agents: 0, files: 0 };
const THRESHOLD = 0.28;

/** Returns a query's matches in all groups: the group with the best match first. */
export const rankTargets = ({ targets, recent }: RankOptions, query: string): readonly TargetGroup[] =>
  GROUPS.map((name) => {
    const found = rankAll(targets[name], query, {
      titleOf: ({ title }) => title,
      keywordsOf: ({ keywords = '' }) => keywords,
      isRecent: ({ key }) => recent.includes(key),
      limit: LIMITS[name],
      threshold: THRESHOLDS[name] ?? THRESHOLD,
    });
    return { score: found[0]?.score, value: words.groups[name], items: found.map(({ item }) => item) };
  })
    .filter(({ items }) => items.length > 0)
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .map(({ value, items }) => ({ value, items }));

/**
 * A query with its prefix: ">" means only commands, "in prompts:" the text of prompts, "link:" what the open agent
 * can link, and "link scout:" the same for the agent scout.
 */
interface ParsedQuery {
  readonly scope: 'all' | 'commands' | 'prompts' | 'links';
  readonly text: string;
  /** The agent to link to, if it's named. */
  readonly agent?: string | undefined;
}

/** Parses a query's prefix. */
export const parseQuery = (query: string): ParsedQuery => {
  if (query.startsWith('>')) return { scope: 'commands', text: query.slice(1).trim() };
  const prompts = /^in prompts?:/i.exec(query);
  if (prompts) return { scope: 'prompts', text: query.slice(prompts[0].length).trim() };
  const link = /^link(?: ([^\s:]+))?:/i.exec(query);
  if (link) return { scope: 'links', text: query.slice(link[0].length).trim(), agent: link[1] };
  return { scope: 'all', text: query };
};
