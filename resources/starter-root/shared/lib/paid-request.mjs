// @ts-check
/**
 * Sells an HTTP service for ecash (Cashu NUT-24): the quote with 402, payment, change and refunds. A running dot-mi keeps
 * the money. For node:http and Express, Node 20.19 or later. Copy it and charges.mjs, which have no dependencies.
 *
 *     const paid = createPaidRequests({
 *       apiUrl: 'http://127.0.0.1:8000',
 *       key: process.env.DOT_MI_KEY, // an agent key with the scope `charge`
 *       charge: ({ body }) => ({ amount: body.length > 1_000 ? 9 : 5, label: 'translation' }),
 *     });
 *     const translate = paid.handle(async ({ json, signal }) => ({ body: { text: await work(json(), signal) } }));
 *     createServer(translate).listen(8402);
 *
 * With Express, before any body parser: `app.post('/translate', translate); app.use(paid.refunds);`
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChargeError, createCharges, writeProblem } from './charges.mjs';

/** @import { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http' */
/** @import { Charge, ChargesOptions, Cost, Order, Terms } from './charges.mjs' */
/**
 * A request as its author sees it. The customer's token is not in it.
 * @typedef {object} CustomerRequest
 * @property {string} method
 * @property {string} path with its query
 * @property {IncomingHttpHeaders} headers
 * @property {Buffer} body
 * @property {() => unknown} json The body as JSON. Refuses the request if it isn't JSON.
 * @property {AbortSignal} signal Aborts when the customer leaves or the time is up. The work should end soon after; until
 *   then it counts as running.
 */
/**
 * A request that is paid. `write` sends a part of the response at once. Await it. A streamed response can't bring change, so
 * customers fetch that. One who leaves in the middle pays what the work still returns after `signal` aborts, or else the
 * whole price.
 * @typedef {CustomerRequest & { charge: Charge, write(chunk: string | Uint8Array, head?: Head): Promise<void> }} PaidWork
 */
/** @typedef {{ status?: number, headers?: OutgoingHttpHeaders }} Head */
/**
 * The response to a paid request. Without `amount` and `usage` it costs the whole price, or nothing if `status` is 400 or
 * more.
 * @typedef {object} PaidAnswer
 * @property {number} [status] Default: 200.
 * @property {OutgoingHttpHeaders} [headers]
 * @property {string | Uint8Array | object} [body] An object is sent as JSON, with `charged`, and with `change` if the
 *   change is only at the refund route.
 * @property {number} [amount] What the work cost, in sat.
 * @property {{ inputTokens: number, outputTokens: number, cacheReadTokens?: number }} [usage] What the model used, for a
 *   price that was made from one. Cached tokens are not part of `inputTokens`.
 */
/** @typedef {(work: PaidWork) => PaidAnswer | Promise<PaidAnswer>} Work */
/** @typedef {(req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => Promise<void>} PaidHandler */
/**
 * @typedef {object} Limits
 * @property {(request: CustomerRequest) => Terms | Promise<Terms>} charge Prices a request before any payment. Throw a
 *   {@link CustomerError} to refuse it.
 * @property {string} [refundUrl] Where customers reach `POST /v1/balance/refund`. Default: at the service's own origin.
 * @property {number} [mostBodyBytes] Default: 1 MiB.
 * @property {number} [mostHeaderBytes] The longest token in a response. Default: 4,096, because proxies accept no more.
 * @property {number} [mostAtOnce] How many paid requests run at once. Others are refused before they pay. Default: 16.
 * @property {number} [mostRequests] How many requests are open at once, paid or not. Default: 256.
 * @property {number} [bodyTimeoutMs] How long a request can take to arrive, and `charge` to price it. Default: 10,000.
 * @property {number} [workTimeoutMs] Default: 300,000.
 * @property {number} [answerTimeoutMs] How long a customer can take to read an answer, or a part of one. Default: 30,000.
 */
/** @typedef {ChargesOptions & Limits} PaidRequestsOptions */
/** @typedef {ReturnType<typeof createPaidRequests>} PaidRequests */
/** @typedef {{ status: number, headers: OutgoingHttpHeaders, body?: PaidAnswer['body'] }} Response */
/** @typedef {(ms?: number, error?: CustomerError) => void} Limit */
/** @typedef {{ req: IncomingMessage, res: ServerResponse, signal: AbortSignal, isFull: boolean, limit: Limit }} Visit */

/** Where customers fetch change and refunds with the token that they paid with. The second is its older name. */
export const REFUND_PATHS = ['/v1/balance/refund', '/v1/wallet/refund'];

const MOST_TOKEN_LENGTH = 16 * 1024;
const HOLD_SECONDS = 3_600;
/** How much longer a payment waits for its work than the work can take. */
const SPARE_SECONDS = 120;
/** How long the work of a stream that broke off can take to report what it used. */
const LAST_REPORT_MS = 5_000;
/** How long the rest of a refused body can take. */
const UNREAD_MS = 2_000;
/** Headers that depend on the connection, or that are set here. */
const OWN_HEADERS =
  /^(connection|keep-alive|transfer-encoding|content-length|trailer|upgrade|cache-control|x-cashu.*)$/;

/** Refuses a request. The customer gets its status (400 to 599), code and message. */
export class CustomerError extends Error {
  /**
   * @param {number} status @param {string} code @param {string} message
   * @param {{ type?: string, fields?: object, headers?: OutgoingHttpHeaders }} [more] `fields` are added to the body.
   */
  constructor(status, code, message, { type, fields = {}, headers = {} } = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.type = type ?? (status < 500 ? 'invalid_request_error' : 'api_error');
    this.fields = fields;
    this.headers = headers;
  }
}

const GONE = new CustomerError(499, 'customer_gone', 'The customer left.');
const BUSY = new CustomerError(503, 'service_busy', 'The service is busy. Try again.', {
  headers: { 'Retry-After': '2' },
});
const NO_TOKEN = new CustomerError(400, 'invalid_cashu_token', 'X-Cashu must be one Cashu token.', {
  type: 'invalid_token',
});

const workFailed = (/** @type {number} */ status, fields = {}) =>
  new CustomerError(status, 'work_failed', 'The work failed.', { type: 'upstream_error', fields });

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => !!value && Object.getPrototypeOf(value) === Object.prototype;

/** Rejects when the signal aborts first. @template T @param {Promise<T>} promise @param {AbortSignal} signal @returns {Promise<T>} */
const unlessAborted = (promise, signal) =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });

/** The customer's token, if there is one. @param {IncomingMessage} req */
const tokenOf = (req) => {
  const [token, ...others] = req.headersDistinct['x-cashu'] ?? [];
  if (token === undefined) return undefined;
  const isToken = token.length <= MOST_TOKEN_LENGTH && /^(cashu:)?cashu[AB][\w+/=-]+$/.test(token);
  if (isToken && others.length === 0) return token;
  throw NO_TOKEN;
};

/** @param {IncomingMessage} req @param {number} most @param {AbortSignal} signal @returns {Promise<Buffer>} */
const readBody = async (req, most, signal) => {
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

/** The headers of an author that can be sent. Throws if one is invalid. @param {OutgoingHttpHeaders} headers */
const cleanHeaders = (headers) => {
  const clean = /** @type {OutgoingHttpHeaders} */ ({});
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !OWN_HEADERS.test(name.toLowerCase())) clean[name.toLowerCase()] = value;
  new Headers(/** @type {Record<string, string>} */ (clean));
  return clean;
};

const encode = (/** @type {PaidAnswer['body']} */ body = '') =>
  typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);

/** What an answer costs. Undefined if the customer gets everything back. @param {Charge} charge @param {PaidAnswer} answer @returns {Cost | undefined} */
const costOf = (charge, { status = 200, amount, usage }) => {
  for (const figure of [amount, usage?.inputTokens, usage?.outputTokens, usage?.cacheReadTokens])
    if (figure !== undefined && !(Number.isSafeInteger(figure) && figure >= 0))
      throw new TypeError('amount and usage must be whole numbers');
  if (!(status >= 200 && status < 600)) throw new TypeError('status must be from 200 to 599');
  if (amount !== undefined) return { amount };
  if (usage && charge.price) return usage;
  return status >= 400 && !usage ? undefined : { amount: charge.amount };
};

const pathOf = (/** @type {IncomingMessage & { originalUrl?: string }} */ req) =>
  req.originalUrl ?? `${req.url}`;
const isRefund = (/** @type {IncomingMessage} */ req) =>
  req.method === 'POST' && REFUND_PATHS.includes(pathOf(req).replace(/\?.*/, ''));

/** Creates the handlers of a service that is paid per request. @param {PaidRequestsOptions} options */
export const createPaidRequests = (options) => {
  const {
    charge: price,
    refundUrl = '/v1/balance/refund',
    mostBodyBytes = 1024 * 1024,
    mostHeaderBytes = 4_096,
    mostAtOnce = 16,
    mostRequests = 256,
    bodyTimeoutMs = 10_000,
    workTimeoutMs = 300_000,
    answerTimeoutMs = 30_000,
    onProblem = writeProblem,
  } = options;
  const charges = createCharges(options);
  const jobs = /** @type {Set<Promise<void>>} */ (new Set());
  let running = 0;
  let isClosing = false;
  /** @param {string} [token] @returns {OutgoingHttpHeaders} */
  const inHeader = (token) => (token && token.length <= mostHeaderBytes ? { 'X-Cashu': token } : {});

  /** What a customer reads of an error. @param {unknown} error @param {string} [token] */
  const refusalOf = (error, token) => {
    if (error instanceof CustomerError) return error;
    if (!(error instanceof ChargeError)) {
      onProblem('a request failed', error);
      return new CustomerError(500, 'internal_error', 'The service has a problem.');
    }
    const { isTokenGood, details } = error;
    const [status, type, code, message] = error.refusal;
    if (error.isForOperator) onProblem('dot-mi refused a call', error);
    const { required, received, charged, acceptedMints: mints, retryAfterSeconds = 2 } = details;
    const fields = { required, received, charged, mints, ...(isTokenGood ? {} : { refund: refundUrl }) };
    const waits = [409, 425, 503].includes(status) && code !== 'already_done';
    const retryAfter = waits ? { 'Retry-After': `${retryAfterSeconds}` } : {};
    const headers = { ...retryAfter, ...(isTokenGood ? inHeader(token) : {}) };
    return new CustomerError(status, code, message, { type, fields, headers });
  };

  /** @param {CustomerError} error @param {string} [token] what the customer has or gets back @param {object} [refund] @returns {Response} */
  const refuse = ({ status, code, type, message, fields, headers }, token, refund) => {
    const given = 'error' in fields && isObject(fields.error) ? fields.error : {};
    const [left, back] = token ? [{}, refund && { refund_token: token }] : [refund, {}];
    const body = { ...left, ...fields, error: { message, type, code, ...given, ...back } };
    return { status, headers: { ...headers, ...inHeader(token) }, body };
  };

  /** Sends a response, and leaves a customer who doesn't read it. @param {Visit} visit @param {Response} response */
  const send = async ({ req, res }, { status, headers, body = '' }) => {
    if (res.destroyed) return;
    const bytes = encode(body);
    const type = bytes === body ? {} : { 'content-type': 'application/json' };
    if (!res.headersSent) {
      res.statusCode = status;
      const all = { ...type, ...headers, 'Cache-Control': 'no-store' };
      for (const [name, value] of Object.entries(all)) res.setHeader(name, value ?? '');
    }
    res.end(bytes);
    // The rest of a refused body.
    if (!req.resume().complete) setTimeout(() => req.complete || req.socket.destroy(), UNREAD_MS).unref();
    const signal = AbortSignal.timeout(answerTimeoutMs);
    await once(res, 'close', { signal }).catch(() => req.socket.destroy());
  };

  /** @param {string} id @param {unknown} error */
  const giveBack = async (id, error) => {
    const isForCustomer = error instanceof CustomerError;
    if (!isForCustomer) onProblem('the work failed', error);
    // Without an answer, it is tried again, and the customer asks at the refund route.
    const released = await charges.release(id).catch(() => undefined);
    return refuse(isForCustomer ? error : workFailed(502), released?.refund?.token, { refund: refundUrl });
  };

  /** Does the work of a paid charge. @param {Work} work @param {Omit<PaidWork, 'write'>} job @param {Visit} visit */
  const run = (work, job, { req, res }) => {
    const { signal, charge } = job;
    /** @type {PaidWork['write']} */
    const stream = async (chunk, { status = 200, headers = {} } = {}) => {
      signal.throwIfAborted();
      const fixed = { 'Cache-Control': 'no-store', 'X-Cashu-Refund-Url': refundUrl };
      if (!res.headersSent) res.writeHead(status, { ...cleanHeaders(headers), ...fixed });
      if (res.write(chunk)) return;
      const drained = once(res, 'drain', { signal: AbortSignal.timeout(answerTimeoutMs) });
      await unlessAborted(drained, signal).finally(() => res.writableNeedDrain && req.socket.destroy());
    };
    /** @type {PaidWork['write']} An author who doesn't await it must not end the process. */
    const write = (...parameters) => {
      const sent = stream(...parameters);
      sent.catch(() => undefined);
      return sent;
    };
    return Promise.resolve().then(async () => {
      signal.throwIfAborted();
      const { status = 200, headers = {}, body, ...use } = await work({ ...job, write });
      const cost = costOf(charge, { status, ...use });
      // What can't be sent must fail before it is paid.
      encode(body);
      if (!cost) throw workFailed(status, isObject(body) ? body : {});
      return { status, headers: cleanHeaders(headers), body, cost };
    });
  };

  /**
   * @param {Visit} visit @param {Work} work @param {{ request: CustomerRequest, order: Order }} taken @param {string} token
   * @returns {Promise<Response>}
   */
  const sell = async (visit, work, { request, order }, token) => {
    const { req, res, signal, limit } = visit;
    const isLeft = () => signal.aborted || req.socket.destroyed;
    running += 1;
    let working = /** @type {Promise<unknown>} */ (Promise.resolve());
    try {
      const refused = (/** @type {unknown} */ error) => Promise.reject(refusalOf(error, token));
      const charge = await charges.pay(order, token).catch(refused);
      limit(workTimeoutMs, new CustomerError(504, 'work_too_slow', 'The work took too long.'));
      const doing = run(work, { ...request, charge }, visit);
      working = doing;
      let done = /** @type {Awaited<typeof doing> | undefined} */ (undefined);
      try {
        done = await unlessAborted(doing, signal);
      } catch (error) {
        if (!res.headersSent) return await giveBack(charge.id, error);
        if (!isLeft()) {
          await giveBack(charge.id, error);
          throw GONE;
        }
        // A customer who leaves a stream near its end doesn't get it for nothing.
        const report = Promise.race([doing, sleep(LAST_REPORT_MS, undefined, { ref: false })]);
        // Work that fails now reports nothing, and costs the whole price.
        done = await report.catch(() => undefined);
      }
      const { status = 200, headers = {}, body, cost = { amount: charge.amount } } = done ?? {};
      const settled = await charges.settle(charge.id, cost).catch((error) => {
        // It waited for too long, and the customer must not have both.
        if (error.code === 'already_refunded' && !res.headersSent)
          throw new ChargeError('settle', 409, 'already_done');
      });
      const change = settled?.change?.token;
      const isSent = settled && !res.headersSent && (change?.length ?? 0) <= mostHeaderBytes;
      const more = isSent ? inHeader(change) : { 'X-Cashu-Refund-Url': refundUrl };
      const extra = { charged: settled?.charged, ...(isSent ? {} : { change: { url: refundUrl } }) };
      return {
        status,
        headers: { ...headers, ...more },
        body: isObject(body) ? { ...extra, ...body } : body,
      };
    } finally {
      const free = () => {
        running -= 1;
      };
      working.then(free, free);
    }
  };

  /** @param {(visit: Visit) => Promise<Response>} use @returns {PaidHandler} */
  const serve = (use) => async (req, res) => {
    const stop = new AbortController();
    let timer = /** @type {NodeJS.Timeout | undefined} */ (undefined);
    /** @type {Limit} */
    const limit = (ms, error) => {
      clearTimeout(timer);
      if (ms !== undefined) timer = setTimeout(() => stop.abort(error), ms);
    };
    const isFull = isClosing || jobs.size >= mostRequests;
    const visit = { req, res, signal: stop.signal, isFull, limit };
    res.once('close', () => res.writableFinished || stop.abort(GONE)).on('error', () => undefined);
    const job = use(visit)
      .catch((error) => (error === GONE ? Promise.reject(error) : refuse(refusalOf(error))))
      .finally(() => clearTimeout(timer))
      .then((response) => send(visit, response))
      .catch((error) => {
        if (error !== GONE) onProblem('a response could not be sent', error);
        req.socket.destroy();
      });
    jobs.add(job);
    await job.finally(() => jobs.delete(job));
  };

  /** @param {Visit} visit @returns {Promise<Response>} */
  const refund = async ({ req, isFull }) => {
    const token = tokenOf(req);
    if (!token) throw NO_TOKEN;
    if (isFull) throw BUSY;
    const { token: left, amount } = await charges.refund(token);
    return { status: 200, headers: inHeader(left), body: { token: left, sats: `${amount}` } };
  };

  /** Reads and prices a request. @param {Visit} visit */
  const take = async ({ req, signal, limit }) => {
    const late = { headers: { Connection: 'close' } };
    limit(bodyTimeoutMs, new CustomerError(408, 'body_too_slow', 'The request took too long.', late));
    const body = await readBody(req, mostBodyBytes, signal);
    const json = () => {
      try {
        return JSON.parse(body.toString());
      } catch {
        throw new CustomerError(400, 'invalid_json', 'The body must be JSON.');
      }
    };
    const { 'x-cashu': _token, ...headers } = req.headers;
    const request = { method: `${req.method}`, path: pathOf(req), headers, body, json, signal };
    limit(bodyTimeoutMs, BUSY);
    const terms = await unlessAborted(Promise.resolve(request).then(price), signal);
    limit();
    const { ttlSeconds: _ttl, holdSeconds = HOLD_SECONDS, ...priced } = terms;
    const parts = [request.method, request.path, headers['content-type'], priced];
    const order = {
      ...terms,
      holdSeconds: Math.max(holdSeconds, Math.ceil(workTimeoutMs / 1000) + SPARE_SECONDS),
      requestHash: charges.hash(parts, body),
    };
    return { request, order };
  };

  /** Asks for a payment. @param {Order} order @returns {Promise<Response>} */
  const quote = async (order) => {
    const { faceValue: amount, unit, mints, expiresAt, paymentRequest } = await charges.quote(order);
    const message = `This costs ${amount} sat. Send the request again with a token in X-Cashu.`;
    const fields = { amount, unit, mints, expiresAt, refund: refundUrl };
    const headers = { 'X-Cashu': paymentRequest };
    const type = 'payment_required';
    return refuse(new CustomerError(402, type, message, { type, fields, headers }));
  };

  const refunds = serve(refund);
  const notFound = serve(async () => refuse(new CustomerError(404, 'not_found', 'There is nothing here.')));
  return {
    /**
     * Creates a handler that sells the work, and answers at {@link REFUND_PATHS}. The work runs once for each payment. If it
     * throws or takes too long, or the customer leaves before it is done, they get everything back. They don't read its
     * errors, except a {@link CustomerError}. Never rejects.
     * @param {Work} work
     */
    handle: (work) =>
      serve(async (visit) => {
        if (isRefund(visit.req)) return refund(visit);
        const token = tokenOf(visit.req);
        let taken;
        try {
          if (visit.isFull) throw BUSY;
          taken = await take(visit);
          if (!token) return await quote(taken.order);
          if (running >= mostAtOnce) throw BUSY;
        } catch (error) {
          return refuse(refusalOf(error), token);
        }
        // From here on, only dot-mi knows whether the token is still good.
        return sell(visit, work, taken, token);
      }),
    /** Answers at {@link REFUND_PATHS}. Other requests are for `next`, or not found. @type {PaidHandler} */
    refunds: async (req, res, next) => {
      if (isRefund(req)) return refunds(req, res);
      return next ? next() : notFound(req, res);
    },
    /** As in charges.mjs. The first paid request recovers too. */
    recover: charges.recover,
    /** Refuses new requests, waits for those that run, and tries once more what is not settled yet. */
    async close() {
      isClosing = true;
      await Promise.allSettled(jobs);
      await charges.close();
    },
  };
};
