import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { message } from './fields.ts';
import {
  changedTextSchema,
  changedValueSchema,
  FORM_READ_ERRORS,
  FORM_WRITE_ERRORS,
  formEtag,
  formEtagHeader,
  formHeaders,
  shownValueSchema,
} from './form-files.ts';

/** The kinds of input that a model can accept. */
export const MODEL_INPUTS = ['text', 'image'] as const;

const usd = z.number().optional();

const cost = z
  .object({
    input: usd.describe('The price of input.'),
    output: usd.describe('The price of output.'),
    cacheRead: usd.describe('The price of input that the provider reads from its cache.'),
    cacheWrite: usd.describe('The price of input that the provider caches.'),
    hasTiers: z
      .literal(true)
      .optional()
      .describe(
        'True if long requests have different prices. The API doesn’t show them, and a change keeps them.',
      ),
  })
  .meta({
    id: 'PiModelCost',
    description: 'Prices, in US dollars per million model tokens. An absent price is unknown.',
  });

/** Prices in USD per million model tokens. */
export type PiModelCost = z.infer<typeof cost>;

/** The keys of a price. */
export const COST_KEYS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

const modelFields = {
  problem: message
    .optional()
    .describe('Why pi would refuse this entry. Absent if there is nothing to fix in it.'),
  accepted: z
    .boolean()
    .describe(
      'True if pi uses it. Problems in its provider, or elsewhere in the file, also make this false.',
    ),
  name: shownValueSchema.optional().describe('The display name.'),
  reasoning: z.boolean().optional().describe('True if the model can reason.'),
  input: z.array(z.enum(MODEL_INPUTS)).optional().describe('The kinds of input that the model can read.'),
  contextWindow: z.number().optional().describe('The context window, in model tokens.'),
  maxTokens: z.number().optional().describe('The maximum length of a response, in model tokens.'),
  cost: cost.optional().describe('The prices of the model.'),
  otherKeys: z
    .array(z.string())
    .describe('Other keys of the entry, without their values. A change keeps them.'),
};

const model = z
  .object({
    id: z.string().describe('The provider’s id for the model. Empty if the entry has none.'),
    ...modelFields,
    api: shownValueSchema.optional().describe('The API, if it differs from the provider’s.'),
    baseUrl: shownValueSchema.optional().describe('The address, if it differs from the provider’s.'),
  })
  .meta({ id: 'PiModel' });

/** A model in a models.json. */
export type PiModel = z.infer<typeof model>;

const override = z
  .object({ id: z.string().describe('The id of a model that pi already knows.'), ...modelFields })
  .meta({ id: 'PiModelOverride', description: 'Changed fields of a model that pi already knows.' });

/** The fields that a models.json changes in a model that pi already knows. */
export type PiModelOverride = z.infer<typeof override>;

const provider = z
  .object({
    id: z.string().describe('The id of the provider, as in `--model <provider>/<model>`.'),
    problem: message
      .optional()
      .describe('Why pi would refuse this entry. Absent if there is nothing to fix in it.'),
    accepted: z
      .boolean()
      .describe(
        'True if pi uses it. Problems in its models, or elsewhere in the file, also make this false.',
      ),
    isBuiltIn: z.boolean().describe('True if the provider is built into pi, and this entry only changes it.'),
    name: shownValueSchema.optional().describe('The display name.'),
    baseUrl: shownValueSchema.optional().describe('The address of the API.'),
    api: shownValueSchema.optional().describe('The kind of API, such as `openai-completions`.'),
    apiKey: shownValueSchema
      .optional()
      .describe('The key. Hidden, unless it only names an environment variable such as `$MY_KEY`.'),
    authHeader: z.boolean().optional().describe('True if pi sends the key as `Authorization: Bearer`.'),
    headers: z
      .record(z.string(), shownValueSchema)
      .optional()
      .describe('The headers of each request, by name.'),
    models: z.array(model).describe('The models that the provider adds, in the order of the file.'),
    modelOverrides: z
      .array(override)
      .describe('The changes that this provider makes to models that pi already knows.'),
    otherKeys: z
      .array(z.string())
      .describe('Other keys of the entry, without their values. A change keeps them.'),
  })
  .meta({ id: 'PiProvider' });

/** A provider in a models.json. */
export type PiProvider = z.infer<typeof provider>;

const agentModels = z
  .object({
    exists: z.boolean().describe('True if the agent has a models.json.'),
    etag: formEtag('models.json'),
    problem: message.optional().describe('Why pi ignores the whole file. Absent if pi uses it.'),
    providers: z.array(provider).describe('The providers, in the order of the file.'),
    otherKeys: z
      .array(z.string())
      .describe('Other keys of the file, without their values. A change keeps them.'),
  })
  .meta({ id: 'AgentModels' });

/** An agent's providers and models. */
export type AgentModels = z.infer<typeof agentModels>;

/** Lists an agent's providers and models. */
export const getPiModels = defineEndpoint({
  id: 'pi-models.get',
  method: 'GET',
  path: '/api/agents/:id/models',
  summary: 'List the providers and models that an agent adds',
  description:
    'Lists the entries of the agent’s models.json. pi also has built-in models, and models from extensions. ' +
    'Keys and headers are hidden, unless they only name a variable such as `$TOKEN`. Other values that look like secrets are hidden too. ' +
    'Without the operator token, all values are hidden. `otherKeys` then also names the fields that aren’t text, and the ids of `models` are empty.',
  access: 'api',
  keys: ['read-agents'],
  ofRoot: true,
  params: agentParams,
  success: { status: 200, body: agentModels, headers: formEtagHeader },
  errors: FORM_READ_ERRORS,
});

const price = (what: string) =>
  z
    .number()
    .nonnegative()
    .nullable()
    .optional()
    .describe(`The price of ${what}, in US dollars per million model tokens.`);

const costChange = z
  .strictObject({
    input: price('input'),
    output: price('output'),
    cacheRead: price('input that the provider reads from its cache'),
    cacheWrite: price('input that the provider caches'),
  })
  .describe('The prices to change. When a model gets its first prices, missing ones become 0.');

const tokens = z.number().positive().nullable().optional();

const entryChange = z
  .strictObject({
    name: changedValueSchema.optional().describe('The display name.'),
    baseUrl: changedValueSchema.optional().describe('For a provider or model: the address of the API.'),
    api: changedValueSchema.optional().describe('For a provider or model: the kind of API.'),
    apiKey: changedValueSchema
      .optional()
      .describe('For a provider: its key. Use a variable, such as `$MY_KEY`.'),
    authHeader: z
      .boolean()
      .nullable()
      .optional()
      .describe('For a provider: true if pi sends the key as `Authorization: Bearer`.'),
    headers: z
      .record(z.string().min(1), changedValueSchema)
      .optional()
      .describe('For a provider: the headers to change, by name.'),
    reasoning: z
      .boolean()
      .nullable()
      .optional()
      .describe('For a model or override: true if the model can reason.'),
    input: z
      .array(z.enum(MODEL_INPUTS))
      .max(MODEL_INPUTS.length)
      .nullable()
      .optional()
      .describe('For a model or override: the kinds of input that the model can read.'),
    contextWindow: tokens.describe('For a model or override: the context window, in model tokens.'),
    maxTokens: tokens.describe('For a model or override: the maximum length of a response, in model tokens.'),
    cost: costChange
      .nullable()
      .optional()
      .describe('For a model or override: the prices. Absent prices stay the same.'),
  })
  .meta({
    id: 'PiModelsEntryChange',
    description: 'The fields to change. Absent fields stay the same. Null removes a field.',
  });

/** The fields to change in a provider, model or override. */
export type PiModelsEntryChange = z.infer<typeof entryChange>;

const changeBody = z
  .strictObject({
    provider: z.string().describe('The id of the provider. A new id adds a provider.'),
    model: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The id of a model of the provider. A new id adds a model. Default: change the provider itself.',
      ),
    override: z
      .string()
      .min(1)
      .optional()
      .describe('Instead of `model`: the id of a model that pi already knows, to change some of its fields.'),
    newId: changedTextSchema.min(1).optional().describe('The new id of the provider, model or override.'),
    change: entryChange
      .nullable()
      .describe('The fields to change. Null removes the provider, model or override.'),
  })
  .refine(({ model: id, override: other }) => id === undefined || other === undefined, {
    message: 'Name a model or an override, not both.',
    path: ['override'],
  });

/** A change to a models.json. */
export type PiModelsChange = z.infer<typeof changeBody>;

/** Adds, changes, renames or removes one of an agent's providers, models or overrides. */
export const changePiModels = defineEndpoint({
  id: 'pi-models.change',
  method: 'PUT',
  path: '/api/agents/:id/models',
  summary: 'Add, change or remove an agent’s provider or model',
  description:
    'Changes only the fields in the body, in one provider, model or override. The rest of models.json stays the same, including ' +
    'its comments. `change: null` removes the entry. ' +
    'To avoid overwriting another program’s edit, send `If-Match` with the etag that you read. The response has the new list. pi reads models.json when it starts, and at /model.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: agentParams,
  headers: formHeaders('models.json'),
  body: changeBody,
  records: true,
  success: { status: 200, body: agentModels, headers: formEtagHeader },
  errors: [...FORM_WRITE_ERRORS, 'models_unreadable', 'model_refused', 'model_exists', 'model_not_found'],
});
