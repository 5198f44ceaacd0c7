import { dirname, join } from 'node:path';
import type { EventData } from '../../shared/api/events.ts';
import type { PriceList } from '../../shared/api/pricing.ts';
import type { BtcSource } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import type { EtagOf } from '../platform/etag.ts';
import type { Logger } from '../platform/logger.ts';
import { createBtcPriceKeeper } from './btc-price.ts';
import { createSources } from './btc-sources.ts';
import { createFetchJson } from './fetch-json.ts';
import type { ReportedPrice } from './find-btc-price.ts';
import { createModelsFile, ensureModelsFile, watchModelsFile } from './models-file.ts';
import type { Models } from './parse-models.ts';
import { openPriceHistory } from './price-history.ts';
import { PRICE_LIST_URLS } from './price-lists.ts';
import { createPricingService, type PricingService } from './pricing.service.ts';

interface PricingConfig {
  modelPricingPath: string;
  btcSources: readonly BtcSource[];
  btcRefreshIntervalSeconds: number;
}

/** Dependencies of {@link openPricing}. */
export interface PricingDeps {
  /** The path of the bundled prices, which become the models file if it's missing. */
  bundledPath: string;
  clock: Clock;
  etagOf: EtagOf;
  logger: Logger;
  publish(event: EventData<'price'>): void;
  /** The URLs of the public price lists. Defaults to the real ones. */
  priceListUrls?: Readonly<Record<PriceList, string>> | undefined;
  /** The least time between two refreshes. Default: five seconds. */
  refreshPauseMs?: number | undefined;
}

/** A configuration's prices, which dot-mi keeps current. */
export interface OpenPricing {
  service: PricingService;
  /** Returns the models and their prices. Undefined if no valid version was ever read. */
  models(): Promise<Models | undefined>;
  /** Returns the newest BTC price and its time in milliseconds since 1970. Undefined if there has never been one. */
  latestBtcPrice(): { atMs: number; usd: number } | undefined;
  /** Returns the recorded BTC prices after a time in milliseconds since 1970, oldest first. */
  btcPricesAfter(afterMs: number): { atMs: number; usd: number }[];
  /** Starts querying the sources and watching the models file. */
  start(): void;
  /** Queries the sources once after the computer woke up. */
  wake(): void;
  stop(): void;
}

const HISTORY_FILE = 'btc_price_history.jsonl';

const MAX_PRICE_BYTES = 1024 * 1024;
/** The size limit for a price list. models.dev's is 3 MB. */
const MAX_LIST_BYTES = 32 * 1024 * 1024;
const LIST_TIMEOUT_MS = 30_000;

const toBtcPrice = ({ at, price }: ReportedPrice) => ({ atMs: at, usd: price });

/** Opens a configuration's prices. Throws the system's error if it can't write them. */
export const openPricing = async (
  { modelPricingPath, btcSources, btcRefreshIntervalSeconds }: PricingConfig,
  { bundledPath, clock, etagOf, logger, publish, priceListUrls, refreshPauseMs }: PricingDeps,
): Promise<OpenPricing> => {
  const [, history] = await Promise.all([
    ensureModelsFile(modelPricingPath, bundledPath),
    openPriceHistory(join(dirname(modelPricingPath), HISTORY_FILE), clock.now()),
  ]);
  const now = () => clock.now();
  const price = createBtcPriceKeeper({
    sources: createSources(btcSources),
    fetchJson: createFetchJson(now, MAX_PRICE_BYTES),
    history,
    intervalMs: btcRefreshIntervalSeconds * 1000,
    refreshPauseMs,
    clock,
    logger,
    onPrice: ({ price: btc, source, host, at }) =>
      publish({
        btc: {
          btc_price_usd: btc,
          source,
          ...(host === undefined ? {} : { source_host: host }),
          updated_at: new Date(at).toISOString(),
        },
        models: false,
      }),
  });
  const modelsFile = createModelsFile(modelPricingPath, clock, etagOf);
  // Read it now, so that a valid version exists if the file breaks before the first request.
  await modelsFile.read();
  const service = createPricingService({
    modelsFile,
    price,
    fetchList: createFetchJson(now, MAX_LIST_BYTES, LIST_TIMEOUT_MS),
    listUrls: priceListUrls ?? PRICE_LIST_URLS,
    clock,
    onModels: () => publish({ btc: null, models: true }),
  });
  const onDisk = watchModelsFile(modelPricingPath, modelsFile, logger, () =>
    publish({ btc: null, models: true }),
  );
  return {
    service,
    models: async () => (await modelsFile.read()).models,
    latestBtcPrice() {
      const latest = history.latest();
      return latest && toBtcPrice(latest);
    },
    btcPricesAfter: (afterMs) => history.since(afterMs + 1).map(toBtcPrice),
    start() {
      price.start();
      onDisk.start();
    },
    wake: price.wake,
    stop() {
      price.stop();
      onDisk.stop();
    },
  };
};
