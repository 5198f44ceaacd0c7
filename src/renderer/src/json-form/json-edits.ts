import { type ChangeItemInput, makeChanges } from '../../../shared/api/changes.ts';
import type { JsonEdit } from '../../../shared/json-edit.ts';
import { ApiError, callForChange } from '../api/client.ts';

type Item = Extract<ChangeItemInput, { json: string }>;

/** Edits of an agent's JSON file. */
export interface JsonFileEdits extends Omit<Item, 'edits'> {
  readonly edits: readonly JsonEdit[];
}

/** Returns the item of a change set that edits an agent's JSON file. The edits have only JSON values. */
export const jsonItem = (item: JsonFileEdits): Item => item as Item;

/** Returns the condition that a file still has an etag, or still doesn't exist. */
export const ifStill = (etag: string | null): Pick<Item, 'ifMatch' | 'ifNoneMatch'> =>
  etag === null ? { ifNoneMatch: '*' } : { ifMatch: etag };

const UNPROCESSABLE = 422;

/** Edits an agent's JSON file. Throws an {@link ApiError} if dot-mi refuses it. */
export const editJsonFile = async (
  label: string,
  item: JsonFileEdits,
): Promise<{ readonly body: null; readonly change: string | null }> => {
  if (item.edits.length === 0) return { body: null, change: null };
  const { body, change } = await callForChange(makeChanges, { body: { label, items: [jsonItem(item)] } });
  const [refused] = body.refused;
  if (refused) throw new ApiError(UNPROCESSABLE, refused.code, refused.error);
  return { body: null, change };
};
