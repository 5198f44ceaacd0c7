import { parseModelName } from '../../pi/agent-model.ts';
import { findPrice, NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import type { ModelPrice, QuotedTokens } from '../../shared/api/pricing.ts';
import type { AgentPrompt } from '../../shared/api/prompt.ts';
import type { NewService, ServiceEstimate } from '../../shared/api/services.ts';
import { chargedSats, mostSats } from '../../shared/price-math.ts';
import type { RunCommand } from '../../shared/run-command.ts';
import { MOST_PROMPT_BYTES, mostTokens, type SoldFacts, soldFacts } from '../../shared/sale-terms.ts';
import { AppError } from '../platform/app-error.ts';
import { OPERATOR_READER, type Reader } from '../platform/caller.ts';
import type { ChargesDeps } from './charges.ts';

/** Dependencies of {@link createEstimate}. */
export interface EstimateDeps extends Pick<ChargesDeps, 'requireAgent' | 'quote'> {
  prompt(id: string, reader: Reader): Promise<AgentPrompt>;
  runCommand(id: string): Promise<Pick<RunCommand, 'argv'>>;
  /** Returns the prices in the agent's models.json. */
  typedPrices(id: string): Promise<TypedPrices>;
}

/**
 * Calculates the price for customers, in sats. Throws `agent_not_found`, `root_unavailable`, `agent_not_priced`,
 * `pricing_config_invalid` and `price_unavailable`.
 */
export type Estimate = (wanted: NewService) => Promise<ServiceEstimate>;

/** The length of the example's prompt, in bytes. Four bytes are about one model token. */
const EXAMPLE_BYTES = 500;
const BYTES_PER_TOKEN = 4;
const EXAMPLE_OUTPUT_TOKENS = 300;

/** The counts don't matter, because only the quote's prices are used. */
const ANY_TOKENS: QuotedTokens = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** What a service's price depends on. */
type PricedTerms = Pick<NewService, 'marginPercent' | 'maxOutputTokens'> & {
  readonly priceSats?: number | null | undefined;
};

/** The price of an agent's model in the agent's own models.json, or null. */
export type TypedPrice = ModelPrice | null;

/** Returns the price that an agent's models.json has for its model. */
export const typedPriceOf = (model: string | null, typed: TypedPrices): TypedPrice =>
  (model === null ? undefined : findPrice(parseModelName(model), NO_TYPED_PRICES, typed)?.prices) ?? null;

/** Returns a {@link TypedPrice} as the only one of a models.json. */
export const typedPricesWith = (model: string | null, price: TypedPrice): TypedPrices =>
  model === null || price === null ? NO_TYPED_PRICES : new Map([[model, price]]);

/** Calculates the price for customers of an agent with these facts. Throws the errors of {@link Estimate}. */
export type PriceOf = (
  facts: SoldFacts,
  terms: PricedTerms,
  typedPrice: TypedPrice,
) => Promise<Pick<ServiceEstimate, 'sats' | 'usualSats' | 'highestSats'>>;

export const createPriceOf =
  ({ quote }: Pick<EstimateDeps, 'quote'>): PriceOf =>
  async (facts, { priceSats, marginPercent, maxOutputTokens }, typedPrice) => {
    if (typeof priceSats === 'number')
      return { sats: priceSats, usualSats: priceSats, highestSats: priceSats };
    const { model, promptTokens } = facts;
    if (model === null)
      throw new AppError(
        'agent_not_priced',
        'None of this agent’s files names a model, so dot-mi can’t calculate a price. Name a model in its pi-args, or set a flat price.',
      );
    const typed = typedPricesWith(model, typedPrice);
    const { prices, btc_price_usd } = await quote(model, ANY_TOKENS, typed).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'unknown_model')) throw error;
      throw new AppError(
        'agent_not_priced',
        `Neither the models file nor the agent’s models.json has a price for "${model}", this agent’s model. Add one, or set a flat price.`,
      );
    });
    const price = { ...prices, btc_price_usd, marginPercent };
    const inAdvance = (promptBytes: number) =>
      mostSats(price, mostTokens(facts, promptBytes, maxOutputTokens));
    const sats = inAdvance(EXAMPLE_BYTES);
    const usual = chargedSats(price, {
      inputTokens: promptTokens + EXAMPLE_BYTES / BYTES_PER_TOKEN,
      outputTokens: Math.min(EXAMPLE_OUTPUT_TOKENS, maxOutputTokens),
    });
    return {
      sats,
      usualSats: Math.min(sats, Math.max(1, usual)),
      highestSats: inAdvance(MOST_PROMPT_BYTES),
    };
  };

/** Creates the function that calculates a service's price from the agent's prompt, its model and a margin. */
export const createEstimate = ({
  requireAgent,
  prompt,
  runCommand,
  quote,
  typedPrices,
}: EstimateDeps): Estimate => {
  const priceOf = createPriceOf({ quote });
  return async ({ agent, ...terms }) => {
    await requireAgent(agent);
    const [predicted, { argv }] = await Promise.all([prompt(agent, OPERATOR_READER), runCommand(agent)]);
    const facts = soldFacts(predicted, argv);
    const { model, promptTokens, tools } = facts;
    const typedPrice = typedPriceOf(model, await typedPrices(agent));
    const price = await priceOf(facts, terms, typedPrice);
    // A flat price needs no price of the model.
    const atCost = { ...terms, priceSats: null, marginPercent: 0 };
    const cost = await priceOf(facts, atCost, typedPrice).catch((error: unknown) => {
      if (error instanceof AppError) return undefined;
      throw error;
    });
    return {
      model,
      promptTokens,
      tools: [...tools],
      ...price,
      ...(cost ? { cost: { usualSats: cost.usualSats, mostSats: cost.highestSats } } : {}),
    };
  };
};
