import { z } from 'zod';
import models from './schemas/models.schema.json' with { type: 'json' };
import settings from './schemas/settings.schema.json' with { type: 'json' };

/** Converts a schema when it is first used, because that takes about 10 ms. */
const whenUsed = (schema: object): (() => z.ZodType) => {
  let converted: z.ZodType | undefined;
  return () => {
    converted ??= z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema);
    return converted;
  };
};

/** pi's JSON schema of settings.json. */
export const SETTINGS_SCHEMA = settings;

/** pi's JSON schema of models.json. */
export const MODELS_SCHEMA = models;

/** pi's schema of settings.json (schemas/README.md). Unknown keys are allowed. */
export const settingsSchema = whenUsed(settings);

/** pi's schema of models.json. Unknown keys are allowed. If one value is wrong, pi ignores the whole file. */
export const modelsSchema = whenUsed(models);

/** What the rules read of a provider in a models.json that fits the schema, with the schema's defaults. */
interface Provider {
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly models?: readonly {
    readonly id: string;
    readonly name?: string;
    readonly contextWindow: number;
    readonly cost?: object;
  }[];
}

/** The schema checks no entry whose name has a line break. */
const CHECKED_NAME = /^.*$/;

/** The providers of a models.json that fits the schema. Empty otherwise. */
export const providersIn = (value: unknown): ReadonlyMap<string, Provider> => {
  const { data } = modelsSchema().safeParse(value);
  const providers = Object.entries(
    (data as { providers: Record<string, Provider> } | undefined)?.providers ?? {},
  );
  return new Map(providers.filter(([name]) => CHECKED_NAME.test(name)));
};
