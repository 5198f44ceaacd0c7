import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { showSaved } from '../../../api/cache-invalidation.ts';
import { ApiError } from '../../../api/client.ts';
import { after, refreshAfter } from '../../../api/invalidations.ts';
import { type ReadModels, readModels, saveModels } from '../../../api/models.ts';
import { keys } from '../../../api/queries.ts';
import { notifyUndoable } from '../../../changes/changes.ts';
import { paths } from '../../../routes.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { dismissFailure, reportFailure } from '../../../ui/failures.tsx';
import { type BlockReason, type PendingEdit, type PendingEdits, pendingEdits } from './pending-edits.ts';
import { applyEdit, describeEdit, type EditConflict, type PriceEdit, successMessage } from './price-edits.ts';

/** An edit, and the etag of the file that it was made for. */
interface EditRun {
  readonly edit: PriceEdit;
  readonly etag: string | null;
  /** True if it undoes another edit. */
  readonly isUndo?: boolean;
}

/**
 * Saves an edit if the file still has the edit's version, or one that this page wrote from it. Resolves to the edit
 * that undoes it. If the file changed, reads it again and resolves to null. Throws `ApiError`.
 */
export const writeEdit = async (
  client: QueryClient,
  edits: Pick<PendingEdits, 'latest' | 'wrote'>,
  { edit, etag }: EditRun,
): Promise<PriceEdit | null> => {
  const readAgain = async (): Promise<null> => {
    await client.fetchQuery({ queryKey: keys.models, queryFn: () => readModels(), staleTime: 0 });
    return null;
  };
  const file = client.getQueryData<ReadModels>(keys.models);
  const wanted = edits.latest(etag);
  if (!file || file.etag !== wanted) return readAgain();
  const edited = applyEdit(file.models, edit);
  if ('conflict' in edited) return readAgain();
  try {
    const written = await saveModels(edited.models, wanted);
    edits.wrote(wanted, written);
    await showSaved<ReadModels>(client, keys.models, {
      models: edited.models,
      etag: written,
      configError: undefined,
    });
    return edited.inverse;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'file_changed') throw error;
    return readAgain();
  }
};

/** A pending edit. With a conflict, it can't be applied to the current file or retried. */
export type OpenEdit = PendingEdit & { readonly conflict: EditConflict | null };

/** The state and functions for editing the models file. */
export interface Edits {
  /** The shown version of the file, for {@link Edits.run}. Read it when an edit begins. */
  readonly etag: string | null;
  /** Describes the file's unreadable entries, which the next write drops. */
  readonly configError: string | undefined;
  /** Saves an edit to the file version with this etag. If that fails, it becomes a pending edit. */
  readonly run: (edit: PriceEdit, etag: string | null) => void;
  /** Saves an edit, even if that drops unreadable entries. Resolves to why it wasn't saved, or null. */
  readonly make: (edit: PriceEdit, etag: string | null) => Promise<BlockReason | null>;
  readonly keep: (edit: PriceEdit, etag: string | null, blockedBy: BlockReason) => void;
  /** Edits that weren't saved, except those that wait for confirmation. */
  readonly open: readonly OpenEdit[];
  readonly again: (id: number) => void;
  readonly discard: (id: number) => void;
  /** An edit that would drop unreadable entries, and waits for confirmation. */
  readonly lossy: {
    readonly configError: string;
    readonly confirm: () => void;
    readonly cancel: () => void;
  } | null;
}

/** Edits the models file. Each edit is saved at once, to the version it was made for, and can be undone. */
export const useEdits = (): Edits => {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const unsettled = useSyncExternalStore(pendingEdits.subscribe, pendingEdits.get);
  const current = (): ReadModels | undefined => client.getQueryData<ReadModels>(keys.models);

  const { mutateAsync } = useMutation<PriceEdit | null, ApiError, EditRun>({
    // Run edits one after another, each on the previous one's result.
    scope: { id: 'models' },
    mutationFn: (asked) => writeEdit(client, pendingEdits, asked),
    onSuccess: (inverse, { edit, isUndo }) => {
      if (inverse && !isUndo) notifyUndoable(successMessage(edit), () => takeBack(inverse), false);
    },
    onSettled: () => void refreshAfter(client, after.models()),
  });

  /** Shows a toast that opens the pending edits, except in the view that shows them. */
  const notifyWaiting = (): void => {
    const last = pendingEdits.get().at(-1);
    if (!last || pendingEdits.isShown()) return;
    reportFailure(words.edit.failed, `${describeEdit(last.edit)}.`, {
      action: { label: words.edit.show, run: () => navigate(paths.pricing) },
    });
  };
  const keep: Edits['keep'] = (edit, etag, blockedBy) => {
    pendingEdits.keep(edit, etag, blockedBy);
    notifyWaiting();
  };
  const save = async (asked: EditRun): Promise<BlockReason | null> => {
    try {
      return (await mutateAsync(asked)) ? null : { kind: 'changed' };
    } catch (error) {
      return { kind: 'failed', error: error as ApiError };
    }
  };
  const make: Edits['make'] = (edit, etag) => save({ edit, etag });
  /** Saves an edit or keeps it as a pending one. Resolves to whether it was saved. */
  const saveOrKeep = async (asked: EditRun): Promise<boolean> => {
    const blockedBy =
      asked.isUndo && current()?.configError !== undefined ? { kind: 'lossy' as const } : await save(asked);
    if (blockedBy) keep(asked.edit, asked.etag, blockedBy);
    return blockedBy === null;
  };
  const makeOrKeep = (edit: PriceEdit, etag: string | null): Promise<boolean> => saveOrKeep({ edit, etag });
  const takeBack = (edit: PriceEdit): Promise<boolean> =>
    saveOrKeep({ edit, etag: current()?.etag ?? null, isUndo: true });
  const run: Edits['run'] = (edit, etag) => {
    if (current()?.configError === undefined) void makeOrKeep(edit, etag);
    else keep(edit, etag, { kind: 'lossy' });
  };
  const again = (id: number): void => {
    const taken = pendingEdits.take(id);
    if (!taken) return;
    // If the file changed, the operator has seen its current version.
    run(taken.edit, taken.blockedBy.kind === 'changed' ? (current()?.etag ?? null) : taken.etag);
  };

  const latest = useRef(notifyWaiting);
  latest.current = notifyWaiting;
  useEffect(() => {
    const hide = pendingEdits.show();
    dismissFailure(words.edit.failed);
    return () => {
      hide();
      latest.current();
    };
  }, []);

  const file = current();
  const waiting = unsettled.filter(({ blockedBy }) => blockedBy.kind === 'lossy');
  useEffect(() => {
    // The file was fixed, so saving no longer drops any entries.
    if (file && file.configError === undefined) for (const { id } of waiting) again(id);
  });
  const [first] = waiting;
  return {
    etag: file?.etag ?? null,
    configError: file?.configError,
    run,
    make,
    keep,
    open: unsettled
      .filter(({ blockedBy }) => blockedBy.kind !== 'lossy')
      .map((each) => ({ ...each, conflict: conflictOf(file, each.edit) })),
    again,
    discard: (id) => void pendingEdits.take(id),
    lossy:
      first && file?.configError !== undefined
        ? {
            configError: file.configError,
            confirm: () => {
              const taken = pendingEdits.take(first.id);
              if (taken) void makeOrKeep(taken.edit, taken.etag);
            },
            cancel: () => void pendingEdits.take(first.id),
          }
        : null,
  };
};

const conflictOf = (file: ReadModels | undefined, edit: PriceEdit): EditConflict | null => {
  const edited = file && applyEdit(file.models, edit);
  return edited && 'conflict' in edited ? edited : null;
};
