import { undoChange } from '../../shared/api/changes.ts';
import { call } from './api/client.ts';

/** Undoes a change. Returns how many of its items were restored, and why others weren't. */
export const undoItems = async (
  change: string,
): Promise<{ readonly undone: number; readonly failed: readonly { readonly error: string }[] }> => {
  const { applied, refused } = await call(undoChange, { params: { change } });
  return { undone: applied, failed: refused };
};

/** Undoes a change of one item. Throws why it wasn't restored. */
export const undoItem = async (change: string): Promise<void> => {
  const { failed } = await undoItems(change);
  if (failed[0]) throw new Error(failed[0].error);
};
