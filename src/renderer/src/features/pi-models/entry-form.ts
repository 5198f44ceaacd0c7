import type { HiddenValue, ShownValue } from '../../../../shared/api/form-files.ts';
import {
  COST_KEYS,
  type PiModel,
  type PiModelCost,
  type PiModelOverride,
  type PiModelsChange,
  type PiModelsEntryChange,
  type PiProvider,
} from '../../../../shared/api/pi-models.ts';
import {
  changedNames,
  changedText,
  type FormRow,
  type FormValue,
  type RowProblems,
  rowProblems,
  rowsOf,
  toValue,
} from '../../named-values/named-values.ts';
import { parseInteger } from '../../parse-integer.ts';
import { readPrice } from '../../read-price.ts';

/** The target of a dialog's changes. Without `entry`, the dialog adds one. */
export type EntryTarget =
  | { readonly kind: 'provider'; readonly entry?: PiProvider | undefined }
  | { readonly kind: 'model'; readonly provider: PiProvider; readonly entry?: PiModel | undefined }
  | {
      readonly kind: 'override';
      readonly provider: PiProvider;
      readonly entry?: PiModelOverride | undefined;
    };

/** Yes, no, or pi's default (the field is left out). */
export const CHOICES = ['unset', 'yes', 'no'] as const;

/** One of {@link CHOICES}. */
export type Answer = (typeof CHOICES)[number];

type CostKey = (typeof COST_KEYS)[number];

/** The values that a person typed for a provider, model or override. */
export interface EntryForm {
  readonly id: string;
  readonly name: FormValue;
  readonly baseUrl: FormValue;
  readonly api: FormValue;
  readonly apiKey: FormValue;
  readonly headers: readonly FormRow[];
  readonly thinking: Answer;
  readonly images: Answer;
  readonly contextWindow: string;
  readonly maxTokens: string;
  readonly prices: Readonly<Record<CostKey, string>>;
}

/** All fields that an entry can have. */
interface Fields {
  readonly id?: string;
  readonly name?: ShownValue | undefined;
  readonly baseUrl?: ShownValue | undefined;
  readonly api?: ShownValue | undefined;
  readonly apiKey?: ShownValue | undefined;
  readonly headers?: Readonly<Record<string, string | HiddenValue>> | undefined;
  readonly reasoning?: boolean | undefined;
  readonly input?: readonly string[] | undefined;
  readonly contextWindow?: number | undefined;
  readonly maxTokens?: number | undefined;
  readonly cost?: PiModelCost | undefined;
}

const fieldsOf = ({ entry }: EntryTarget): Fields => entry ?? {};

const answerOf = (value: boolean | undefined): Answer =>
  value === undefined ? 'unset' : value ? 'yes' : 'no';

const perCost = <T>(make: (key: CostKey) => T): Record<CostKey, T> => ({
  input: make('input'),
  output: make('output'),
  cacheRead: make('cacheRead'),
  cacheWrite: make('cacheWrite'),
});

/** Returns an entry's form. */
export const formOf = (target: EntryTarget): EntryForm => {
  const fields = fieldsOf(target);
  return {
    id: fields.id ?? '',
    name: toValue(fields.name),
    baseUrl: toValue(fields.baseUrl),
    api: toValue(fields.api),
    apiKey: toValue(fields.apiKey),
    headers: rowsOf(fields.headers),
    thinking: answerOf(fields.reasoning),
    images: answerOf(fields.input?.includes('image')),
    contextWindow: String(fields.contextWindow ?? ''),
    maxTokens: String(fields.maxTokens ?? ''),
    prices: perCost((key) => String(fields.cost?.[key] ?? '')),
  };
};

/** A form's problems, by field. */
export interface EntryProblems {
  readonly id?: 'rule' | 'taken' | undefined;
  readonly contextWindow: boolean;
  readonly maxTokens: boolean;
  readonly prices: Readonly<Record<CostKey, boolean>>;
  readonly headers: RowProblems;
  /** True if the form can be saved. */
  readonly isComplete: boolean;
}

const RULES = { provider: /^[A-Za-z0-9][A-Za-z0-9._-]*$/, model: /^\S+$/, override: /^\S+$/ } as const;

/** Checks a form. `taken` has the ids of the other entries of its kind. */
export const problemsOf = (form: EntryForm, target: EntryTarget, taken: readonly string[]): EntryProblems => {
  const before = formOf(target);
  const id = form.id.trim();
  const idProblem =
    id === '' || id === before.id
      ? undefined
      : taken.includes(id)
        ? 'taken'
        : RULES[target.kind].test(id)
          ? undefined
          : 'rule';
  // Unusual values that are already in the file are accepted.
  const isWrong = (
    text: string,
    old: string,
    parse: (text: string) => number | null,
    least: number,
  ): boolean => text.trim() !== '' && text !== old && (parse(text) ?? -1) < least;
  const contextWindow = isWrong(form.contextWindow, before.contextWindow, parseInteger, 1);
  const maxTokens = isWrong(form.maxTokens, before.maxTokens, parseInteger, 1);
  const prices = perCost((key) => isWrong(form.prices[key], before.prices[key], readPrice, 0));
  const headers = rowProblems(form.headers);
  const hasWrong = contextWindow || maxTokens || Object.values(prices).some(Boolean) || headers.size > 0;
  return {
    id: idProblem,
    contextWindow,
    maxTokens,
    prices,
    headers,
    isComplete: id !== '' && !idProblem && !hasWrong,
  };
};

const changedNumber = (text: string, old: string): number | null | undefined => {
  if (text === old) return undefined;
  return text.trim() === '' ? null : (parseInteger(text) ?? undefined);
};

/**
 * Returns the changed prices. Null if all were removed. pi requires all of a model's prices, so an empty one becomes 0.
 */
const changedCost = (
  prices: EntryForm['prices'],
  before: EntryForm['prices'],
  isModel: boolean,
): PiModelsEntryChange['cost'] => {
  const isEmpty = (each: EntryForm['prices']) => COST_KEYS.every((key) => each[key].trim() === '');
  if (isEmpty(prices)) return isEmpty(before) ? undefined : null;
  const changed = COST_KEYS.flatMap((key): [CostKey, number | null][] => {
    if (prices[key] === before[key]) return [];
    return prices[key].trim() === '' ? [[key, isModel ? 0 : null]] : [[key, readPrice(prices[key])]];
  });
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
};

/** Returns a form's changes to its entry, or the entry to add. Undefined if the form changes nothing. */
export const changeOf = (
  form: EntryForm,
  target: EntryTarget,
): (Omit<PiModelsChange, 'change'> & { readonly change: PiModelsEntryChange }) | undefined => {
  const { kind, entry } = target;
  const fields = fieldsOf(target);
  const before = formOf(target);
  const ofModel = (): PiModelsEntryChange => ({
    reasoning:
      form.thinking === before.thinking
        ? undefined
        : form.thinking === 'unset'
          ? null
          : form.thinking === 'yes',
    input:
      form.images === before.images
        ? undefined
        : form.images === 'unset'
          ? null
          : form.images === 'yes'
            ? ['text', 'image']
            : ['text'],
    contextWindow: changedNumber(form.contextWindow, before.contextWindow),
    maxTokens: changedNumber(form.maxTokens, before.maxTokens),
    cost: changedCost(form.prices, before.prices, kind === 'model'),
  });
  const all: PiModelsEntryChange = {
    name: changedText(form.name, fields.name),
    ...(kind === 'override'
      ? {}
      : {
          baseUrl: changedText(form.baseUrl, fields.baseUrl),
          api: changedText(form.api, fields.api),
        }),
    ...(kind === 'provider'
      ? {
          apiKey: changedText(form.apiKey, fields.apiKey),
          headers: changedNames(form.headers, fields.headers),
        }
      : ofModel()),
  };
  const change: PiModelsEntryChange = Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  );
  const id = form.id.trim();
  const isRenamed = entry !== undefined && id !== entry.id;
  if (entry && !isRenamed && Object.keys(change).length === 0) return undefined;
  const own = entry?.id ?? id;
  return {
    ...(kind === 'provider' ? { provider: own } : { provider: target.provider.id, [kind]: own }),
    ...(isRenamed ? { newId: id } : {}),
    change,
  };
};
