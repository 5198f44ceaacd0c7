import type { Change, ChangeDetail } from '../../../shared/api/changes.ts';
import { formatSats } from '../money/format-price.ts';
import { many, number } from './words.ts';

type Since = NonNullable<Change['since']>;

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 0 });

/** How much more a session may cost before the list points it out. */
const MUCH_MORE = 1.05;

/** Compares what a session costs with what it cost before. Undefined if that can't be compared. */
const compared = ({ satsPerSession, before }: Since): { text: string; isWorse: boolean } | undefined => {
  if (satsPerSession === null || !before?.satsPerSession) return undefined;
  const ratio = satsPerSession / before.satsPerSession;
  const change = percent.format(Math.abs(ratio - 1));
  const text =
    change === percent.format(0)
      ? 'same as before'
      : `${ratio > 1 ? 'up' : 'down'} ${change} from ${formatSats(before.satsPerSession)}`;
  return { text, isWorse: ratio > MUCH_MORE };
};

/** Strings for the history of changes. */
export const historyWords = {
  undo: 'Undo',
  redo: 'Redo',
  finish: 'Finish',
  /** Names what is restored. */
  versions: ([first = '', ...more]: readonly string[]): string =>
    more.length === 0 ? first.slice(first.lastIndexOf('/') + 1) : many(more.length + 1, 'file', 'files'),
  restore: (what: string): string => `Restore ${what} as of this change`,
  restored: (what: string, isNew: boolean): string =>
    isNew ? `Restored ${what}` : `${what} already matches`,
  restoreFailed: (what: string): string => `Couldn’t restore ${what}`,
  takeLabel: {
    undo: (label: string): string => `Undo: ${label}`,
    redo: (label: string): string => `Redo: ${label}`,
    finish: (label: string): string => `Finish: ${label}`,
  },
  finished: (label: string): string => `Finished: ${label}`,
  finishFailed: (label: string): string => `Not finished: ${label}`,
  title: 'Recent changes',
  description: 'Changes to agents and shared entries, newest first. Undo never overwrites a later change.',
  history: 'History',
  listLabel: 'Changes',
  none: 'No changes yet',
  noneHint: 'Changes by you, an agent, or another program appear here.',
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
  redone: 'Redone',
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
  since: (since: Since) => {
    const { sessions, failedSessions, satsPerSession } = since;
    const each = satsPerSession === null ? '' : `, ${formatSats(satsPerSession)} sat each`;
    return {
      sessions: `${many(sessions, 'session', 'sessions')}${each}`,
      compared: compared(since),
      failed: failedSessions > 0 ? `${number.format(failedSessions)} with failed calls` : undefined,
    };
  },
} as const;
