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

/** What a model can read. */
export const MODEL_INPUTS = ['text', 'image'] as const;

const usd = z.number().optional();

const cost = z
  .object({
    input: usd.describe('Input.'),
    output: usd.describe('Output.'),
    cacheRead: usd.describe('Input that the provider has cached.'),
    cacheWrite: usd.describe('Input that the provider caches.'),
    hasTiers: z
      .literal(true)
      .optional()
      .describe('Prices differ for long requests. The form doesn’t show how, and a change keeps it.'),
  })
  .meta({ id: 'PiModelCost', description: 'Prices in US dollars per million model tokens.' });

/** Prices in USD per million model tokens. */
export type PiModelCost = z.infer<typeof cost>;

/** The keys of a price. */
export const COST_KEYS = ['input', 'output', 'cacheRead', 'cacheWrite'] as const;

const modelFields = {
  problem: message.optional().describe('Why pi refuses it. Absent if nothing is wrong in itself.'),
  accepted: z
    .boolean()
    .describe('True if pi uses it: nothing is wrong in it, in its provider, or elsewhere in the file.'),
  name: shownValueSchema.optional().describe('The name that people see.'),
  reasoning: z.boolean().optional().describe('True if it can think.'),
  input: z.array(z.enum(MODEL_INPUTS)).optional().describe('The kinds of input that it reads.'),
  contextWindow: z.number().optional().describe('The context window, in model tokens.'),
  maxTokens: z.number().optional().describe('The most model tokens of an answer.'),
  cost: cost.optional().describe('Its prices.'),
  otherKeys: z
    .array(z.string())
    .describe('The other keys of the entry, without their values. A change keeps them.'),
};

const model = z
  .object({
    id: z.string().describe('The id that the provider knows. Empty if the entry has none.'),
    ...modelFields,
    api: shownValueSchema.optional().describe('The API, if not that of the provider.'),
    baseUrl: shownValueSchema.optional().describe('The address, if not that of the provider.'),
  })
  .meta({ id: 'PiModel' });

/** A model of a models.json. */
export type PiModel = z.infer<typeof model>;

const override = z
  .object({ id: z.string().describe('The id of a model that pi knows already.'), ...modelFields })
  .meta({ id: 'PiModelOverride', description: 'The fields that differ in a model that pi knows already.' });

/** What a models.json changes of a model that pi knows. */
export type PiModelOverride = z.infer<typeof override>;

const provider = z
  .object({
    id: z.string().describe('The key of the provider, as in `--model <provider>/<model>`.'),
    problem: message.optional().describe('Why pi refuses it. Absent if nothing is wrong in itself.'),
    accepted: z
      .boolean()
      .describe('True if pi uses it: nothing is wrong in it, in its models, or elsewhere in the file.'),
    isBuiltIn: z.boolean().describe('True if pi brings this provider, and the entry only changes it.'),
    name: shownValueSchema.optional().describe('The name that people see.'),
    baseUrl: shownValueSchema.optional().describe('The address of the API.'),
    api: shownValueSchema.optional().describe('The API that it speaks, such as `openai-completions`.'),
    apiKey: shownValueSchema
      .optional()
      .describe('The key. Hidden unless it is only an environment variable, such as `$MY_KEY`.'),
    authHeader: z.boolean().optional().describe('True if pi sends the key as `Authorization: Bearer`.'),
    headers: z
      .record(z.string(), shownValueSchema)
      .optional()
      .describe('The headers of each request, by name.'),
    models: z.array(model).describe('The models that it adds, in the order of the file.'),
    modelOverrides: z.array(override).describe('The models of pi that it changes.'),
    otherKeys: z
      .array(z.string())
      .describe('The other keys of the entry, without their values. A change keeps them.'),
  })
  .meta({ id: 'PiProvider' });

/** A provider of a models.json. */
export type PiProvider = z.infer<typeof provider>;

const agentModels = z
  .object({
    exists: z.boolean().describe('True if the agent has a models.json.'),
    etag: formEtag('models.json'),
    problem: message.optional().describe('Why pi ignores the whole file. Absent if it reads it.'),
    providers: z.array(provider).describe('The providers, in the order of the file.'),
    otherKeys: z
      .array(z.string())
      .describe('The other keys of the file, without their values. A change keeps them.'),
  })
  .meta({ id: 'AgentModels' });

/** The providers and models of an agent. */
export type AgentModels = z.infer<typeof agentModels>;

/** Reads the providers and models of an agent. */
export const getPiModels = defineEndpoint({
  id: 'pi-models.get',
  method: 'GET',
  path: '/api/agents/:id/models',
  summary: 'List the providers and models that an agent adds',
  description:
    "The entries of the agent's models.json. pi also knows the models that it brings, and those of extensions. " +
    'Keys and headers are hidden unless they are only a variable such as `$TOKEN`. So is anything else that looks like a secret.',
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
    cacheRead: price('input that the provider has cached'),
    cacheWrite: price('input that the provider caches'),
  })
  .describe('The prices that change. A model has all four: those that its new cost doesn’t name are 0.');

const tokens = z.number().positive().nullable().optional();

const entryChange = z
  .strictObject({
    name: changedValueSchema.optional().describe('The name that people see.'),
    baseUrl: changedValueSchema.optional().describe('Of a provider or model: the address of the API.'),
    api: changedValueSchema.optional().describe('Of a provider or model: the API.'),
    apiKey: changedValueSchema
      .optional()
      .describe('Of a provider: its key. Better a variable, such as `$MY_KEY`.'),
    authHeader: z
      .boolean()
      .nullable()
      .optional()
      .describe('Of a provider: whether pi sends the key as `Authorization: Bearer`.'),
    headers: z
      .record(z.string().min(1), changedValueSchema)
      .optional()
      .describe('Of a provider: headers that change, by name.'),
    reasoning: z.boolean().nullable().optional().describe('Of a model or override: whether it can think.'),
    input: z
      .array(z.enum(MODEL_INPUTS))
      .nullable()
      .optional()
      .describe('Of a model or override: what it reads.'),
    contextWindow: tokens.describe('Of a model or override: its context window, in model tokens.'),
    maxTokens: tokens.describe('Of a model or override: the most model tokens of an answer.'),
    cost: costChange.nullable().optional().describe('Of a model or override: its prices. Absent ones stay.'),
  })
  .meta({
    id: 'PiModelsEntryChange',
    description: 'The fields that change. Absent ones stay as they are, and null removes one.',
  });

/** What changes of a provider, model or override. */
export type PiModelsEntryChange = z.infer<typeof entryChange>;

const changeBody = z
  .strictObject({
    provider: z.string().describe('The provider. A new id adds one.'),
    model: z
      .string()
      .min(1)
      .optional()
      .describe('A model of the provider. A new id adds one. Without it, the provider itself changes.'),
    override: z
      .string()
      .min(1)
      .optional()
      .describe('Instead of `model`: a model that pi knows already, of which something differs.'),
    newId: changedTextSchema.min(1).optional().describe('Renames the provider, model or override.'),
    change: entryChange.nullable().describe('The fields that change. Null removes the entry.'),
  })
  .refine(({ model: id, override: other }) => id === undefined || other === undefined, {
    message: 'Name a model or an override, not both.',
    path: ['override'],
  });

/** What a request changes in a models.json. */
export type PiModelsChange = z.infer<typeof changeBody>;

/** Adds, changes, renames or removes one provider, model or override of an agent. */
export const changePiModels = defineEndpoint({
  id: 'pi-models.change',
  method: 'PUT',
  path: '/api/agents/:id/models',
  summary: 'Add, change or remove a provider or model of an agent',
  description:
    'Changes only the fields that the body names, in one provider, model or override. Every other byte of models.json stays, ' +
    'comments too, and `change: null` removes the entry. Send `If-Match` with the etag you read, so that you don’t overwrite ' +
    'the edit of another program. The response has the new list. pi reads models.json when it starts, and with /model.',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  headers: formHeaders('models.json'),
  body: changeBody,
  success: { status: 200, body: agentModels, headers: formEtagHeader },
  errors: [...FORM_WRITE_ERRORS, 'models_unreadable', 'model_refused', 'model_exists', 'model_not_found'],
});

/** Undoes a change of a models.json. */
export const undoPiModels = defineEndpoint({
  id: 'pi-models.undo',
  method: 'POST',
  path: '/api/agents/:id/models/undo',
  summary: 'Undo a change of the providers and models of an agent',
  description:
    'Puts models.json back byte for byte, if it has not changed since. dot-mi remembers the last changes until it ends.',
  access: 'api',
  keys: ['write-agent'],
  ownAgent: true,
  ofRoot: true,
  params: agentParams,
  body: z.strictObject({ etag: z.string().describe('The etag in the response of the change.') }),
  success: { status: 200, body: agentModels, headers: formEtagHeader },
  errors: [...FORM_WRITE_ERRORS, 'nothing_to_undo'],
});
