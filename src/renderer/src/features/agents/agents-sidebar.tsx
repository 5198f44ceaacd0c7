import { Plus } from 'lucide-react';
import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { useDraftedAgents } from '../../drafts/use-drafts.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { matcher } from '../../ui/matches.ts';
import { SearchField } from '../../ui/search-field.tsx';
import { AgentList, useAgentRows } from './agent-list.tsx';
import { optionId } from './agent-row.tsx';
import { HiddenFolders } from './hidden-folders.tsx';
import { useActiveOption } from './use-active-option.ts';
import { useLinkCounts } from './use-link-counts.ts';

const LIST_ID = 'agent-list';

/** The DOM id of the search field, which gets the focus when the focused element disappears. */
export const AGENT_SEARCH_ID = 'agent-search';

interface AgentsSidebarProps {
  readonly agents: readonly AgentListEntry[];
  readonly openedId: string | null;
  readonly pathOf: (id: string) => string;
  readonly onNew: () => void;
}

/** The searchable list of agents. Arrow keys and Enter work in the search field and in the list. */
export const AgentsSidebar = ({ agents, openedId, pathOf, onNew }: AgentsSidebarProps) => {
  const [, navigate] = useLocation();
  const [query, setQuery] = useState('');
  const [usesKeys, setUsesKeys] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const unsaved = useDraftedAgents();
  const links = useLinkCounts();
  const found = useMemo(() => {
    const matches = matcher(query);
    return agents.filter((agent) => matches(agent.id));
  }, [agents, query]);
  const ids = useMemo(() => found.map((agent) => agent.id), [found]);
  const rows = useAgentRows(scroller, found);
  const option = useActiveOption(ids, openedId, rows.scrollToIndex, (id) => navigate(pathOf(id)));
  const active = found[option.index];

  const onSearchKey = (event: KeyboardEvent<HTMLElement>): void => {
    // While the field has text, Home and End move its caret.
    if (query !== '' && (event.key === 'Home' || event.key === 'End')) return;
    if (option.onKeyDown(event)) setUsesKeys(true);
  };
  const onListKey = (event: KeyboardEvent<HTMLElement>): void => {
    if (option.onKeyDown(event)) {
      setUsesKeys(true);
    } else if (
      event.key.length === 1 &&
      event.key !== ' ' &&
      !event.ctrlKey &&
      !event.metaKey &&
      !event.altKey
    ) {
      // Type to filter: moving the focus now makes the character land in the search field.
      search.current?.focus();
    }
  };
  const filter = (text: string): void => {
    setQuery(text);
    rows.scrollToOffset(0);
  };

  const words = strings.agents;
  return (
    <div
      className="group/agents flex min-h-0 flex-1 flex-col"
      data-keys={usesKeys || undefined}
      onPointerMove={() => setUsesKeys(false)}
    >
      <div className="flex h-12 shrink-0 items-center gap-2 pr-3 pl-4.5">
        <h1 className="font-semibold">{words.heading}</h1>
        <span role="status" className="mr-auto truncate text-sm text-muted">
          <span aria-hidden="true">{found.length.toLocaleString('en')}</span>
          <span className="sr-only">
            {query === '' ? words.count(agents.length) : words.matches(found.length)}
          </span>
        </span>
        <Button variant="quiet" size="small" onClick={onNew}>
          <Plus aria-hidden="true" className="size-3.5" />
          {strings.newAgent.open}
        </Button>
      </div>
      <div className="px-3 pb-2">
        <SearchField
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
      {found.length === 0 && (
        <p className="px-4.5 py-2 break-words text-muted">{strings.common.noMatch(query)}</p>
      )}
      <AgentList
        id={LIST_ID}
        scroller={scroller}
        rows={rows}
        agents={found}
        openedId={openedId}
        activeIndex={option.index}
        unsaved={unsaved}
        links={links}
        pathOf={pathOf}
        onActivate={option.setId}
        onKeyDown={onListKey}
      />
      <HiddenFolders />
    </div>
  );
};
