import { useQuery } from '@tanstack/react-query';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useDeferredValue, useEffect, useEffectEvent } from 'react';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { budgetsQuery } from '../../api/queries.ts';
import { strings } from '../../strings.ts';
import { AgentRow, optionId, ROW_HEIGHT_PX, type SelectHow } from './agent-row.tsx';
import type { CheckCounts } from './use-check-counts.ts';
import type { LinkCounts } from './use-link-counts.ts';

/** Virtualizes a list of any length: only visible rows are in the DOM. */
export const useAgentRows = (scroller: RefObject<HTMLElement | null>, agents: readonly AgentListEntry[]) =>
  useVirtualizer({
    count: agents.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 10,
  });

interface AgentListProps {
  readonly id: string;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly rows: Virtualizer<HTMLElement, Element>;
  readonly agents: readonly AgentListEntry[];
  readonly openedId: string | null;
  readonly activeIndex: number;
  /** The agents that are chosen for an action. */
  readonly chosen: ReadonlySet<string>;
  readonly unsaved: ReadonlySet<string>;
  readonly links: LinkCounts;
  readonly checks: CheckCounts;
  readonly pathOf: (id: string) => string;
  readonly onActivate: (id: string) => void;
  readonly onSelect: (id: string, how: SelectHow) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/** The agents as a listbox. The focus stays on the list, and the active option moves. */
export const AgentList = (props: AgentListProps) => {
  const { id, scroller, rows, agents, openedId, activeIndex, chosen, unsaved } = props;
  const { links, checks, pathOf, onActivate, onSelect, onKeyDown } = props;
  const budgets = useQuery(budgetsQuery()).data;
  const active = agents[activeIndex];
  // Defer the rows to a concurrent render, because rendering them all at once blocks one long frame.
  const hasRows = useDeferredValue(true, false);
  const inSight = hasRows ? rows.getVirtualItems().map(({ index }) => index) : [];
  // Keep the active option in the DOM when it is out of sight, because aria-activedescendant names it.
  const shown = hasRows && active && !inSight.includes(activeIndex) ? [...inSight, activeIndex] : inSight;

  const scrollTo = useEffectEvent((agentId: string) => {
    const index = agents.findIndex((agent) => agent.id === agentId);
    if (index >= 0) rows.scrollToIndex(index, { align: 'auto' });
  });
  const hasAgents = agents.length > 0;
  // Once, when an agent opens.
  useEffect(() => {
    if (hasAgents && openedId !== null) scrollTo(openedId);
  }, [openedId, hasAgents]);

  return (
    <div
      ref={scroller}
      id={id}
      role="listbox"
      tabIndex={0}
      aria-label={strings.agents.listLabel}
      aria-multiselectable
      aria-activedescendant={active && optionId(active.id)}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 focus-visible:-outline-offset-2"
    >
      <div role="presentation" className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map((index) => {
          const agent = agents[index];
          return (
            agent && (
              <AgentRow
                key={agent.id}
                agent={agent}
                links={links.get(agent.id)}
                checks={checks.get(agent.id)}
                budget={budgets?.get(agent.id)}
                index={index}
                count={agents.length}
                isOpen={agent.id === openedId}
                isActive={index === activeIndex}
                isUnsaved={unsaved.has(agent.id)}
                path={pathOf(agent.id)}
                isChosen={chosen.has(agent.id)}
                isChoosing={chosen.size > 0}
                onActivate={onActivate}
                onSelect={onSelect}
              />
            )
          );
        })}
      </div>
    </div>
  );
};
