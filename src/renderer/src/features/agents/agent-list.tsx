import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useEffect } from 'react';
import { Link } from 'wouter';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import { strings } from '../../strings.ts';
import { Badge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { UnsavedDot } from '../../ui/unsaved-dot.tsx';

const ROW_HEIGHT_PX = 32;

/** The DOM id of an agent's option, for `aria-activedescendant`. */
export const optionId = (id: string): string => `agent-option-${id}`;

/** The window onto a list of any length: only the rows in sight are in the page. */
export const useAgentRows = (scroller: RefObject<HTMLElement | null>, agents: readonly AgentListEntry[]) =>
  useVirtualizer({
    count: agents.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT_PX,
    getItemKey: (index) => agents[index]?.id ?? index,
    overscan: 10,
  });

interface AgentListProps {
  readonly id: string;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly rows: Virtualizer<HTMLElement, Element>;
  readonly agents: readonly AgentListEntry[];
  readonly openedId: string | null;
  readonly activeIndex: number;
  readonly unsaved: ReadonlySet<string>;
  readonly pathOf: (id: string) => string;
  readonly onActivate: (id: string) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/** The agents as a listbox. The focus stays on the list; the active option moves. */
export const AgentList = (props: AgentListProps) => {
  const { id, scroller, rows, agents, openedId, activeIndex, unsaved, pathOf, onActivate, onKeyDown } = props;
  const active = agents[activeIndex];

  // biome-ignore lint/correctness/useExhaustiveDependencies: brings the opened agent into sight once, when it opens
  useEffect(() => {
    const index = agents.findIndex((agent) => agent.id === openedId);
    if (index >= 0) rows.scrollToIndex(index, { align: 'auto' });
  }, [openedId, agents.length > 0]);

  return (
    <div
      ref={scroller}
      id={id}
      role="listbox"
      tabIndex={0}
      aria-label={strings.agents.listLabel}
      aria-activedescendant={active && optionId(active.id)}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto px-2 pb-2 focus-visible:-outline-offset-2"
    >
      <div role="presentation" className="relative" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const agent = agents[index];
          return (
            agent && (
              <Link
                key={agent.id}
                id={optionId(agent.id)}
                href={pathOf(agent.id)}
                role="option"
                tabIndex={-1}
                aria-selected={agent.id === openedId}
                aria-setsize={agents.length}
                aria-posinset={index + 1}
                // Keeps the focus on the list or the search line, where the arrow keys are heard.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onActivate(agent.id)}
                style={{ height: ROW_HEIGHT_PX, transform: `translateY(${start}px)` }}
                className={cx(
                  'absolute inset-x-0 top-0 flex items-center gap-2 rounded-md px-2.5',
                  agent.id === openedId ? 'bg-selected font-medium' : 'hover:bg-hover',
                  index === activeIndex &&
                    'group-focus-within/agents:group-data-keys/agents:ring-2 ring-accent ring-inset',
                )}
              >
                <span className="min-w-0 flex-1 truncate" title={agent.id}>
                  {agent.id}
                </span>
                {unsaved.has(agent.id) && <UnsavedDot />}
                {agent.workspace && <Badge>{strings.agents.workspace}</Badge>}
              </Link>
            )
          );
        })}
      </div>
    </div>
  );
};
