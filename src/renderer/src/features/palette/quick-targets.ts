import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES, type EditableFile, isOptionalFile } from '../../../../shared/api/names.ts';
import type { Section } from '../../routes.ts';
import { queryWords, rank } from './fuzzy.ts';

/** A target of quick open: an agent, or one of its files or sections. */
export interface QuickTarget {
  readonly id: string;
  /** The part of the agent. Undefined opens the agent's default section. */
  readonly section?: Section | undefined;
  /** `SYSTEM.md`, `skills`. */
  readonly label?: string | undefined;
}

/** Nobody reads a longer list. The next letter shortens it. */
const LIMIT = 30;
/** The first words may match many agents. Only the files of this many are searched. */
const LOOKED_INTO = 30;

/** Returns the optional files of an agent that are known to exist. */
export type KnownFiles = (id: string) => readonly EditableFile[];

const placesOf = ({ id, workspace }: AgentListEntry, knownFiles: KnownFiles): QuickTarget[] => {
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

/** The agents whose files and sections a query may mean, best match first. */
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
 * The targets that match a query. One word matches agents. With a second word or a "/", the last word matches
 * a file or section of the agents that the other words match (`scout sys`, `scout/skills`). The opened agent
 * and its files come first.
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
  const places = owners.flatMap((agent) =>
    rank(placesOf(agent, knownFiles), wanted, ({ label = '' }) => label, LIMIT),
  );
  return [...named, ...places].slice(0, LIMIT);
};
