import { X } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { FixAllButton } from '../../fixes/fix-all-button.tsx';
import { ModelPicker } from '../../models/model-picker.tsx';
import { useSetModels } from '../../models/use-set-model.ts';
import { paths } from '../../routes.ts';
import { toMatrixState } from '../../shell/intents.ts';
import { bulk as words } from '../../strings/bulk.ts';
import { models as modelWords } from '../../strings/models.ts';
import { Button } from '../../ui/button.tsx';
import { lazyView } from '../../ui/lazy-view.tsx';
import { Tooltip } from '../../ui/tooltip.tsx';

const BulkLinkDialog = lazyView(async () => (await import('./bulk-link-dialog.tsx')).BulkLinkDialog);
const ApplyPresetDialog = lazyView(
  async () => (await import('../../presets/apply-preset-dialog.tsx')).ApplyPresetDialog,
);
const BulkDeleteDialog = lazyView(async () => (await import('./bulk-delete-dialog.tsx')).BulkDeleteDialog);

interface SelectionBarProps {
  readonly ids: readonly string[];
  readonly openedId: string | null;
  readonly onClear: () => void;
  /** Opens another agent after the open one was deleted. Null opens the list. */
  readonly onLeave: (next: string | null) => void;
}

/** The actions on the selected agents, below the list. */
export const SelectionBar = ({ ids, openedId, onClear, onLeave }: SelectionBarProps) => {
  const [linking, setLinking] = useState<boolean>();
  const [applying, setApplying] = useState<boolean>();
  const [deleting, setDeleting] = useState<boolean>();
  const [choosing, setChoosing] = useState(false);
  const models = useSetModels();
  const [, navigate] = useLocation();
  return (
    <section
      aria-label={words.actions}
      className="flex shrink-0 flex-wrap items-center gap-1.5 border-t border-line bg-sunken px-3 py-2"
    >
      <div className="flex w-full items-center justify-between">
        <span role="status" className="font-medium tabular-nums">
          {words.chosen(ids.length)}
        </span>
        <Tooltip label={words.clear} side="top">
          <Button variant="quiet" size="icon" aria-label={words.clear} onClick={onClear}>
            <X aria-hidden="true" className="size-3.5" />
          </Button>
        </Tooltip>
      </div>
      <Button size="small" onClick={() => setLinking(true)}>
        {words.link}
      </Button>
      <Button size="small" onClick={() => setApplying(true)}>
        {words.preset}
      </Button>
      <ModelPicker
        open={choosing}
        onOpenChange={setChoosing}
        side="top"
        onPick={(name) => models.mutate({ ids, name })}
        trigger={
          <Button size="small" disabled={models.isPending}>
            {models.isPending ? modelWords.setting(ids.length) : words.model}
          </Button>
        }
      />
      <Button size="small" onClick={() => navigate(paths.matrix('skills'), { state: toMatrixState(ids) })}>
        {words.matrix}
      </Button>
      <FixAllButton label={words.fix} ids={ids} />
      <Button size="small" onClick={() => setDeleting(true)}>
        {words.delete}
      </Button>
      {linking !== undefined && <BulkLinkDialog ids={ids} open={linking} onOpenChange={setLinking} />}
      {applying !== undefined && <ApplyPresetDialog ids={ids} open={applying} onOpenChange={setApplying} />}
      {deleting !== undefined && (
        <BulkDeleteDialog
          ids={ids}
          open={deleting}
          onOpenChange={setDeleting}
          onDeleted={(next) => {
            if (openedId !== null && ids.includes(openedId)) onLeave(next);
          }}
        />
      )}
    </section>
  );
};
