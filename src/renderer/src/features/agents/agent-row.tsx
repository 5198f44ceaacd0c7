import { Check } from 'lucide-react';
import { type MouseEvent, memo } from 'react';
import { Link } from 'wouter';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import type { AgentBudget } from '../../../../shared/api/budgets.ts';
import type { AgentCheckCounts } from '../../../../shared/api/checks.ts';
import type { AgentLinkCounts } from '../../../../shared/api/links.ts';
import { strings } from '../../strings.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { cx } from '../../ui/cx.ts';
import { UnsavedDot } from '../../ui/unsaved-dot.tsx';
import { AgentBadges } from './agent-badges.tsx';

/** The height of every row. */
export const ROW_HEIGHT_PX = 32;

/** The DOM id of the search field, which gets the focus when the focused element disappears. */
export const AGENT_SEARCH_ID = 'agent-search';

/** How a press on a row selects: this agent too, or all up to it. */
export type SelectHow = 'toggle' | 'extend';

/** The DOM id of an agent's option, for `aria-activedescendant`. */
export const optionId = (id: string): string => `agent-option-${id}`;

interface AgentRowProps {
  readonly agent: AgentListEntry;
  readonly links: AgentLinkCounts | undefined;
  readonly checks: AgentCheckCounts | undefined;
  readonly budget: AgentBudget | undefined;
  readonly index: number;
  /** The number of all rows, including those out of sight. */
  readonly count: number;
  readonly isOpen: boolean;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  /** Whether any agent is chosen, so that the rows say which. */
  readonly isChoosing: boolean;
  readonly isUnsaved: boolean;
  readonly path: string;
  readonly onActivate: (id: string) => void;
  readonly onSelect: (id: string, how: SelectHow) => void;
}

/** An agent as an option of the list. Memoized, so that scrolling renders only new rows. */
export const AgentRow = memo((props: AgentRowProps) => {
  const {
    agent,
    links,
    checks,
    budget,
    index,
    count,
    isOpen,
    isActive,
    isChosen,
    isChoosing,
    isUnsaved,
    path,
  } = props;
  const { onActivate, onSelect } = props;
  // Captured, because the link ignores presses with these keys and the browser would open a new tab.
  const select = (event: MouseEvent): void => {
    const onMark = event.target instanceof Element && event.target.closest('[data-select]') !== null;
    if (!event.shiftKey && !event.ctrlKey && !event.metaKey && !onMark) return;
    event.preventDefault();
    event.stopPropagation();
    onSelect(agent.id, event.shiftKey ? 'extend' : 'toggle');
  };
  return (
    <Link
      id={optionId(agent.id)}
      href={path}
      role="option"
      tabIndex={-1}
      aria-selected={isChoosing ? isChosen : isOpen}
      aria-current={isOpen ? 'page' : undefined}
      aria-setsize={count}
      aria-posinset={index + 1}
      // Keeps the focus on the list or the search field, which handle the arrow keys.
      onMouseDown={(event) => event.preventDefault()}
      onClickCapture={select}
      onClick={() => onActivate(agent.id)}
      style={{ height: ROW_HEIGHT_PX, transform: `translateY(${index * ROW_HEIGHT_PX}px)` }}
      className={cx(
        'group/row absolute inset-x-0 top-0 flex items-center gap-2 rounded-md px-2.5',
        isOpen || isChosen ? 'bg-selected' : 'hover:bg-hover',
        isOpen && 'font-medium',
        isActive && 'group-focus-within/agents:group-data-keys/agents:ring-2 ring-accent ring-inset',
      )}
    >
      <Mark id={agent.id} isChosen={isChosen} isChoosing={isChoosing} />
      <span className="min-w-0 flex-1 truncate" data-details="">
        {agent.id}
      </span>
      {isUnsaved && <UnsavedDot />}
      <AgentBadges agent={agent} links={links} checks={checks} budget={budget} />
    </Link>
  );
});

/** The avatar. A press on it selects the agent, and it shows a box for that under the pointer. */
const Mark = ({ id, isChosen, isChoosing }: { id: string; isChosen: boolean; isChoosing: boolean }) => (
  <span
    aria-hidden="true"
    data-select
    data-details={strings.agents.select(id)}
    className="relative flex shrink-0"
  >
    <span className={cx('flex', isChoosing ? 'invisible' : 'group-hover/row:invisible')}>
      <Avatar id={id} />
    </span>
    <span
      className={cx(
        'absolute inset-0.5 items-center justify-center rounded border',
        isChosen ? 'border-accent bg-accent text-on-accent' : 'border-line-strong bg-canvas',
        isChoosing ? 'flex' : 'hidden group-hover/row:flex',
      )}
    >
      {isChosen && <Check className="size-3" strokeWidth={3} />}
    </span>
  </span>
);
