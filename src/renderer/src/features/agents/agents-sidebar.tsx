import { Plus } from 'lucide-react';
import { type KeyboardEvent, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { type Statuses, useStatuses } from '../../agent/agent-status.tsx';
import { useDraftedAgents } from '../../drafts/use-drafts.ts';
import { paths } from '../../routes.ts';
import { editFile } from '../../shell/intents.ts';
import { ariaKeys, useShortcuts } from '../../shell/shortcuts.ts';
import { newAgent as newAgentWords, agents as words } from '../../strings/agents.ts';
import { common } from '../../strings/common.ts';
import { Button } from '../../ui/button.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { matcher } from '../../ui/matches.ts';
import { PAGE_TITLE } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { useActiveOption } from '../../ui/use-active-option.ts';
import { AGENT_SEARCH_ID, AgentList, optionId, type SelectHow, useAgentRows } from './agent-list.tsx';
import { HiddenFolders } from './hidden-folders.tsx';
import { type CheckCounts, type LinkCounts, useCheckCounts, useLinkCounts } from './use-agents.ts';
import { toggled, useSelection } from './use-selection.ts';

/** The list's filters. An agent must match all that are on. */
const AGENT_FILTERS = ['waiting', 'running', 'broken', 'problems', 'workspace'] as const;

type AgentFilter = (typeof AGENT_FILTERS)[number];

/** Facts about the agents that the filters and rows need, in addition to the list. */
interface AgentFacts {
  readonly links: LinkCounts;
  readonly checks: CheckCounts;
  readonly statuses: Statuses;
}

const TESTS: Readonly<Record<AgentFilter, (agent: AgentListEntry, about: AgentFacts) => boolean>> = {
  waiting: ({ id }, { statuses }) => statuses.get(id)?.state === 'waiting',
  running: ({ id }, { statuses }) => statuses.get(id)?.state === 'running',
  broken: ({ id }, { links }) => (links.get(id)?.brokenLinks ?? 0) > 0,
  problems: ({ id, missingFiles, problem }, { links, checks }) => {
    const { errors = 0, warnings = 0 } = checks.get(id) ?? {};
    return (missingFiles ?? problem ?? links.get(id)?.problem) !== undefined || errors + warnings > 0;
  },
  workspace: ({ workspace }) => workspace,
};

/** The agents that match the text and all filters, and how many agents each filter matches. */
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
  const counts = { waiting: 0, running: 0, broken: 0, problems: 0, workspace: 0 };
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

/** Shows the filters that match at least one agent, and any that are on. */
const FilterBar = ({ counts, chosen, onToggle }: FilterBarProps) => {
  const shown = AGENT_FILTERS.filter((filter) => counts[filter] > 0 || chosen.has(filter));
  if (shown.length === 0) return null;
  return (
    <fieldset aria-label={words.filters} className="flex min-w-0 flex-wrap gap-x-0.5 gap-y-1 px-3 pb-2">
      {shown.map((filter) => (
        <button
          key={filter}
          type="button"
          aria-pressed={chosen.has(filter)}
          onClick={() => onToggle(filter)}
          className="flex h-5.5 items-center gap-0.5 rounded-full border border-line px-1.5 text-xs text-muted transition-colors duration-100 hover:bg-hover hover:text-ink aria-pressed:border-transparent aria-pressed:bg-selected aria-pressed:text-ink"
        >
          {words.filter[filter]} <span className="tabular-nums">{counts[filter].toLocaleString('en')}</span>
        </button>
      ))}
    </fieldset>
  );
};

const SelectionBar = lazyView(async () => (await import('./selection-bar.tsx')).SelectionBar, 'part');

const LIST_ID = 'agent-list';

interface AgentsSidebarProps {
  readonly agents: readonly AgentListEntry[];
  readonly openedId: string | null;
  readonly pathOf: (id: string) => string;
  readonly onNew: () => void;
}

/** Returns the filters in a link to the list, such as `?filter=problems`. */
const linkedFilters = (): ReadonlySet<AgentFilter> => {
  const requested = new URLSearchParams(window.location.search).getAll('filter');
  return new Set(AGENT_FILTERS.filter((filter) => requested.includes(filter)));
};

/** The searchable list of agents. Arrow keys and Enter work in the search field and in the list. */
export const AgentsSidebar = ({ agents, openedId, pathOf, onNew }: AgentsSidebarProps) => {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [usesKeys, setUsesKeys] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const unsaved = useDraftedAgents();
  const links = useLinkCounts();
  const checks = useCheckCounts();
  const statuses = useStatuses();
  const about = useMemo(() => ({ links, checks, statuses }), [links, checks, statuses]);
  const [filters, setFilters] = useState(linkedFilters);
  const { found, counts } = useMemo(
    () => filterAgents(agents, about, query, filters),
    [agents, about, query, filters],
  );
  const ids = useMemo(() => found.map((agent) => agent.id), [found]);
  const rows = useAgentRows(scroller, found);
  const option = useActiveOption(ids, openedId, rows.scrollToIndex, (id) => navigate(pathOf(id)));
  const active = found[option.index];
  const selection = useSelection(agents);
  const select = (id: string, how: SelectHow): void => {
    if (how === 'extend') selection.extend(ids, id, active?.id ?? null);
    else selection.toggle(id);
    option.setId(id);
  };
  // Stable, so that selecting an agent redraws only the rows that change.
  const latestSelect = useRef(select);
  useLayoutEffect(() => {
    latestSelect.current = select;
  });
  const onSelect = useCallback((id: string, how: SelectHow) => latestSelect.current(id, how), []);

  const onSearchKey = (event: KeyboardEvent<HTMLElement>): void => {
    // While the field has text, Home and End move the caret.
    if (query !== '' && (event.key === 'Home' || event.key === 'End')) return;
    if (option.onKeyDown(event)) setUsesKeys(true);
  };
  /** Selects with keys: Space, Shift with an arrow, Ctrl+A, and Escape to clear. */
  const selectByKey = (event: KeyboardEvent<HTMLElement>): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // In the search field, Space is a character.
    const types = event.target instanceof HTMLInputElement;
    if (event.key === ' ' && active && !types) selection.toggle(active.id);
    else if (event.key === 'Escape' && selection.chosen.length > 0) selection.clear();
    else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) selection.all(ids);
    else if (event.shiftKey && step !== undefined && active) {
      selection.extend(ids, active.id, active.id);
      option.onKeyDown(event);
      const next = ids[option.index + step];
      if (next !== undefined) selection.extend(ids, next, active.id);
    } else return false;
    event.preventDefault();
    return true;
  };
  const onListKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (selectByKey(event) || option.onKeyDown(event)) setUsesKeys(true);
  };
  const sidebar = useRef<HTMLDivElement>(null);
  /**
   * Returns the agent that a single-key shortcut applies to: the marked one while the list has focus, otherwise the opened one.
   */
  const agentOfKey = (): string | undefined =>
    sidebar.current?.contains(document.activeElement) ? active?.id : (openedId ?? active?.id);
  useShortcuts({
    newEntry: onNew,
    edit: () => {
      const id = agentOfKey();
      if (id !== undefined) editFile(id, 'SYSTEM.md', navigate);
    },
    select: () => {
      const id = agentOfKey();
      // A narrow window shows either the list or an agent.
      if (id === undefined || !sidebar.current?.checkVisibility()) return;
      select(id, 'toggle');
      setUsesKeys(true);
    },
  });
  const filter = (text: string): void => {
    setQuery(text);
    rows.scrollToOffset(0);
    // Enter opens the first match, even if another agent is open.
    const first = text === '' ? undefined : filterAgents(agents, about, text, filters).found[0];
    if (first) option.setId(first.id);
    setUsesKeys(true);
  };

  const isFiltered = query !== '' || filters.size > 0;
  // When an agent is open, its name is the page's heading.
  const Heading = openedId === null ? 'h1' : 'h2';
  return (
    <div
      ref={sidebar}
      className="group/agents flex min-h-0 flex-1 flex-col"
      data-keys={usesKeys || undefined}
      onPointerMove={() => setUsesKeys(false)}
    >
      <div className="flex h-12 shrink-0 items-center gap-2 pr-3 pl-4.5">
        <Heading className={PAGE_TITLE}>{words.heading}</Heading>
        <span role="status" className="mr-auto truncate text-sm text-muted">
          <span aria-hidden="true">
            {isFiltered ? words.shown(found.length, agents.length) : agents.length.toLocaleString('en')}
          </span>
          <span className="sr-only">
            {isFiltered ? words.matches(found.length) : words.count(agents.length)}
          </span>
        </span>
        <Button variant="quiet" size="small" aria-keyshortcuts={ariaKeys('newEntry')} onClick={onNew}>
          <Plus aria-hidden="true" className="size-3.5" />
          <span className="max-icons:sr-only">{newAgentWords.open}</span>
        </Button>
      </div>
      <div className="px-3 pb-2">
        <SearchField
          isMain
          ref={search}
          id={AGENT_SEARCH_ID}
          label={words.search}
          value={query}
          onValueChange={filter}
          onKeyDown={onSearchKey}
          role="combobox"
          aria-expanded="true"
          aria-controls={LIST_ID}
          aria-autocomplete="list"
          aria-activedescendant={active && optionId(active.id)}
        />
      </div>
      <FilterBar
        counts={counts}
        chosen={filters}
        onToggle={(name) => {
          setFilters((chosen) => toggled({ chosen, anchor: null }, name).chosen);
          rows.scrollToOffset(0);
        }}
      />
      {found.length === 0 && (
        <div className="flex flex-col items-start gap-2 px-4.5 py-2">
          <p className="break-words text-muted">
            {filters.size > 0 ? words.noneFound : common.noMatch(query)}
          </p>
          {filters.size > 0 && (
            <Button
              size="small"
              onClick={() => {
                setFilters(new Set());
                setQuery('');
                search.current?.focus();
              }}
            >
              {words.clearFilters}
            </Button>
          )}
        </div>
      )}
      <AgentList
        id={LIST_ID}
        scroller={scroller}
        rows={rows}
        agents={found}
        openedId={openedId}
        activeIndex={option.index}
        chosen={selection.has}
        unsaved={unsaved}
        links={links}
        checks={checks}
        statuses={statuses}
        pathOf={pathOf}
        onActivate={option.setId}
        onSelect={onSelect}
        onKeyDown={onListKey}
      />
      <HiddenFolders />
      {selection.chosen.length > 0 && (
        <SelectionBar
          ids={selection.chosen}
          openedId={openedId}
          onClear={() => {
            selection.clear();
            search.current?.focus();
          }}
          onLeave={(next) => navigate(next === null ? paths.agents : paths.agent(next))}
        />
      )}
    </div>
  );
};
