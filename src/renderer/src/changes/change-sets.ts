import { type ChangeItemInput, type ChangeResult, makeChanges } from '../../../shared/api/changes.ts';
import { call } from '../api/client.ts';
import type { Made } from './changes.ts';

/** The most items and characters of one request. The API accepts 10,000 items and 13 MiB. */
const MOST_ITEMS = 10_000;
const MOST_CHARACTERS = 4_000_000;
/** The length limit for a label, in characters. */
const MOST_LABEL = 200;

/** What became of several items. */
export interface ChangedItems extends Pick<ChangeResult, 'applied' | 'unchanged'> {
  /** The items that changed nothing, by their index among all items. */
  readonly refused: ReadonlyMap<number, ChangeResult['refused'][number]>;
}

const partsOf = (items: readonly ChangeItemInput[]): ChangeItemInput[][] => {
  const parts: ChangeItemInput[][] = [];
  let characters = 0;
  for (const item of items) {
    const length = 'content' in item ? (item.content?.length ?? 0) : 0;
    const part = parts.at(-1);
    if (part && part.length < MOST_ITEMS && characters + length <= MOST_CHARACTERS) {
      part.push(item);
      characters += length;
    } else {
      parts.push([item]);
      characters = length;
    }
  }
  return parts;
};

/** Makes a change set, or several if it would be too large. */
export const makeChangeSet = async (
  label: string,
  items: readonly ChangeItemInput[],
): Promise<Made<ChangedItems> & { readonly change: readonly string[] }> => {
  const change: string[] = [];
  const refused = new Map<number, ChangeResult['refused'][number]>();
  let [applied, unchanged, first] = [0, 0, 0];
  for (const part of partsOf(items)) {
    const result = await call(makeChanges, { body: { label: label.slice(0, MOST_LABEL), items: part } });
    if (result.change !== null) change.push(result.change);
    for (const one of result.refused) refused.set(first + one.index, one);
    applied += result.applied;
    unchanged += result.unchanged;
    first += part.length;
  }
  return { body: { applied, unchanged, refused }, change };
};
