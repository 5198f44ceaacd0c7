import { useQuery } from '@tanstack/react-query';
import { CircleCheck, LoaderCircle, type LucideIcon, MessageCircleQuestionMark } from 'lucide-react';
import type { AgentStatus } from '../../../shared/api/status.ts';
import { statusQuery } from '../api/queries.ts';
import { status as words } from '../strings/status.ts';
import { cx } from '../ui/cx.ts';
import { useTimeAgo } from '../ui/time-ago.tsx';

/** Agents' statuses by id. Agents that haven't reported one are absent. */
export type Statuses = ReadonlyMap<string, AgentStatus>;

const NONE: Statuses = new Map();

/** Returns agents' statuses. Empty until loaded, so that nothing waits for them. */
export const useStatuses = (): Statuses => useQuery(statusQuery()).data ?? NONE;

/** The icon of each state. */
export const STATUS_ICONS: Readonly<Record<AgentStatus['state'], LucideIcon>> = {
  waiting: MessageCircleQuestionMark,
  running: LoaderCircle,
  done: CircleCheck,
};

const TONES: Readonly<Record<AgentStatus['state'], string>> = {
  waiting: 'text-warn',
  running: 'text-ok',
  done: 'text-muted',
};

/** Returns an agent's status in words that stay current. */
export const useStatusText = ({ state, since }: AgentStatus): string => {
  const ago = useTimeAgo(since);
  return state === 'done' ? words.done(ago) : words[state];
};

interface StatusMarkProps {
  readonly status: AgentStatus;
  /** True in a row. If the mark's text doesn't fit, the row's details show it. */
  readonly isInRow?: boolean;
}

/** Shows an agent's status next to its name. */
export const StatusMark = ({ status, isInRow = false }: StatusMarkProps) => {
  const Icon = STATUS_ICONS[status.state];
  const text = useStatusText(status);
  return (
    <span
      data-details={isInRow ? text : undefined}
      className={cx('inline-flex min-w-3 items-center gap-1 text-xs whitespace-nowrap', TONES[status.state])}
    >
      <Icon aria-hidden="true" className="size-3 shrink-0" />
      <span className={cx('truncate', isInRow && '@max-2xl:sr-only')}>{text}</span>
    </span>
  );
};
