import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { type ReadModels, readModels, saveModels } from '../../api/models.ts';
import { keys } from '../../api/queries.ts';
import { pricing as texts } from '../../strings/pricing.ts';
import { strings } from '../../strings.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';
import { doneWords } from './edit-words.ts';
import { applyEdit, type PriceEdit } from './price-edits.ts';

/** An edit that was not written, since the file is another one by now. */
export interface EditConflict {
  readonly edit: PriceEdit;
  /** Why it does not fit the file as it is now; then it cannot be made again. */
  readonly misfit: { readonly why: 'gone' | 'taken'; readonly name: string } | null;
}

/** Editing the models. */
export interface Edits {
  /** The version of the file that is shown, for {@link Edits.run}; take it when an edit begins. */
  readonly etag: string | null;
  /** Writes an edit of the version of the file with this etag. */
  readonly run: (edit: PriceEdit, etag: string | null) => void;
  readonly isSaving: boolean;
  readonly conflict: EditConflict | null;
  readonly applyAgain: () => void;
  readonly discard: () => void;
  /** An edit that would drop what could not be read of the file, and waits for a yes. */
  readonly lossy: {
    readonly configError: string;
    readonly confirm: () => void;
    readonly cancel: () => void;
  } | null;
}

interface Run {
  readonly edit: PriceEdit;
  readonly etag: string | null;
}

/** Edits the models file: each edit is written at once, on the version it was made for, and can be undone. */
export const useEdits = (): Edits => {
  const client = useQueryClient();
  const [conflict, setConflict] = useState<EditConflict | null>(null);
  const [waiting, setWaiting] = useState<Run | null>(null);
  /** The etags that our own writes made of others: an edit that began before one of them fits what came of it. */
  const successors = useRef(new Map<string | null, string>());
  const current = (): ReadModels | undefined => client.getQueryData<ReadModels>(keys.models);

  const latest = (etag: string | null): string | null => {
    const next = successors.current.get(etag);
    return next === undefined || next === etag ? etag : latest(next);
  };

  const onConflict = async (edit: PriceEdit): Promise<void> => {
    const { models } = await client.fetchQuery({
      queryKey: keys.models,
      queryFn: () => readModels(),
      staleTime: 0,
    });
    const edited = applyEdit(models, edit);
    setConflict({ edit, misfit: 'misfit' in edited ? { why: edited.misfit, name: edited.name } : null });
  };

  const { mutate, isPending } = useMutation<PriceEdit | null, ApiError, Run>({
    // One after another, each on what the one before it made.
    scope: { id: 'models' },
    mutationFn: async ({ edit, etag }) => {
      const file = current();
      const wanted = latest(etag);
      const edited = file && file.etag === wanted ? applyEdit(file.models, edit) : { misfit: true as const };
      if ('misfit' in edited) {
        await onConflict(edit);
        return null;
      }
      try {
        const written = await saveModels(edited.models, wanted);
        if (written !== wanted) successors.current.set(wanted, written);
        // What was asked before the write must not come over what was written.
        await client.cancelQueries({ queryKey: keys.models });
        client.setQueryData<ReadModels>(keys.models, {
          models: edited.models,
          etag: written,
          configError: undefined,
        });
        return edited.inverse;
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'file_changed') throw error;
        await onConflict(edit);
        return null;
      }
    },
    onSuccess: (inverse, { edit }) => {
      if (!inverse) return;
      const undo = () => run(inverse, current()?.etag ?? null);
      notify(doneWords(edit), { label: strings.common.undo, run: undo });
    },
    onError: (error) => notifyFailure(texts.edit.failed, error),
    onSettled: () => client.invalidateQueries({ queryKey: keys.models }),
  });

  const run = (edit: PriceEdit, etag: string | null): void => {
    setConflict(null);
    if (current()?.configError === undefined) mutate({ edit, etag });
    else setWaiting({ edit, etag });
  };
  const configError = current()?.configError;
  return {
    etag: current()?.etag ?? null,
    run,
    isSaving: isPending,
    conflict,
    applyAgain: () => conflict && run(conflict.edit, current()?.etag ?? null),
    discard: () => setConflict(null),
    lossy:
      waiting && configError !== undefined
        ? {
            configError,
            confirm: () => {
              setWaiting(null);
              mutate(waiting);
            },
            cancel: () => setWaiting(null),
          }
        : null,
  };
};
