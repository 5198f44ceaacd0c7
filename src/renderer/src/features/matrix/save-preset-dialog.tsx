import { type FormEvent, useState } from 'react';
import { isPresetName, type PresetContent } from '../../../../shared/api/presets.ts';
import { useLinkedNames, usePresets, useSavePreset } from '../../presets/use-presets.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

interface SavePresetDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Saves what an agent links to. */
export const SaveAgentDialog = ({ id, ...props }: SavePresetDialogProps & { readonly id: string }) => (
  <SavePresetDialog {...props} content={useLinkedNames(id)} description={presetWords.saveAgent(id)} />
);

/** Saves the selected columns. */
export const SaveColumnsDialog = ({
  content,
  ...props
}: SavePresetDialogProps & { readonly content: PresetContent }) => (
  <SavePresetDialog
    {...props}
    content={content}
    description={presetWords.saveColumns(
      presetWords.content(content.skills.length, content.extensions.length),
    )}
  />
);

interface ContentProps extends SavePresetDialogProps {
  /** Undefined while it is read. */
  readonly content: PresetContent | undefined;
  readonly description: string;
}

/** Asks for the name of a new preset, or of one to replace. */
const SavePresetDialog = ({ open, onOpenChange, content, description }: ContentProps) => {
  const read = usePresets();
  const [name, setName] = useState('');
  const { mutate, reset, isPending, error } = useSavePreset(() => {
    onOpenChange(false);
    setName('');
  });
  const before = read.status === 'ready' ? read.data.find((preset) => preset.name === name) : undefined;
  const isWrong = name !== '' && !isPresetName(name);
  const canSave = isPresetName(name) && content !== undefined && !isPending;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (canSave) mutate({ name, content, ...(before ? { before } : {}) });
  };
  return (
    <Modal
      open={open}
      onOpenChange={(next) => !isPending && onOpenChange(next)}
      title={presetWords.saveTitle}
      description={description}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField
          label={presetWords.name}
          value={name}
          onValueChange={(text) => {
            setName(text);
            if (error) reset();
          }}
          hint={before ? presetWords.replaces : undefined}
          error={isWrong ? presetWords.nameRule : error?.message}
        />
        {content && (
          <p role="status" className="text-muted">
            {presetWords.content(content.skills.length, content.extensions.length)}
          </p>
        )}
        <DialogActions>
          <Button disabled={isPending} onClick={() => onOpenChange(false)}>
            {strings.common.cancel}
          </Button>
          <Button type="submit" variant="primary" disabled={!canSave}>
            {before ? presetWords.replace : presetWords.save}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};
