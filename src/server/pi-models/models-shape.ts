import type { HiddenValue, ShownValue } from '../../shared/api/form-files.ts';
import type { AgentModels, PiModelOverride, PiProvider } from '../../shared/api/pi-models.ts';

const HIDDEN: HiddenValue = { hidden: 'text' };

const hidden = (value: ShownValue | undefined): ShownValue | undefined =>
  value === undefined ? undefined : HIDDEN;

const REFUSED = 'pi would refuse this entry. The operator can see why.';

const problemOf = ({ problem }: { readonly problem?: string | undefined }) =>
  problem === undefined ? {} : { problem: REFUSED };

/** Returns the keys of an entry, because values that aren't text have no placeholder. */
const keysOf = (
  { otherKeys, reasoning, input, contextWindow, maxTokens, cost }: Omit<PiModelOverride, 'id' | 'accepted'>,
  also: object = {},
): string[] => [
  ...Object.entries({ reasoning, input, contextWindow, maxTokens, cost, ...also })
    .filter(([, value]) => value !== undefined)
    .map(([key]) => key),
  ...otherKeys,
];

const shapeOfProvider = (provider: PiProvider): PiProvider => ({
  id: provider.id,
  ...problemOf(provider),
  accepted: provider.accepted,
  isBuiltIn: provider.isBuiltIn,
  name: hidden(provider.name),
  baseUrl: hidden(provider.baseUrl),
  api: hidden(provider.api),
  apiKey: hidden(provider.apiKey),
  headers:
    provider.headers && Object.fromEntries(Object.keys(provider.headers).map((name) => [name, HIDDEN])),
  // An id is a value in a list of models, and a key in a list of overrides.
  models: provider.models.map((model) => ({
    id: '',
    ...problemOf(model),
    accepted: model.accepted,
    name: hidden(model.name),
    api: hidden(model.api),
    baseUrl: hidden(model.baseUrl),
    otherKeys: keysOf(model),
  })),
  modelOverrides: provider.modelOverrides.map((override) => ({
    id: override.id,
    ...problemOf(override),
    accepted: override.accepted,
    name: hidden(override.name),
    otherKeys: keysOf(override),
  })),
  otherKeys: [...(provider.authHeader === undefined ? [] : ['authHeader']), ...provider.otherKeys],
});

/**
 * Returns which fields a models.json sets, without their values, for readers who don't see those.
 *
 * SECURITY: copies only what it names, so a new field stays hidden.
 */
export const shapeOfModels = ({ exists, problem, providers, otherKeys }: AgentModels): AgentModels => ({
  exists,
  etag: null,
  ...(problem === undefined ? {} : { problem: 'pi ignores all of models.json. The operator can see why.' }),
  providers: providers.map(shapeOfProvider),
  otherKeys,
});
