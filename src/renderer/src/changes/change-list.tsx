import { ChevronRight } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import type { Change, ChangeDetail } from '../../../shared/api/changes.ts';
import { historyWords as words } from '../strings/history.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { cx } from '../ui/cx.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { LineDifference } from '../ui/line-difference.tsx';
import { Loading } from '../ui/loading.tsx';
import { Section } from '../ui/section.tsx';
import { Sheet } from '../ui/sheet.tsx';
import { TimeAgo } from '../ui/time-ago.tsx';
import {
  type Chain,
  chainsOf,
  type HistoryOf,
  takeChain,
  useChangeDetail,
  useFinish,
  useHistory,
  useRestore,
} from './use-history.ts';

interface ChangeListProps extends HistoryOf {
  readonly isShown: boolean;
}

/** Changes, newest first, each with its details and its Undo. */
export const ChangeList = ({ isShown, ...of }: ChangeListProps) => {
  const { data, error, refetch, isSignedIn, hasNextPage, fetchNextPage, isFetchingNextPage } = useHistory(
    of,
    isShown,
  );
  const chains = useMemo(() => chainsOf(data?.pages.flatMap((page) => page.changes) ?? []), [data]);
  if (!isSignedIn) return <p className="text-muted">{words.signIn}</p>;
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  if (chains.length === 0)
    return (
      <p className="text-muted">
        {words.none}. {words.noneHint}
      </p>
    );
  return (
    <div className="flex flex-col gap-3">
      <ul
        aria-label={words.listLabel}
        className="divide-y divide-line rounded-lg border border-line bg-raised"
      >
        {chains.map((chain) => (
          <ChangeRow key={chain.change.id} chain={chain} agent={of.agent} />
        ))}
      </ul>
      {hasNextPage && (
        <div>
          <Button size="small" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {words.loadMore}
          </Button>
        </div>
      )}
    </div>
  );
};

const authorOf = ({ by }: Change): string =>
  by.kind === 'agent' ? words.key(by.key ?? '') : words.by[by.kind];

/** What the agent's sessions cost from an entry to the next one. Shows nothing if there were none. */
const SinceLine = ({ since }: Pick<Change, 'since'>) => {
  if (!since || since.sessions === 0) return null;
  const { sessions, compared, failed } = words.since(since);
  return (
    <p className="text-sm tabular-nums">
      {sessions}
      {compared !== undefined && (
        <span className={cx(compared.isWorse && 'font-medium text-warn')}>, {compared.text}</span>
      )}
      {failed !== undefined && <span className="font-medium text-danger">, {failed}</span>}
    </p>
  );
};

interface ChangeRowProps {
  readonly chain: Chain;
  readonly agent: string | undefined;
}

const ChangeRow = ({ chain: { change, last, isUndone, action }, agent }: ChangeRowProps) => {
  const { id, label, summary, at, applied, items, state, since } = change;
  const [isOpen, setIsOpen] = useState(false);
  const [isTaking, setIsTaking] = useState(false);
  const finish = useFinish();
  const detailsId = useId();
  const take = async (): Promise<void> => {
    if (!action) return;
    setIsTaking(true);
    await takeChain(action, change);
    setIsTaking(false);
  };
  return (
    <li className="flex flex-col gap-1.5 px-3 py-2">
      <div className="flex flex-wrap items-start gap-x-3 gap-y-1.5">
        <div className="flex min-w-48 flex-1 flex-col gap-0.5">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={detailsId}
            aria-label={words.detailsLabel(label)}
            onClick={() => setIsOpen(!isOpen)}
            className="-ml-1 flex w-fit max-w-full items-start gap-1 rounded px-1 text-left hover:bg-hover"
          >
            <ChevronRight
              aria-hidden="true"
              className={cx('mt-0.5 size-4 shrink-0 text-muted', isOpen && 'rotate-90')}
            />
            <span className={cx('font-medium wrap-anywhere', isUndone && 'text-muted')}>{label}</span>
          </button>
          <div className="flex flex-col gap-0.5 pl-5">
            <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
              <TimeAgo at={at} />
              <span>{authorOf(change)}</span>
              {summary !== label && <span className="text-ink wrap-anywhere">{summary}</span>}
              {(items > 1 || applied < items) && <span>{words.items(applied, items)}</span>}
              {state === 'partial' && <Badge>{words.partial}</Badge>}
              {isUndone && !last && <Badge>{words.undone}</Badge>}
            </p>
            <SinceLine since={since} />
            {last && (
              <>
                <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
                  <Badge>{isUndone ? words.undone : words.redone}</Badge>
                  <TimeAgo at={last.at} />
                  <span>{authorOf(last)}</span>
                  {last.applied < last.items && <span>{words.items(last.applied, last.items)}</span>}
                </p>
                <SinceLine since={last.since} />
              </>
            )}
          </div>
        </div>
        {state === 'partial' && (
          <Button
            size="small"
            disabled={finish.isPending}
            aria-label={words.takeLabel.finish(label)}
            onClick={() => finish.mutate({ id, what: label })}
          >
            {words.finish}
          </Button>
        )}
        {action && (
          <Button
            size="small"
            disabled={isTaking}
            aria-label={words.takeLabel[action.way](label)}
            onClick={() => void take()}
          >
            {words[action.way]}
          </Button>
        )}
      </div>
      <div id={detailsId} hidden={!isOpen} className="flex flex-col gap-2 pl-5">
        {isOpen && <Details change={change} agent={agent} />}
      </div>
    </li>
  );
};

/** The most paths that the details show. */
const MOST_PATHS = 50;

interface DetailsProps {
  readonly change: Change;
  /** The agent whose history this is. Its paths come first. */
  readonly agent: string | undefined;
}

const Details = ({ change, agent }: DetailsProps) => {
  const { data, error, refetch } = useChangeDetail(change.id);
  const restore = useRestore();
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const isOwn = ({ path }: PathChange): boolean =>
    agent !== undefined && `${path}/`.startsWith(`agents/${agent}/`);
  const paths = [...data.paths.filter(isOwn), ...data.paths.filter((one) => !isOwn(one))];
  const versions = [...new Set(paths.filter(isVersion).map(({ path }) => path))];
  return (
    <>
      {paths.slice(0, MOST_PATHS).map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a change can have several items for one path
        <PathDetails key={index} change={one} />
      ))}
      {paths.length > MOST_PATHS && (
        <p className="text-sm text-muted">{words.morePaths(paths.length - MOST_PATHS)}</p>
      )}
      {versions.length > 0 && (
        <div>
          <Button
            size="small"
            disabled={restore.isPending}
            onClick={() => restore.mutate({ id: change.id, what: words.versions(versions) })}
          >
            {words.restore(words.versions(versions))}
          </Button>
        </div>
      )}
    </>
  );
};

type PathChange = ChangeDetail['paths'][number];

/** Returns whether a path has a version to restore: its file or link after the change. */
const isVersion = ({ state, canUndo, after }: PathChange): boolean =>
  state === 'applied' && canUndo && (after.is === 'file' || after.is === 'link');

const textOf = ({ is, text }: PathChange['before']): string | undefined => (is === 'missing' ? '' : text);

const wordsFor = ({ is, text }: PathChange['before']): string =>
  is === 'link' && text !== undefined ? words.linkTo(text) : words.is[is];

const PathDetails = ({
  change: { path, state, canUndo, before, after },
}: {
  readonly change: PathChange;
}) => {
  const [old, now] = [textOf(before), textOf(after)];
  const isFile = [before, after].some(({ is }) => is === 'file');
  const isText = isFile && [before, after].every(({ is }) => is === 'file' || is === 'missing');
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="flex flex-wrap gap-x-2 text-sm">
        <code className="wrap-anywhere">{path}</code>
        {state === 'refused' && <span className="text-danger">{words.refusedItem}</span>}
        {state === 'planned' && <span className="text-warn">{words.plannedItem}</span>}
        {!isText && (
          <span className="text-muted wrap-anywhere">{words.became(wordsFor(before), wordsFor(after))}</span>
        )}
      </p>
      {isText &&
        (old === undefined || now === undefined ? (
          <p className="text-sm text-muted">{canUndo ? words.hidden : words.notKept}</p>
        ) : (
          <LineDifference label={words.difference(path)} before={old} after={now} />
        ))}
    </div>
  );
};

/** An agent's versions, with what its sessions cost since each of them. */
export const HistorySection = ({ id }: { readonly id: string }) => (
  <div className="max-w-4xl">
    <Section heading={words.history}>
      <ChangeList agent={id} isShown />
    </Section>
  </div>
);

interface RecentChangesProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** A sheet with all changes to agents and shared entries. */
export const RecentChanges = ({ open, onClose }: RecentChangesProps) => (
  <Sheet
    open={open}
    onOpenChange={(next) => next || onClose()}
    title={words.title}
    description={words.description}
    width="wide"
  >
    <div className="px-5 py-4">
      <ChangeList isShown={open} />
    </div>
  </Sheet>
);
