import { makerOf } from '../../../../../pi/model-maker.ts';
import type { PricedModel } from '../../../api/models.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import type { Sorting } from '../../../ui/long-table.tsx';
import type { Measure, Side } from './measures.ts';

/** A column that the table can be sorted by. */
export type SortColumn = 'name' | `${Measure} ${Side}`;

/** How the table is sorted. */
export type ModelSorting = Sorting<SortColumn>;

// Sorts gpt-5.9 before gpt-5.10.
const names = new Intl.Collator('en', { numeric: true });

/** Sorts the models by a column, and equal ones by name. */
export const sortModels = (
  models: readonly PricedModel[],
  { column, direction }: ModelSorting,
): readonly PricedModel[] => {
  const sign = direction === 'ascending' ? 1 : -1;
  if (column === 'name') return models.toSorted((a, b) => sign * names.compare(a.name, b.name));
  // Every measure is USD per million times a constant, so the order is the same.
  const usdOf = (model: PricedModel) => (column.endsWith('input') ? model.inputUsd : model.outputUsd);
  return models.toSorted((a, b) => sign * (usdOf(a) - usdOf(b)) || names.compare(a.name, b.name));
};

/** A table row: a model, or the provider's name above its models. */
export type TableItem =
  | { readonly kind: 'provider'; readonly provider: string; readonly count: number }
  | { readonly kind: 'model'; readonly model: PricedModel };

/** Returns a model's provider according to its name: `anthropic/…`, `claude-…`. */
export const providerOf = (name: string): string => makerOf(name) ?? words.models.otherProvider;

const asItem = (model: PricedModel): TableItem => ({ kind: 'model', model });

/** Groups models by provider, in the order of the providers' names. A single provider needs no heading. */
export const groupModels = (models: readonly PricedModel[]): readonly TableItem[] => {
  const groups = Map.groupBy(models, ({ name }) => providerOf(name));
  if (groups.size < 2) return models.map(asItem);
  const isOther = (provider: string): number => Number(provider === words.models.otherProvider);
  return [...groups]
    .sort(([a], [b]) => isOther(a) - isOther(b) || names.compare(a, b))
    .flatMap(([provider, found]) => [
      { kind: 'provider', provider, count: found.length } as const,
      ...found.map(asItem),
    ]);
};

/** Returns models without headings, for example when they're sorted by price. */
export const flatModels = (models: readonly PricedModel[]): readonly TableItem[] => models.map(asItem);
