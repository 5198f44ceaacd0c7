import {
  ArrowDownLeft,
  ArrowLeftRight,
  ArrowUpRight,
  CopyMinus,
  RotateCcw,
  SearchCheck,
  Undo2,
} from 'lucide-react';
import type { HistoryEntry, OperationKind, OperationState } from '../../../../../shared/api/wallet.ts';
import { wallet as texts } from '../../../strings/wallet.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { TimeAgo, useIsOlderThan } from '../../../ui/time-ago.tsx';
import { directionOf, fateOf } from './history-entry.ts';
import { SentToken } from './sent-token.tsx';

const words = texts.history;

const ICONS = {
  receive: ArrowDownLeft,
  send: ArrowUpRight,
  reclaim: Undo2,
  restore: RotateCcw,
  swap: ArrowLeftRight,
  recovered: SearchCheck,
  spent_elsewhere: CopyMinus,
} as const;
const TONES = { pending: 'warn', completed: 'neutral', failed: 'danger' } as const;

/** The person didn't ask for these, so they show an explanation. */
const UNEXPECTED: ReadonlySet<OperationKind> = new Set(['recovered', 'spent_elsewhere']);

/** A healthy mint finishes sooner, so an operation this old may be stuck. */
const STUCK_AFTER_MS = 60_000;

interface HistoryRowProps {
  readonly entry: HistoryEntry;
  /** Its token is being reclaimed. */
  readonly isReclaiming: boolean;
  readonly onReclaim: (entry: HistoryEntry, pressed: HTMLElement) => void;
  readonly onRelease: (entry: HistoryEntry, pressed: HTMLElement) => void;
}

/** One operation: its kind, its state with the reason, and its amount. */
export const HistoryRow = ({ entry, isReclaiming, onReclaim, onRelease }: HistoryRowProps) => {
  const { kind, state, memo, error, token, createdAt } = entry;
  const isOld = useIsOlderThan(createdAt, STUCK_AFTER_MS);
  const Icon = ICONS[kind];
  const fate = fateOf(entry);
  return (
    // Rows out of sight cost nothing, so a history of thousands needs no virtual list.
    <li className="flex items-start gap-3 px-6 py-2.5 focus:bg-selected -outline-offset-2 [contain-intrinsic-size:auto_3.75rem] [content-visibility:auto]">
      <Icon aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-muted" strokeWidth={1.75} />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <h3 className="font-medium" title={words.kindHints[kind]}>
            {words.kinds[kind]}
          </h3>
          <Badge tone={TONES[state]}>{words.states[state]}</Badge>
          {fate && <Badge>{words.fates[fate]}</Badge>}
        </div>
        {memo && (
          <p className="line-clamp-3 break-words" title={memo}>
            <span className="sr-only">{words.memo} </span>
            <bdi>{memo}</bdi>
          </p>
        )}
        {UNEXPECTED.has(kind) && <p className="text-sm text-pretty text-muted">{words.kindHints[kind]}</p>}
        {error && <Reason state={state} {...error} />}
        {state === 'pending' && isOld && (
          <div>
            <Button
              size="small"
              data-row-action="release"
              onClick={(event) => onRelease(entry, event.currentTarget)}
            >
              {texts.release.button}
            </Button>
          </div>
        )}
        {token && (
          <SentToken token={token} isSpent={entry.spent === true}>
            {fate === 'unspent' && (
              <Button
                size="small"
                data-row-action
                disabled={isReclaiming}
                onClick={(event) => onReclaim(entry, event.currentTarget)}
              >
                {isReclaiming ? texts.reclaim.reclaiming : texts.reclaim.button}
              </Button>
            )}
          </SentToken>
        )}
      </div>
      <Amount entry={entry} />
    </li>
  );
};

const Amount = ({ entry }: { readonly entry: HistoryEntry }) => {
  const { amount, fee, state, createdAt } = entry;
  const direction = directionOf(entry);
  return (
    <div className="flex shrink-0 flex-col items-end gap-1 text-right">
      <p
        className={cx(
          'tabular-nums',
          state === 'completed' && direction !== 'none' ? 'font-medium' : 'text-muted',
          state === 'completed' && direction === 'in' && 'text-ok',
          state === 'failed' && 'line-through',
        )}
      >
        {words.signs[direction]}
        {texts.sats(amount)}
      </p>
      <p className="flex flex-wrap justify-end gap-x-2 text-sm text-muted tabular-nums">
        {fee > 0 && state !== 'failed' && <span>{words.fee(fee)}</span>}
        <TimeAgo at={createdAt} />
      </p>
    </div>
  );
};

interface ReasonProps {
  readonly state: OperationState;
  readonly error: string;
  readonly code: string;
}

const Reason = ({ state, error, code }: ReasonProps) =>
  code === 'released' ? (
    <p className="text-sm text-pretty text-muted">
      {words.released} <code className="text-xs">{code}</code>
    </p>
  ) : (
    <p className={cx('break-words text-sm', state === 'failed' ? 'text-danger' : 'text-warn')}>
      {error} <code className="text-xs break-all text-muted">{code}</code>
    </p>
  );
