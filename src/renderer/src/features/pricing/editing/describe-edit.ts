import { formatUsd } from '../../../format-price.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import type { PriceEdit } from './price-edits.ts';

const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** Says that an edit was saved. */
export const successMessage = (edit: PriceEdit): string => {
  if (edit.kind === 'add') return words.edit.added(edit.model.name);
  if (edit.kind === 'remove') return words.edit.removed(edit.name);
  const { name } = edit.changes;
  return name === undefined ? words.edit.changed(edit.name) : words.edit.renamed(edit.name, name);
};

const priceText = (usd: number | undefined): string =>
  usd === undefined ? words.edit.whats.none : formatUsd(usd);

/** Describes an edit that wasn't saved. */
export const describeEdit = (edit: PriceEdit): string => {
  if (edit.kind === 'add') return words.edit.whats.add(edit.model.name);
  if (edit.kind === 'remove') return words.edit.whats.remove(edit.name);
  const { name, inputUsd, outputUsd, cacheReadUsd, cacheWriteUsd } = edit.changes;
  const prices = [
    inputUsd !== undefined && words.edit.whats.input(formatUsd(inputUsd)),
    outputUsd !== undefined && words.edit.whats.output(formatUsd(outputUsd)),
    'cacheReadUsd' in edit.changes && words.edit.whats.cacheRead(priceText(cacheReadUsd)),
    'cacheWriteUsd' in edit.changes && words.edit.whats.cacheWrite(priceText(cacheWriteUsd)),
  ].filter((price) => price !== false);
  const wanted = [
    name !== undefined && words.edit.whats.rename(edit.name, name),
    prices.length > 0 && words.edit.whats.prices(edit.name, list.format(prices)),
  ].filter((sentence) => sentence !== false);
  return list.format(wanted);
};
