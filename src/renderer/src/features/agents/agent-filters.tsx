import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { strings } from '../../strings.ts';
import { matcher } from '../../ui/matches.ts';
import type { CheckCounts } from './use-check-counts.ts';
import type { LinkCounts } from './use-link-counts.ts';

/** The filters of the list. An agent passes all that are on. */
export const AGENT_FILTERS = ['broken', 'problems', 'workspace'] as const;

/** One of {@link AGENT_FILTERS}. */
export type AgentFilter = (typeof AGENT_FILTERS)[number];

/** What is known about the agents in addition to the list. */
export interface AgentFacts {
  readonly links: LinkCounts;
  readonly checks: CheckCounts;
}

const TESTS: Readonly<Record<AgentFilter, (agent: AgentListEntry, about: AgentFacts) => boolean>> = {
  broken: ({ id }, { links }) => (links.get(id)?.brokenLinks ?? 0) > 0,
  problems: ({ id, missingFiles, problem }, { links, checks }) => {
    const { errors = 0, warnings = 0 } = checks.get(id) ?? {};
    return (missingFiles ?? problem ?? links.get(id)?.problem) !== undefined || errors + warnings > 0;
  },
  workspace: ({ workspace }) => workspace,
};

/** The agents that match the text and all filters, and how many of all agents each filter would find. */
interface FilteredAgents {
  readonly found: readonly AgentListEntry[];
  readonly counts: Readonly<Record<AgentFilter, number>>;
}

/** Filters the list of agents. */
export const filterAgents = (
  agents: readonly AgentListEntry[],
  about: AgentFacts,
  query: string,
  filters: ReadonlySet<AgentFilter>,
): FilteredAgents => {
  const matches = matcher(query);
  const counts = { broken: 0, problems: 0, workspace: 0 };
  const found = agents.filter((agent) => {
    let passes = matches(agent.id);
    for (const filter of AGENT_FILTERS) {
      const is = TESTS[filter](agent, about);
      if (is) counts[filter]++;
      else if (filters.has(filter)) passes = false;
    }
    return passes;
  });
  return { found, counts };
};

interface FilterBarProps {
  readonly counts: FilteredAgents['counts'];
  readonly chosen: ReadonlySet<AgentFilter>;
  readonly onToggle: (filter: AgentFilter) => void;
}

/** The filters that would find an agent, and those that are on. */
export const FilterBar = ({ counts, chosen, onToggle }: FilterBarProps) => {
  const shown = AGENT_FILTERS.filter((filter) => counts[filter] > 0 || chosen.has(filter));
  if (shown.length === 0) return null;
  const words = strings.agents;
  return (
    <fieldset aria-label={words.filters} className="flex min-w-0 flex-wrap gap-1 px-3 pb-2">
      {shown.map((filter) => (
        <button
          key={filter}
          type="button"
          aria-pressed={chosen.has(filter)}
          onClick={() => onToggle(filter)}
          className="flex h-5.5 items-center gap-1 rounded-full border border-line px-2 text-xs text-muted transition-colors duration-100 hover:bg-hover hover:text-ink aria-pressed:border-transparent aria-pressed:bg-selected aria-pressed:text-ink"
        >
          {words.filter[filter]} <span className="tabular-nums">{counts[filter].toLocaleString('en')}</span>
        </button>
      ))}
    </fieldset>
  );
};
