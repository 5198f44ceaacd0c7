import { FolderDot, Link2, Link2Off, SquareArrowOutUpRight } from 'lucide-react';
import type { LinkEntry } from '../../../../shared/api/links.ts';
import { strings } from '../../strings.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Diagnostics } from '../../ui/diagnostics.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { linkState } from './link-state.ts';
import type { DragSource } from './use-link-drag.ts';
import type { SharedEntry } from './use-links.ts';

const ICONS = {
  shared: Link2,
  elsewhere: SquareArrowOutUpRight,
  broken: Link2Off,
  local: FolderDot,
} as const;
const TONES = { shared: 'neutral', elsewhere: 'neutral', broken: 'warn', local: 'neutral' } as const;

interface LinkedRowProps {
  readonly entry: LinkEntry;
  readonly shared: SharedEntry | undefined;
  readonly busy: boolean;
  readonly drag: DragSource;
  readonly onUnlink: () => void;
  readonly onRepair: () => void;
}

/** One of the agent's entries: its kind, its description, and buttons to unlink or repair a link. */
export const LinkedRow = ({ entry, shared, busy, drag, onUnlink, onRepair }: LinkedRowProps) => {
  const state = linkState(entry);
  const Icon = ICONS[state];
  const words = strings.links;
  const broken = state === 'broken';
  return (
    <li
      {...(state === 'local' ? {} : drag)}
      className={cx('flex items-start gap-2.5 px-4 py-2', broken && 'bg-warn-soft')}
    >
      <Icon
        aria-hidden="true"
        className={cx('mt-0.75 size-3.5 shrink-0', broken ? 'text-warn' : 'text-muted')}
      />
      <div className="flex min-w-0 flex-1 flex-col gap-1">
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 break-words font-medium">{entry.name}</span>
          <Badge tone={TONES[state]}>{words.state[state]}</Badge>
          {entry.junction && <Badge>{words.junction}</Badge>}
        </div>
        <Explanation entry={entry} shared={shared} />
        {entry.junction && (
          <p className="text-sm text-muted">{broken ? words.junctionBroken : words.junctionHint}</p>
        )}
        {state === 'shared' && shared && <Diagnostics items={shared.diagnostics} />}
      </div>
      {broken && shared && (
        <Button
          data-row-action="link"
          size="small"
          disabled={busy}
          aria-label={words.repairLabel(entry.name)}
          onClick={onRepair}
        >
          {words.repair}
        </Button>
      )}
      {state !== 'local' && (
        <Button
          data-row-action="link"
          size="small"
          disabled={busy}
          aria-label={broken ? words.removeLabel(entry.name) : words.unlinkLabel(entry.name)}
          onClick={onUnlink}
        >
          {broken ? words.remove : words.unlink}
        </Button>
      )}
    </li>
  );
};

const Explanation = ({
  entry,
  shared,
}: {
  readonly entry: LinkEntry;
  readonly shared: SharedEntry | undefined;
}) => {
  const words = strings.links;
  const target = entry.linkTarget ?? '';
  if (entry.problem) return <p className="text-sm text-danger">{entry.problem.message}</p>;
  switch (linkState(entry)) {
    case 'shared':
      return (
        shared?.description && (
          <p className="line-clamp-2 text-sm text-muted" title={shared.description}>
            {shared.description}
          </p>
        )
      );
    case 'broken':
      return (
        <p className="text-sm">
          {words.targetNotFound} <PathText path={target} className="font-mono" />
        </p>
      );
    case 'local':
      return (
        <p className="text-sm text-muted">
          {entry.kind === 'directory' ? words.localDirectory : words.localFile}
        </p>
      );
    case 'elsewhere':
      return (
        <p className="text-sm text-muted">
          {words.pointsTo} <PathText path={target} className="font-mono" />
        </p>
      );
  }
};
