import type { PriceChange } from '../../../../../shared/api/pricing.ts';
import { type PricedModel, toPricedModel } from '../../../api/models.ts';

/** The changes that are selected at first: those of models that are already in the file. */
export const preselected = (changes: readonly PriceChange[]): ReadonlySet<string> =>
  new Set(changes.filter(({ before }) => before !== null).map(({ name }) => name));

/** The selection after the file was read again, without changes that no longer exist. */
export const stillSelected = (
  selected: ReadonlySet<string>,
  changes: readonly PriceChange[],
): ReadonlySet<string> => {
  const names = new Set(changes.map(({ name }) => name));
  return new Set([...selected].filter((name) => names.has(name)));
};

/** The selection with some names added or removed. */
export const withSelected = (
  selected: ReadonlySet<string>,
  names: readonly string[],
  isSelected: boolean,
): ReadonlySet<string> => {
  const next = new Set(selected);
  for (const name of names) {
    if (isSelected) next.add(name);
    else next.delete(name);
  }
  return next;
};

/** The models with the selected changes. New ones are last, and none is removed. */
export const merged = (
  models: readonly PricedModel[],
  changes: readonly PriceChange[],
  selected: ReadonlySet<string>,
): readonly PricedModel[] => {
  const byName = new Map(models.map((model) => [model.name, model]));
  for (const { name, after } of changes) {
    if (!selected.has(name)) continue;
    byName.set(name, toPricedModel(name, after));
  }
  return [...byName.values()];
};
