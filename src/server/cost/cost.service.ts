import { parseModelName } from '../../pi/agent-model.ts';
import { findPrice, NO_TYPED_PRICES, type PricedIn, type TypedPrices } from '../../pi/typed-prices.ts';
import type { AgentCost, CostAmount, ModelCost } from '../../shared/api/cost.ts';
import type { BtcPrice, ModelPrice } from '../../shared/api/pricing.ts';
import type { AgentPrompt } from '../../shared/api/prompt.ts';
import { pricesAt } from '../../shared/price-math.ts';
import { satsOf, satsPerToken, usdPerToken } from '../../shared/sats.ts';
import { AppError } from '../platform/app-error.ts';
import type { Reader } from '../platform/caller.ts';
import { unknownModel } from '../platform/unknown-model.ts';

interface CostQuestion {
  readonly id: string;
  /** Undefined means the agent's own model. */
  readonly model: string | undefined;
  readonly outputTokens: number;
  /** Determines which files count. */
  readonly reader: Reader;
}

/** Sources of the prices for estimates. */
interface CostPrices {
  /** Reads the prices from the models file. Throws `pricing_config_invalid`. */
  modelPrices(): Promise<ReadonlyMap<string, ModelPrice>>;
  /** Throws `price_unavailable`. */
  btcPrice(): BtcPrice;
}

/** Dependencies of {@link createCostService}. */
export interface CostDeps extends CostPrices {
  prompt(id: string, reader: Reader): Promise<AgentPrompt>;
  /** Returns the prices in the agent's models.json. Empty if dot-mi can't read them. */
  typedPrices(id: string): Promise<TypedPrices>;
  /** Returns the providers that the agent is signed in to with a subscription. Throws `root_unavailable`. */
  subscriptions(id: string): Promise<readonly string[]>;
}

interface CostService {
  /** Throws `agent_not_found`, `unknown_model`, `pricing_config_invalid`, `root_unavailable`. */
  cost(question: CostQuestion): Promise<AgentCost>;
}

/** Returns the amount for model tokens at a price: tokens × price ÷ BTC price. */
export const amountOf = (tokens: number, usdPerMillion: number, btcUsd: number | null): CostAmount => ({
  usd: tokens * usdPerToken(usdPerMillion),
  sats: btcUsd === null ? null : tokens * satsPerToken(usdPerMillion, btcUsd),
});

const sumOf = (a: CostAmount, b: CostAmount): CostAmount => ({
  usd: a.usd + b.usd,
  sats: a.sats === null || b.sats === null ? null : a.sats + b.sats,
});

const THOUSAND = 1_000;

export const createCostService = ({
  prompt,
  modelPrices,
  btcPrice,
  typedPrices,
  subscriptions,
}: CostDeps): CostService => {
  const readBtcPrice = (): BtcPrice | null => {
    try {
      return btcPrice();
    } catch (error) {
      if (error instanceof AppError && error.code === 'price_unavailable') return null;
      throw error;
    }
  };

  return {
    async cost({ id, model: requested, outputTokens, reader }) {
      const [predicted, prices, allTyped, covered] = await Promise.all([
        prompt(id, reader),
        modelPrices(),
        typedPrices(id),
        subscriptions(id),
      ]);
      const isOperator = reader.kind === 'operator';
      // SECURITY: models.json can name private servers. Others learn only the price of the agent's own model.
      const isOwn = requested === undefined || requested === predicted.model?.name;
      const typed = isOperator || isOwn ? allTyped : NO_TYPED_PRICES;
      const btc = readBtcPrice();
      const btcUsd = btc?.btc_price_usd ?? null;
      const promptTokens = predicted.totalTokens;
      const costOf = (model: string, own: ModelPrice, pricedIn: PricedIn): ModelCost => {
        const price = pricesAt(own, promptTokens);
        const fee = own.request_usd ?? 0;
        const asInput = amountOf(promptTokens, price.input_usd_per_million, btcUsd);
        return {
          model,
          pricedIn,
          prompt: asInput,
          promptCached:
            price.cache_read_usd_per_million === undefined
              ? null
              : amountOf(promptTokens, price.cache_read_usd_per_million, btcUsd),
          outputPerThousand: amountOf(THOUSAND, price.output_usd_per_million, btcUsd),
          call: sumOf(sumOf(asInput, amountOf(outputTokens, price.output_usd_per_million, btcUsd)), {
            usd: fee,
            sats: btcUsd === null ? null : satsOf(fee, btcUsd),
          }),
        };
      };

      const name = requested ?? predicted.model?.name;
      const found = name === undefined ? undefined : findPrice(parseModelName(name), prices, typed);
      if (requested !== undefined && !found) throw unknownModel(requested, prices.keys());
      const isShown = ([model]: readonly [string, ModelPrice]) =>
        (isOperator || model === found?.name) && !findPrice(parseModelName(model), prices, NO_TYPED_PRICES);
      const models = [
        ...Array.from(prices, ([model, price]) => costOf(model, price, 'models_file')),
        ...[...typed].filter(isShown).map(([model, price]) => costOf(model, price, 'models_json')),
      ];
      return {
        promptTokens,
        complete: predicted.complete,
        unreadable: predicted.unreadable,
        tokenizer: predicted.tokenizer,
        outputTokens,
        model:
          name === undefined
            ? null
            : {
                name,
                source: requested === undefined ? (predicted.model?.source ?? 'request') : 'request',
                priced: found !== undefined,
                // SECURITY: otherwise, anybody could ask for each provider that the agent is signed in to.
                coveredBySubscription:
                  (isOperator || requested === undefined) &&
                  covered.includes(parseModelName(name).provider ?? ''),
              },
        cost: models.find(({ model }) => model === found?.name) ?? null,
        models,
        btc,
      };
    },
  };
};
