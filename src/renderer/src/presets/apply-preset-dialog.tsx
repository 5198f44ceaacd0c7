import { type FormEvent, useState } from 'react';
import { presets as words } from '../strings/presets.ts';
import { strings } from '../strings.ts';
import { Button } from '../ui/button.tsx';
import { DialogActions, Modal } from '../ui/dialog.tsx';
import { CheckboxField } from '../ui/field.tsx';
import { PresetPreview } from './preset-preview.tsx';
import { PresetSelect } from './preset-select.tsx';
import { useApplyPreset, useUsablePresets } from './use-presets.ts';

interface ApplyPresetDialogProps {
  readonly ids: readonly string[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onApplied?: () => void;
}

/** Asks which preset the chosen agents get. */
export const ApplyPresetDialog = ({ ids, open, onOpenChange, onApplied }: ApplyPresetDialogProps) => {
  const presets = useUsablePresets();
  const [picked, setPicked] = useState<string | null>(null);
  const [unlinkOthers, setUnlinkOthers] = useState(false);
  const { mutate, isPending } = useApplyPreset(() => {
    onOpenChange(false);
    onApplied?.();
  });
  const chosen = presets.find(({ name }) => name === picked) ?? presets[0];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (chosen && !isPending) mutate({ name: chosen.name, agents: [...ids], unlinkOthers });
  };
  return (
    <Modal
      open={open}
      onOpenChange={(next) => !isPending && onOpenChange(next)}
      title={words.applyTitle(ids.length)}
      description={words.applyHint}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {chosen ? (
          <>
            <PresetSelect
              presets={presets}
              value={chosen.name}
              onChange={setPicked}
              isPreviewed
              hint={chosen.description}
            />
            <CheckboxField
              label={words.unlinkOthers}
              hint={words.unlinkOthersHint}
              checked={unlinkOthers}
              onCheckedChange={setUnlinkOthers}
            />
            <PresetPreview preset={chosen} ids={ids} unlinkOthers={unlinkOthers} />
          </>
        ) : (
          <p className="text-muted">
            {words.none}. {words.noneHint}
          </p>
        )}
        <DialogActions>
          <Button disabled={isPending} onClick={() => onOpenChange(false)}>
            {strings.common.cancel}
          </Button>
          <Button type="submit" variant="primary" disabled={isPending || !chosen}>
            {isPending ? words.applying : words.apply}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};
