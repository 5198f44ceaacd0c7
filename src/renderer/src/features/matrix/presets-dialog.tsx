import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { isPresetName, type Preset } from '../../../../shared/api/presets.ts';
import { PresetContents } from '../../presets/preset-select.tsx';
import { useDeletePreset, usePresets, useRenamePreset } from '../../presets/use-presets.ts';
import { common } from '../../strings/common.ts';
import { presets as presetWords } from '../../strings/presets.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loading } from '../../ui/loading.tsx';

interface PresetsDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Lists all presets in the root, to rename or delete. */
export const PresetsDialog = ({ open, onOpenChange }: PresetsDialogProps) => {
  const read = usePresets();
  const list = useRef<HTMLDivElement>(null);
  return (
    <Modal
      open={open}
      onOpenChange={onOpenChange}
      title={presetWords.title}
      description={presetWords.description}
    >
      <div ref={list} tabIndex={-1} className="flex flex-col gap-3 outline-none">
        {read.status === 'loading' && <Loading />}
        {read.status === 'error' && <ErrorState error={read.error} onRetry={read.retry} />}
        {read.status === 'ready' && read.data.length === 0 && (
          <p className="text-muted">
            {presetWords.none}. {presetWords.noneHint}
          </p>
        )}
        {read.status === 'ready' && read.data.length > 0 && (
          <ul aria-label={presetWords.listLabel} className="divide-y divide-line">
            {read.data.map((preset) => (
              <PresetRow key={preset.name} preset={preset} list={list} />
            ))}
          </ul>
        )}
      </div>
      <DialogActions>
        <Button onClick={() => onOpenChange(false)}>{presetWords.done}</Button>
      </DialogActions>
    </Modal>
  );
};

interface PresetRowProps {
  readonly preset: Preset;
  /** Gets focus once the row is removed. */
  readonly list: RefObject<HTMLDivElement | null>;
}

const PresetRow = ({ preset, list }: PresetRowProps) => {
  const { name, problem } = preset;
  const [typed, setTyped] = useState<string | null>(null);
  const focusList = (): void => list.current?.focus();
  const remove = useDeletePreset(focusList);
  // dot-mi can't access a preset file with an unsupported name.
  const hasName = problem?.code !== 'unsupported_name';
  if (typed !== null) {
    const close = (): void => {
      setTyped(null);
      focusList();
    };
    return <RenameRow name={name} typed={typed} onType={setTyped} onClose={close} />;
  }
  return (
    <li className="flex items-start gap-2 py-2">
      <div className="flex min-w-0 flex-1 flex-col">
        <span className="font-medium break-words">{name}</span>
        <PresetContents preset={preset} />
      </div>
      {hasName && (
        <>
          <Button size="small" aria-label={presetWords.renameLabel(name)} onClick={() => setTyped(name)}>
            {presetWords.rename}
          </Button>
          <Button
            size="small"
            aria-label={presetWords.deleteLabel(name)}
            disabled={remove.isPending}
            onClick={() => remove.mutate(name)}
          >
            {presetWords.delete}
          </Button>
        </>
      )}
    </li>
  );
};

interface RenameRowProps {
  readonly name: string;
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onClose: () => void;
}

const RenameRow = ({ name, typed, onType, onClose }: RenameRowProps) => {
  const { mutate, reset, isPending, error } = useRenamePreset(onClose);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.select(), []);
  const isWrong = typed !== '' && !isPresetName(typed);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (typed === name) onClose();
    else if (isPresetName(typed) && !isPending) mutate({ name, to: typed });
  };
  return (
    <li className="py-2">
      <form onSubmit={submit} className="flex flex-col gap-2">
        <TextField
          ref={input}
          label={presetWords.newName(name)}
          value={typed}
          onValueChange={(text) => {
            onType(text);
            if (error) reset();
          }}
          error={isWrong ? presetWords.nameRule : error?.message}
        />
        <DialogActions>
          <Button size="small" disabled={isPending} onClick={onClose}>
            {common.cancel}
          </Button>
          <Button size="small" type="submit" variant="primary" disabled={isPending || !isPresetName(typed)}>
            {presetWords.rename}
          </Button>
        </DialogActions>
      </form>
    </li>
  );
};
