import { Link2 } from 'lucide-react';
import { useRef, useState } from 'react';
import type { LinkEntry } from '../../../../shared/api/links.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useFocusAfterRemoval } from '../../ui/use-focus-after-removal.ts';
import { linkState } from './link-state.ts';
import { LinkedRow } from './linked-row.tsx';
import type { LinkActions, SharedEntry } from './use-links.ts';

interface LinkedListProps {
  readonly kind: LinkKind;
  readonly entries: readonly LinkEntry[];
  readonly catalog: ReadonlyMap<string, SharedEntry>;
  readonly actions: LinkActions;
}

/** All that is in the agent's directory of this kind. */
export const LinkedList = ({ kind, entries, catalog, actions }: LinkedListProps) => {
  const list = useRef<HTMLDivElement>(null);
  const keepFocus = useFocusAfterRemoval(list, entries.length);
  const [asked, setAsked] = useState<LinkEntry | null>(null);
  const [asking, setAsking] = useState(false);
  const words = strings.links;
  const unlink = (entry: LinkEntry, pressed: HTMLElement): void => {
    keepFocus(pressed);
    if (linkState(entry) === 'elsewhere') {
      setAsked(entry);
      setAsking(true);
    } else {
      actions.unlink(entry);
    }
  };
  const confirm = (): void => {
    setAsking(false);
    if (asked) actions.unlink(asked);
  };
  return (
    <div ref={list} tabIndex={-1} className="h-full outline-none">
      {entries.length === 0 && <EmptyState icon={Link2} title={words.none[kind]} hint={words.noneHint} />}
      <ul aria-label={words.linkedLabel[kind]} className="divide-y divide-line">
        {entries.map((entry) => (
          <LinkedRow
            key={entry.name}
            entry={entry}
            shared={catalog.get(entry.name)}
            busy={actions.busy === entry.name}
            onUnlink={(pressed) => unlink(entry, pressed)}
          />
        ))}
      </ul>
      <Question
        open={asking}
        onCancel={() => setAsking(false)}
        title={words.confirmTitle(asked?.name ?? '')}
        description={words.confirmBody(asked?.linkTarget ?? '')}
      >
        <Button onClick={() => setAsking(false)}>{strings.common.cancel}</Button>
        <Button variant="danger" onClick={confirm}>
          {words.unlink}
        </Button>
      </Question>
    </div>
  );
};
