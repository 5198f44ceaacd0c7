import { formatUsd } from '../../../format-price.ts';
import { pricing as texts } from '../../../strings/pricing.ts';
import type { PriceEdit } from './price-edits.ts';

const words = texts.edit;
const list = new Intl.ListFormat('en', { type: 'conjunction' });

/** Says that an edit was saved. */
export const successMessage = (edit: PriceEdit): string => {
  if (edit.kind === 'add') return words.added(edit.model.name);
  if (edit.kind === 'remove') return words.removed(edit.name);
  const { name } = edit.changes;
  return name === undefined ? words.changed(edit.name) : words.renamed(edit.name, name);
};

const priceText = (usd: number | undefined): string =>
  usd === undefined ? words.whats.none : formatUsd(usd);

/** Describes an edit that wasn't saved. */
export const describeEdit = (edit: PriceEdit): string => {
  if (edit.kind === 'add') return words.whats.add(edit.model.name);
  if (edit.kind === 'remove') return words.whats.remove(edit.name);
  const { name, inputUsd, outputUsd, cacheReadUsd, cacheWriteUsd } = edit.changes;
  const prices = [
    inputUsd !== undefined && words.whats.input(formatUsd(inputUsd)),
    outputUsd !== undefined && words.whats.output(formatUsd(outputUsd)),
    'cacheReadUsd' in edit.changes && words.whats.cacheRead(priceText(cacheReadUsd)),
    'cacheWriteUsd' in edit.changes && words.whats.cacheWrite(priceText(cacheWriteUsd)),
  ].filter((price) => price !== false);
  const wanted = [
    name !== undefined && words.whats.rename(edit.name, name),
    prices.length > 0 && words.whats.prices(edit.name, list.format(prices)),
  ].filter((sentence) => sentence !== false);
  return list.format(wanted);
};
