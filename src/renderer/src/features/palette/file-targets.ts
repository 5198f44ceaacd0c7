import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES, type EditableFile, isOptionalFile } from '../../../../shared/api/names.ts';
import type { Section } from '../../routes.ts';
import { queryWords, rank } from './fuzzy.ts';

/** A file or section of an agent. */
export interface FileTarget {
  readonly id: string;
  readonly section: Section;
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
  const words = queryWords(query);
  const isPath = query.endsWith('/');
  if (words.length > 1 || (words.length === 1 && isPath)) {
    return rank(agents, (isPath ? words : words.slice(0, -1)).join(' '), ({ id }) => id, LOOKED_INTO);
  }
  return agents.filter(({ id }) => id === openedId);
};

/** The files and sections that a query may mean. The search ranks them. */
export const fileTargets = (owners: readonly AgentListEntry[], knownFiles: KnownFiles): FileTarget[] =>
  owners.flatMap((agent) => placesOf(agent, knownFiles));
