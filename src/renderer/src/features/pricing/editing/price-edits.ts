import type { PricedModel } from '../../../api/models.ts';
import { formatUsd } from '../../../money/format-price.ts';
import { parseTokenCount, readPrice } from '../../../money/read-price.ts';
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

/** The prices of long requests as typed. */
export interface TierDraft {
  readonly above: string;
  readonly inputUsd: string;
  readonly outputUsd: string;
  readonly cacheReadUsd: string;
  readonly cacheWriteUsd: string;
}

/** Prices of long requests before anything is typed. */
export const EMPTY_TIER: TierDraft = {
  above: '',
  inputUsd: '',
  outputUsd: '',
  cacheReadUsd: '',
  cacheWriteUsd: '',
};

/** A model's fields as typed. */
export interface ModelDraft extends Omit<TierDraft, 'above'> {
  readonly name: string;
  readonly requestUsd: string;
  readonly tiers: readonly TierDraft[];
}

/** The model open in the dialog, and what was typed there. */
export interface OpenModel {
  /** Null to add one. */
  readonly model: PricedModel | null;
  readonly draft: ModelDraft;
  /** The etag of the file when the dialog opened. */
  readonly etag: string | null;
}

/** Returns the dialog's initial state. */
export const openModelOf = (model: PricedModel | null, etag: string | null): OpenModel => ({
  model,
  draft: {
    name: model?.name ?? '',
    inputUsd: model ? String(model.inputUsd) : '',
    outputUsd: model ? String(model.outputUsd) : '',
    cacheReadUsd: String(model?.cacheReadUsd ?? ''),
    cacheWriteUsd: String(model?.cacheWriteUsd ?? ''),
    requestUsd: String(model?.requestUsd ?? ''),
    tiers: (model?.tiers ?? []).map((tier) => ({
      above: String(tier.input_tokens_above),
      inputUsd: String(tier.input_usd_per_million),
      outputUsd: String(tier.output_usd_per_million),
      cacheReadUsd: String(tier.cache_read_usd_per_million ?? ''),
      cacheWriteUsd: String(tier.cache_write_usd_per_million ?? ''),
    })),
  },
  etag,
});

type Problem = 'noName' | 'taken' | 'notPrice' | 'notTokens' | 'sameTokens';

type ProblemsOf<Draft> = Partial<Readonly<Record<keyof Draft, Problem>>>;

/** A draft's problems, by field. Empty if there are none. `tiers` has those of each tier. */
export type DraftProblems = ProblemsOf<Omit<ModelDraft, 'tiers'>> & {
  readonly tiers?: readonly ProblemsOf<TierDraft>[];
};

/** Parses an optional typed price. Undefined if it's empty, null if it's invalid. */
const readOptionalPrice = (text: string): number | null | undefined =>
  text.trim() === '' ? undefined : readPrice(text);

type PriceFields = Pick<TierDraft, 'inputUsd' | 'outputUsd' | 'cacheReadUsd' | 'cacheWriteUsd'>;

const readPrices = (draft: PriceFields) => {
  const inputUsd = readPrice(draft.inputUsd);
  const outputUsd = readPrice(draft.outputUsd);
  const cacheReadUsd = readOptionalPrice(draft.cacheReadUsd);
  const cacheWriteUsd = readOptionalPrice(draft.cacheWriteUsd);
  if (inputUsd === null || outputUsd === null || cacheReadUsd === null || cacheWriteUsd === null) {
    const all = { inputUsd, outputUsd, cacheReadUsd, cacheWriteUsd };
    const wrong = Object.entries(all).filter(([, price]) => price === null);
    return { problems: Object.fromEntries(wrong.map(([field]) => [field, 'notPrice' as const])) };
  }
  return { prices: { inputUsd, outputUsd, cacheReadUsd, cacheWriteUsd } };
};

const readTier = (draft: TierDraft, others: readonly TierDraft[]) => {
  const above = parseTokenCount(draft.above);
  const { prices, problems = {} } = readPrices(draft);
  const isTwice = above !== null && others.some((other) => parseTokenCount(other.above) === above);
  const wrong: ProblemsOf<TierDraft> = {
    ...(above === null ? { above: 'notTokens' } : isTwice ? { above: 'sameTokens' } : {}),
    ...problems,
  };
  if (above === null || isTwice || !prices) return { problems: wrong };
  return {
    tier: {
      input_tokens_above: above,
      input_usd_per_million: prices.inputUsd,
      output_usd_per_million: prices.outputUsd,
      ...(prices.cacheReadUsd === undefined ? {} : { cache_read_usd_per_million: prices.cacheReadUsd }),
      ...(prices.cacheWriteUsd === undefined ? {} : { cache_write_usd_per_million: prices.cacheWriteUsd }),
    },
  };
};

/** Parses a draft. `others` are the taken names. */
export const readModelDraft = (
  draft: ModelDraft,
  others: ReadonlySet<string>,
): { readonly model: PricedModel } | { readonly problems: DraftProblems } => {
  const name = draft.name.trim();
  const { prices, problems: priceProblems = {} } = readPrices(draft);
  const requestUsd = readOptionalPrice(draft.requestUsd);
  const tiers = draft.tiers.map((tier, at) => readTier(tier, draft.tiers.slice(0, at)));
  const problems: DraftProblems = {
    ...(name === '' ? { name: 'noName' } : others.has(name) ? { name: 'taken' } : {}),
    ...priceProblems,
    ...(requestUsd === null ? { requestUsd: 'notPrice' } : {}),
    ...(tiers.some((tier) => tier.problems) ? { tiers: tiers.map((tier) => tier.problems ?? {}) } : {}),
  };
  if (!prices || requestUsd === null || Object.keys(problems).length > 0) return { problems };
  const { inputUsd, outputUsd, cacheReadUsd, cacheWriteUsd } = prices;
  return {
    model: {
      name,
      inputUsd,
      outputUsd,
      ...(cacheReadUsd === undefined ? {} : { cacheReadUsd }),
      ...(cacheWriteUsd === undefined ? {} : { cacheWriteUsd }),
      ...(requestUsd === undefined ? {} : { requestUsd }),
      ...(tiers.length === 0
        ? {}
        : {
            // As the file has them.
            tiers: tiers
              .flatMap(({ tier }) => tier ?? [])
              .sort((a, b) => a.input_tokens_above - b.input_tokens_above),
          }),
    },
  };
};

/** Returns the edit that turns `before` into `after`, or adds `after`. Null if they're the same. */
export const editOf = (before: PricedModel | null, after: PricedModel): PriceEdit | null => {
  if (!before) return { kind: 'add', model: after };
  const prices = ['inputUsd', 'outputUsd', 'cacheReadUsd', 'cacheWriteUsd', 'requestUsd', 'tiers'] as const;
  const fields = ['name', ...prices] as const;
  const changed = fields.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
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
  const { name, inputUsd, outputUsd, cacheReadUsd, cacheWriteUsd, requestUsd } = edit.changes;
  const prices = [
    inputUsd !== undefined && words.edit.whats.input(formatUsd(inputUsd)),
    outputUsd !== undefined && words.edit.whats.output(formatUsd(outputUsd)),
    'cacheReadUsd' in edit.changes && words.edit.whats.cacheRead(priceText(cacheReadUsd)),
    'cacheWriteUsd' in edit.changes && words.edit.whats.cacheWrite(priceText(cacheWriteUsd)),
    'requestUsd' in edit.changes && words.edit.whats.request(priceText(requestUsd)),
    'tiers' in edit.changes && words.edit.whats.tiers,
  ].filter((price) => price !== false);
  const wanted = [
    name !== undefined && words.edit.whats.rename(edit.name, name),
    prices.length > 0 && words.edit.whats.prices(edit.name, list.format(prices)),
  ].filter((sentence) => sentence !== false);
  return list.format(wanted);
};
