import type { ModelPrice, PriceChange } from '../../shared/api/pricing.ts';
import type { Models } from './parse-models.ts';

const isSame = (a: ModelPrice, b: ModelPrice): boolean =>
  a.input_usd_per_million === b.input_usd_per_million &&
  a.output_usd_per_million === b.output_usd_per_million;

/** What would change if a price list were taken over: nothing that is not in it goes. Sorted by name. */
export const previewChanges = (
  current: Models,
  list: Models,
): { changes: PriceChange[]; unchanged: number } => {
  const changes: PriceChange[] = [];
  let unchanged = 0;
  for (const [name, after] of list) {
    const before = current.get(name) ?? null;
    if (before && isSame(before, after)) unchanged += 1;
    else changes.push({ name, before, after });
  }
  return { changes: changes.sort((a, b) => (a.name < b.name ? -1 : 1)), unchanged };
};

/** The models with the changes taken over; new ones come last. */
export const applyChanges = (current: Models, changes: readonly PriceChange[]): Models =>
  new Map([...current, ...changes.map(({ name, after }) => [name, after] as const)]);
