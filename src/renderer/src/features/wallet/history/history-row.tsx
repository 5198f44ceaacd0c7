import {
  ArrowDownLeft,
  ArrowLeftRight,
  ArrowUpRight,
  CopyMinus,
  RotateCcw,
  SearchCheck,
  Undo2,
} from 'lucide-react';
import { Link } from 'wouter';
import type { HistoryEntry, OperationState } from '../../../../../shared/api/wallet.ts';
import { paths } from '../../../routes.ts';
import { charges } from '../../../strings/charges.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { cx } from '../../../ui/cx.ts';
import { scrollsByKey } from '../../../ui/scrolls-by-key.ts';
import { useIsOlderThan } from '../../../ui/time-ago.tsx';
import { directionOf, fateOf, timeOfDay, titleOf, usesOwnProofs } from './history-entry.ts';
import { EarlierToken } from './sent-token.tsx';

const ICONS = {
  receive: ArrowDownLeft,
  send: ArrowUpRight,
  reclaim: Undo2,
  restore: RotateCcw,
  swap: ArrowLeftRight,
  recovered: SearchCheck,
  spent_elsewhere: CopyMinus,
} as const;

/** A healthy mint finishes sooner, so an operation this old may be stuck. */
const STUCK_AFTER_MS = 60_000;

interface HistoryRowProps {
  readonly entry: HistoryEntry;
  /** The day's name, if this is the day's first row. */
  readonly day: string | null;
  /** True while its token is being reclaimed. */
  readonly isReclaiming: boolean;
  readonly onReclaim: (entry: HistoryEntry, pressed: HTMLElement) => void;
  readonly onRelease: (entry: HistoryEntry, pressed: HTMLElement) => void;
  readonly onAssign: (entry: HistoryEntry, pressed: HTMLElement) => void;
  /** Opens the charge that the operation paid, or returned change for. */
  readonly onCharge: (entry: HistoryEntry, pressed: HTMLElement) => void;
}

/** One operation: its kind, its amount, and its state if that needs attention. */
export const HistoryRow = (props: HistoryRowProps) => {
  const { entry, day, isReclaiming, onReclaim, onRelease, onAssign, onCharge } = props;
  const { kind, state, agent, label, memo, error, token, createdAt, charge } = entry;
  const isOld = useIsOlderThan(createdAt, STUCK_AFTER_MS);
  const Icon = ICONS[kind];
  const fate = fateOf(entry);
  const isCredit = state === 'completed' && directionOf(entry) === 'in';
  return (
    // The browser skips offscreen rows, so even thousands of them don't need a virtual list.
    <li className="focus:bg-selected -outline-offset-2 [contain-intrinsic-size:auto_2.75rem] [content-visibility:auto]">
      {day !== null && (
        <h3 className="border-b border-line pt-4 pb-1 text-sm font-semibold first-letter:uppercase">{day}</h3>
      )}
      <div className="flex items-start gap-3 py-2">
        <span
          aria-hidden="true"
          className={cx(
            'flex size-7 shrink-0 items-center justify-center rounded-full',
            isCredit ? 'bg-ok-soft text-ok' : 'bg-hover text-muted',
          )}
        >
          <Icon className="size-4" strokeWidth={1.75} />
        </span>
        <div className="flex min-w-0 flex-1 flex-col gap-1 pt-1">
          <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <h4 className="font-medium">{titleOf(entry)}</h4>
            {agent !== undefined && (
              <Link
                href={paths.agent(agent)}
                className="flex max-w-60 min-w-0 items-center gap-1.5 hover:underline"
              >
                <Avatar id={agent} />
                <span className="min-w-0 truncate">{agent}</span>
              </Link>
            )}
            {charge !== undefined && (
              <Button
                size="small"
                variant="quiet"
                aria-label={charges.openLabel(titleOf(entry), words.sats(entry.amount))}
                onClick={(event) => onCharge(entry, event.currentTarget)}
              >
                {charges.open}
              </Button>
            )}
            {(kind === 'receive' || kind === 'send') && state !== 'failed' && charge === undefined && (
              <Button
                size="small"
                variant="quiet"
                aria-label={words.history.assignLabel(agent, words.sats(entry.amount))}
                onClick={(event) => onAssign(entry, event.currentTarget)}
              >
                {agent === undefined ? words.history.assign : words.history.reassign}
              </Button>
            )}
            {state === 'pending' && <Badge tone="warn">{words.history.states.pending}</Badge>}
            {state === 'failed' && <Badge tone="danger">{words.history.states.failed}</Badge>}
            {fate !== null && fate !== 'redeemed' && <Badge>{words.history.fates[fate]}</Badge>}
            {charge !== undefined && kind === 'receive' && state === 'completed' && (
              <SaleBadge charge={charge} />
            )}
            {label && charge === undefined && (
              <bdi className="max-w-60 min-w-0 truncate text-muted">{label}</bdi>
            )}
            {memo && (
              <p ref={scrollsByKey} className="max-h-15 min-w-0 overflow-y-auto break-words text-muted">
                <span className="sr-only">{words.history.memo} </span>
                <bdi>{memo}</bdi>
              </p>
            )}
          </div>
          {words.history.kindHints[kind] && (
            <p className="text-sm text-pretty text-muted">{words.history.kindHints[kind]}</p>
          )}
          {error && <Reason state={state} isOwn={usesOwnProofs(entry)} {...error} />}
          {state === 'pending' && isOld && (
            <div>
              <Button
                size="small"
                data-row-action="release"
                onClick={(event) => onRelease(entry, event.currentTarget)}
              >
                {words.release.button}
              </Button>
            </div>
          )}
          {token && (
            <EarlierToken token={token} isSpent={entry.spent === true}>
              {/* A customer's change isn't ours to take back. */}
              {fate === 'unspent' && charge === undefined && (
                <Button
                  size="small"
                  data-row-action
                  disabled={isReclaiming}
                  onClick={(event) => onReclaim(entry, event.currentTarget)}
                >
                  {isReclaiming ? words.reclaim.reclaiming : words.reclaim.button}
                </Button>
              )}
            </EarlierToken>
          )}
        </div>
        <Amount entry={entry} />
      </div>
    </li>
  );
};

/** A badge for anything unusual about a sale. */
const SaleBadge = ({
  charge: { state, balanceId },
}: {
  readonly charge: NonNullable<HistoryEntry['charge']>;
}) =>
  balanceId === undefined && (state === 'held' || state === 'refunded') ? (
    <Badge tone={state === 'held' ? 'warn' : 'neutral'}>{charges.states[state]}</Badge>
  ) : null;

const Amount = ({ entry }: { readonly entry: HistoryEntry }) => {
  const { amount, fee, state, createdAt } = entry;
  const direction = directionOf(entry);
  return (
    <div className="flex shrink-0 flex-col items-end pt-1 text-right">
      <p
        className={cx(
          'tabular-nums',
          state === 'completed' && direction !== 'none' ? 'font-medium' : 'text-muted',
          state === 'completed' && direction === 'in' && 'text-ok',
          state === 'failed' && 'line-through',
        )}
      >
        {words.history.signs[direction]}
        {words.sats(amount)}
      </p>
      <p className="flex flex-wrap justify-end gap-x-2 text-xs text-muted tabular-nums">
        {fee > 0 && state !== 'failed' && <span>{words.history.fee(fee)}</span>}
        <time dateTime={createdAt}>{timeOfDay(Date.parse(createdAt))}</time>
      </p>
    </div>
  );
};

interface ReasonProps {
  readonly state: OperationState;
  /** True if the operation used the wallet's own proofs. */
  readonly isOwn: boolean;
  readonly error: string;
  readonly code: string;
}

const Reason = ({ state, isOwn, error, code }: ReasonProps) =>
  code === 'released' ? (
    <p className="text-sm text-pretty text-muted">
      {isOwn ? words.history.releasedOwn : words.history.released} <code className="text-xs">{code}</code>
    </p>
  ) : (
    <p className={cx('break-words text-sm', state === 'failed' ? 'text-danger' : 'text-warn')}>
      {error} <code className="text-xs break-all text-muted">{code}</code>
    </p>
  );
