import { X } from 'lucide-react';
import { useState } from 'react';
import { bulk as bulkTexts } from '../../strings/bulk.ts';
import { Button } from '../../ui/button.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';

const BulkLinkDialog = lazyView(async () => (await import('./bulk-link-dialog.tsx')).BulkLinkDialog);
const BulkDeleteDialog = lazyView(async () => (await import('./bulk-delete-dialog.tsx')).BulkDeleteDialog);

interface SelectionBarProps {
  readonly ids: readonly string[];
  readonly openedId: string | null;
  readonly onClear: () => void;
  /** Opens the agent to look at when the opened one was deleted; null for the list. */
  readonly onLeave: (next: string | null) => void;
}

/** The actions on the chosen agents, below the list. */
export const SelectionBar = ({ ids, openedId, onClear, onLeave }: SelectionBarProps) => {
  const [linking, setLinking] = useState<boolean>();
  const [deleting, setDeleting] = useState<boolean>();
  const words = bulkTexts;
  return (
    <section
      aria-label={words.actions}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-t border-line bg-sunken px-3 py-2"
    >
      <span role="status" className="mr-auto font-medium tabular-nums">
        {words.chosen(ids.length)}
      </span>
      <Button size="small" onClick={() => setLinking(true)}>
        {words.link}
      </Button>
      <Button size="small" onClick={() => setDeleting(true)}>
        {words.delete}
      </Button>
      <Tooltip label={words.clear} side="top">
        <Button variant="quiet" size="icon" aria-label={words.clear} onClick={onClear}>
          <X aria-hidden="true" className="size-3.5" />
        </Button>
      </Tooltip>
      {linking !== undefined && (
        <BulkLinkDialog ids={ids} open={linking} onOpenChange={setLinking} onLinked={onClear} />
      )}
      {deleting !== undefined && (
        <BulkDeleteDialog
          ids={ids}
          open={deleting}
          onOpenChange={setDeleting}
          onDeleted={(next) => {
            onClear();
            if (openedId !== null && ids.includes(openedId)) onLeave(next);
          }}
        />
      )}
    </section>
  );
};
