import { drafts } from '../../drafts/drafts.ts';
import { bulk as words } from '../../strings/bulk.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { ScrollBlock } from '../../ui/scroll-block.tsx';
import { AGENT_SEARCH_ID } from './agent-list.tsx';
import { useDeleteAgents } from './bulk-actions.ts';

/** How many agents the dialog names. */
const NAMED = 100;

interface BulkDeleteDialogProps {
  readonly ids: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onDeleted: (next: string | null) => void;
}

/** Lists the selected agents and confirms before they move to the trash. */
export const BulkDeleteDialog = ({ ids, open, onOpenChange, onDeleted }: BulkDeleteDialogProps) => {
  const { mutate, isPending } = useDeleteAgents((next) => {
    onOpenChange(false);
    onDeleted(next);
  });
  const unsaved = ids.filter((id) => drafts.of(id).length > 0);
  return (
    <FormDialog
      open={open}
      onOpenChange={onOpenChange}
      submitLabel={isPending ? words.deleting(ids.length) : words.deleteAll(ids.length)}
      variant="danger"
      isPending={isPending}
      onSubmit={() => mutate(ids)}
      title={words.deleteTitle(ids.length)}
      description={
        unsaved.length > 0 ? `${words.deleteBody} ${words.deleteUnsaved(unsaved.length)}` : words.deleteBody
      }
      // The deletion removes the button that opened this dialog.
      finalFocus={() => document.getElementById(AGENT_SEARCH_ID)?.focus()}
    >
      <ScrollBlock label={words.chosen(ids.length)} className="max-h-40 rounded-md border border-line">
        <ul className="flex flex-col gap-1">
          {ids.slice(0, NAMED).map((id) => (
            <li key={id} className="flex items-center gap-2">
              <Avatar id={id} size="small" />
              <span className="min-w-0 break-words">{id}</span>
            </li>
          ))}
          {ids.length > NAMED && <li className="text-muted">{words.more(ids.length - NAMED)}</li>}
        </ul>
      </ScrollBlock>
    </FormDialog>
  );
};
