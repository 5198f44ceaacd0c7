import type { PricedModel } from '../../../api/models.ts';

/** One change of the list, so small that it can be made again on another version of it, and undone. */
export type PriceEdit =
  | { readonly kind: 'add'; readonly model: PricedModel; readonly at?: number }
  | { readonly kind: 'change'; readonly name: string; readonly changes: Partial<PricedModel> }
  | { readonly kind: 'remove'; readonly name: string };

/** Why an edit does not fit a list: the model is not in it, or one of the new name is. */
export interface Misfit {
  readonly misfit: 'gone' | 'taken';
  readonly name: string;
}

/** The list after an edit, and the edit that takes it back; or why the edit does not fit this list. */
export type Edited = { readonly models: readonly PricedModel[]; readonly inverse: PriceEdit } | Misfit;

/** Makes an edit. Models keep their places, for whoever reads the file. */
export const applyEdit = (models: readonly PricedModel[], edit: PriceEdit): Edited => {
  const indexOf = (name: string): number => models.findIndex((model) => model.name === name);
  if (edit.kind === 'add') {
    const { model, at = models.length } = edit;
    if (indexOf(model.name) >= 0) return { misfit: 'taken', name: model.name };
    return { models: models.toSpliced(at, 0, model), inverse: { kind: 'remove', name: model.name } };
  }
  const index = indexOf(edit.name);
  const model = models[index];
  if (!model) return { misfit: 'gone', name: edit.name };
  if (edit.kind === 'remove') {
    return { models: models.toSpliced(index, 1), inverse: { kind: 'add', model, at: index } };
  }
  const next = { ...model, ...edit.changes };
  if (next.name !== model.name && indexOf(next.name) >= 0) return { misfit: 'taken', name: next.name };
  const { name, inputUsd, outputUsd } = model;
  const before: PricedModel = { name, inputUsd, outputUsd };
  // Only what was changed: another one's change of the other side stays.
  const changes = Object.fromEntries(
    Object.keys(edit.changes).map((key) => [key, before[key as keyof PricedModel]]),
  ) as Partial<PricedModel>;
  return { models: models.with(index, next), inverse: { kind: 'change', name: next.name, changes } };
};

/** What is typed of a model. */
export interface ModelDraft {
  readonly name: string;
  readonly inputUsd: string;
  readonly outputUsd: string;
}

/** What is wrong with a draft, by field; empty when nothing is. */
export type DraftProblems = Partial<Readonly<Record<keyof ModelDraft, 'noName' | 'taken' | 'notPrice'>>>;

/** More is a mistake of the unit; the server has the same limit. */
const MOST_USD = 1e9;

/** A price as it was typed, with or without `$`; null when it is none. */
export const readPrice = (text: string): number | null => {
  const digits = text.trim().replace(/^\$\s*/, '');
  if (!/^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(digits)) return null;
  const price = Number(digits);
  return price <= MOST_USD ? price : null;
};

/** Reads a draft. `others` are the names that are taken. */
export const readDraft = (
  draft: ModelDraft,
  others: ReadonlySet<string>,
): { readonly model: PricedModel } | { readonly problems: DraftProblems } => {
  const name = draft.name.trim();
  const inputUsd = readPrice(draft.inputUsd);
  const outputUsd = readPrice(draft.outputUsd);
  const problems: DraftProblems = {
    ...(name === '' ? { name: 'noName' } : others.has(name) ? { name: 'taken' } : {}),
    ...(inputUsd === null ? { inputUsd: 'notPrice' } : {}),
    ...(outputUsd === null ? { outputUsd: 'notPrice' } : {}),
  };
  if (inputUsd === null || outputUsd === null || problems.name) return { problems };
  return { model: { name, inputUsd, outputUsd } };
};

/** The edit that makes one model of another, or adds one where there was none; null when they are the same. */
export const editOf = (before: PricedModel | null, after: PricedModel): PriceEdit | null => {
  if (!before) return { kind: 'add', model: after };
  const changed = (['name', 'inputUsd', 'outputUsd'] as const).filter((key) => before[key] !== after[key]);
  const changes = Object.fromEntries(changed.map((key) => [key, after[key]]));
  return changed.length === 0 ? null : { kind: 'change', name: before.name, changes };
};
