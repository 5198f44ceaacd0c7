import {
  getBtcPrice,
  getTokenPrice,
  listModels,
  listPriceHistory,
  previewImport,
  refreshPrice,
  writeModels,
} from '../../shared/api/pricing.ts';
import { quoteTokens } from '../../shared/api/pricing-quote.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { PricingService } from './pricing.service.ts';

/** The routes of prices. */
export const pricingRoutes =
  (pricing: PricingService): Routes =>
  (bind) => {
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
  };
