import { NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import { type AgentModels, findModels, getPiModels, testModel } from '../../shared/api/pi-models.ts';
import { isJsonObject } from '../../shared/json-object.ts';
import { ownEnvironment } from '../config.ts';
import type { Base, Feature } from '../feature.ts';
import { AppError, systemCode } from '../platform/app-error.ts';
import { ANYONE_READER, type Caller, readerOf } from '../platform/caller.ts';
import type { FormFiles, TaggedText } from '../platform/form-file.ts';
import { typedPricesOf } from '../platform/pi-schemas.ts';
import { createProviderCaller, type Provider, type ProviderTimes } from './call-provider.ts';
import { editedModels } from './change-models.ts';
import { entriesOf, parseModels, problemsOf } from './models-entries.ts';
import { shapeOfModels } from './models-shape.ts';

/** Returns what a caller sees of a file. */
const toAnswer = (file: TaggedText | undefined, caller: Caller): AgentModels => {
  const models = {
    exists: file !== undefined,
    etag: file?.etag ?? null,
    ...(file ? entriesOf(file.content) : { providers: [], otherKeys: [] }),
  };
  return caller.kind === 'operator' ? models : shapeOfModels(models);
};

interface PiModelsFeature extends Feature {
  /** Returns a models.json with these edits. */
  readonly edited: typeof editedModels;
  readonly problemsOf: typeof problemsOf;
  /** Returns the prices in an agent's models.json. Empty if dot-mi can't read it, or pi ignores it. */
  typedPrices(id: string): Promise<TypedPrices>;
}

/** Returns a provider with the key in a models.json, if the file has the provider with the same address. */
const withKeyOf = (text: string, id: string, provider: Provider): Provider => {
  const file = parseModels(text);
  const entry =
    typeof file !== 'string' && Object.hasOwn(file.providers, id) ? file.providers[id] : undefined;
  // SECURITY: a key goes only to its own address.
  return isJsonObject(entry) && entry.baseUrl === provider.baseUrl && typeof entry.apiKey === 'string'
    ? { ...provider, apiKey: entry.apiKey }
    : provider;
};

interface PiModelsDeps extends Pick<Base, 'clock'> {
  readonly files: Pick<FormFiles, 'readTagged'>;
  /** Returns whether a dot-mi listens there. */
  isDotMi(host: string, port: number): Promise<boolean>;
  readonly providerTimes?: ProviderTimes | undefined;
}

/** Creates the routes for agents' providers and models. */
export const createPiModels = ({ files, clock, isDotMi, providerTimes }: PiModelsDeps): PiModelsFeature => {
  const stopping = new AbortController();
  const providers = createProviderCaller({
    readVariable: (name) => ownEnvironment()[name],
    isDotMi,
    clock,
    signal: stopping.signal,
    times: providerTimes,
  });
  /** Returns the provider to call. */
  const calledBy = async (
    id: string,
    { provider, ...given }: Provider & { readonly provider?: string | undefined },
    caller: Caller,
  ): Promise<Provider> => {
    const file = await files.readTagged(id, 'models.json', readerOf(caller));
    return file && provider !== undefined && given.apiKey === undefined
      ? withKeyOf(file.content, provider, given)
      : given;
  };
  return {
    edited: editedModels,
    problemsOf,
    routes(bind) {
      bind(getPiModels, async ({ params }, caller) =>
        toAnswer(await files.readTagged(params.id, 'models.json', readerOf(caller)), caller),
      );
      bind(findModels, async ({ params, body }, caller) =>
        providers.list(await calledBy(params.id, body, caller)),
      );
      bind(testModel, async ({ params, body: { model, ...body } }, caller) =>
        providers.test(await calledBy(params.id, body, caller), model),
      );
    },
    close: () => stopping.abort(),
    async typedPrices(id) {
      try {
        const file = await files.readTagged(id, 'models.json', ANYONE_READER);
        return file ? typedPricesOf(file.content) : NO_TYPED_PRICES;
      } catch (error) {
        if (error instanceof AppError || systemCode(error) !== undefined) return NO_TYPED_PRICES;
        throw error;
      }
    },
  };
};
