import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { EDITABLE_FILES, isOptionalFile } from '../../../../shared/api/names.ts';
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

const sections = ({ workspace }: AgentListEntry): readonly { section: Section; label: string }[] => [
  // An optional file is offered where it is known to be there: opening another would make one.
  ...EDITABLE_FILES.filter((file) => !isOptionalFile(file) || (file === 'workspace.conf' && workspace)).map(
    (file) => ({ section: { kind: 'files', file } as const, label: file }),
  ),
  { section: { kind: 'extensions' }, label: 'extensions' },
  { section: { kind: 'skills' }, label: 'skills' },
];

const placesOf = (agent: AgentListEntry): QuickTarget[] =>
  sections(agent).map(({ section, label }) => ({ id: agent.id, section, label }));

/**
 * What a query means. One word names agents; with a second, or a "/", the last names a file or section of those that the
 * others name (`scout sys`, `scout/skills`). The opened agent comes first, and its files, since they are near.
 */
export const quickTargets = (
  agents: readonly AgentListEntry[],
  query: string,
  openedId: string | null,
): readonly QuickTarget[] => {
  const opened = agents.find(({ id }) => id === openedId);
  const words = queryWords(query);
  const last = words.at(-1) ?? '';
  if (words.length === 0) {
    const others = agents.filter((agent) => agent !== opened).slice(0, LIMIT);
    return [...(opened ? placesOf(opened) : []), ...others.map(({ id }) => ({ id }))].slice(0, LIMIT);
  }

  const named: readonly QuickTarget[] = rank(agents, query, ({ id }) => id, LIMIT).map(({ id }) => ({ id }));
  const owners =
    words.length > 1 || query.endsWith('/')
      ? rank(
          agents,
          (query.endsWith('/') ? words : words.slice(0, -1)).join(' '),
          ({ id }) => id,
          LOOKED_INTO,
        )
      : opened
        ? [opened]
        : [];
  const wanted = query.endsWith('/') ? '' : last;
  const places = owners
    .flatMap((agent, order) => placesOf(agent).map((target) => ({ target, order })))
    .map((place) => ({ ...place, score: fuzzyScore(wanted, place.target.label ?? '') }))
    .filter(({ score }) => score !== null)
    // Of the best agent first; a file of it that fits better above one that fits less.
    .sort((a, b) => a.order - b.order || (b.score ?? 0) - (a.score ?? 0))
    .map(({ target }) => target);
  return [...named, ...places].slice(0, LIMIT);
};
