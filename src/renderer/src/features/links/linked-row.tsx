import { useQuery } from '@tanstack/react-query';
import { FolderDot, Link2, Link2Off, SquareArrowOutUpRight } from 'lucide-react';
import type { LinkEntry } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { skillTextQuery } from '../../api/catalog-queries.ts';
import { links as linkTexts } from '../../strings/links.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Diagnostics } from '../../ui/diagnostics.tsx';
import { PathText } from '../../ui/path-text.tsx';
import { EntryName } from './entry-name.tsx';
import { linkLabel, linkState } from './link-state.ts';
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
  /** For the description of a local skill. */
  readonly id: string;
  readonly kind: LinkKind;
  readonly onOpen: () => void;
  readonly onUnlink: () => void;
  readonly onRepair: () => void;
}

/** One of the agent's entries: its kind, its description, and buttons to unlink or repair a link. */
export const LinkedRow = (props: LinkedRowProps) => {
  const { entry, shared, busy, drag, onUnlink, onRepair } = props;
  const state = linkState(entry);
  const Icon = ICONS[state];
  const words = linkTexts;
  const broken = state === 'broken';
  return (
    <li
      data-details-row
      {...(state === 'local' ? {} : drag)}
      className={cx('flex items-start gap-2.5 px-4 py-2', broken && 'bg-warn-soft')}
    >
      <Icon
        aria-hidden="true"
        className={cx('mt-0.75 size-3.5 shrink-0', broken ? 'text-warn' : 'text-muted')}
      />
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: more room for the mouse. The name is the button, and one over the whole row can’t be dragged in Firefox */}
      <div className="flex min-w-0 flex-1 cursor-pointer flex-col gap-1" onClick={props.onOpen}>
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <EntryName name={entry.name} onOpen={props.onOpen} />
          <Badge tone={TONES[state]}>{linkLabel(entry)}</Badge>
          {entry.junction && <Badge>{words.junction}</Badge>}
        </div>
        {entry.switchedOff && <p className="text-sm text-warn">{words.switchedOffBy}</p>}
        <Explanation {...props} />
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

const Explanation = ({ entry, shared, id, kind }: LinkedRowProps) => {
  const words = linkTexts;
  const target = entry.linkTarget ?? '';
  if (entry.problem) return <p className="text-sm text-danger">{entry.problem.message}</p>;
  switch (linkState(entry)) {
    case 'shared':
      return (
        shared?.description && (
          <p className="line-clamp-2 text-sm text-muted" data-details="">
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
      return kind === 'skills' && entry.kind === 'directory' ? (
        <LocalSkill id={id} name={entry.name} />
      ) : (
        <p className="text-sm text-muted">{words.onlyHere}</p>
      );
    case 'elsewhere':
      return (
        <p className="text-sm text-muted">
          {words.pointsTo} <PathText path={target} className="font-mono" />
        </p>
      );
  }
};

/** The description in the SKILL.md of a skill that only this agent has. */
const LocalSkill = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const { data } = useQuery(skillTextQuery(name, id));
  return (
    <>
      {data?.description && (
        <p className="line-clamp-2 text-sm text-muted" data-details="">
          {data.description}
        </p>
      )}
      <p className="text-sm text-muted">{linkTexts.onlyHere}</p>
      {data && <Diagnostics items={data.diagnostics} />}
    </>
  );
};
