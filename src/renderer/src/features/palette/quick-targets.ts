import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES, type EditableFile, isOptionalFile } from '../../../../shared/api/names.ts';
import type { Section } from '../../routes.ts';
import { fuzzyScore, queryWords, rank } from './fuzzy.ts';

/** A place that quick open jumps to: an agent, or one of its files or sections. */
export interface QuickTarget {
  readonly id: string;
  /** What of the agent; undefined opens it where agents open. */
  readonly section?: Section | undefined;
  /** `SYSTEM.md`, `skills`. */
  readonly label?: string | undefined;
}

/** No list that long is read; the next letter shortens it. */
const LIMIT = 30;
/** With several words the first may name many agents and the last the file; so many agents are looked into. */
const LOOKED_INTO = 30;

/** Tells which optional files of an agent are known to be there. */
export type KnownFiles = (id: string) => readonly EditableFile[];

const placesOf = ({ id, workspace }: AgentListEntry, knownFiles: KnownFiles): QuickTarget[] => {
  // An optional file is offered where it is known to be there: opening another would make one.
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

/** The agents whose files and sections a query may mean, the likeliest first. */
export const quickOwners = (
  agents: readonly AgentListEntry[],
  query: string,
  openedId: string | null,
): readonly AgentListEntry[] => {
  const words = queryWords(query);
  const isPath = query.endsWith('/');
  if (words.length > 1 || (words.length === 1 && isPath)) {
    return rank(agents, (isPath ? words : words.slice(0, -1)).join(' '), ({ id }) => id, LOOKED_INTO);
  }
  return agents.filter(({ id }) => id === openedId);
};

/**
 * What a query means. One word names agents; with a second, or a "/", the last names a file or section of those that the
 * others name (`scout sys`, `scout/skills`). The opened agent comes first, and its files, since they are near.
 */
export const quickTargets = (
  agents: readonly AgentListEntry[],
  query: string,
  openedId: string | null,
  knownFiles: KnownFiles,
): readonly QuickTarget[] => {
  const words = queryWords(query);
  const owners = quickOwners(agents, query, openedId);
  if (words.length === 0) {
    const others = agents.filter(({ id }) => id !== openedId).slice(0, LIMIT);
    return [
      ...owners.flatMap((agent) => placesOf(agent, knownFiles)),
      ...others.map(({ id }) => ({ id })),
    ].slice(0, LIMIT);
  }

  const named: readonly QuickTarget[] = rank(agents, query, ({ id }) => id, LIMIT).map(({ id }) => ({ id }));
  const wanted = query.endsWith('/') ? '' : (words.at(-1) ?? '');
  const places = owners
    .flatMap((agent, order) => placesOf(agent, knownFiles).map((target) => ({ target, order })))
    .map((place) => ({ ...place, score: fuzzyScore(wanted, place.target.label ?? '') }))
    .filter(({ score }) => score !== null)
    // Of the best agent first; a file of it that fits better above one that fits less.
    .sort((a, b) => a.order - b.order || (b.score ?? 0) - (a.score ?? 0))
    .map(({ target }) => target);
  return [...named, ...places].slice(0, LIMIT);
};
