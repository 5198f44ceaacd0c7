import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react';
import { needsSignIn } from '../../../../../shared/api/errors.ts';
import type { PricedModel } from '../../../api/models.ts';
import { SignInButton } from '../../../shell/sign-in.tsx';
import { common } from '../../../strings/common.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { Button } from '../../../ui/button.tsx';
import { Callout } from '../../../ui/callout.tsx';
import { DialogActions, Modal } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/failures.tsx';
import { TextField } from '../../../ui/field.tsx';
import type { BlockReason } from './pending-edits.ts';
import {
  type DraftProblems,
  EMPTY_TIER,
  editOf,
  type ModelDraft,
  type OpenModel,
  type PriceEdit,
  readModelDraft,
  type TierDraft,
} from './price-edits.ts';
import type { Edits } from './use-edits.ts';

const PRICE_FIELDS = [
  ['inputUsd', words.edit.input],
  ['outputUsd', words.edit.output],
  ['cacheReadUsd', words.edit.cacheRead],
  ['cacheWriteUsd', words.edit.cacheWrite],
] as const;

const FIELDS = [['name', words.edit.name], ...PRICE_FIELDS, ['requestUsd', words.edit.request]] as const;

const TIER_FIELDS = [['above', words.edit.above], ...PRICE_FIELDS] as const;

/** Returns whether each of the dialog's fields has a problem, in their order. */
const wrongFields = (problems: DraftProblems, tiers: number): boolean[] => [
  ...FIELDS.map(([field]) => problems[field] !== undefined),
  ...Array.from({ length: tiers }, (_, at) =>
    TIER_FIELDS.map(([field]) => problems.tiers?.[at]?.[field] !== undefined),
  ).flat(),
];

interface ModelDialogProps {
  /** The model to edit, and its typed values. */
  readonly open: OpenModel;
  readonly onType: (draft: ModelDraft) => void;
  readonly models: readonly PricedModel[];
  readonly edits: Edits;
  readonly onClose: () => void;
}

/** Adds a model, or changes its name and prices. Stays open until the save succeeds, and shows why it failed. */
export const ModelDialog = ({ open, onType, models, edits, onClose }: ModelDialogProps) => {
  const { model, draft } = open;
  /** True after the first attempt to save. From then on, problems are shown while typing. */
  const [wasTried, setWasTried] = useState(false);
  const { isSaving, blockedBy, save } = useSaving(edits, open.etag, onClose);
  const taken = useMemo(
    () => new Set(models.map(({ name }) => name).filter((name) => name !== model?.name)),
    [models, model],
  );
  const read = readModelDraft(draft, taken);
  // While a save is in progress, the list may already contain the model.
  const problems: DraftProblems = wasTried && !isSaving && 'problems' in read ? read.problems : {};
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (isSaving) return;
    if ('problems' in read) {
      setWasTried(true);
      const wrong = wrongFields(read.problems, draft.tiers.length).indexOf(true);
      event.currentTarget.querySelectorAll('input')[wrong]?.focus();
      return;
    }
    const edit = editOf(model, read.model);
    if (edit) void save(edit);
    else onClose();
  };
  const isGone = model !== null && !models.some(({ name }) => name === model.name);
  return (
    <Modal
      open
      onOpenChange={(isOpen) => isOpen || isSaving || onClose()}
      title={model ? words.edit.editTitle : words.edit.addTitle}
      description={words.edit.description}
    >
      <form onSubmit={submit} noValidate className="flex flex-col gap-4">
        {FIELDS.map(([field, label]) => {
          const problem = problems[field];
          return (
            <TextField
              key={field}
              label={label}
              value={draft[field]}
              onValueChange={(text) => onType({ ...draft, [field]: text })}
              inputMode={field === 'name' ? 'text' : 'decimal'}
              readOnly={isSaving}
              error={problem && words.edit.problems[problem]}
            />
          );
        })}
        <Tiers
          tiers={draft.tiers}
          problems={problems.tiers}
          isSaving={isSaving}
          onChange={(tiers) => onType({ ...draft, tiers: [...tiers] })}
        />
        <Trouble blockedBy={blockedBy} configError={edits.configError} gone={isGone ? model.name : null} />
        <DialogActions>
          <Button disabled={isSaving} onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" variant="primary">
            {isSaving ? words.edit.saving : model ? words.edit.save : words.edit.add}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
};

interface TiersProps {
  readonly tiers: readonly TierDraft[];
  readonly problems: DraftProblems['tiers'];
  readonly isSaving: boolean;
  readonly onChange: (tiers: readonly TierDraft[]) => void;
}

/** The prices of long requests, each with the number of input tokens above which they apply. */
const Tiers = ({ tiers, problems, isSaving, onChange }: TiersProps) => {
  const box = useRef<HTMLDivElement>(null);
  /** The number of tiers before one was added, whose first field then gets the focus. */
  const [addedTo, setAddedTo] = useState<number | null>(null);
  useEffect(() => {
    if (addedTo === null || tiers.length <= addedTo) return;
    setAddedTo(null);
    box.current?.querySelectorAll('fieldset')[addedTo]?.querySelector('input')?.focus();
  }, [addedTo, tiers.length]);
  const remove = (at: number): void => {
    onChange(tiers.toSpliced(at, 1));
    // The last button adds prices, and stays.
    [...(box.current?.querySelectorAll('button') ?? [])].at(-1)?.focus();
  };
  return (
    <div ref={box} className="flex flex-col gap-4">
      {tiers.map((tier, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a tier has no name, and its fields hold no state
        <fieldset key={at} className="flex flex-col gap-3 rounded-md border border-line p-3">
          <legend className="px-1 font-medium">{words.edit.tier(tier.above.trim())}</legend>
          {TIER_FIELDS.map(([field, label]) => {
            const problem = problems?.[at]?.[field];
            return (
              <TextField
                key={field}
                label={label}
                value={tier[field]}
                onValueChange={(text) => onChange(tiers.with(at, { ...tier, [field]: text }))}
                inputMode={field === 'above' ? 'numeric' : 'decimal'}
                readOnly={isSaving}
                error={problem && words.edit.problems[problem]}
              />
            );
          })}
          <div>
            <Button disabled={isSaving} onClick={() => remove(at)}>
              {words.edit.removeTier}
            </Button>
          </div>
        </fieldset>
      ))}
      <div>
        <Button
          disabled={isSaving}
          onClick={() => {
            setAddedTo(tiers.length);
            onChange([...tiers, EMPTY_TIER]);
          }}
        >
          {words.edit.addTier}
        </Button>
      </div>
    </div>
  );
};

/** Saves over the file version that the edit began with, or over a newer one once the dialog has reported it. */
const useSaving = (edits: Edits, begunWith: string | null, onSaved: () => void) => {
  const [isSaving, setIsSaving] = useState(false);
  const [blockedBy, setBlockedBy] = useState<BlockReason | null>(null);
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  const save = async (edit: PriceEdit): Promise<void> => {
    const etag = blockedBy?.kind === 'changed' ? edits.etag : begunWith;
    setIsSaving(true);
    const met = await edits.make(edit, etag);
    if (!isHere.current) {
      // The person left the page in the meantime.
      if (met) edits.keep(edit, etag, met);
      return;
    }
    setIsSaving(false);
    setBlockedBy(met);
    if (!met) onSaved();
  };
  return { isSaving, blockedBy, save };
};

interface TroubleProps {
  readonly blockedBy: BlockReason | null;
  readonly configError: string | undefined;
  /** The name of the edited model, if it no longer exists. */
  readonly gone: string | null;
}

const Trouble = ({ blockedBy, configError, gone }: TroubleProps) => (
  <>
    {configError && (
      <Callout tone="warn" title={words.models.problem}>
        <p>{configError}</p>
        <p>{words.import.configError}</p>
      </Callout>
    )}
    {blockedBy?.kind === 'changed' && (
      <Callout tone="warn" title={words.edit.changedMeanwhile} announce="alert">
        <p>{gone === null ? words.edit.saveAgain : words.edit.gone(gone)}</p>
      </Callout>
    )}
    {blockedBy?.kind === 'failed' && (
      <Failure title={words.edit.failed} message={blockedBy.error.message}>
        {needsSignIn(blockedBy.error) && <SignInButton />}
      </Failure>
    )}
  </>
);
