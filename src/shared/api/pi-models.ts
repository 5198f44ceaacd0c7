import { z } from 'zod';
import { agentParams } from './agents.ts';
import { defineEndpoint } from './endpoint.ts';
import { message } from './fields.ts';
import { FORM_READ_ERRORS, formEtag, formEtagHeader, shownValueSchema } from './form-files.ts';

/** The APIs whose models dot-mi can list and test. */
export const CALLABLE_APIS = ['openai-completions', 'openai-responses', 'anthropic-messages'] as const;

export type CallableApi = (typeof CALLABLE_APIS)[number];

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

const URL_MAX = 2_000;
const KEY_MAX = 4_000;
const MODEL_ID_MAX = 500;

const ofProvider = {
  baseUrl: z
    .string()
    .max(URL_MAX)
    .describe(
      'The address of the API, as in models.json. It must start with `https://`, or be on this computer.',
    ),
  api: z.enum(CALLABLE_APIS).default('openai-completions').describe('The kind of API.'),
  apiKey: z
    .string()
    .min(1)
    .max(KEY_MAX)
    .optional()
    .describe(
      'The key, as in models.json. dot-mi replaces variables such as `$MY_KEY` with those of its own environment, and runs no command.',
    ),
  provider: z
    .string()
    .optional()
    .describe(
      'The id of a provider in the agent’s models.json. Without `apiKey`, dot-mi uses the key there if that provider has the same `baseUrl`.',
    ),
};

/** The most input and output tokens of {@link testModel}. */
export const TEST_TOKENS = { input: 50, output: 200 } as const;

/** Fetches the ids of a provider's models. */
export const findModels = defineEndpoint({
  id: 'pi-models.find',
  method: 'POST',
  path: '/api/agents/:id/models/find',
  summary: 'Fetch the models of a provider',
  description:
    'Asks the provider at an address which models it has. dot-mi calls only addresses on this computer, or with `https://`, and follows no redirect. ' +
    'It changes no file.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: agentParams,
  body: z.strictObject(ofProvider),
  success: {
    status: 200,
    body: z.object({
      models: z
        .array(
          z.object({
            id: z.string().describe('The provider’s id for the model.'),
            contextWindow: z
              .int()
              .positive()
              .optional()
              .describe('The context window, in model tokens. Absent if the provider doesn’t report it.'),
          }),
        )
        .describe('The models, in the provider’s order.'),
      leftOut: z
        .int()
        .nonnegative()
        .describe(
          'How many models are left out: those for embeddings, and those with an id that pi can’t use.',
        ),
    }),
  },
  errors: [...FORM_READ_ERRORS, 'provider_refused', 'provider_failed'],
});

/** The response of {@link findModels}. */
export type FoundModels = z.infer<typeof findModels.success.body>;

/** Sends one short prompt to a model. */
export const testModel = defineEndpoint({
  id: 'pi-models.test',
  method: 'POST',
  path: '/api/agents/:id/models/test',
  summary: 'Send a short prompt to a model',
  description:
    `Sends one prompt of fewer than ${TEST_TOKENS.input} model tokens, and accepts at most ${TEST_TOKENS.output} in return. The provider may bill you for it. ` +
    'dot-mi calls only addresses on this computer, or with `https://`, and follows no redirect.',
  access: 'operator',
  keys: 'none',
  ofRoot: true,
  params: agentParams,
  body: z.strictObject({
    ...ofProvider,
    model: z.string().min(1).max(MODEL_ID_MAX).describe('The provider’s id for the model.'),
  }),
  success: {
    status: 200,
    body: z.object({
      text: z
        .string()
        .describe(
          'The first words of the response. Empty if the model used all its output tokens without writing text, for example to reason.',
        ),
      durationMs: z.number().nonnegative().describe('How long the call took, in milliseconds.'),
    }),
  },
  errors: [...FORM_READ_ERRORS, 'provider_refused', 'provider_failed'],
});

/** The body of {@link testModel}. Without `model`, it's the body of {@link findModels}. */
export type ModelTest = z.input<typeof testModel.body>;

/** The response of {@link testModel}. */
export type TestedModel = z.infer<typeof testModel.success.body>;
