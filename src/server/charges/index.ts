import { NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import type { ChargeState } from '../../shared/api/charge-state.ts';
import {
  type Charge,
  type ChargeQuote,
  type Charges,
  type ChargeUse,
  createCharge,
  type FrozenPrice,
  getCharge,
  listCharges,
  type NewCharge,
  openAndPayCharge,
  payCharge,
  quoteCharge,
  type RefundedToken,
  type ReleasedCharge,
  type ReleaseUse,
  refundToken,
  releaseCharge,
  type SettledCharge,
  settleCharge,
} from '../../shared/api/charges.ts';
import type { QuotedTokens, TokenQuote } from '../../shared/api/pricing.ts';
import { mostSats } from '../../shared/price-math.ts';
import type { Base, Feature } from '../feature.ts';
import { actingAgent, type Caller, requireKeyOfRoot } from '../platform/caller.ts';

/** The terms of a charge, as the wallet accepts them. Amounts in sats. */
interface ChargeTerms
  extends Pick<NewCharge, 'agent' | 'label' | 'requestHash' | 'ttlSeconds' | 'holdSeconds'> {
  amount: number;
  price?: FrozenPrice | undefined;
}

/** A page of the list of charges. */
interface ChargePage {
  cursor: string | undefined;
  limit: number;
  agent: string | undefined;
  state: ChargeState | undefined;
}

/** The wallet's interface for charges. It decides which of them the caller can use. */
interface ChargeService {
  create(caller: Caller, terms: ChargeTerms): Promise<Charge>;
  quote(caller: Caller, terms: ChargeTerms, asked: string): Promise<ChargeQuote>;
  pay(caller: Caller, id: string, token: string): Promise<Charge>;
  openAndPay(caller: Caller, terms: ChargeTerms, token: string): Promise<Charge>;
  openAndReserve(caller: Caller, terms: ChargeTerms, prepaidKey: string): Promise<Charge>;
  settle(caller: Caller, id: string, use: ChargeUse): Promise<SettledCharge>;
  release(caller: Caller, id: string, use: ReleaseUse): Promise<ReleasedCharge>;
  refund(caller: Caller, token: string): Promise<RefundedToken>;
  get(caller: Caller, id: string): Charge;
  list(caller: Caller, page: ChargePage): Charges;
}

interface ChargesFeatureDeps extends Pick<Base, 'requireAgent'> {
  /** Throws `wallet_locked` or `wallet_damaged` until the wallet is open. */
  charges(): ChargeService;
  /** Throws `unknown_model`, `pricing_config_invalid` and `price_unavailable`. */
  quote(model: string, tokens: QuotedTokens, typed: TypedPrices): Promise<TokenQuote>;
  /** Returns the prices of the service that has this key, from the private copy of its agent. */
  soldPrices(keyId: string): Promise<TypedPrices>;
}

const frozen = (quote: TokenQuote): FrozenPrice => {
  return {
    model: quote.model,
    ...quote.prices,
    btc_price_usd: quote.btc_price_usd,
    updated_at: quote.updated_at,
  };
};

/** Creates the routes for charges. */
export const createCharges = ({ requireAgent, charges, quote, soldPrices }: ChargesFeatureDeps): Feature => {
  /** Returns a caller that can use charges of this root. Throws `forbidden_agent`. */
  const seller = (caller: Caller): Caller => {
    requireKeyOfRoot(caller);
    return caller;
  };

  const priceOf = async (
    {
      amount,
      model = '',
      maxInputTokens = 0,
      maxOutputTokens = 0,
      maxRequests,
      marginPercent = 0,
    }: NewCharge,
    caller: Caller,
  ): Promise<Pick<ChargeTerms, 'amount' | 'price'>> => {
    const tokens = { inputTokens: maxInputTokens, outputTokens: maxOutputTokens };
    // SECURITY: a models.json sets prices only for the sale of its own agent, as of its copy.
    const typed = caller.kind === 'agent' ? await soldPrices(caller.key.id) : NO_TYPED_PRICES;
    const quoted = () => quote(model, { ...tokens, cacheReadTokens: 0, cacheWriteTokens: 0 }, typed);
    if (amount !== undefined) {
      // A flat price doesn't need the model's price, which may be unknown.
      const price = model === '' ? undefined : await quoted().then(frozen, () => undefined);
      return { amount, price };
    }
    const price = { ...frozen(await quoted()), marginPercent };
    return { amount: mostSats(price, { maxInputTokens, maxOutputTokens, maxRequests }), price };
  };

  const termsOf = async (body: NewCharge, caller: Caller): Promise<ChargeTerms> => {
    const { label, requestHash, ttlSeconds, holdSeconds } = body;
    const agent = actingAgent(seller(caller), body.agent);
    if (agent !== undefined) await requireAgent(agent);
    return { agent, label, requestHash, ttlSeconds, holdSeconds, ...(await priceOf(body, caller)) };
  };

  return {
    routes(bind) {
      bind(createCharge, async ({ body }, caller) => charges().create(caller, await termsOf(body, caller)));
      bind(quoteCharge, async ({ body }, caller) =>
        charges().quote(caller, await termsOf(body, caller), JSON.stringify(body)),
      );
      bind(openAndPayCharge, async ({ body: { token, prepaidKey, ...body } }, caller) => {
        const terms = await termsOf(body, caller);
        // The schema requires either a token or a prepaid key, never both.
        return token === undefined
          ? charges().openAndReserve(caller, terms, prepaidKey ?? '')
          : charges().openAndPay(caller, terms, token);
      });
      bind(payCharge, ({ params, body }, caller) =>
        charges().pay(seller(caller), params.chargeId, body.token),
      );
      bind(settleCharge, ({ params, body }, caller) =>
        charges().settle(seller(caller), params.chargeId, body),
      );
      bind(releaseCharge, ({ params, body }, caller) =>
        charges().release(seller(caller), params.chargeId, body),
      );
      bind(refundToken, ({ body }, caller) => charges().refund(seller(caller), body.token));
      bind(listCharges, ({ query: { agent, state, cursor, limit } }, caller) =>
        charges().list(caller, { cursor, limit, agent: actingAgent(seller(caller), agent), state }),
      );
      bind(getCharge, ({ params }, caller) => charges().get(seller(caller), params.chargeId));
    },
  };
};
