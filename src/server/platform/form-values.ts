import type { JsonChange } from '../../shared/json-edit.ts';
import { isJsonObject, type JsonObject } from '../../shared/json-object.ts';

/** Returns whether a value in a change refers to one that is already in the file. */
export const isHidden = (value: unknown): boolean => isJsonObject(value) && 'hidden' in value;

/**
 * Yields the changes to one group of names and values, such as the environment. `nothingToKeep` returns the error for
 * a hidden value that the file doesn't have, given its position.
 */
export function* groupChanges(
  path: readonly (string | number)[],
  old: unknown,
  changes: JsonObject,
  nothingToKeep: (place: string) => Error,
): Generator<JsonChange> {
  const before = isJsonObject(old) ? old : {};
  const after = new Map(Object.entries(before));
  for (const [key, value] of Object.entries(changes)) {
    if (isHidden(value)) {
      if (!Object.hasOwn(before, key)) throw nothingToKeep(`${path.at(-1)}.${key}`);
    } else if (value === null) after.delete(key);
    else after.set(key, value);
  }
  if (after.size === 0) {
    if (Object.keys(before).length > 0) yield { path, remove: true };
    return;
  }
  if (!isJsonObject(old)) {
    yield { path, set: Object.fromEntries(after) };
    return;
  }
  for (const key of Object.keys(before)) if (!after.has(key)) yield { path: [...path, key], remove: true };
  for (const [key, value] of after) if (before[key] !== value) yield { path: [...path, key], set: value };
}
