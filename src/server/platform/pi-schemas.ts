import { z } from 'zod';
import models from '../../pi/schemas/models.schema.json' with { type: 'json' };
import settings from '../../pi/schemas/settings.schema.json' with { type: 'json' };
import {
  NO_TYPED_PRICES,
  type PricedProvider,
  type TypedPrices,
  typedPricesIn,
} from '../../pi/typed-prices.ts';
import { parseJson } from '../../shared/json-document.ts';
import { isJsonObject } from '../../shared/json-object.ts';

/** Converts a schema on first use, because that takes about 10 ms. */
const whenUsed = (schema: object): (() => z.ZodType) => {
  let converted: z.ZodType | undefined;
  return () => {
    converted ??= z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
    return converted;
  };
};

/** pi's JSON schema for settings.json. */
export const SETTINGS_SCHEMA = settings;

/** pi's JSON schema for models.json. */
export const MODELS_SCHEMA = models;

/** pi's schema for settings.json (schemas/README.md). Unknown keys are allowed. */
export const settingsSchema = whenUsed(settings);

/** pi's schema for models.json. Unknown keys are allowed. If one value is wrong, pi ignores the entire file. */
export const modelsSchema = whenUsed(models);

/** The part of a provider in a valid models.json that rules use, with the schema's defaults. */
interface Provider extends PricedProvider {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly models?: readonly (NonNullable<PricedProvider['models']>[number] & {
    readonly name?: string;
    readonly contextWindow: number;
  })[];
}

/** The schema doesn't check entries whose name has a line break. */
const CHECKED_NAME = /^.*$/;

/** Returns the providers in a valid models.json. Empty if it's invalid. */
export const providersIn = (value: unknown): ReadonlyMap<string, Provider> => {
  // zod knows this option, but doesn't declare it. SECURITY: it runs out of stack if there are many issues.
  const context: object = { abortEarly: true };
  const { data } = modelsSchema().safeParse(value, context);
  const providers = Object.entries(
    (data as { providers: Record<string, Provider> } | undefined)?.providers ?? {},
  );
  return new Map(providers.filter(([name]) => CHECKED_NAME.test(name)));
};

const MOST_PROVIDERS = 100;
const MOST_MODELS = 1_000;

const sizeOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? Object.keys(value).length : 0;

/** SECURITY: validating that many takes long, for each such file that changes. */
const hasTooMany = (value: unknown): boolean => {
  const { providers } = (isJsonObject(value) ? value : {}) as { providers?: unknown };
  if (!isJsonObject(providers)) return false;
  const all = Object.values(providers);
  const models = all.filter(isJsonObject).reduce((sum, { models: listed, modelOverrides }) => {
    return sum + sizeOf(listed) + sizeOf(modelOverrides);
  }, 0);
  return all.length > MOST_PROVIDERS || models > MOST_MODELS;
};

/**
 * Returns the prices in the text of a models.json. Empty if pi ignores the file, or it has more than 100 providers or
 * 1,000 models.
 */
export const typedPricesOf = (text: string): TypedPrices => {
  const { value } = parseJson(text, { comments: true });
  return hasTooMany(value) ? NO_TYPED_PRICES : typedPricesIn(providersIn(value));
};
