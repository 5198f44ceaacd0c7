import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { LinkEntry } from '../../../../shared/api/links.ts';
import { isOfKind, type LinkKind } from '../../../../shared/api/names.ts';
import { entryTextQuery, hasText, usageQuery } from '../../api/catalog-queries.ts';
import { readStatus } from '../../api/read-status.ts';
import { paths } from '../../routes.ts';
import { common } from '../../strings/common.ts';
import { linkWords as words } from '../../strings/links.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Question } from '../../ui/dialog.tsx';
import { EntryDetails } from '../../ui/entry-details.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Problem } from '../../ui/failures.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { LinkedList, OfferList } from './link-lists.tsx';
import { type LinkDrag, useLinkDrag } from './use-link-drag.ts';
import { linkLabel, linkState, type SharedEntry, useLinks } from './use-links.ts';

/** The content of a sheet: one of the agent's entries, or a shared entry that it could link to. */
interface Shown {
  readonly name: string;
  /** The agent's own entry with this name, if it has one. */
  readonly entry?: LinkEntry | undefined;
  readonly shared?: SharedEntry | undefined;
}

interface EntrySheetProps {
  readonly id: string;
  readonly kind: LinkKind;
  /** Stays set while the sheet closes. */
  readonly shown: Shown;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** A side sheet with an entry: its description, problems, users and text. */
const EntrySheet = ({ id, kind, shown, open, onOpenChange }: EntrySheetProps) => {
  const { name, entry, shared } = shown;
  const state = entry ? linkState(entry) : undefined;
  const isShared = state === undefined || state === 'shared';
  const isText =
    hasText(kind) &&
    state !== 'broken' &&
    entry?.problem === undefined &&
    (state !== 'local' || isOfKind(kind, name, entry?.kind === 'file' ? 'file' : 'dir'));
  const text = readStatus(
    useQuery({ ...entryTextQuery(kind, name, isShared ? undefined : id), enabled: isText && open }),
  );
  const usage = useQuery({ ...usageQuery(kind), enabled: isShared && open });
  const own = text.status === 'ready' ? text.data : undefined;
  return (
    <Sheet
      open={open}
      onOpenChange={onOpenChange}
      title={name}
      width="wide"
      aside={entry && <Badge tone={state === 'broken' ? 'warn' : 'neutral'}>{linkLabel(entry)}</Badge>}
      footer={
        isShared && (
          <Link href={paths.catalogEntry(kind, name)} className={buttonClass()}>
            {words.openInCatalog}
          </Link>
        )
      }
    >
      <div className="px-5 py-4">
        {entry?.switchedOff && <p className="mb-3 text-warn">{words.switchedOffBy}</p>}
        {state === 'broken' ? (
          <p className="break-words">
            {words.targetNotFound} <code className="text-sm">{entry?.linkTarget}</code>
          </p>
        ) : (
          <EntryDetails
            kind={kind}
            name={name}
            path={own?.path}
            description={isShared ? shared?.description : own?.description}
            diagnostics={(isShared ? shared?.diagnostics : own?.diagnostics) ?? []}
            users={
              isShared
                ? usage.data && (usage.data.find((used) => used.name === name)?.agents ?? [])
                : undefined
            }
            text={isText ? text : undefined}
          />
        )}
        {entry?.problem && (
          <div className="mt-3">
            <Problem>{entry.problem.message}</Problem>
          </div>
        )}
      </div>
    </Sheet>
  );
};

/** An agent's entries of one kind, next to the shared entries that it could link to. */
export const LinksSection = ({ id, kind }: { readonly id: string; readonly kind: LinkKind }) => {
  const state = useLinks(id, kind);
  const { actions } = state;
  const [asked, setAsked] = useState<LinkEntry | null>(null);
  const [asking, setAsking] = useState(false);
  const [shown, setShown] = useState<Shown | null>(null);
  const [isShowing, setIsShowing] = useState(false);
  const show = (next: Shown): void => {
    setShown(next);
    setIsShowing(true);
  };
  const unlink = (entry: LinkEntry): void => {
    if (linkState(entry) === 'elsewhere') {
      setAsked(entry);
      setAsking(true);
    } else {
      actions.unlink(entry);
    }
  };
  const drag = useLinkDrag((dragged) =>
    dragged.from === 'catalog' ? actions.link(dragged.name) : unlink(dragged.entry),
  );
  if (state.status === 'loading') return <Loading />;
  if (state.status === 'error') return <ErrorState error={state.error} onRetry={state.retry} />;
  return (
    <div className="flex h-full min-h-0 max-icons:flex-col max-icons:overflow-y-auto">
      <Side side="agent" heading={words.linked} drag={drag}>
        <div className="min-h-0 flex-1 icons:overflow-y-auto">
          <LinkedList
            id={id}
            kind={kind}
            entries={state.entries}
            catalog={state.catalog}
            actions={actions}
            drag={drag}
            onOpen={(entry) => show({ name: entry.name, entry, shared: state.catalog.get(entry.name) })}
            onUnlink={unlink}
          />
        </div>
      </Side>
      <Side side="catalog" heading={words.sharedHeading[kind]} drag={drag}>
        <OfferList
          kind={kind}
          offers={state.offers}
          catalogIsEmpty={state.catalog.size === 0}
          actions={actions}
          drag={drag}
          onOpen={(shared) => show({ name: shared.name, shared })}
        />
      </Side>
      {shown && (
        <EntrySheet
          key={shown.name}
          id={id}
          kind={kind}
          shown={shown}
          open={isShowing}
          onOpenChange={setIsShowing}
        />
      )}
      <UnlinkQuestion
        entry={asked}
        open={asking}
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          if (asked) actions.unlink(asked);
        }}
      />
    </div>
  );
};

interface SideProps {
  readonly side: 'agent' | 'catalog';
  readonly heading: string;
  readonly drag: LinkDrag;
  readonly children: ReactNode;
}

/** One of the two lists. Entries from the other list can be dropped on it. */
const Side = ({ side, heading, drag, children }: SideProps) => {
  const canDrop = drag.dropOn === side;
  return (
    <section
      aria-label={heading}
      {...drag.target(side)}
      className={cx(
        'flex min-w-0 flex-col icons:min-h-0 icons:flex-1',
        side === 'catalog' && 'border-line max-icons:border-t icons:border-l',
        canDrop && 'outline-2 -outline-offset-4 outline-accent outline-dashed',
        canDrop && drag.isOver && 'bg-selected',
      )}
    >
      <h2 className="flex gap-2 px-4 pt-3 pb-2 font-semibold">
        {heading}
        {canDrop && (
          <span className="ml-auto font-normal text-accent">
            {side === 'agent' ? words.dropToLink : words.dropToUnlink}
          </span>
        )}
      </h2>
      {children}
    </section>
  );
};

/** Asks for confirmation before removing a link that can't be recreated here. */
const UnlinkQuestion = ({
  entry,
  open,
  onCancel,
  onConfirm,
}: {
  /** Stays set while the dialog closes. */
  readonly entry: LinkEntry | null;
  readonly open: boolean;
  readonly onCancel: () => void;
  readonly onConfirm: () => void;
}) => {
  return (
    <Question
      open={open}
      onCancel={onCancel}
      title={words.confirmTitle(entry?.name ?? '')}
      description={words.confirmBody(entry?.linkTarget ?? '')}
    >
      <Button onClick={onCancel}>{common.cancel}</Button>
      <Button variant="danger" onClick={onConfirm}>
        {words.unlink}
      </Button>
    </Question>
  );
};
