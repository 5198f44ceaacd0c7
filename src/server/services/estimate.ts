import type { QuotedTokens, TokenQuote } from '../../shared/api/pricing.ts';
import type { AgentPrompt } from '../../shared/api/prompt.ts';
import type { NewService, ServiceEstimate } from '../../shared/api/services.ts';
import { chargedSats, mostSats } from '../../shared/price-math.ts';
import type { RunCommand } from '../../shared/run-command.ts';
import { MOST_PROMPT_BYTES, mostTokens, type SoldFacts, soldFacts } from '../../shared/sale-terms.ts';
import { AppError } from '../platform/app-error.ts';
import { OPERATOR_READER, type Reader } from '../platform/caller.ts';

/** Dependencies of {@link createEstimate}. */
export interface EstimateDeps {
  /** Throws `agent_not_found` and `root_unavailable`. */
  requireAgent(id: string): Promise<unknown>;
  prompt(id: string, reader: Reader): Promise<AgentPrompt>;
  runCommand(id: string): Promise<Pick<RunCommand, 'argv'>>;
  /** Throws `unknown_model`, `pricing_config_invalid` and `price_unavailable`. */
  quote(model: string, tokens: QuotedTokens): Promise<TokenQuote>;
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

/** Calculates the price for customers of an agent with these facts. Throws the errors of {@link Estimate}. */
export type PriceOf = (
  facts: SoldFacts,
  terms: PricedTerms,
) => Promise<Pick<ServiceEstimate, 'sats' | 'usualSats' | 'highestSats'>>;

/** Creates a {@link PriceOf}. */
export const createPriceOf =
  ({ quote }: Pick<EstimateDeps, 'quote'>): PriceOf =>
  async (facts, { priceSats, marginPercent, maxOutputTokens }) => {
    if (typeof priceSats === 'number')
      return { sats: priceSats, usualSats: priceSats, highestSats: priceSats };
    const { model, promptTokens } = facts;
    if (model === null)
      throw new AppError(
        'agent_not_priced',
        'None of this agent’s files names a model, so dot-mi can’t calculate a price. Name a model in its pi-args, or set a flat price.',
      );
    const { prices, btc_price_usd } = await quote(model, ANY_TOKENS).catch((error: unknown) => {
      if (!(error instanceof AppError && error.code === 'unknown_model')) throw error;
      throw new AppError(
        'agent_not_priced',
        `The models file has no price for "${model}", this agent’s model. Add one, or set a flat price.`,
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
export const createEstimate = ({ requireAgent, prompt, runCommand, quote }: EstimateDeps): Estimate => {
  const priceOf = createPriceOf({ quote });
  return async ({ agent, ...terms }) => {
    await requireAgent(agent);
    const [predicted, { argv }] = await Promise.all([prompt(agent, OPERATOR_READER), runCommand(agent)]);
    const facts = soldFacts(predicted, argv);
    const { model, promptTokens, tools } = facts;
    const price = await priceOf(facts, terms);
    // A flat price needs no price of the model.
    const cost = await priceOf(facts, { ...terms, priceSats: null, marginPercent: 0 }).catch(
      (error: unknown) => {
        if (error instanceof AppError) return undefined;
        throw error;
      },
    );
    return {
      model,
      promptTokens,
      tools: [...tools],
      ...price,
      ...(cost ? { cost: { usualSats: cost.usualSats, mostSats: cost.highestSats } } : {}),
    };
  };
};
