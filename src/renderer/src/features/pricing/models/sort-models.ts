import type { PricedModel } from '../../../api/models.ts';

/** The sides of a price. */
export const SIDES = ['input', 'output'] as const;
/** The measures a price is shown in. */
const MEASURES = ['usdPerMillion', 'usdPerToken', 'satsPerMillion', 'satsPerToken'] as const;

/** One of {@link SIDES}. */
export type Side = (typeof SIDES)[number];
/** One of {@link MEASURES}. */
export type Measure = (typeof MEASURES)[number];

/** A column that the table can be sorted by. */
export type SortColumn = 'name' | `${Measure} ${Side}`;

/** How the table is sorted. */
export interface Sorting {
  readonly column: SortColumn;
  readonly direction: 'ascending' | 'descending';
}

/** The sorting after a press on the header of a column. The same column reverses its order. */
export const sortedBy = (sorting: Sorting, column: SortColumn): Sorting => ({
  column,
  direction: sorting.column === column && sorting.direction === 'ascending' ? 'descending' : 'ascending',
});

// gpt-5.9 comes before gpt-5.10.
const names = new Intl.Collator('en', { numeric: true });

/** The models in the order of a column. Equal ones are in the order of their names. */
export const sortModels = (
  models: readonly PricedModel[],
  { column, direction }: Sorting,
): readonly PricedModel[] => {
  const sign = direction === 'ascending' ? 1 : -1;
  if (column === 'name') return models.toSorted((a, b) => sign * names.compare(a.name, b.name));
  // Every measure is USD per million times one factor, so the order is the same.
  const usdOf = (model: PricedModel) => (column.endsWith('input') ? model.inputUsd : model.outputUsd);
  return models.toSorted((a, b) => sign * (usdOf(a) - usdOf(b)) || names.compare(a.name, b.name));
};
