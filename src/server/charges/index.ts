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
  refundToken,
  releaseCharge,
  type SettledCharge,
  settleCharge,
} from '../../shared/api/charges.ts';
import type { QuotedTokens, TokenQuote } from '../../shared/api/pricing.ts';
import { chargedSats } from '../../shared/price-math.ts';
import type { Base, Feature } from '../feature.ts';
import { forbiddenAgent } from '../http/access.ts';
import type { CallingKey } from '../platform/request-notes.ts';

/** A charge as the wallet takes it. Amounts in sat. */
interface ChargeTerms
  extends Pick<NewCharge, 'agent' | 'label' | 'requestHash' | 'ttlSeconds' | 'holdSeconds'> {
  amount: number;
  price?: FrozenPrice | undefined;
}

/** The charges as the wallet keeps them. `agent` limits a caller to the charges of an agent. */
interface ChargeService {
  create(terms: ChargeTerms): Promise<Charge>;
  pay(id: string, token: string, agent?: string): Promise<Charge>;
  openAndPay(terms: ChargeTerms, token: string): Promise<Charge>;
  settle(id: string, use: ChargeUse, agent?: string): Promise<SettledCharge>;
  release(id: string, agent?: string): Promise<ReleasedCharge>;
  refund(token: string, agent?: string): Promise<RefundedToken>;
  get(id: string, agent?: string): Charge;
  list(cursor: string | undefined, limit: number, agent?: string, state?: ChargeState): Charges;
}

/** Dependencies of {@link createCharges}. */
interface ChargesFeatureDeps extends Pick<Base, 'root' | 'requireAgent'> {
  /** A wallet that opens late has none before. Throws `wallet_locked` and `wallet_damaged` until then. */
  charges(): ChargeService;
  /** Throws `unknown_model`, `pricing_config_invalid` and `price_unavailable`. */
  quote(model: string, tokens: QuotedTokens): Promise<TokenQuote>;
}

const frozen = (quote: TokenQuote, marginPercent: number): FrozenPrice => {
  const { input_usd_per_million, output_usd_per_million, cache_read_usd_per_million } = quote.prices;
  return {
    model: quote.model,
    input_usd_per_million,
    output_usd_per_million,
    ...(cache_read_usd_per_million === undefined ? {} : { cache_read_usd_per_million }),
    btc_price_usd: quote.btc_price_usd,
    updated_at: quote.updated_at,
    marginPercent,
  };
};

/** Creates the routes of what customers are asked to pay. */
export const createCharges = ({ root, requireAgent, charges, quote }: ChargesFeatureDeps): Feature => {
  /** The agent of a key, whose charges are all that it may see. Undefined for callers without such a key. */
  const ownAgent = (key: CallingKey | undefined): string | undefined => {
    if (!key?.agent) return undefined;
    // An agent of another root can have the same id.
    if (key.agent.rootId !== root.id) throw forbiddenAgent(key.agent.id);
    return key.agent.id;
  };
  const agentOf = (named: string | undefined, key: CallingKey | undefined): string | undefined => {
    const own = ownAgent(key);
    if (own !== undefined && named !== undefined && named !== own) throw forbiddenAgent(own);
    return own ?? named;
  };

  const priceOf = async ({
    amount,
    model = '',
    maxInputTokens = 0,
    maxOutputTokens = 0,
    marginPercent = 0,
  }: NewCharge): Promise<Pick<ChargeTerms, 'amount' | 'price'>> => {
    if (amount !== undefined) return { amount };
    const tokens = { inputTokens: maxInputTokens, outputTokens: maxOutputTokens };
    const price = frozen(
      await quote(model, { ...tokens, cacheReadTokens: 0, cacheWriteTokens: 0 }),
      marginPercent,
    );
    // A payment needs at least a sat, also for a model that costs nothing.
    return { amount: Math.max(1, chargedSats(price, tokens)), price };
  };

  const termsOf = async (body: NewCharge, key: CallingKey | undefined): Promise<ChargeTerms> => {
    const { label, requestHash, ttlSeconds, holdSeconds } = body;
    const agent = agentOf(body.agent, key);
    if (agent !== undefined) await requireAgent(agent);
    return { agent, label, requestHash, ttlSeconds, holdSeconds, ...(await priceOf(body)) };
  };

  return {
    routes(bind) {
      bind(createCharge, async ({ body }, { key }) => charges().create(await termsOf(body, key)));
      bind(openAndPayCharge, async ({ body: { token, ...body } }, { key }) =>
        charges().openAndPay(await termsOf(body, key), token),
      );
      bind(payCharge, ({ params, body }, { key }) =>
        charges().pay(params.chargeId, body.token, ownAgent(key)),
      );
      bind(settleCharge, ({ params, body }, { key }) =>
        charges().settle(params.chargeId, body, ownAgent(key)),
      );
      bind(releaseCharge, ({ params }, { key }) => charges().release(params.chargeId, ownAgent(key)));
      bind(refundToken, ({ body }, { key }) => charges().refund(body.token, ownAgent(key)));
      bind(listCharges, ({ query: { agent, state, cursor, limit } }, { key }) =>
        charges().list(cursor, limit, agentOf(agent, key), state),
      );
      bind(getCharge, ({ params }, { key }) => charges().get(params.chargeId, ownAgent(key)));
    },
  };
};
