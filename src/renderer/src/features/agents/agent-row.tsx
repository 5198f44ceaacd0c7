import { memo } from 'react';
import { Link } from 'wouter';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import type { AgentLinkCounts } from '../../../../shared/api/links.ts';
import { cx } from '../../ui/cx.ts';
import { UnsavedDot } from '../../ui/unsaved-dot.tsx';
import { AgentBadges } from './agent-badges.tsx';

/** The height of every row. */
export const ROW_HEIGHT_PX = 32;

/** The DOM id of an agent's option, for `aria-activedescendant`. */
export const optionId = (id: string): string => `agent-option-${id}`;

interface AgentRowProps {
  readonly agent: AgentListEntry;
  readonly links: AgentLinkCounts | undefined;
  readonly index: number;
  /** The number of all rows, including those out of sight. */
  readonly count: number;
  readonly isOpen: boolean;
  readonly isActive: boolean;
  readonly isUnsaved: boolean;
  readonly path: string;
  readonly onActivate: (id: string) => void;
}

/** An agent as an option of the list. Memoized, so that scrolling renders only new rows. */
export const AgentRow = memo((props: AgentRowProps) => {
  const { agent, links, index, count, isOpen, isActive, isUnsaved, path, onActivate } = props;
  return (
    <Link
      id={optionId(agent.id)}
      href={path}
      role="option"
      tabIndex={-1}
      aria-selected={isOpen}
      aria-setsize={count}
      aria-posinset={index + 1}
      // Keeps the focus on the list or the search field, which handle the arrow keys.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onActivate(agent.id)}
      style={{ height: ROW_HEIGHT_PX, transform: `translateY(${index * ROW_HEIGHT_PX}px)` }}
      className={cx(
        'absolute inset-x-0 top-0 flex items-center gap-2 rounded-md px-2.5',
        isOpen ? 'bg-selected font-medium' : 'hover:bg-hover',
        isActive && 'group-focus-within/agents:group-data-keys/agents:ring-2 ring-accent ring-inset',
      )}
    >
      <span className="min-w-0 flex-1 truncate" title={agent.id}>
        {agent.id}
      </span>
      {isUnsaved && <UnsavedDot />}
      <AgentBadges agent={agent} links={links} />
    </Link>
  );
});
