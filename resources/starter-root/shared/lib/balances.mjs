// @ts-check
/**
 * The routes of paid-request.mjs at `/v1/balance/…`: refunds, and balances that customers pay in advance, as Routstr's nodes
 * have them. It has no dependencies.
 */
import {
  BUSY,
  depositOf,
  isObject,
  NO_KEY,
  parse,
  pathOf,
  prepaidKeyOf,
  tokenOf,
} from './customer-request.mjs';
import { createLine } from './line.mjs';

/** @import { IncomingMessage, OutgoingHttpHeaders } from 'node:http' */
/** @import { Balance, Charges } from './charges.mjs' */
/** @import { CustomerError, Response, Visit } from './customer-request.mjs' */

/** Where customers fetch change and refunds with the token that they paid with. */
export const REFUND_PATH = '/v1/balance/refund';
/** Where a customer turns a token into a prepaid balance. */
export const CREATE_PATH = '/v1/balance/create';
/**
 * How many tokens the wallet gets at once for balances. The others wait, because anybody can send worthless ones, which would
 * delay those that pay for work.
 */
const MOST_DEPOSITS = 16;
/** Balances are counted in thousandths of a sat, as with Routstr. */
const MSATS = 1_000;

/** @param {Balance} balance */
const inMsats = ({ available, reserved, spent }) => ({
  balance: available * MSATS,
  reserved: reserved * MSATS,
  total_spent: spent * MSATS,
});

/**
 * Creates the function that finds what answers a request at `/v1/balance/…`, which has the older name `/v1/wallet/…`.
 * @param {object} parts
 * @param {Charges} parts.charges
 * @param {(error: unknown, token?: string) => CustomerError} parts.refusalOf
 * @param {(token?: string) => OutgoingHttpHeaders} parts.inHeader
 * @param {number} parts.waitTimeoutMs How long a token waits for others.
 */
export const createBalanceRoutes = ({ charges, refusalOf, inHeader, waitTimeoutMs }) => {
  const deposits = createLine({ mostAtOnce: MOST_DEPOSITS, mostWaiting: 0 });

  /** @param {string} token @param {number} amount @returns {Response} */
  const refunded = (token, amount) => ({
    status: 200,
    headers: inHeader(token),
    body: { token, sats: `${amount}` },
  });

  /** @param {IncomingMessage} req */
  const requireKey = (req) => {
    const key = prepaidKeyOf(req);
    if (key) return key;
    throw NO_KEY;
  };

  /** The token that a customer pays in, of the query or the body. @param {Visit} visit */
  const readDeposit = async ({ req, body, enter }) => {
    const query = new URLSearchParams(pathOf(req).split('?')[1]);
    const bytes = await body();
    enter('deposit');
    const given = bytes.length > 0 ? parse(bytes) : {};
    return depositOf(isObject(given) ? { ...Object.fromEntries(query), ...given } : given);
  };

  /**
   * Pays a token in, when it's its turn.
   * @template T @param {Visit} visit @param {(token: string) => Promise<T>} pay @returns {Promise<T>}
   */
  const payIn = async (visit, pay) => {
    const token = await readDeposit(visit);
    visit.limit(waitTimeoutMs, BUSY);
    const place = await deposits.enter(visit.signal);
    visit.limit();
    try {
      return await pay(token);
    } catch (error) {
      throw refusalOf(error, token);
    } finally {
      place.leave();
    }
  };

  /** @param {Visit} visit @returns {Promise<Response>} */
  const create = async (visit) => {
    const { prepaidKey, balance } = await payIn(visit, charges.balances.open);
    return { status: 200, headers: {}, body: { api_key: prepaidKey, ...inMsats(balance) } };
  };

  /** @param {Visit} visit @returns {Promise<Response>} */
  const info = async ({ req, enter }) => {
    enter('balance');
    const key = requireKey(req);
    const balance = await charges.balances.read(key);
    return { status: 200, headers: {}, body: { api_key: key, ...inMsats(balance) } };
  };

  /** What answers at `METHOD /v1/balance/…`, which has the older name `/v1/wallet/…`. @type {Record<string, (visit: Visit) => Promise<Response>>} */
  const routes = {
    async 'POST refund'({ req, enter }) {
      enter('balance');
      const token = tokenOf(req);
      const { token: left, amount } = token
        ? await charges.refund(token)
        : await charges.balances.refund(requireKey(req));
      return refunded(left, amount);
    },
    'POST create': create,
    'GET create': create,
    'GET info': info,
    'GET ': info,
    async 'POST topup'(visit) {
      const key = requireKey(visit.req);
      const { added } = await payIn(visit, (token) => charges.balances.topUp(key, token));
      return { status: 200, headers: {}, body: { msats: added * MSATS } };
    },
  };

  return (/** @type {IncomingMessage} */ req) => {
    const path = /^\/v1\/(?:balance|wallet)(?:\/([a-z]*))?(?:\?|$)/.exec(pathOf(req));
    return path ? routes[`${req.method} ${path[1] ?? ''}`] : undefined;
  };
};
