// A client that pays by Routstr's X-Cashu rules, word for word: what Routstr's node does, and what its own SDK does with it.
//
// Read in Routstr/routstr-core 8bd7d7e5 (2026-08-21), the SDK (Routstr/routstr-sdk, 2026-08), and the wallet that
// routstrd uses (cashubtc/coco). The rules, with where they are:
//
// | What | Rule | Where in routstr-core |
// |---|---|---|
// | price | GET /v1/models -> `{ data: [{ id, sats_pricing: { max_cost, … } }] }`, sats as a float | payment/models.py:47-81, 627-639 |
// | mints | GET /v1/info -> `{ name, description, version, mints, … }` | core/main.py:295-306 |
// | pay | POST /v1/chat/completions (any path), request header `X-Cashu: <token>` | proxy.py:240, 372-398 |
// | no token | 401 `{ detail: "Unauthorized", request_id }`, never 402 and no payment request | payment/helpers.py:40-42 |
// | too little | by face value, before redeeming: 402 `{ detail: { reason, amount_required_msat, model, type } }`, no echo | payment/helpers.py:71-84 |
// | change | response header `X-Cashu`, where it is above 0; the charge is rounded up to a sat | upstream/base.py:3920-3945 |
// | stream | buffered until usage is known, so that the header precedes the text | upstream/base.py:3698-3777, 3837-3846 |
// | upstream failed | its status, `{ error: { message, type, code, refund_token } }`, the same token in `X-Cashu` | upstream/base.py:4188-4233 |
// | not redeemed | `{ error: { message, type, code }, request_id }`, the token itself in `X-Cashu` unless spent | upstream/base.py:5075-5095, wallet.py:208-309 |
// | refund | POST /v1/balance/refund or /v1/wallet/refund, request header `X-Cashu`, no body | balance.py:378-384, 834-838 |
// | … 200 | `{ token, sats }` (`msats` for that unit), strings, and `X-Cashu`; repeats | balance.py:425-433 |
// | … 425 | `Retry-After: 2` while nothing is written; after a full charge that never ends | balance.py:407-421 |
// | … 410 | swept: not collected for 180 days | balance.py:422-423, core/settings.py:126 |
// | … 404 | `{ detail: "Refund not found", request_id }`; found by the token's text | balance.py:386-398 |
//
// What the SDK does with it (client/RoutstrClient.ts `_handleErrorResponse`, `_handlePostResponseBalanceUpdate`;
// wallet/CashuSpender.ts `refundXcashuTokens`; wallet/BalanceManager.ts `fetchRefundToken`; core/errorTypes.ts):
// - It keeps each token until its change or refund is swapped, also after an answer without change.
// - After an error it swaps the token in `X-Cashu`, whatever that is, and then its own. It never reads `refund_token`:
//   this client does where there is no header, and compares them where there are both.
// - `token_already_spent` makes it forget the token at once, without asking for a refund.
// - It asks /v1/wallet/refund. 425: later. 404 with "Refund not found" three times: forgotten. Else it keeps the token.
// - Its token is worth max_cost by face value: coco doesn't add the receiver's fees (send/DefaultSendHandler.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { type CustomerOptions, readOffer } from './cashu-customer.ts';
import { type Books, openCustomerWallet } from './customer-wallet.ts';
import { cashuHeader, fieldOf, type Loss, LostAnswerError, type Reply, retryAfterMs, send } from './post.ts';

/** A body in the shape of OpenAI's chat completions. */
export interface ChatBody {
  model: string;
  messages: { role: 'system' | 'user' | 'assistant'; content: string }[];
  stream?: boolean;
  max_tokens?: number;
}

/**
 * Where the amount comes from.
 * - `models`: `sats_pricing.max_cost` of the model in `GET /v1/models`, as Routstr's clients do.
 * - `front-page`: `price` of the seller's `GET /`, which Routstr doesn't have.
 * - `payment-request`: the amount of a 402, which Routstr doesn't have.
 */
export type PriceSource = 'models' | 'front-page' | 'payment-request';

/** How to buy a completion. */
export interface CompleteOptions {
  /** Default `models`. */
  price?: PriceSource;
  /** Sats to send, whatever the price. */
  sats?: number;
  lose?: Loss;
}

/** How a request for a completion ended. All amounts are face values in sats. */
export interface Completion {
  outcome: 'answered' | 'refused' | 'lost';
  status?: number;
  /** The text of the answer. Of a stream, its chunks in one. */
  text?: string;
  /** The parsed events of a stream, without `[DONE]`. */
  chunks?: unknown[];
  usage?: unknown;
  /** `type` and `code` of an error. */
  error?: { type?: unknown; code?: unknown; message?: unknown };
  paid: number;
  change: number;
  refunded: number;
  returned: number;
}

/** The two names of the refund route. The SDK asks the second. */
export type RefundRoute = '/v1/balance/refund' | '/v1/wallet/refund';

/**
 * What asking for a refund did with a token.
 * - `pending`: 425. `unknown`: 404, for the first or second time. `kept`: another error, such as 410.
 * - `forgotten`: the third 404, and nobody else has it: it was charged in full. `returned`: nobody had redeemed it.
 */
export interface Swept {
  outcome: 'refunded' | 'pending' | 'unknown' | 'kept' | 'forgotten' | 'returned';
  /** Undefined where no answer arrived. */
  status?: number | undefined;
  paid: number;
  back: number;
  /** Only with `pending`. */
  retryAfterMs?: number;
}

/** A client of Routstr. Its calls may run at the same time. */
export interface RoutstrCustomer {
  /** What a model costs at most, in sats: what a token must be worth. */
  priceOf(origin: string, body: ChatBody, source?: PriceSource): Promise<number>;
  complete(origin: string, body: ChatBody, options?: CompleteOptions): Promise<Completion>;
  /** Asks once for the refund of each token that it keeps. */
  sweep(route?: RefundRoute): Promise<Swept[]>;
  /** Sweeps until no answer is 425 or 404, waiting as long as the seller says. Returns the last result of each token. */
  settle(route?: RefundRoute): Promise<Swept[]>;
  /** How many tokens it keeps. */
  kept(): number;
  /** All tokens that it paid with, in their order, for tests that send one twice. */
  sent(): string[];
  /** The texts of answers. */
  work(): string[];
  books(): Books;
  /** What it owns, in sats. Throws unless the mint calls each proof unspent and the books say the same. */
  total(): Promise<number>;
}

interface Kept {
  origin: string;
  token: string;
  face: number;
  notFound: number;
}

const CHAT_PATH = '/v1/chat/completions';
/** What the SDK sends for a model whose price names no maximum. */
const DEFAULT_MAX_COST = 50;
const MAX_NOT_FOUND = 3;
const MAX_SWEEPS = 200;
const PAUSE_MS = 50;
const NOT_FOUND_TEXT = 'Refund not found';

/** The error of an answer, in each of the shapes that Routstr's nodes send it (SDK: `parseCoreError`). */
export const readRoutstrError = ({ body, text }: Reply): NonNullable<Completion['error']> => {
  const detail = fieldOf(body, 'detail');
  const error = fieldOf(body, 'error') ?? fieldOf(detail, 'error') ?? detail;
  if (typeof error === 'string') return { message: error };
  if (error === undefined) return { message: text };
  return { type: fieldOf(error, 'type'), code: fieldOf(error, 'code'), message: fieldOf(error, 'message') };
};

/** The events of a stream. Throws unless it ends with `[DONE]`. */
export const readEvents = (text: string): unknown[] => {
  const data = text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => line.slice('data: '.length).trim());
  if (data.at(-1) !== '[DONE]') throw new Error('the stream does not end with [DONE]');
  return data.slice(0, -1).map((one) => JSON.parse(one));
};

const firstChoice = (value: unknown): unknown => {
  const choices = fieldOf(value, 'choices');
  return Array.isArray(choices) ? choices[0] : undefined;
};

const contentOf = (choice: unknown, name: 'message' | 'delta'): string => {
  const content = fieldOf(fieldOf(choice, name), 'content');
  return typeof content === 'string' ? content : '';
};

/** The text and usage of an answer, streamed or not. */
const readCompletion = (reply: Reply): Pick<Completion, 'text' | 'chunks' | 'usage'> => {
  if (!reply.headers['content-type']?.startsWith('text/event-stream')) {
    return { text: contentOf(firstChoice(reply.body), 'message'), usage: fieldOf(reply.body, 'usage') };
  }
  const chunks = readEvents(reply.text);
  const text = chunks.map((chunk) => contentOf(firstChoice(chunk), 'delta')).join('');
  return { text, chunks, usage: chunks.map((chunk) => fieldOf(chunk, 'usage')).findLast(Boolean) };
};

const readAmount = (value: unknown): number => {
  if (typeof value !== 'number' || !(value > 0)) throw new Error('the price is not a number of sats');
  return Math.ceil(value);
};

/** Opens a client of Routstr at a mint. */
export const openRoutstrCustomer = async (options: CustomerOptions): Promise<RoutstrCustomer> => {
  const { mintUrl, tokens, wait = sleep } = options;
  const wallet = await openCustomerWallet(mintUrl, tokens, wait);
  const kept = new Set<Kept>();
  const sent: string[] = [];
  const work: string[] = [];

  const priceOf = async (origin: string, body: ChatBody, source: PriceSource = 'models'): Promise<number> => {
    if (source === 'payment-request') {
      return readOffer(await send(`${origin}${CHAT_PATH}`, { body }), mintUrl).amount;
    }
    const path = source === 'models' ? '/v1/models' : '/';
    const reply = await send(`${origin}${path}`, { method: 'GET' });
    if (source === 'front-page') {
      const price = fieldOf(reply.body, 'price');
      return readAmount(fieldOf(price, 'perRequest') ?? fieldOf(price, 'estimate'));
    }
    const data = fieldOf(reply.body, 'data');
    const model = Array.isArray(data) ? data.find((one) => fieldOf(one, 'id') === body.model) : undefined;
    if (!model) throw new Error(`the models do not list ${body.model}`);
    return readAmount(fieldOf(fieldOf(model, 'sats_pricing'), 'max_cost') ?? DEFAULT_MAX_COST);
  };

  /** Swaps a token, which may be anything that was in a header. Undefined where that fails, as the SDK ignores why. */
  const tryReceive = (token: string, as: 'change' | 'refunds'): Promise<number | undefined> =>
    wallet.receive(token, as).catch(() => undefined);

  const refused = async (payment: Kept, reply: Reply): Promise<Partial<Completion>> => {
    const error = readRoutstrError(reply);
    if (error.type === 'token_already_spent') {
      kept.delete(payment);
      return { error };
    }
    const header = cashuHeader(reply);
    const inBody = fieldOf(fieldOf(reply.body, 'error'), 'refund_token');
    if (inBody !== undefined && header !== undefined && inBody !== header) {
      throw new Error('refund_token is another token than X-Cashu');
    }
    const given = header ?? (typeof inBody === 'string' ? inBody : undefined);
    if (given !== undefined && given !== payment.token) {
      const refunded = await tryReceive(given, 'refunds');
      if (refunded !== undefined) {
        kept.delete(payment);
        return { error, refunded };
      }
    }
    if (!(await wallet.takeBack(payment.token).catch(() => false))) return { error };
    kept.delete(payment);
    return { error, returned: payment.face };
  };

  const complete = async (
    origin: string,
    body: ChatBody,
    made: CompleteOptions = {},
  ): Promise<Completion> => {
    const amount = made.sats ?? (await priceOf(origin, body, made.price));
    const { token, face } = await wallet.makeToken(amount);
    const payment = { origin, token, face, notFound: 0 };
    kept.add(payment);
    sent.push(token);
    const none = { paid: face, change: 0, refunded: 0, returned: 0 };
    let reply: Reply;
    try {
      reply = await send(`${origin}${CHAT_PATH}`, { body, token, lose: made.lose });
    } catch (error) {
      if (!(error instanceof LostAnswerError)) throw error;
      // The SDK swaps its token back at once, which works where the seller hasn't redeemed it.
      if (!(await wallet.takeBack(token).catch(() => false))) return { ...none, outcome: 'lost' };
      kept.delete(payment);
      return { ...none, outcome: 'lost', returned: face };
    }
    const { status } = reply;
    if (status !== 200) return { ...none, outcome: 'refused', status, ...(await refused(payment, reply)) };
    const completion = readCompletion(reply);
    work.push(completion.text ?? '');
    const header = cashuHeader(reply);
    const change = header === undefined ? undefined : await tryReceive(header, 'change');
    if (change !== undefined) kept.delete(payment);
    return { ...none, outcome: 'answered', status, ...completion, change: change ?? 0 };
  };

  const sweepOne = async (payment: Kept, route: RefundRoute): Promise<Swept> => {
    const { origin, token, face: paid } = payment;
    const reply = await send(`${origin}${route}`, { token }).catch((error: unknown) => {
      if (error instanceof LostAnswerError) return undefined;
      throw error;
    });
    const result = { status: reply?.status, paid, back: 0 };
    if (!reply) return { ...result, outcome: 'pending', retryAfterMs: PAUSE_MS };
    if (reply.status === 200) {
      const refund = fieldOf(reply.body, 'token');
      const sats = fieldOf(reply.body, 'sats');
      if (typeof refund !== 'string' || refund !== cashuHeader(reply) || typeof sats !== 'string') {
        throw new Error('the refund is not { token, sats } with strings and the token in X-Cashu');
      }
      const back = await tryReceive(refund, 'refunds');
      if (back === undefined) return { ...result, outcome: 'kept' };
      if (sats !== String(back)) throw new Error('the sats of the refund are not what its token is worth');
      kept.delete(payment);
      return { ...result, outcome: 'refunded', back };
    }
    if (reply.status === 425) return { ...result, outcome: 'pending', retryAfterMs: retryAfterMs(reply) };
    if (reply.status !== 404 || !String(readRoutstrError(reply).message).includes(NOT_FOUND_TEXT)) {
      return { ...result, outcome: 'kept' };
    }
    payment.notFound += 1;
    if (payment.notFound < MAX_NOT_FOUND) return { ...result, outcome: 'unknown' };
    // The SDK only forgets it here. A token that nobody redeemed would count as the seller's fault.
    const isReturned = await wallet.takeBack(token);
    kept.delete(payment);
    return isReturned ? { ...result, outcome: 'returned', back: paid } : { ...result, outcome: 'forgotten' };
  };

  const settle = async (route: RefundRoute = '/v1/wallet/refund'): Promise<Swept[]> => {
    const last = new Map<Kept, Swept>();
    for (const payment of kept) {
      for (let sweeps = 1; sweeps <= MAX_SWEEPS; sweeps++) {
        const swept = await sweepOne(payment, route);
        last.set(payment, swept);
        if (swept.outcome === 'pending') await wait(swept.retryAfterMs ?? PAUSE_MS);
        else if (swept.outcome !== 'unknown') break;
      }
    }
    return [...last.values()];
  };

  return {
    priceOf,
    complete,
    settle,
    sweep: async (route = '/v1/wallet/refund') => {
      const results: Swept[] = [];
      for (const payment of [...kept]) results.push(await sweepOne(payment, route));
      return results;
    },
    kept: () => kept.size,
    sent: () => [...sent],
    work: () => [...work],
    books: wallet.books,
    total: wallet.total,
  };
};
