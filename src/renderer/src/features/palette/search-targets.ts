import fuzzysort from 'fuzzysort';
import type { ReactNode } from 'react';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES, type EditableFile, isOptionalFile } from '../../../../shared/api/names.ts';
import type { AgentSection } from '../../routes.ts';
import type { ShortcutId } from '../../shortcuts.ts';
import { search as words } from '../../strings/palette.ts';

/** The words of a query. Each must match. */
const queryWords = (query: string): readonly string[] => query.split(/[\s/]+/).filter(Boolean);

/** The best `limit` items for a query, best first. Without a query, the first ones in their order. */
export const rank = <T>(
  items: readonly T[],
  query: string,
  textOf: (item: T) => string,
  limit: number,
): readonly T[] => {
  const typed = queryWords(query);
  if (typed.length === 0) return items.slice(0, limit);
  return fuzzysort.go(typed.join(' '), items, { key: textOf, limit, threshold: 0 }).map(({ obj }) => obj);
};

/** A file or section of an agent. */
export interface FileTarget {
  readonly id: string;
  readonly section: AgentSection;
  /** `SYSTEM.md`, `skills`. */
  readonly label: string;
}

/** The first words may match many agents. Only the files of this many are searched. */
const LOOKED_INTO = 30;

/** Returns the optional files of an agent that are known to exist. */
export type KnownFiles = (id: string) => readonly EditableFile[];

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
    })),
    { id, section: { kind: 'extensions' }, label: 'extensions' },
    { id, section: { kind: 'skills' }, label: 'skills' },
  ];
};

/**
 * The agents whose files and sections a query may mean, best match first: with a second word or a "/", those
 * that the words before the last one match (`scout sys`, `scout/skills`). Otherwise the opened agent.
 */
export const fileOwners = (
  agents: readonly AgentListEntry[],
  query: string,
  openedId: string | null,
): readonly AgentListEntry[] => {
  const typed = queryWords(query);
  const isPath = query.endsWith('/');
  if (typed.length > 1 || (typed.length === 1 && isPath)) {
    return rank(agents, (isPath ? typed : typed.slice(0, -1)).join(' '), ({ id }) => id, LOOKED_INTO);
  }
  return agents.filter(({ id }) => id === openedId);
};

/** The files and sections that a query may mean. The search ranks them. */
export const fileTargets = (owners: readonly AgentListEntry[], knownFiles: KnownFiles): FileTarget[] =>
  owners.flatMap((agent) => placesOf(agent, knownFiles));

/** The groups of the search, in the order in which equally good ones are shown. */
export const GROUPS = ['agents', 'files', 'skills', 'models', 'settings', 'commands'] as const;

/** One of {@link GROUPS}. */
export type GroupName = (typeof GROUPS)[number];

/** Something that the search can open or do. */
export interface SearchTarget {
  /** Unique, such as `agent:scout`. Also its key among the recent ones. */
  readonly key: string;
  readonly title: string;
  /** Which agent, section or provider it belongs to. */
  readonly detail?: string;
  /** Other words that find it. */
  readonly keywords?: string;
  readonly icon: GroupName | 'prompts';
  readonly shortcut?: ShortcutId;
  /** Replaces the title on the screen, such as by one with marked letters. */
  readonly shown?: ReactNode;
  readonly run: () => void;
}

/** Targets under one heading. */
export interface TargetGroup {
  readonly value: string;
  readonly items: readonly SearchTarget[];
}

/** The targets by group, and the keys of the recent ones, newest first. */
export interface RankOptions {
  readonly targets: Readonly<Record<GroupName, readonly SearchTarget[]>>;
  readonly recent: readonly string[];
}

/** Nobody reads a longer list. The next letter shortens it. */
const LIMITS: Readonly<Record<GroupName, number>> = {
  agents: 10,
  files: 8,
  skills: 6,
  models: 6,
  settings: 6,
  commands: 8,
};

// Scattered letters find an agent, but elsewhere they find too much.
const THRESHOLDS: Partial<Record<GroupName, number>> = { agents: 0, files: 0 };
const THRESHOLD = 0.28;
/** What was opened lately comes first among matches of about the same quality. */
const RECENT_BONUS = 0.05;

interface Ranked {
  readonly score: number;
  readonly group: TargetGroup;
}

const rankOne = (name: GroupName, { targets, recent }: RankOptions, query: string): Ranked | null => {
  const found = fuzzysort
    .go(query, targets[name], {
      key: ({ title, keywords = '' }) => `${title} ${keywords}`,
      // More than are shown, so that a recent one among them can move up.
      limit: LIMITS[name] * 4,
      threshold: THRESHOLDS[name] ?? THRESHOLD,
    })
    .map(({ obj, score }) => ({ obj, score: score + (recent.includes(obj.key) ? RECENT_BONUS : 0) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, LIMITS[name]);
  const [best] = found;
  if (!best) return null;
  return { score: best.score, group: { value: words.groups[name], items: found.map(({ obj }) => obj) } };
};

/** The matches of a query in all groups: the group with the best match first. */
export const rankTargets = (options: RankOptions, query: string): readonly TargetGroup[] => {
  const joined = queryWords(query).join(' ');
  return GROUPS.map((name) => rankOne(name, options, joined))
    .filter((ranked) => ranked !== null)
    .sort((a, b) => b.score - a.score)
    .map(({ group }) => group);
};

/** What a query asks for: commands only after ">", and the text of prompts only after "in prompts:". */
interface ParsedQuery {
  readonly scope: 'all' | 'commands' | 'prompts';
  readonly text: string;
}

/** Reads the prefix of a query. */
export const parseQuery = (query: string): ParsedQuery => {
  if (query.startsWith('>')) return { scope: 'commands', text: query.slice(1).trim() };
  const prompts = /^in prompts?:/i.exec(query);
  if (prompts) return { scope: 'prompts', text: query.slice(prompts[0].length).trim() };
  return { scope: 'all', text: query };
};
