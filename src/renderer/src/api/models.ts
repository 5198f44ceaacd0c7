import { listModels, type ModelPrice, writeModels } from '../../../shared/api/pricing.ts';
import { call } from './client.ts';

/** A model and its prices in USD per million tokens. */
export interface PricedModel {
  readonly name: string;
  readonly inputUsd: number;
  readonly outputUsd: number;
  /** The price of input read from the cache. Undefined if there is none. */
  readonly cacheReadUsd?: number | undefined;
  /** The price of input written to the cache. Undefined if there is none. */
  readonly cacheWriteUsd?: number | undefined;
  /** The provider's fee for each request. Undefined if there is none. */
  readonly requestUsd?: number | undefined;
  /** The prices of long requests, as the API has them. Undefined if they cost the same. */
  readonly tiers?: ModelPrice['tiers'];
}

/** Converts a model from the API. */
export const toPricedModel = (name: string, price: ModelPrice): PricedModel => ({
  name,
  inputUsd: price.input_usd_per_million,
  outputUsd: price.output_usd_per_million,
  ...(price.cache_read_usd_per_million === undefined
    ? {}
    : { cacheReadUsd: price.cache_read_usd_per_million }),
  ...(price.cache_write_usd_per_million === undefined
    ? {}
    : { cacheWriteUsd: price.cache_write_usd_per_million }),
  ...(price.request_usd === undefined ? {} : { requestUsd: price.request_usd }),
  ...(price.tiers === undefined ? {} : { tiers: price.tiers }),
});

/** The models file as it was read. */
export interface ReadModels {
  readonly models: readonly PricedModel[];
  /** The file's error, as a sentence with its line. If set, the models are from the last valid version. */
  readonly configError: string | undefined;
  /** For {@link saveModels}. Null if the file doesn't exist. */
  readonly etag: string | null;
}

/** Reads the models with their prices, whatever their names. */
export const readModels = async (signal?: AbortSignal): Promise<ReadModels> => {
  const { models, configError, etag } = await call(listModels, {}, signal);
  return {
    models: Object.entries(models).map(([name, price]) => toPricedModel(name, price)),
    configError,
    etag,
  };
};

/** Converts models for the API. `Object.fromEntries` keeps a name `__proto__`. */
export const toWire = (models: readonly PricedModel[]): Record<string, unknown> =>
  Object.fromEntries(
    models.map(({ name, inputUsd, outputUsd, cacheReadUsd, cacheWriteUsd, requestUsd, tiers }) => [
      name,
      {
        input_usd_per_million: inputUsd,
        output_usd_per_million: outputUsd,
        ...(cacheReadUsd === undefined ? {} : { cache_read_usd_per_million: cacheReadUsd }),
        ...(cacheWriteUsd === undefined ? {} : { cache_write_usd_per_million: cacheWriteUsd }),
        ...(requestUsd === undefined ? {} : { request_usd: requestUsd }),
        ...(tiers === undefined ? {} : { tiers }),
      },
    ]),
  );

/**
 * Writes all models if the file still has this etag, and returns the new one. Null skips this check, because the
 * file didn't exist. Throws `ApiError` `file_changed` if the etag differs.
 */
export const saveModels = async (models: readonly PricedModel[], etag: string | null): Promise<string> => {
  const headers = { 'if-match': etag ?? undefined };
  return (await call(writeModels, { body: { models: toWire(models) }, headers })).etag;
};
