// @ts-check
/**
 * Sells an HTTP service for ecash (Cashu NUT-24): the quote with 402, payment, change and refunds. A running dot-mi keeps
 * the money. For node:http and Express, Node 20.19 or later. Copy all files of
 * this folder, which have no dependencies.
 *
 *     const paid = createPaidRequests({
 *       apiUrl: 'http://127.0.0.1:8000',
 *       key: process.env.DOT_MI_KEY, // an agent key with the scope `charge`
 *       charge: ({ body }) => ({ amount: body.length > 1_000 ? 9 : 5, label: 'translation' }),
 *     });
 *     const translate = paid.handle(async ({ json, signal }) => ({ body: { text: await work(json(), signal) } }));
 *     createServer(translate).listen(8402);
 *
 * With Express, before any body parser: `app.post('/translate', translate); app.use(paid.balances);`
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createBalanceRoutes, REFUND_PATH } from './balances.mjs';
import { ChargeError, createCharges, writeProblem } from './charges.mjs';
import {
  BUSY,
  CustomerError,
  cleanHeaders,
  encode,
  GONE,
  isObject,
  onceOf,
  parse,
  pathOf,
  prepaidKeyOf,
  readBody,
  SLOW,
  tokenOf,
  unlessAborted,
} from './customer-request.mjs';
import { createLine } from './line.mjs';
import { createMemoryResponses, createResponseFiles } from './responses.mjs';
import { createShares } from './shares.mjs';

export { CustomerError, GONE };

/** @import { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http' */
/** @import { Enter, Kind, Limit, Response, Visit } from './customer-request.mjs' */
/** @import { Place } from './line.mjs' */
/** @import { Charge, ChargesOptions, Cost, Order, Terms, Usage } from './charges.mjs' */
/** @import { DoneWork } from './responses.mjs' */
/**
 * A request as its author sees it. The customer's token or key is not in it.
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
 * @property {Usage} [usage] What the model used, for a price that was made from one, or to tell what the work cost you.
 *   Cached tokens are not part of `inputTokens`.
 */
/** @typedef {{ token: string } | { prepaidKey: string, once: string | undefined }} Payment */
/** @typedef {(work: PaidWork) => PaidAnswer | Promise<PaidAnswer>} Work */
/** @typedef {(req: IncomingMessage, res: ServerResponse, next?: (error?: unknown) => void) => Promise<void>} PaidHandler */
/**
 * @typedef {object} Limits
 * @property {(request: CustomerRequest) => Terms | Promise<Terms>} charge Prices a request before any payment. Throw a
 *   {@link CustomerError} to refuse it.
 * @property {boolean} [isPricedByBody] Whether `charge` uses only the method, path, content type and body. Then a quote
 *   holds until it expires, although `charge` returns another price meanwhile, also after a restart of this service.
 *   Otherwise a quote pays only for the same price. Default: false.
 * @property {string} [refundUrl] Where customers reach `POST /v1/balance/refund`. Default: at the service's own origin.
 * @property {(charge: Charge, charged: number | undefined, refusal?: CustomerError) => void} [onEnd] Called when a paid
 *   request has ended, with what it cost in sat. Undefined: dot-mi could not be asked, which is tried again. `refusal` is what
 *   the customer got in place of the work, also if their turn never came.
 * @property {string} [responseDirectory] A directory for this process alone, for the responses to paid requests. They are
 *   kept for a day and readable only by you, so that a customer gets the work even if this process is killed. Without
 *   it, they are kept in memory for ten minutes.
 * @property {number} [mostBodyBytes] Default: 1 MiB.
 * @property {number} [mostHeaderBytes] The longest token in a response. Default: 4,096, because proxies accept no more.
 * @property {number} [mostAtOnce] How many paid requests run at once, and how many of them one prepaid key can have, running
 *   or waiting. Beyond that, the key gets 429. Default: 16.
 * @property {number} [mostWaiting] How many more customers pay and wait for their turn, first come, first served. More are
 *   refused before they pay. Who waits longer than `waitTimeoutMs` gets everything back. Default: 4 × `mostAtOnce`.
 * @property {number} [mostRequests] How many requests are in progress at once, paid or not. An eighth each is reserved for
 *   paid requests, for prices, for deposits, and for refunds and balances. As many can be arriving: then the slowest one ends. Default: 256.
 * @property {number} [bodyTimeoutMs] How long a request can take to arrive, and `charge` to price it. Default: 10,000.
 * @property {number} [workTimeoutMs] Default: 300,000.
 * @property {number} [waitTimeoutMs] How long a customer waits for their turn. Default: `workTimeoutMs`.
 * @property {number} [answerTimeoutMs] How long a customer can take to read an answer, or a part of one. Default: 30,000.
 */
/** @typedef {Omit<ChargesOptions, 'costOfDone'> & Limits} PaidRequestsOptions */
/** @typedef {ReturnType<typeof createPaidRequests>} PaidRequests */

const HOLD_SECONDS = 3_600;
/** How much longer a payment waits for its work than a turn and the work can take. */
const SPARE_SECONDS = 120;
/** How long work whose customer left can take to report what it used. */
const LAST_REPORT_MS = 5_000;
/** How long the rest of a refused body can take. */
const UNREAD_MS = 2_000;
/** The part of the places that each kind of request has for itself. */
const RESERVED_PART = 8;
const workFailed = (/** @type {number} */ status, fields = {}) =>
  new CustomerError(status, 'work_failed', 'The work failed.', { type: 'upstream_error', fields });

/** What an answer costs. Undefined if the customer gets everything back. @param {Charge} charge @param {PaidAnswer} answer @returns {Cost | undefined} */
const costOf = (charge, { status = 200, amount, usage }) => {
  for (const figure of [amount, ...Object.values(usage ?? {})])
    if (figure !== undefined && !(Number.isSafeInteger(figure) && figure >= 0))
      throw new TypeError('amount and usage must be whole numbers');
  if (!(status >= 200 && status < 600)) throw new TypeError('status must be from 200 to 599');
  if (amount !== undefined) return { amount, ...usage };
  if (usage && charge.price?.marginPercent !== undefined) return usage;
  return status >= 400 && !usage ? undefined : { amount: charge.amount, ...usage };
};

/** Creates the handlers of a service that is paid per request. @param {PaidRequestsOptions} options */
export const createPaidRequests = (options) => {
  const {
    charge: price,
    isPricedByBody = false,
    refundUrl = REFUND_PATH,
    responseDirectory,
    mostBodyBytes = 1024 * 1024,
    mostHeaderBytes = 4_096,
    mostAtOnce = 16,
    mostWaiting = 4 * mostAtOnce,
    mostRequests = 256,
    bodyTimeoutMs = 10_000,
    workTimeoutMs = 300_000,
    waitTimeoutMs = workTimeoutMs,
    answerTimeoutMs = 30_000,
    onEnd = () => undefined,
    onProblem = writeProblem,
  } = options;
  const files = responseDirectory === undefined ? undefined : createResponseFiles(responseDirectory);
  const responses = files ?? createMemoryResponses();
  const charges = createCharges({ ...options, costOfDone: async (id) => (await readKept(id))?.cost });
  const jobs = /** @type {Set<Promise<void>>} */ (new Set());
  const reserved = Math.floor(mostRequests / RESERVED_PART);
  /** @type {Record<Kind, number>} */
  const places = { paid: reserved, unpaid: reserved, deposit: reserved, balance: reserved };
  const shares = createShares(places, mostRequests - 4 * reserved);
  /** Ends each request that is still arriving. The oldest is first. */
  const arriving = /** @type {Set<(error: CustomerError) => void>} */ (new Set());
  const line = createLine({ mostAtOnce, mostWaiting });
  let isClosing = false;
  /** A token from a body can have line breaks, which no header can. @param {string} [token] @returns {OutgoingHttpHeaders} */
  const inHeader = (token) =>
    token && token.length <= mostHeaderBytes && /^[\w+/=-]+$/.test(token) ? { 'X-Cashu': token } : {};

  /** Where the change of a charge is, if it has any. @param {Pick<DoneWork, 'isPrepaid'>} work @returns {OutgoingHttpHeaders} */
  const laterFor = ({ isPrepaid }) => (isPrepaid ? {} : { 'X-Cashu-Refund-Url': refundUrl });

  /** Whether a prepaid balance pays a charge. @param {Charge} charge */
  const isPrepaid = ({ balanceId }) => balanceId !== undefined;

  /** The work of a charge. What can't be read is as good as lost. @param {unknown} id */
  const readKept = (id) =>
    responses.get(`${id}`).catch((error) => {
      onProblem('a response could not be read again', error);
      return undefined;
    });

  /** What a customer reads of an error. @param {unknown} error @param {string} [token] */
  const refusalOf = (error, token) => {
    if (error instanceof CustomerError) return error;
    if (!(error instanceof ChargeError)) {
      onProblem('a request failed', error);
      return new CustomerError(500, 'internal_error', 'The service has a problem.');
    }
    const { isTokenUnspent, isTokenUntouched, details } = error;
    const [status, type, code, message] = error.refusal;
    if (error.isForOperator) onProblem('dot-mi refused a call', error);
    const { required, received, available, charged, acceptedMints: mints, retryAfterSeconds = 2 } = details;
    const fields = {
      required,
      received,
      available,
      charged,
      mints,
      ...(isTokenUntouched ? {} : { refund: refundUrl }),
    };
    const waits = [409, 425, 503].includes(status) && code !== 'already_done';
    const retryAfter = waits ? { 'Retry-After': `${retryAfterSeconds}` } : {};
    const headers = { ...retryAfter, ...(isTokenUnspent ? inHeader(token) : {}) };
    return new CustomerError(status, code, message, { type, fields, headers });
  };

  /** @param {CustomerError} error @param {string} [token] what the customer has or gets back @param {object} [refund] @returns {Response} */
  const refuse = ({ status, code, type, message, fields, headers }, token, refund) => {
    const given = 'error' in fields && isObject(fields.error) ? fields.error : {};
    const [left, back] = token ? [{}, refund && { refund_token: token }] : [refund, {}];
    const body = { ...left, ...fields, error: { message, type, code, ...given, ...back } };
    const challenge = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {};
    return { status, headers: { ...challenge, ...headers, ...inHeader(token) }, body };
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

  /** @param {Charge} charge @param {unknown} error */
  const giveBack = async (charge, error) => {
    const { id } = charge;
    const isForCustomer = error instanceof CustomerError;
    if (!isForCustomer) onProblem('the work failed', error);
    const refusal = isForCustomer ? error : workFailed(502);
    // Without an answer, it is tried again, and the customer asks at the refund route.
    const released = await charges
      .release(id, isForCustomer ? error.usage : undefined)
      .catch(() => undefined);
    onEnd(charge, released && 0, refusal);
    const refund = isPrepaid(charge) ? {} : { refund: refundUrl };
    return refuse(refusal, released?.refund?.token, refund);
  };

  /** Does the work of a paid charge. @param {Work} work @param {Omit<PaidWork, 'write'>} job @param {Visit} visit */
  const run = (work, job, { req, res }) => {
    const { signal, charge } = job;
    /** @type {PaidWork['write']} */
    const stream = async (chunk, { status = 200, headers = {} } = {}) => {
      signal.throwIfAborted();
      const fixed = { 'Cache-Control': 'no-store', ...laterFor({ isPrepaid: isPrepaid(charge) }) };
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
   * Charges for work that is done.
   * @param {string} id @param {DoneWork} work
   * @returns {Promise<{ charged: number, change?: { token: string } } | undefined>} Undefined: it will be tried again.
   */
  const settle = async (id, { cost }) => {
    try {
      return await charges.settle(id, cost);
    } catch (error) {
      if (!(error instanceof ChargeError && error.code === 'already_refunded')) return undefined;
      // It waited for too long, and the customer must not have both.
      await responses.drop(id);
      throw new ChargeError('settle', 409, 'already_done');
    }
  };

  /**
   * The response to work, with its change, or where that is.
   * @param {DoneWork} work @param {Awaited<ReturnType<typeof settle>>} settled @param {boolean} [isStream]
   * @returns {Response}
   */
  const respond = ({ status, headers, body, ...work }, settled, isStream = false) => {
    const change = settled?.change?.token;
    const isNow = settled && !isStream && (change?.length ?? 0) <= mostHeaderBytes;
    const more = isNow ? inHeader(change) : laterFor(work);
    const isLater = !isNow && !work.isPrepaid;
    const extra = { charged: settled?.charged, ...(isLater ? { change: { url: refundUrl } } : {}) };
    return {
      status,
      headers: { ...headers, ...more },
      body: isObject(body) ? { ...extra, ...body } : body,
    };
  };

  /** The response to a request that was paid before. Undefined if its work isn't known. @param {unknown} id */
  const respondAgain = async (id) => {
    const work = await readKept(id);
    if (!work) return undefined;
    const settled = await settle(`${id}`, work);
    // Only dot-mi knows whether it gave everything back meanwhile.
    if (!settled) throw new ChargeError('settle', 503, 'redemption_pending', {}, true);
    return respond(work, settled);
  };

  /**
   * @param {Visit} visit @param {Work} work @param {{ request: CustomerRequest, order: Order, mark: string | undefined }} taken
   * @param {Payment} payment @param {Place} place
   * @returns {Promise<Response>}
   */
  const sell = async (visit, work, { request, order, mark }, payment, place) => {
    const { req, res, signal, limit } = visit;
    const isLeft = () => signal.aborted || req.socket.destroyed;
    let working = /** @type {Promise<unknown> | undefined} */ (undefined);
    try {
      const opening =
        'token' in payment
          ? charges.pay(order, payment.token)
          : charges.reserve(order, payment.prepaidKey, payment.once);
      const charge = await opening.catch(async (/** @type {unknown} */ error) => {
        // The work is done, and its customer may have lost the response.
        const id = error instanceof ChargeError && error.code === 'already_done' && error.details.chargeId;
        const before = id ? await respondAgain(id) : undefined;
        if (before) return before;
        place.refused();
        throw 'token' in payment ? refusalOf(error, payment.token) : refusalOf(error);
      });
      if (!('id' in charge)) return charge;
      limit(waitTimeoutMs, BUSY);
      try {
        await place.work(signal);
      } catch (error) {
        return await giveBack(charge, error);
      }
      limit(workTimeoutMs, new CustomerError(504, 'work_too_slow', 'The work took too long.'));
      const doing = run(work, { ...request, charge }, visit);
      working = doing;
      let done = /** @type {Awaited<typeof doing> | undefined} */ (undefined);
      try {
        done = await unlessAborted(doing, signal);
      } catch (error) {
        // A service that ends closes its connections, as if its customers had left.
        const isGone = res.headersSent ? isLeft() : signal.reason === GONE && !isClosing;
        if (isGone) {
          // A customer who leaves near the end doesn't get it for nothing.
          const report = Promise.race([doing, sleep(LAST_REPORT_MS, undefined, { ref: false })]);
          done = await report.catch(() => undefined);
        }
        if (!done && !res.headersSent) return await giveBack(charge, error);
        if (!isGone) {
          await giveBack(charge, error);
          throw GONE;
        }
        // A stream that fails now reports nothing, and costs the whole price.
      }
      const finished = {
        status: 200,
        headers: {},
        body: undefined,
        cost: { amount: charge.amount },
        ...done,
        isPrepaid: isPrepaid(charge),
      };
      // From here on, the customer has the work, whatever ends.
      if (!res.headersSent && mark !== undefined)
        await responses
          .put(charge.id, mark, finished)
          .catch((error) => onProblem('a response could not be kept', error));
      const settled = await settle(charge.id, finished).catch((error) => {
        if (res.headersSent) return undefined;
        throw error;
      });
      onEnd(charge, settled?.charged);
      return respond(finished, settled, res.headersSent);
    } finally {
      if (working) working.then(place.leave, place.leave);
      else place.leave();
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
    const { signal } = stop;
    /** Reads the body. A request that arrives slowly has no place, and the next one can end it. */
    const body = async () => {
      if (isClosing) throw BUSY;
      const end = (/** @type {CustomerError} */ error) => stop.abort(error);
      arriving.add(end);
      const [slowest] = arriving;
      if (arriving.size > mostRequests) slowest?.(SLOW);
      limit(bodyTimeoutMs, SLOW);
      try {
        return await readBody(req, mostBodyBytes, signal);
      } finally {
        arriving.delete(end);
        limit();
      }
    };
    let leave = () => {};
    /** @type {Enter} */
    const enter = (kind) => {
      const place = isClosing ? undefined : shares.take(kind);
      if (!place) throw BUSY;
      leave = place;
    };
    const visit = { req, res, signal, body, enter, limit };
    res.once('close', () => res.writableFinished || stop.abort(GONE)).on('error', () => undefined);
    const job = use(visit)
      .catch((error) => (error === GONE ? Promise.reject(error) : refuse(refusalOf(error))))
      .finally(() => {
        clearTimeout(timer);
        leave();
      })
      .then((response) => send(visit, response))
      .catch((error) => {
        if (error !== GONE) onProblem('a response could not be sent', error);
        req.socket.destroy();
      });
    jobs.add(job);
    await job.finally(() => jobs.delete(job));
  };

  const routeOf = createBalanceRoutes({ charges, refusalOf, inHeader, waitTimeoutMs: bodyTimeoutMs });

  /** Reads a request. @param {Visit} visit @param {Kind} kind @returns {Promise<CustomerRequest>} */
  const take = async ({ req, signal, body: read, enter }, kind) => {
    const body = await read();
    enter(kind);
    const json = () => parse(body);
    const { 'x-cashu': _token, authorization, ...others } = req.headers;
    const headers = prepaidKeyOf(req) ? others : { ...others, authorization };
    return { method: `${req.method}`, path: pathOf(req), headers, body, json, signal };
  };

  /** What makes two requests the same, whatever they cost. @param {CustomerRequest} request */
  const partsOf = ({ method, path, headers }) => [method, path, headers['content-type']];

  /** Prices a request. @param {Visit} visit @param {CustomerRequest} request @returns {Promise<Order>} */
  const orderOf = async ({ signal, limit }, request) => {
    limit(bodyTimeoutMs, BUSY);
    const terms = await unlessAborted(Promise.resolve(request).then(price), signal);
    limit();
    const { ttlSeconds: _ttl, holdSeconds = HOLD_SECONDS, ...priced } = terms;
    return {
      ...terms,
      holdSeconds: Math.max(holdSeconds, Math.ceil((waitTimeoutMs + workTimeoutMs) / 1000) + SPARE_SECONDS),
      requestHash: charges.hash([...partsOf(request), isPricedByBody ? null : priced], request.body),
    };
  };

  /**
   * Names a paid request that its customer can send again. It reveals nothing of the payment. Undefined for a prepaid
   * request that nothing tells apart from another one.
   * @param {CustomerRequest} request @param {Payment} payment
   */
  const markOf = (request, payment) => {
    const once = 'token' in payment ? payment.token : payment.once && [payment.prepaidKey, payment.once];
    if (once === undefined) return undefined;
    const parts = JSON.stringify([...partsOf(request), once]);
    return createHash('sha256').update(parts).update(request.body).digest('hex');
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

  const notFound = serve(async () => refuse(new CustomerError(404, 'not_found', 'There is nothing here.')));
  return {
    /**
     * Creates a handler that sells the work, and answers at `/v1/balance/…`. The work runs once for each payment. If it
     * throws or takes too long, the customer gets everything back. If the customer leaves, they pay what the work returns
     * within five seconds, or else nothing. They don't read its errors, except a {@link CustomerError}. Never rejects.
     * @param {Work} work
     */
    handle: (work) =>
      serve(async (visit) => {
        const own = routeOf(visit.req);
        if (own) return own(visit);
        const token = tokenOf(visit.req);
        const prepaidKey = token ? undefined : prepaidKeyOf(visit.req);
        const request = await take(visit, token || prepaidKey ? 'paid' : 'unpaid');
        if (!token && !prepaidKey) return quote(await orderOf(visit, request));
        const payment = token ? { token } : { prepaidKey: `${prepaidKey}`, once: onceOf(visit.req) };
        const mark = markOf(request, payment);
        // A customer who lost the response gets it, however busy the service is, and whatever the price is now.
        const before = mark && responses.find(mark);
        const again = before === undefined ? undefined : await respondAgain(before);
        if (again) return again;
        const order = await orderOf(visit, request);
        visit.limit(bodyTimeoutMs, BUSY);
        const place = await line.enter(visit.signal, prepaidKey);
        visit.limit();
        return sell(visit, work, { request, order, mark }, payment, place);
      }),
    /** Answers at `/v1/balance/…`: refunds and prepaid balances. Other requests are for `next`, or not found. @type {PaidHandler} */
    balances: async (req, res, next) => {
      const own = routeOf(req);
      if (own) return serve(own)(req, res);
      return next ? next() : notFound(req, res);
    },
    /** As in charges.mjs. The first paid request recovers too. */
    recover: charges.recover,
    /** Refuses new requests, waits for those that run, and tries once more what is not settled yet. */
    async close() {
      isClosing = true;
      line.close(BUSY);
      await Promise.allSettled(jobs);
      await charges.close();
      files?.close();
    },
  };
};
