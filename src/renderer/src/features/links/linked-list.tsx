import { useRef } from 'react';
import type { LinkEntry } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import type { LinkActions } from '../../link-changes.ts';
import { links as linkTexts } from '../../strings/links.ts';
import { LinkArt } from '../../ui/empty-art.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { LinkedRow } from './linked-row.tsx';
import type { LinkDrag } from './use-link-drag.ts';
import type { SharedEntry } from './use-links.ts';

interface LinkedListProps {
  readonly id: string;
  readonly kind: LinkKind;
  readonly entries: readonly LinkEntry[];
  readonly catalog: ReadonlyMap<string, SharedEntry>;
  readonly actions: LinkActions;
  readonly drag: LinkDrag;
  readonly onOpen: (entry: LinkEntry) => void;
  readonly onUnlink: (entry: LinkEntry) => void;
}

/** All of the agent's entries of this kind. */
export const LinkedList = (props: LinkedListProps) => {
  const { id, kind, entries, catalog, actions, drag, onOpen, onUnlink } = props;
  const list = useRef<HTMLDivElement>(null);
  useFocusAfterRemoval(list);
  const words = linkTexts;
  return (
    <div ref={list} tabIndex={-1} className="h-full outline-none">
      {entries.length === 0 && (
        <EmptyState level={3} art={<LinkArt />} title={words.none[kind]} hint={words.noneHint} />
      )}
      <ul aria-label={words.linkedLabel[kind]} className="divide-y divide-line">
        {entries.map((entry) => (
          <LinkedRow
            key={entry.name}
            entry={entry}
            shared={catalog.get(entry.name)}
            busy={actions.busy === entry.name}
            drag={drag.source({ from: 'agent', entry })}
            id={id}
            kind={kind}
            onOpen={() => onOpen(entry)}
            onUnlink={() => onUnlink(entry)}
            onRepair={() => actions.repair(entry.name)}
          />
        ))}
      </ul>
    </div>
  );
};
