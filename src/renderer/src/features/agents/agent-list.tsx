import { useQuery } from '@tanstack/react-query';
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  Check,
  CircleAlert,
  FileWarning,
  FolderOpen,
  Link2,
  Link2Off,
  type LucideIcon,
  PiggyBank,
  TriangleAlert,
} from 'lucide-react';
import {
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type RefObject,
  useDeferredValue,
  useEffect,
  useEffectEvent,
} from 'react';
import { Link } from 'wouter';
import type { AgentListEntry } from '../../../../shared/api/agents.ts';
import type { AgentBudget } from '../../../../shared/api/budgets.ts';
import type { AgentCheckCounts } from '../../../../shared/api/checks.ts';
import type { AgentLinkCounts } from '../../../../shared/api/links.ts';
import type { AgentStatus } from '../../../../shared/api/status.ts';
import { STATUS_ICONS, type Statuses, useStatusText } from '../../agent/agent-status.tsx';
import { budgetsQuery } from '../../api/queries.ts';
import { problemsOf, usedPercent, WARN_AT_PERCENT } from '../../attention.ts';
import { agents as words } from '../../strings/agents.ts';
import { budgets as budgetWords } from '../../strings/budgets.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { cx } from '../../ui/cx.ts';
import { UnsavedDot } from '../../ui/unsaved-dot.tsx';
import type { CheckCounts, LinkCounts } from './use-agents.ts';

/** An agent's badges in the list: status, workspace, links and problems. */
const AgentBadges = ({
  agent,
  links,
  checks,
  budget,
  status,
}: {
  readonly agent: AgentListEntry;
  /** Undefined until loaded, and for an agent without links. */
  readonly links: AgentLinkCounts | undefined;
  /** Undefined until loaded, and for an agent without findings. */
  readonly checks: AgentCheckCounts | undefined;
  /** Undefined for an agent without a budget. */
  readonly budget: AgentBudget | undefined;
  /** Undefined for an agent that reported nothing. */
  readonly status: AgentStatus | undefined;
}) => {
  const usedOfBudget = budget ? usedPercent(budget) : 0;
  const problem = agent.problem ?? links?.problem;
  const { errors = 0, warnings = 0 } = problemsOf(agent, links, checks) ?? {};
  return (
    <span className="flex shrink-0 items-center gap-2 text-xs text-muted tabular-nums">
      {status && <StatusBadge status={status} />}
      {problem && <Badge icon={TriangleAlert} label={problem.message} tone="danger" />}
      {agent.missingFiles && (
        <Badge icon={FileWarning} label={words.missing(agent.missingFiles)} tone="danger" />
      )}
      {links && links.brokenLinks > 0 && (
        <Badge
          icon={Link2Off}
          label={words.brokenLinks(links.brokenLinks)}
          count={links.brokenLinks}
          tone="warn"
        />
      )}
      {errors + warnings > 0 && (
        <Badge
          icon={errors > 0 ? CircleAlert : TriangleAlert}
          label={words.findings(errors, warnings)}
          count={errors + warnings}
          tone={errors > 0 ? 'danger' : 'warn'}
        />
      )}
      {usedOfBudget >= WARN_AT_PERCENT && (
        <Badge
          icon={PiggyBank}
          label={budget?.exceeded ? budgetWords.exceeded : budgetWords.chip(usedOfBudget)}
          tone={budget?.exceeded ? 'danger' : 'warn'}
        />
      )}
      {agent.workspace && <Badge icon={FolderOpen} label={words.workspace} />}
      {links && links.links > 0 && (
        <Badge icon={Link2} label={words.links(links.links)} count={links.links} />
      )}
    </span>
  );
};

const STATUS_TONES = { waiting: 'warn', running: 'ok', done: undefined } as const;

const StatusBadge = ({ status }: { readonly status: AgentStatus }) => {
  const tone = STATUS_TONES[status.state];
  const label = useStatusText(status);
  return <Badge icon={STATUS_ICONS[status.state]} label={label} {...(tone ? { tone } : {})} />;
};

const TONES = { ok: 'text-ok', warn: 'text-warn', danger: 'text-danger' } as const;

const Badge = ({
  icon: Icon,
  label,
  count,
  tone,
}: {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly count?: number;
  readonly tone?: keyof typeof TONES;
}) => (
  <span
    data-details={label}
    className={cx('relative flex items-center gap-0.5', tone ? TONES[tone] : 'max-icons:sr-only')}
  >
    <Icon aria-hidden="true" className="size-3" />
    {count !== undefined && <span aria-hidden="true">{count}</span>}
    <span className="sr-only">{label}</span>
  </span>
);

const ROW_HEIGHT_PX = 32;

/** The DOM id of the search field, which gets focus when the focused element disappears. */
export const AGENT_SEARCH_ID = 'agent-search';

/** How a click selects: it toggles this agent, or extends the selection to it. */
export type SelectHow = 'toggle' | 'extend';

/** Returns the DOM id of an agent's option, for `aria-activedescendant`. */
export const optionId = (id: string): string => `agent-option-${id}`;

interface AgentRowProps {
  readonly agent: AgentListEntry;
  readonly links: AgentLinkCounts | undefined;
  readonly checks: AgentCheckCounts | undefined;
  readonly budget: AgentBudget | undefined;
  readonly status: AgentStatus | undefined;
  readonly index: number;
  /** The number of rows, including those out of sight. */
  readonly count: number;
  readonly isOpen: boolean;
  readonly isActive: boolean;
  readonly isChosen: boolean;
  /** True if any agent is selected, so that the rows show their state. */
  readonly isChoosing: boolean;
  readonly isUnsaved: boolean;
  readonly path: string;
  readonly onActivate: (id: string) => void;
  readonly onSelect: (id: string, how: SelectHow) => void;
}

/** An agent as an option in the list. Memoized, so that scrolling renders only new rows. */
const AgentRow = memo((props: AgentRowProps) => {
  const {
    agent,
    links,
    checks,
    budget,
    status,
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
  // Captured, because the link ignores clicks with these keys and the browser would open a new tab.
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
      <AgentBadges agent={agent} links={links} checks={checks} budget={budget} status={status} />
    </Link>
  );
});

/** The avatar. Clicking it selects the agent. Under the pointer, it shows a checkbox. */
const Mark = ({ id, isChosen, isChoosing }: { id: string; isChosen: boolean; isChoosing: boolean }) => (
  <span aria-hidden="true" data-select data-details={words.select(id)} className="relative flex shrink-0">
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
  /** The agents selected for an action. */
  readonly chosen: ReadonlySet<string>;
  readonly unsaved: ReadonlySet<string>;
  readonly links: LinkCounts;
  readonly checks: CheckCounts;
  readonly statuses: Statuses;
  readonly pathOf: (id: string) => string;
  readonly onActivate: (id: string) => void;
  readonly onSelect: (id: string, how: SelectHow) => void;
  readonly onKeyDown: (event: KeyboardEvent<HTMLElement>) => void;
}

/** The agents as a listbox. The focus stays on the list, and the active option moves. */
export const AgentList = (props: AgentListProps) => {
  const { id, scroller, rows, agents, openedId, activeIndex, chosen, unsaved } = props;
  const { links, checks, statuses, pathOf, onActivate, onSelect, onKeyDown } = props;
  const budgets = useQuery(budgetsQuery()).data;
  const active = agents[activeIndex];
  // Defer the rows to a concurrent render, because rendering them all at once blocks one long frame.
  const hasRows = useDeferredValue(true, false);
  const inSight = hasRows ? rows.getVirtualItems().map(({ index }) => index) : [];
  // Keep the active option in the DOM when it's out of sight, because aria-activedescendant refers to it.
  const shown = hasRows && active && !inSight.includes(activeIndex) ? [...inSight, activeIndex] : inSight;

  const scrollTo = useEffectEvent((agentId: string) => {
    const index = agents.findIndex((agent) => agent.id === agentId);
    if (index >= 0) rows.scrollToIndex(index, { align: 'auto' });
  });
  const hasAgents = agents.length > 0;
  // Scroll once, when an agent opens.
  useEffect(() => {
    if (hasAgents && openedId !== null) scrollTo(openedId);
  }, [openedId, hasAgents]);

  return (
    <div
      ref={scroller}
      id={id}
      role="listbox"
      tabIndex={0}
      aria-label={words.listLabel}
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
                status={statuses.get(agent.id)}
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
