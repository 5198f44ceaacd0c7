// @ts-check
/**
 * The requests of customers, for paid-request.mjs: their bodies, tokens and keys, read with limits. It has no dependencies.
 */

/** @import { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http' */
/** @import { Usage } from './charges.mjs' */
/** @typedef {{ status: number, headers: OutgoingHttpHeaders, body?: string | Uint8Array | object | undefined }} Response */
/** @typedef {(ms?: number, error?: CustomerError) => void} Limit Ends a request after some time, or never. */
/** @typedef {'paid' | 'unpaid' | 'deposit' | 'balance'} Kind What a request is about: work that is paid, its price, a token for a balance, or a refund or balance. */
/** @typedef {(kind: Kind) => void} Enter Takes a place for a request that arrived completely. Throws {@link BUSY}. */
/**
 * @typedef {{ req: IncomingMessage, res: ServerResponse, signal: AbortSignal, body: () => Promise<Buffer>, enter: Enter, limit: Limit }} Visit
 */

const MOST_TOKEN_LENGTH = 16 * 1024;
/** A body can have a longer token than a header. */
const MOST_DEPOSIT_LENGTH = 64 * 1024;
/** Headers that depend on the connection, or that are set here. */
const OWN_HEADERS =
  /^(connection|keep-alive|transfer-encoding|content-length|trailer|upgrade|cache-control|x-cashu.*)$/;

/** Refuses a request. The customer gets its status (400 to 599), code and message. */
export class CustomerError extends Error {
  /**
   * @param {number} status @param {string} code @param {string} message
   * @param {{ type?: string, fields?: object, headers?: OutgoingHttpHeaders, usage?: Usage }} [more] `fields` are added to
   *   the body. `usage` is what failed work used, to tell what it cost you.
   */
  constructor(status, code, message, { type, fields = {}, headers = {}, usage } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.type = type ?? (status < 500 ? 'invalid_request_error' : 'api_error');
    this.fields = fields;
    this.headers = headers;
    this.usage = usage;
  }
}

/** Ends a request whose customer left. */
export const GONE = new CustomerError(499, 'customer_gone', 'The customer left.');
/** Refuses a request without a usable token. */
export const NO_TOKEN = new CustomerError(400, 'invalid_cashu_token', 'X-Cashu must be one Cashu token.', {
  type: 'invalid_token',
});
/** Refuses a request without the key that it needs. */
export const NO_KEY = new CustomerError(
  401,
  'invalid_api_key',
  'Send the key of a prepaid balance as "Authorization: Bearer sk-…".',
  { type: 'authentication_error' },
);

/** Refuses a request that can be sent again later. @param {number} seconds */
export const busy = (seconds) =>
  new CustomerError(503, 'service_busy', 'The service is busy. Try again.', {
    headers: { 'Retry-After': `${seconds}` },
  });
/** Refuses a request while it isn't known when there's room. */
export const BUSY = busy(2);
/** Refuses a request that arrives too slowly. */
export const SLOW = new CustomerError(408, 'body_too_slow', 'The request took too long.', {
  headers: { Connection: 'close' },
});

/** Whether a value is a plain object. @param {unknown} value @returns {value is Record<string, unknown>} */
export const isObject = (value) => !!value && Object.getPrototypeOf(value) === Object.prototype;

/** Rejects when the signal aborts first. @template T @param {Promise<T>} promise @param {AbortSignal} signal @returns {Promise<T>} */
export const unlessAborted = (promise, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });

/** The customer's token, if there is one. @param {IncomingMessage} req */
export const tokenOf = (req) => {
  const [token, ...others] = req.headersDistinct['x-cashu'] ?? [];
  if (token === undefined) return undefined;
  const isToken = token.length <= MOST_TOKEN_LENGTH && /^(cashu:)?cashu[AB][\w+/=-]+$/.test(token);
  if (isToken && others.length === 0) return token;
  throw NO_TOKEN;
};

/** The customer's key of a prepaid balance, if there is one. Other keys mean nothing. @param {IncomingMessage} req */
export const prepaidKeyOf = ({ headers }) =>
  /^Bearer (sk-[0-9a-f]{64})$/i.exec(headers.authorization ?? '')?.[1]?.toLowerCase();

/** What a customer sends with a request that must be paid once, however often it arrives. @param {IncomingMessage} req */
export const onceOf = ({ headers }) => {
  const { 'idempotency-key': once } = headers;
  return typeof once === 'string' && once !== '' ? once : undefined;
};

/** The token that a customer pays into a balance, by our name for it or by Routstr's. @param {unknown} fields */
export const depositOf = (fields) => {
  const token = isObject(fields) ? (fields.cashu_token ?? fields.initial_balance_token) : undefined;
  if (typeof token === 'string' && token.length <= MOST_DEPOSIT_LENGTH) return token.replace(/\s/g, '');
  throw new CustomerError(400, 'invalid_cashu_token', 'Send a Cashu token as cashu_token.', {
    type: 'invalid_token',
  });
};

/** The body of a request, of at most so many bytes. @param {IncomingMessage} req @param {number} most @param {AbortSignal} signal @returns {Promise<Buffer>} */
export const readBody = async (req, most, signal) => {
  const parsed = 'body' in req ? req.body : undefined;
  if (Buffer.isBuffer(parsed)) return parsed;
  if (req.readableDidRead) throw new Error('put paid.handle() before the body parsers of Express');
  const tooLarge = new CustomerError(413, 'body_too_large', `A request can have ${most} bytes.`);
  if (Number(req.headers['content-length'] ?? 0) > most) throw tooLarge;
  const chunks = /** @type {Buffer[]} */ ([]);
  let size = 0;
  const reading = new Promise((resolve, reject) => {
    req.on('data', (chunk) => {
      size += chunk.length;
      if (size <= most) chunks.push(chunk);
      else reject(tooLarge);
    });
    req.once('end', resolve).once('error', () => reject(GONE));
  });
  await unlessAborted(reading, signal);
  return Buffer.concat(chunks);
};

/** A body as JSON. @param {Buffer} body @returns {unknown} */
export const parse = (body) => {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new CustomerError(400, 'invalid_json', 'The body must be JSON.');
  }
};

/** The headers of an author that can be sent. Throws if one is invalid. @param {OutgoingHttpHeaders} headers */
export const cleanHeaders = (headers) => {
  const clean = /** @type {OutgoingHttpHeaders} */ ({});
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !OWN_HEADERS.test(name.toLowerCase())) clean[name.toLowerCase()] = value;
  new Headers(/** @type {Record<string, string>} */ (clean));
  return clean;
};

/** A body as it is sent. @param {string | Uint8Array | object} [body] */
export const encode = (body = '') =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);

/** The path of a request with its query, as the customer sent it. */
export const pathOf = (/** @type {IncomingMessage & { originalUrl?: string }} */ req) =>
  req.originalUrl ?? `${req.url}`;
