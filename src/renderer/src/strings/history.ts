import type { Change, ChangeDetail } from '../../../shared/api/changes.ts';
import { formatSats } from '../money/format-price.ts';
import { many, number } from './words.ts';

type Since = NonNullable<Change['since']>;

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });

/** Compares what a session costs, such as "38% more expensive than before". Undefined if nothing can be compared. */
const compared = ({ satsPerSession, before }: Since): string | undefined => {
  if (satsPerSession === null || !before?.satsPerSession) return undefined;
  const ratio = satsPerSession / before.satsPerSession - 1;
  if (Math.abs(ratio) < 0.005) return 'same cost as before';
  return `${percent.format(Math.abs(ratio))} ${ratio > 0 ? 'more expensive' : 'cheaper'} than before`;
};

/** Strings for the history of changes. */
export const historyWords = {
  undo: 'Undo',
  redo: 'Redo',
  finish: 'Finish',
  restore: 'Restore this version',
  restored: (label: string): string => `Restored: ${label}`,
  restoreFailed: (label: string): string => `Not restored: ${label}`,
  takeLabel: {
    undo: (label: string): string => `Undo: ${label}`,
    redo: (label: string): string => `Redo: ${label}`,
    finish: (label: string): string => `Finish: ${label}`,
  },
  finished: (label: string): string => `Finished: ${label}`,
  finishFailed: (label: string): string => `Not finished: ${label}`,
  title: 'Recent changes',
  description:
    'Changes to agents and shared entries, newest first. Undo is exact: it never overwrites a later change.',
  history: 'History',
  listLabel: 'Changes',
  none: 'No changes yet',
  noneHint: 'Changes appear here, whoever makes them: you, an agent, or another program.',
  signIn: 'Sign in as the operator to see changes.',
  loadMore: 'Show older changes',
  by: {
    operator: 'You',
    anyone: 'A program without a token',
    program: 'Another program',
  },
  key: (label: string): string => `Key ${label}`,
  items: (applied: number, items: number): string =>
    applied === items
      ? many(items, 'item', 'items')
      : `${number.format(applied)} of ${many(items, 'item', 'items')}`,
  partial: 'Interrupted',
  undone: 'Undone',
  details: 'Details',
  detailsLabel: (label: string): string => `Details: ${label}`,
  difference: (path: string): string => `Changes to ${path}`,
  notKept: 'dot-mi no longer has this text.',
  hidden: 'This text isn’t shown, because it may contain secrets.',
  refusedItem: 'not changed',
  plannedItem: 'not changed yet',
  is: {
    missing: 'nothing',
    file: 'file',
    link: 'link',
    directory: 'folder',
    other: 'something else',
  } satisfies Record<ChangeDetail['paths'][number]['before']['is'], string>,
  linkTo: (target: string): string => `link to ${target}`,
  became: (before: string, after: string): string => `${before} → ${after}`,
  morePaths: (count: number): string => `and ${many(count, 'more path', 'more paths')}`,
  since: (since: Since): string => {
    const { sessions, failedSessions, satsPerSession } = since;
    return [
      many(sessions, 'session', 'sessions'),
      satsPerSession === null ? undefined : `${formatSats(satsPerSession)} sat each`,
      compared(since),
      failedSessions > 0 ? `${number.format(failedSessions)} failed` : undefined,
    ]
      .filter((part) => part !== undefined)
      .join(', ');
  },
} as const;
