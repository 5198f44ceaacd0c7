// A customer that knows NUT-24 and NUT-18 and nothing of this project: cashu-ts's own wallet, decoder and encoder. It asks
// for the price, pays, swaps its change, and asks for a refund where an answer was lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentRequest } from '@cashu/cashu-ts';
import { type Books, openCustomerWallet, type Received } from './customer-wallet.ts';
import {
  cashuHeader,
  fieldOf,
  type Loss,
  LostAnswerError,
  type Reply,
  retryAfterMs,
  send,
  type Wait,
} from './post.ts';

/** What a 402 asks for. */
export interface Offer {
  /** In sats. */
  amount: number;
  encoding: 'creqA' | 'creqB';
  /** As it was in the header. */
  text: string;
}

/** A 402 that this customer does not pay: without a request in `X-Cashu`, or one that asks for what it lacks. */
export class OfferError extends Error {}

/** How to buy. */
export interface BuyOptions {
  /** Sends as much as the seller's own swap will cost, so that the net value is the amount. */
  includeFees?: boolean;
  /** Sats more than the amount. */
  extra?: number;
  lose?: Loss;
}

/**
 * How a purchase ended. All amounts are face values in sats.
 * - `bought`: an answer with work arrived, and its change.
 * - `refused`: another answer arrived. What it gave back is in `returned` or `refunded`.
 * - `lost`: no answer arrived. `settle` asks for the refund.
 */
export interface Purchase {
  outcome: 'bought' | 'refused' | 'lost';
  status?: number;
  body?: unknown;
  paid: number;
  change: number;
  /** Of a token that nobody redeemed. */
  returned: number;
  refunded: number;
}

/**
 * What became of a token without an answer.
 * - `refunded`: the refund route gave a token for what wasn't charged.
 * - `returned`: nobody redeemed it, and the customer swapped it back.
 * - `charged`: 404, and it is spent. All of it was charged.
 * - `gone`: 410.
 */
export interface Settled {
  outcome: 'refunded' | 'returned' | 'charged' | 'gone';
  /** In sats. */
  paid: number;
  back: number;
  /** Whether the work arrived, and only its change was missing. */
  hadWork: boolean;
  /** How often the answer was 425. */
  waited: number;
}

/** Options of both customers. */
export interface CustomerOptions {
  mintUrl: string;
  /** What it holds at first. */
  tokens: readonly string[];
  /** Default: real time. */
  wait?: Wait;
}

/** A customer. Its calls may run at the same time. */
export interface CashuCustomer {
  /** Asks for the price of a request, without paying. Throws {@link OfferError}. */
  ask(url: string, body: unknown): Promise<Offer>;
  buy(url: string, body: unknown, options?: BuyOptions): Promise<Purchase>;
  /**
   * Sends each request whose answer was lost again, with the same token, until there is an answer that isn't about the
   * moment. What isn't work then is left to `settle`.
   */
  sendAgain(): Promise<Purchase[]>;
  /** Settles each token without an answer by the seller's refund route, in their order. */
  settle(): Promise<Settled[]>;
  /** How many tokens have no answer yet. */
  unsettled(): number;
  /** All tokens that it paid with, in their order, for tests that send one twice. */
  sent(): string[];
  /** The bodies of answers with work. */
  work(): unknown[];
  books(): Books;
  /** What it owns, in sats. Throws unless the mint calls each proof unspent and the books say the same. */
  total(): Promise<number>;
}

interface Payment {
  origin: string;
  url: string;
  body: unknown;
  hadWork: boolean;
  token: string;
  face: number;
}

const REFUND_ROUTE = '/v1/balance/refund';
const MAX_TRIES = 200;
const PAUSE_MS = 50;
/** A killed service may be away for minutes in a row. */
const MAX_TRIES_AGAIN = 1_000;
const PAUSE_AGAIN_MS = 200;

const isToken = (text: string | undefined): text is string => text?.startsWith('cashu') ?? false;

/** Reads the offer of a 402, for a customer with proofs of one mint. */
export const readOffer = (reply: Reply, mintUrl: string): Offer => {
  const text = cashuHeader(reply);
  if (text === undefined) throw new OfferError('the 402 has no X-Cashu');
  const encoding = /^creq[AB]/i.exec(text)?.[0].toLowerCase() === 'creqa' ? 'creqA' : 'creqB';
  const { amount, unit, mints = [], nut10, transport = [] } = decodePaymentRequest(text);
  if (amount === undefined) throw new OfferError('the request has no amount');
  if (unit !== 'sat') throw new OfferError(`the request is for ${unit}`);
  if (!mints.includes(mintUrl)) throw new OfferError('the request does not list the mint of this customer');
  if (nut10) throw new OfferError(`the request wants a lock: ${nut10.kind}`);
  // In-band requests have none (NUT-24).
  if (transport.length > 0) throw new OfferError('the request has a transport');
  return { amount: amount.toNumber(), encoding, text };
};

/** Opens a customer at a mint. */
export const openCashuCustomer = async (options: CustomerOptions): Promise<CashuCustomer> => {
  const { mintUrl, tokens, wait = sleep } = options;
  const wallet = await openCustomerWallet(mintUrl, tokens, wait);
  const unsettled: Payment[] = [];
  const sent: string[] = [];
  const work: unknown[] = [];

  const ask = async (url: string, body: unknown): Promise<Offer> => {
    const reply = await send(url, { body });
    if (reply.status !== 402) throw new OfferError(`the answer is ${reply.status}, and not 402`);
    return readOffer(reply, mintUrl);
  };

  /** The refund route's answer is the same token in header and body, and its sats are a string. */
  const receiveRefund = async (reply: Reply, as: Received): Promise<number> => {
    const token = fieldOf(reply.body, 'token');
    const sats = fieldOf(reply.body, 'sats');
    if (typeof token !== 'string' || token !== cashuHeader(reply)) {
      throw new Error('the refund is not the same token in body and header');
    }
    const face = await wallet.receive(token, as);
    if (sats !== String(face)) throw new Error('the sats of the refund are not what its token is worth');
    return face;
  };

  const askRefund = ({ origin, token }: Payment, route = REFUND_ROUTE) =>
    send(`${origin}${route}`, { token });

  const settleOne = async (payment: Payment): Promise<Settled> => {
    const { token, face: paid, hadWork } = payment;
    let wasSpent = false;
    let waited = 0;
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const reply = await askRefund(payment).catch((error: unknown) => {
        if (error instanceof LostAnswerError) return undefined;
        throw error;
      });
      if (reply?.status === 200) {
        return { outcome: 'refunded', paid, back: await receiveRefund(reply, 'refunds'), hadWork, waited };
      }
      if (reply?.status === 410) return { outcome: 'gone', paid, back: 0, hadWork, waited };
      if (reply?.status === 425) {
        waited += 1;
        await wait(retryAfterMs(reply));
      } else if (reply?.status === 404) {
        // It may have been redeemed after the seller looked, so that only a second 404 counts.
        if (wasSpent) return { outcome: 'charged', paid, back: 0, hadWork, waited };
        if ((await wallet.stateOf(token)) === 'unspent' && (await wallet.takeBack(token))) {
          return { outcome: 'returned', paid, back: paid, hadWork, waited };
        }
        wasSpent = (await wallet.stateOf(token)) === 'spent';
      } else if (reply && reply.status < 500) {
        throw new Error(`the refund route answered ${reply.status}`);
      }
      if (reply?.status !== 425 && !wasSpent) await wait(PAUSE_MS);
    }
    throw new Error(`the refund route gave no result in ${MAX_TRIES} tries`);
  };

  const settle = async (): Promise<Settled[]> => {
    const settled: Settled[] = [];
    // Taken out first, so that two calls at the same time don't ask for the same refund.
    for (let payment = unsettled.shift(); payment; payment = unsettled.shift()) {
      try {
        settled.push(await settleOne(payment));
      } catch (error) {
        unsettled.unshift(payment);
        throw error;
      }
    }
    return settled;
  };

  /** Change in the header, or at a route where it would not fit into one. */
  const receiveChange = async (payment: Payment, reply: Reply): Promise<number> => {
    const header = cashuHeader(reply);
    if (header !== undefined) return wallet.receive(header, 'change');
    const route = fieldOf(fieldOf(reply.body, 'change'), 'url');
    if (typeof route !== 'string') return 0;
    const refund = await askRefund(payment, route);
    // Later, by settle().
    if (refund.status === 425 || refund.status >= 500)
      throw new LostAnswerError('the change is not there yet');
    // The seller didn't know yet that the work cost the whole payment.
    if (refund.status === 404 && fieldOf(refund.body, 'charged') !== undefined) return 0;
    if (refund.status !== 200) throw new Error(`the change's route answered ${refund.status}`);
    return receiveRefund(refund, 'change');
  };

  const bought = async (payment: Payment, reply: Reply): Promise<Purchase> => {
    const { status, body } = reply;
    work.push(body ?? reply.text);
    payment.hadWork = true;
    const made = { outcome: 'bought', status, body, paid: payment.face, returned: 0, refunded: 0 } as const;
    try {
      return { ...made, change: await receiveChange(payment, reply) };
    } catch (error) {
      unsettled.push(payment);
      if (error instanceof LostAnswerError) return { ...made, change: 0 };
      throw error;
    }
  };

  const refused = async (payment: Payment, reply: Reply): Promise<Purchase> => {
    const { status, body } = reply;
    const made = { outcome: 'refused', status, body, paid: payment.face, change: 0 } as const;
    const inBody = fieldOf(fieldOf(body, 'error'), 'refund_token');
    const header = cashuHeader(reply);
    const given = isToken(header) ? header : typeof inBody === 'string' ? inBody : undefined;
    if (given !== undefined && given !== payment.token) {
      return { ...made, returned: 0, refunded: await wallet.receive(given, 'refunds') };
    }
    // Echoed, or not mentioned: it is this customer's again unless the seller redeemed it.
    if (await wallet.takeBack(payment.token)) return { ...made, returned: payment.face, refunded: 0 };
    unsettled.push(payment);
    return { ...made, returned: 0, refunded: 0 };
  };

  const isWork = ({ status }: Reply) => status >= 200 && status < 300;

  /** Sends a lost request again. Undefined if its money is at the refund route. */
  const sendOneAgain = async (payment: Payment): Promise<Purchase | undefined> => {
    const { url, body, token } = payment;
    for (let tries = 1; tries <= MAX_TRIES_AGAIN; tries++) {
      const reply = await send(url, { body, token }).catch((error: unknown) => {
        if (error instanceof LostAnswerError) return undefined;
        throw error;
      });
      if (reply && isWork(reply)) return bought(payment, reply);
      const code = fieldOf(fieldOf(reply?.body, 'error'), 'code');
      if (code === 'already_done') {
        unsettled.push(payment);
        return undefined;
      }
      if (reply && reply.status !== 503 && code !== 'in_progress') return refused(payment, reply);
      await wait(PAUSE_AGAIN_MS);
    }
    throw new Error(`a repeated request got no result in ${MAX_TRIES_AGAIN} tries`);
  };

  const sendAgain = async (): Promise<Purchase[]> => {
    const purchases: Purchase[] = [];
    // Taken out first, so that two calls at the same time don't send the same request.
    const lost = unsettled.filter(({ hadWork }) => !hadWork);
    for (const payment of lost) unsettled.splice(unsettled.indexOf(payment), 1);
    for (let payment = lost.shift(); payment; payment = lost.shift()) {
      try {
        const purchase = await sendOneAgain(payment);
        if (purchase) purchases.push(purchase);
      } catch (error) {
        unsettled.push(payment, ...lost);
        throw error;
      }
    }
    return purchases;
  };

  return {
    ask,
    settle,
    sendAgain,
    buy: async (url, body, { includeFees = false, extra = 0, lose } = {}) => {
      const { amount } = await ask(url, body);
      const { token, face } = await wallet.makeToken(amount + extra, includeFees);
      const payment = { origin: new URL(url).origin, url, body, hadWork: false, token, face };
      sent.push(token);
      let reply: Reply;
      try {
        reply = await send(url, { body, token, lose });
      } catch (error) {
        if (!(error instanceof LostAnswerError)) throw error;
        unsettled.push(payment);
        return { outcome: 'lost', paid: face, change: 0, returned: 0, refunded: 0 };
      }
      return isWork(reply) ? bought(payment, reply) : refused(payment, reply);
    },
    unsettled: () => unsettled.length,
    sent: () => [...sent],
    work: () => [...work],
    books: wallet.books,
    total: wallet.total,
  };
};
