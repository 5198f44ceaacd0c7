import { type FormEvent, useMemo, useState } from 'react';
import type { PricedModel } from '../../api/models.ts';
import { pricing as texts } from '../../strings/pricing.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { DialogActions, Modal } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { changesOf, type DraftProblems, type ModelDraft, readDraft } from './price-edits.ts';
import type { Edits } from './use-edits.ts';

const words = texts.edit;
const FIELDS = [
  ['name', words.name],
  ['inputUsd', words.input],
  ['outputUsd', words.output],
] as const;

interface ModelDialogProps {
  /** The model that is edited; null adds one. */
  readonly model: PricedModel | null;
  readonly models: readonly PricedModel[];
  readonly edits: Edits;
  readonly onClose: () => void;
}

/** Adds a model, or renames one and changes both of its prices. */
export const ModelDialog = ({ model, models, edits, onClose }: ModelDialogProps) => {
  const [etag] = useState(edits.etag);
  const [draft, setDraft] = useState<ModelDraft>({
    name: model?.name ?? '',
    inputUsd: model ? String(model.inputUsd) : '',
    outputUsd: model ? String(model.outputUsd) : '',
  });
  /** What is wrong is told after the first try, then as it is typed. */
  const [wasTried, setWasTried] = useState(false);
  const taken = useMemo(
    () => new Set(models.map(({ name }) => name).filter((name) => name !== model?.name)),
    [models, model],
  );
  const read = readDraft(draft, taken);
  const problems: DraftProblems = wasTried && 'problems' in read ? read.problems : {};
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if ('problems' in read) {
      setWasTried(true);
      const wrong = FIELDS.findIndex(([field]) => read.problems[field]);
      event.currentTarget.querySelectorAll('input')[wrong]?.focus();
      return;
    }
    onClose();
    if (!model) edits.run({ kind: 'add', model: read.model }, etag);
    else {
      const changes = changesOf(model, read.model);
      if (changes) edits.run({ kind: 'change', name: model.name, changes }, etag);
    }
  };
  return (
    <Modal
      open
      onOpenChange={(open) => open || onClose()}
      title={model ? words.editTitle : words.addTitle}
      description={words.description}
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        {FIELDS.map(([field, label]) => {
          const problem = problems[field];
          return (
            <TextField
              key={field}
              label={label}
              value={draft[field]}
              onValueChange={(text) => setDraft({ ...draft, [field]: text })}
              inputMode={field === 'name' ? 'text' : 'decimal'}
              error={problem && words.problems[problem]}
            />
          );
        })}
        <DialogActions>
          <Button onClick={onClose}>{strings.common.cancel}</Button>
          <Button type="submit" variant="primary">
            {model ? words.save : words.add}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};
