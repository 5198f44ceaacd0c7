import type { ChargeState } from '../../shared/api/charge-state.ts';
import {
  type Charge,
  type Charges,
  type ChargeUse,
  createCharge,
  type FrozenPrice,
  getCharge,
  listCharges,
  type NewCharge,
  openAndPayCharge,
  payCharge,
  type RefundedToken,
  type ReleasedCharge,
  type ReleaseUse,
  refundToken,
  releaseCharge,
  type SettledCharge,
  settleCharge,
} from '../../shared/api/charges.ts';
import type { QuotedTokens, TokenQuote } from '../../shared/api/pricing.ts';
import { chargedSats } from '../../shared/price-math.ts';
import type { Base, Feature } from '../feature.ts';
import { actingAgent, type Caller, requireKeyOfRoot } from '../platform/caller.ts';

/** The terms of a charge, as the wallet accepts them. Amounts in sats. */
interface ChargeTerms
  extends Pick<NewCharge, 'agent' | 'label' | 'requestHash' | 'ttlSeconds' | 'holdSeconds'> {
  amount: number;
  price?: FrozenPrice | undefined;
}

/** The wallet's interface for charges. `agent` limits a caller to that agent's charges. */
interface ChargeService {
  create(terms: ChargeTerms): Promise<Charge>;
  pay(id: string, token: string, agent?: string): Promise<Charge>;
  openAndPay(terms: ChargeTerms, token: string): Promise<Charge>;
  openAndReserve(terms: ChargeTerms, prepaidKey: string): Promise<Charge>;
  settle(id: string, use: ChargeUse, agent?: string): Promise<SettledCharge>;
  release(id: string, use: ReleaseUse, agent?: string): Promise<ReleasedCharge>;
  refund(token: string, agent?: string): Promise<RefundedToken>;
  get(id: string, agent?: string): Charge;
  list(cursor: string | undefined, limit: number, agent?: string, state?: ChargeState): Charges;
}

interface ChargesFeatureDeps extends Pick<Base, 'requireAgent'> {
  /** Throws `wallet_locked` or `wallet_damaged` until the wallet is open. */
  charges(): ChargeService;
  /** Throws `unknown_model`, `pricing_config_invalid` and `price_unavailable`. */
  quote(model: string, tokens: QuotedTokens): Promise<TokenQuote>;
}

const frozen = (quote: TokenQuote): FrozenPrice => {
  const { input_usd_per_million, output_usd_per_million, cache_read_usd_per_million } = quote.prices;
  return {
    model: quote.model,
    input_usd_per_million,
    output_usd_per_million,
    ...(cache_read_usd_per_million === undefined ? {} : { cache_read_usd_per_million }),
    btc_price_usd: quote.btc_price_usd,
    updated_at: quote.updated_at,
  };
};

/** Creates the routes for charges. */
export const createCharges = ({ requireAgent, charges, quote }: ChargesFeatureDeps): Feature => {
  const agentOf = (named: string | undefined, caller: Caller) => {
    requireKeyOfRoot(caller);
    return actingAgent(caller, named);
  };
  const own = (caller: Caller) => agentOf(undefined, caller);

  const priceOf = async ({
    amount,
    model = '',
    maxInputTokens = 0,
    maxOutputTokens = 0,
    marginPercent = 0,
  }: NewCharge): Promise<Pick<ChargeTerms, 'amount' | 'price'>> => {
    const tokens = { inputTokens: maxInputTokens, outputTokens: maxOutputTokens };
    const quoted = () => quote(model, { ...tokens, cacheReadTokens: 0, cacheWriteTokens: 0 });
    if (amount !== undefined) {
      // A flat price doesn't need the model's price, which may be unknown.
      const price = model === '' ? undefined : await quoted().then(frozen, () => undefined);
      return { amount, price };
    }
    const price = { ...frozen(await quoted()), marginPercent };
    // A payment needs at least 1 sat, even for a free model.
    return { amount: Math.max(1, chargedSats(price, tokens)), price };
  };

  const termsOf = async (body: NewCharge, caller: Caller): Promise<ChargeTerms> => {
    const { label, requestHash, ttlSeconds, holdSeconds } = body;
    const agent = agentOf(body.agent, caller);
    if (agent !== undefined) await requireAgent(agent);
    return { agent, label, requestHash, ttlSeconds, holdSeconds, ...(await priceOf(body)) };
  };

  return {
    routes(bind) {
      bind(createCharge, async ({ body }, caller) => charges().create(await termsOf(body, caller)));
      bind(openAndPayCharge, async ({ body: { token, prepaidKey, ...body } }, caller) => {
        const terms = await termsOf(body, caller);
        // The schema requires either a token or a prepaid key, never both.
        return token === undefined
          ? charges().openAndReserve(terms, prepaidKey ?? '')
          : charges().openAndPay(terms, token);
      });
      bind(payCharge, ({ params, body }, caller) => charges().pay(params.chargeId, body.token, own(caller)));
      bind(settleCharge, ({ params, body }, caller) => charges().settle(params.chargeId, body, own(caller)));
      bind(releaseCharge, ({ params, body }, caller) =>
        charges().release(params.chargeId, body, own(caller)),
      );
      bind(refundToken, ({ body }, caller) => charges().refund(body.token, own(caller)));
      bind(listCharges, ({ query: { agent, state, cursor, limit } }, caller) =>
        charges().list(cursor, limit, agentOf(agent, caller), state),
      );
      bind(getCharge, ({ params }, caller) => charges().get(params.chargeId, own(caller)));
    },
  };
};
