import type { CellState } from '../../../shared/api/links.ts';
import type { LinkKind } from '../../../shared/api/names.ts';
import { counted, forKinds } from './link-kinds.ts';
import { list, many, number } from './words.ts';

/** How many selected columns are named. */
const MOST_NAMES = 3;

const cells = (count: number): string => many(count, 'link', 'links');

/** Strings for the matrix of agents and shared entries. */
export const matrix = {
  heading: 'Matrix',
  description: 'Select a cell to link or unlink it.',
  kinds: 'Kind of shared entries',
  backToCatalog: 'Catalog',
  grid: forKinds((plural) => `Agents and ${plural}`),
  filterAgents: 'Filter agents',
  filterEntries: forKinds((plural) => `Filter ${plural}`),
  corner: 'Agent',
  state: {
    none: 'not linked',
    linked: 'linked',
    local: 'only in this agent',
    broken: 'broken link',
    shadowed: 'linked, but another entry of this agent has the same name',
    switchedOff: 'linked, but settings.json switches it off',
  } satisfies Record<CellState, string>,
  legend: {
    linked: 'Linked',
    shadowed: 'Shadowed',
    switchedOff: 'Linked, switched off',
    local: 'Only in the agent',
    broken: 'Broken',
  } satisfies Record<Exclude<CellState, 'none'>, string>,
  onlySelected: (agents: number): string => `Show only ${many(agents, 'agent', 'agents')}`,
  legendLabel: 'Legend',
  cell: (name: string, agent: string, state: string): string => `${name} for ${agent}: ${state}`,
  isMissing: 'not in the catalog',
  keys: 'Arrow keys move, and Space links or unlinks. Shift+Space selects the agent, and Ctrl+Space selects the column.',
  target: (kind: LinkKind, names: readonly string[], agents: number): string =>
    `${names.length > MOST_NAMES ? counted(kind, names.length) : list.format(names)} in ${many(agents, 'agent', 'agents')}`,
  selectedAgents: (agents: number): string => many(agents, 'agent selected', 'agents selected'),
  selection: 'Actions on the selection',
  link: 'Link',
  unlink: 'Unlink',
  sameAs: 'Copy links from…',
  clear: 'Clear selection',
  sameTitle: (count: number): string => `Copy another agent’s links to ${many(count, 'agent', 'agents')}`,
  source: 'Agent to copy from',
  alsoUnlink: 'Unlink what that agent doesn’t have',
  sameSummary: (link: number, unlink: number): string =>
    link + unlink === 0
      ? 'They already match.'
      : `Adds ${cells(link)} and removes ${number.format(unlink)}. You can undo it.`,
  apply: 'Apply',
  changed: (linked: number, unlinked: number): string =>
    [
      linked > 0 ? `Linked ${number.format(linked)}` : '',
      unlinked > 0 ? `Unlinked ${number.format(unlinked)}` : '',
    ]
      .filter(Boolean)
      .join(', ') || 'Nothing to change',
  failed: (count: number): string => `${cells(count)} not changed`,
  changeFailed: 'No link was changed',
  localHint: 'This entry exists only in the agent, so there’s nothing to link.',
  none: forKinds((plural) => `No shared ${plural} yet`),
  noneHint: 'The matrix shows agents and the shared entries they can link to.',
  noMatch: 'Nothing matches the filters.',
} as const;
