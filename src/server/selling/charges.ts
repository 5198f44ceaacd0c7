import { NO_TYPED_PRICES, type TypedPrices } from '../../pi/typed-prices.ts';
import {
  createCharge,
  type FrozenPrice,
  getCharge,
  listCharges,
  type NewCharge,
  openAndPayCharge,
  payCharge,
  quoteCharge,
  refundToken,
  releaseCharge,
  settleCharge,
} from '../../shared/api/charges.ts';
import {
  blockPrepaidBalance,
  openPrepaidBalance,
  readPrepaidBalance,
  refundPrepaidBalance,
  topUpPrepaidBalance,
} from '../../shared/api/prepaid-balances.ts';
import type { QuotedTokens, TokenQuote } from '../../shared/api/pricing.ts';
import { mostSats } from '../../shared/price-math.ts';
import type { Base, Feature } from '../feature.ts';
import { actingAgent, type Caller, requireKeyOfRoot } from '../platform/caller.ts';
import type { ChargeTerms, Wallet } from '../wallet/index.ts';

/** Dependencies of {@link createChargeRoutes}. */
export interface ChargesDeps extends Pick<Base, 'requireAgent'> {
  wallet: Pick<Wallet, 'charges'>;
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

/** Returns a caller that can use charges and prepaid balances of this root. Throws `forbidden_agent`. */
const seller = (caller: Caller): Caller => {
  requireKeyOfRoot(caller);
  return caller;
};

/** Creates the routes for charges and for customers' prepaid balances. */
export const createChargeRoutes = ({
  requireAgent,
  wallet: { charges },
  quote,
  soldPrices,
}: ChargesDeps): Feature['routes'] => {
  /** Returns the agent that sells, if one is named. Throws `forbidden_agent`, `agent_not_found` and `root_unavailable`. */
  const agentOf = async (caller: Caller, named: string | undefined): Promise<string | undefined> => {
    const agent = actingAgent(seller(caller), named);
    if (agent !== undefined) await requireAgent(agent);
    return agent;
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
    const agent = await agentOf(caller, body.agent);
    return { agent, label, requestHash, ttlSeconds, holdSeconds, ...(await priceOf(body, caller)) };
  };

  return (bind) => {
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
    bind(payCharge, ({ params, body }, caller) => charges().pay(seller(caller), params.chargeId, body.token));
    bind(settleCharge, ({ params, body }, caller) => charges().settle(seller(caller), params.chargeId, body));
    bind(releaseCharge, ({ params, body }, caller) =>
      charges().release(seller(caller), params.chargeId, body),
    );
    bind(refundToken, ({ body }, caller) => charges().refund(seller(caller), body.token));
    bind(listCharges, ({ query: { agent, state, cursor, limit } }, caller) =>
      charges().list(caller, { cursor, limit, agent: actingAgent(seller(caller), agent), state }),
    );
    bind(getCharge, ({ params }, caller) => charges().get(seller(caller), params.chargeId));
    bind(openPrepaidBalance, async ({ body: { token, agent: named, label } }, caller) => {
      const agent = await agentOf(caller, named);
      return charges().prepaid.open(caller, token, { agent, label });
    });
    bind(readPrepaidBalance, ({ body }, caller) => charges().prepaid.read(seller(caller), body.prepaidKey));
    bind(topUpPrepaidBalance, ({ body }, caller) =>
      charges().prepaid.topUp(seller(caller), body.prepaidKey, body.token),
    );
    bind(refundPrepaidBalance, ({ body }, caller) =>
      charges().prepaid.refund(seller(caller), body.prepaidKey),
    );
    bind(blockPrepaidBalance, ({ params, body }) =>
      charges().prepaid.setBlocked(params.balanceId, body.blocked),
    );
  };
};
