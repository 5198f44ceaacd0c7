import {
  getBtcPrice,
  getTokenPrice,
  listModels,
  listPriceHistory,
  previewImport,
  quoteTokens,
  refreshPrice,
  writeModels,
} from '../../shared/api/pricing.ts';
import type { Base, Feature } from '../feature.ts';
import { RESOURCES_DIRECTORY } from '../locations.ts';
import { type OpenPricing, openPricing, type PricingDeps } from './open-pricing.ts';
import type { PricingService } from './pricing.service.ts';

type PricingFeatureDeps = Pick<Base, 'config' | 'etagOf' | 'publish' | 'clock' | 'logger'> &
  Pick<PricingDeps, 'priceListUrls' | 'refreshPauseMs'>;

/** The prices, which dot-mi keeps current. */
interface PricingFeature
  extends Feature,
    Pick<OpenPricing, 'models' | 'latestBtcPrice' | 'btcPricesAfter' | 'wake'>,
    Pick<PricingService, 'quote' | 'modelPrices' | 'btcPrice'> {}

/** The delay before the first request to another server. The request loads TLS, which would delay the first callers. */
const START_DELAY_MS = 250;

/** Opens the prices. Rejects with the system's error if it can't write them. */
export const createPricing = async ({
  config,
  publish,
  ...deps
}: PricingFeatureDeps): Promise<PricingFeature> => {
  const prices = await openPricing(config, {
    ...deps,
    bundledPath: `${RESOURCES_DIRECTORY}/model_pricing.json`,
    publish: (data) => publish({ name: 'price', data }),
  });
  const pricing = prices.service;
  let starting: ReturnType<typeof setTimeout> | undefined;
  return {
    routes(bind) {
      bind(getTokenPrice, ({ query }) => pricing.tokenPrice(query.model));
      bind(quoteTokens, ({ query: { model, ...tokens } }) => pricing.quote(model, tokens));
      bind(getBtcPrice, () => pricing.btcPrice());
      bind(listModels, () => pricing.models());
      bind(writeModels, ({ body, headers }) => pricing.writeModels(body.models, headers['if-match']));
      bind(refreshPrice, () => pricing.refresh());
      bind(listPriceHistory, ({ query }) => ({ points: pricing.history(query.hours) }));
      bind(previewImport, ({ body }) =>
        pricing.previewImport({
          ...(body.source === undefined ? {} : { source: body.source }),
          ...(body.content === undefined ? {} : { content: body.content }),
        }),
      );
    },
    models: prices.models,
    latestBtcPrice: prices.latestBtcPrice,
    btcPricesAfter: prices.btcPricesAfter,
    quote: pricing.quote,
    modelPrices: pricing.modelPrices,
    btcPrice: pricing.btcPrice,
    wake: prices.wake,
    start() {
      starting = setTimeout(prices.start, START_DELAY_MS);
    },
    close() {
      clearTimeout(starting);
      prices.stop();
    },
  };
};
