import { z } from 'zod';
import { modelPrice } from '../../../../../shared/api/pricing.ts';
import type { PricedModel } from '../../../api/models.ts';
import { formatUsd } from '../../../format-price.ts';
import { readPrice } from '../../../read-price.ts';
import { pricing as words } from '../../../strings/pricing.ts';
import { list } from '../../../strings/words.ts';

/** One change to the list, small enough to undo, or to apply to another version of the list. */
export type PriceEdit =
  | { readonly kind: 'add'; readonly model: PricedModel; readonly at?: number }
  | { readonly kind: 'change'; readonly name: string; readonly changes: Partial<PricedModel> }
  | { readonly kind: 'remove'; readonly name: string };

/** Why an edit doesn't fit a list: its model is missing, or the new name is taken. */
export interface EditConflict {
  readonly conflict: 'gone' | 'taken';
  readonly name: string;
}

/** The list after an edit and the edit that undoes it, or why the edit doesn't fit the list. */
type Edited = { readonly models: readonly PricedModel[]; readonly inverse: PriceEdit } | EditConflict;

/** Applies an edit. Models keep their order, for people who read the file. */
export const applyEdit = (models: readonly PricedModel[], edit: PriceEdit): Edited => {
  const indexOf = (name: string): number => models.findIndex((model) => model.name === name);
  if (edit.kind === 'add') {
    const { model, at = models.length } = edit;
    if (indexOf(model.name) >= 0) return { conflict: 'taken', name: model.name };
    return { models: models.toSpliced(at, 0, model), inverse: { kind: 'remove', name: model.name } };
  }
  const index = indexOf(edit.name);
  const model = models[index];
  if (!model) return { conflict: 'gone', name: edit.name };
  if (edit.kind === 'remove') {
    return { models: models.toSpliced(index, 1), inverse: { kind: 'add', model, at: index } };
  }
  const next = { ...model, ...edit.changes };
  if (next.name !== model.name && indexOf(next.name) >= 0) return { conflict: 'taken', name: next.name };
  // Undo only the changed fields, so that someone else's change to the other price stays.
  const changes = Object.fromEntries(
    Object.keys(edit.changes).map((key) => [key, model[key as keyof PricedModel]]),
  ) as Partial<PricedModel>;
  return { models: models.with(index, next), inverse: { kind: 'change', name: next.name, changes } };
};

/** The schema of a {@link PricedModel}. */
export const pricedModel = z.object({
  name: z.string(),
  inputUsd: z.number(),
  outputUsd: z.number(),
  cacheReadUsd: z.number().optional(),
  cacheWriteUsd: z.number().optional(),
  requestUsd: z.number().optional(),
  tiers: modelPrice.shape.tiers,
});

const modelDraft = z.object({
  name: z.string(),
  inputUsd: z.string(),
  outputUsd: z.string(),
  cacheReadUsd: z.string(),
  cacheWriteUsd: z.string(),
});

/** A model's fields as typed. */
export type ModelDraft = Readonly<z.infer<typeof modelDraft>>;

/** The schema of an {@link OpenModel}: the edited model, or null to add one, and the typed values. */
export const openModel = z.object({
  model: pricedModel.nullable(),
  draft: modelDraft,
  /** The etag of the file when the dialog opened. */
  etag: z.string().nullable(),
});

/** The model open in the dialog, and what was typed there. */
export type OpenModel = Readonly<z.infer<typeof openModel>>;

/** Returns the dialog's initial state. */
export const openModelOf = (model: PricedModel | null, etag: string | null): OpenModel => ({
  model,
  draft: {
    name: model?.name ?? '',
    inputUsd: model ? String(model.inputUsd) : '',
    outputUsd: model ? String(model.outputUsd) : '',
    cacheReadUsd: String(model?.cacheReadUsd ?? ''),
    cacheWriteUsd: String(model?.cacheWriteUsd ?? ''),
  },
  etag,
});

/** A draft's problems, by field. Empty if there are none. */
export type DraftProblems = Partial<Readonly<Record<keyof ModelDraft, 'noName' | 'taken' | 'notPrice'>>>;

/** Parses an optional typed price. Undefined if it's empty, null if it's invalid. */
const readOptionalPrice = (text: string): number | null | undefined =>
  text.trim() === '' ? undefined : readPrice(text);

/** Parses a draft. `others` are the taken names. */
export const readModelDraft = (
  draft: ModelDraft,
  others: ReadonlySet<string>,
): { readonly model: PricedModel } | { readonly problems: DraftProblems } => {
  const name = draft.name.trim();
  const inputUsd = readPrice(draft.inputUsd);
  const outputUsd = readPrice(draft.outputUsd);
  const cacheReadUsd = readOptionalPrice(draft.cacheReadUsd);
  const cacheWriteUsd = readOptionalPrice(draft.cacheWriteUsd);
  const problems: DraftProblems = {
    ...(name === '' ? { name: 'noName' } : others.has(name) ? { name: 'taken' } : {}),
    ...(inputUsd === null ? { inputUsd: 'notPrice' } : {}),
    ...(outputUsd === null ? { outputUsd: 'notPrice' } : {}),
    ...(cacheReadUsd === null ? { cacheReadUsd: 'notPrice' } : {}),
    ...(cacheWriteUsd === null ? { cacheWriteUsd: 'notPrice' } : {}),
  };
  if (
    inputUsd === null ||
    outputUsd === null ||
    cacheReadUsd === null ||
    cacheWriteUsd === null ||
    problems.name
  )
    return { problems };
  return {
    model: {
      name,
      inputUsd,
      outputUsd,
      ...(cacheReadUsd === undefined ? {} : { cacheReadUsd }),
      ...(cacheWriteUsd === undefined ? {} : { cacheWriteUsd }),
    },
  };
};

/** Returns the edit that turns `before` into `after`, or adds `after`. Null if they're the same. */
export const editOf = (before: PricedModel | null, after: PricedModel): PriceEdit | null => {
  if (!before) return { kind: 'add', model: after };
  const fields = ['name', 'inputUsd', 'outputUsd', 'cacheReadUsd', 'cacheWriteUsd'] as const;
  const changed = fields.filter((key) => before[key] !== after[key]);
  const changes = Object.fromEntries(changed.map((key) => [key, after[key]]));
  return changed.length === 0 ? null : { kind: 'change', name: before.name, changes };
};

/** Returns the success message for an edit. */
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
