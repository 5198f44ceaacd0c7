import type { SchemaNode } from '../../../../pi/schema-fields.ts';
import modelsSchema from '../../../../pi/schemas/models.schema.json' with { type: 'json' };
import type { JsonFile } from '../../../../shared/api/json-files.ts';
import { COST_KEYS } from '../../../../shared/api/pi-models.ts';
import type { JsonEdit } from '../../../../shared/json-edit.ts';
import { isJsonObject } from '../../../../shared/json-object.ts';
import { type EntryKind, entryRemoval } from '../../json-form/entry-kind.ts';
import { valueAt } from '../../json-form/fields.ts';
import { fieldsOf, type MappedField } from '../../json-form/schema-form.ts';
import { readPrice } from '../../money/read-price.ts';
import { parseInteger } from '../../parse-integer.ts';
import { namedValues } from '../../strings/named-values.ts';
import { piModels } from '../../strings/pi-models.ts';

const texts = piModels.dialog;

type Kind = 'provider' | 'model' | 'override';

const RULES = { provider: /^[A-Za-z0-9][A-Za-z0-9._-]*$/, model: /^\S+$/, override: /^\S+$/ } as const;

const nameOf = (kind: Kind): EntryKind['name'] => ({
  label: texts.id,
  hint: texts.idHint[kind],
  rule: RULES[kind],
  wrong: texts.idRule[kind],
  taken: texts.idTaken(kind),
});

/** TypeScript infers the file's values, but not that all parts of it have this type. */
const schema = modelsSchema as unknown as SchemaNode;
const PROVIDER_PATH = ['providers', '*'];

const NAME: MappedField = { path: ['name'], label: texts.name };

const addressOf = (kind: 'provider' | 'model'): readonly MappedField[] => [
  { path: ['baseUrl'], label: texts.baseUrl[kind] },
  { path: ['api'], label: texts.api[kind], widget: 'select', names: texts.apis, unset: texts.apiUnset[kind] },
];

const OF_PROVIDER: readonly MappedField[] = [
  NAME,
  ...addressOf('provider'),
  { path: ['apiKey'], label: texts.apiKey, hint: texts.apiKeyHint, remove: texts.removeKey },
  { path: ['headers'], label: namedValues.headers, widget: 'headers' },
];

const OF_MODEL: readonly MappedField[] = [
  { path: ['reasoning'], label: texts.thinking },
  {
    path: ['input'],
    label: texts.images,
    widget: 'answer',
    answers: { yes: ['text', 'image'], no: ['text'] },
  },
  ...(['contextWindow', 'maxTokens'] as const).map((key) => ({
    path: [key],
    label: texts[key],
    parse: parseInteger,
    wrong: texts.notTokens,
  })),
  ...COST_KEYS.map((key) => ({
    path: ['cost', key],
    label: texts.prices[key],
    parse: readPrice,
    wrong: texts.notPrice,
  })),
];

/** Completes the edits of prices. pi requires all of a model's prices, so an empty one becomes 0. */
const withPrices =
  (isModel: boolean): NonNullable<EntryKind['complete']> =>
  (edits, { path, value }, { drafts }) => {
    const ofCost = edits.filter((edit) => edit.path[path.length] === 'cost');
    if (ofCost.length === 0) return edits;
    const others = edits.filter((edit) => !ofCost.includes(edit));
    const cost = [...path, 'cost'];
    const typed = COST_KEYS.map((key) => [key, String(drafts[`cost.${key}`] ?? '').trim()] as const);
    if (typed.every(([, text]) => text === '')) return [...others, { path: cost }];
    const priceOf = (text: string) => (text === '' ? 0 : (readPrice(text) ?? 0));
    if (!isJsonObject(valueAt(value, ['cost']))) {
      const prices = typed.flatMap(([key, text]) => (text !== '' || isModel ? [[key, priceOf(text)]] : []));
      return [...others, { path: cost, value: Object.fromEntries(prices) }];
    }
    return [
      ...others,
      ...ofCost.map((edit) => (edit.value === undefined && isModel ? { ...edit, value: 0 } : edit)),
    ];
  };

/** The providers in a models.json. */
export const PROVIDER: EntryKind = {
  file: 'models.json',
  parent: ['providers'],
  name: nameOf('provider'),
  fields: fieldsOf(schema, PROVIDER_PATH, OF_PROVIDER),
};

const modelFields = fieldsOf(
  schema,
  [...PROVIDER_PATH, 'models', '*'],
  [NAME, ...addressOf('model'), ...OF_MODEL],
);

/** The models of a provider. */
export const modelKind = (provider: string): EntryKind => ({
  file: 'models.json',
  parent: ['providers', provider, 'models'],
  isList: true,
  name: nameOf('model'),
  fields: modelFields,
  complete: withPrices(true),
});

const overrideFields = fieldsOf(schema, [...PROVIDER_PATH, 'modelOverrides', '*'], [NAME, ...OF_MODEL]);

/** The changes of a provider to models that pi knows. */
export const overrideKind = (provider: string): EntryKind => ({
  file: 'models.json',
  parent: ['providers', provider, 'modelOverrides'],
  name: nameOf('override'),
  fields: overrideFields,
  complete: withPrices(false),
});

const sizeOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.keys(value).length : 0;

/** Returns the edits that remove an entry. pi refuses a provider with nothing in it, so that goes with its last entry. */
export const removalOf = (kind: EntryKind, file: JsonFile, name: string): JsonEdit[] => {
  const edits = entryRemoval(kind, file, name);
  const path = kind.parent.slice(0, 2);
  const provider = valueAt(file.value, path);
  if (kind === PROVIDER || !isJsonObject(provider)) return edits;
  const { models, modelOverrides, ...more } = provider;
  const isLast = sizeOf(models) + sizeOf(modelOverrides) === edits.length && sizeOf(more) === 0;
  return isLast ? [{ path }] : edits;
};
