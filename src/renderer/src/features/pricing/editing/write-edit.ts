import type { QueryClient } from '@tanstack/react-query';
import { showSaved } from '../../../api/cache-invalidation.ts';
import { ApiError } from '../../../api/client.ts';
import { type ReadModels, readModels, saveModels } from '../../../api/models.ts';
import { keys } from '../../../api/queries.ts';
import type { PendingEdits } from './pending-edits.ts';
import { applyEdit, type PriceEdit } from './price-edits.ts';

/** An edit, and the etag of the file that it was made for. */
export interface EditRun {
  readonly edit: PriceEdit;
  readonly etag: string | null;
}

/**
 * Saves an edit if the file still has the edit's version, or one that this page wrote from it. Resolves to
 * the edit that undoes it. If the file changed, reads it again and resolves to null. Throws `ApiError`.
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
