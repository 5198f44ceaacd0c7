import { z } from 'zod';
import { type PricedProvider, type TypedPrices, typedPricesIn } from '../../pi/typed-prices.ts';
import { parseJson } from './json-document.ts';
import models from './schemas/models.schema.json' with { type: 'json' };
import settings from './schemas/settings.schema.json' with { type: 'json' };

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
  const { data } = modelsSchema().safeParse(value);
  const providers = Object.entries(
    (data as { providers: Record<string, Provider> } | undefined)?.providers ?? {},
  );
  return new Map(providers.filter(([name]) => CHECKED_NAME.test(name)));
};

/** Returns the prices in the text of a models.json. Empty if pi ignores the file. */
export const typedPricesOf = (text: string): TypedPrices =>
  typedPricesIn(providersIn(parseJson(text, { comments: true }).value));
