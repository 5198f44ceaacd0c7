// @ts-check
/**
 * A seller's side of the charges of a running dot-mi: quotes, payments, change and refunds in ecash (Cashu), for services
 * in Node 20.19 or later. paid-request.mjs uses it for HTTP. It has no dependencies, so copy it into your service.
 *
 *     const charges = createCharges({ apiUrl: 'http://127.0.0.1:8000', key: process.env.DOT_MI_KEY });
 *     const charge = await charges.pay({ amount: 5, requestHash: charges.hash(['translate'], text) }, token);
 *     const { change } = await charges.settle(charge.id, { amount: 3 }); // or charges.release(charge.id)
 *
 * A payment that was claimed by {@link Charges.pay} is settled or released, whatever happens: by this process, by the
 * next one when it recovers, or by dot-mi after `holdSeconds`. Until then no other call claims it.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The price of a piece of work: `amount` in sat, or the most that a model may use. dot-mi rounds up and freezes it.
 * @typedef {object} Terms
 * @property {number} [amount]
 * @property {string} [model] With `amount`, only to tell what the work cost you.
 * @property {number} [maxInputTokens]
 * @property {number} [maxOutputTokens]
 * @property {number} [marginPercent]
 * @property {string} [label] What the operator reads in the list of charges.
 * @property {string} [agent] The agent that does the work, for a key that belongs to no agent.
 * @property {number} [ttlSeconds] How long the price holds. Default: 600.
 * @property {number} [holdSeconds] How long a payment waits for its work if this service is gone. Default: 3,600.
 */
/** @typedef {Terms & { requestHash: string }} Order Terms, and the hash of what they buy. */
/**
 * The prices of a model.
 * @typedef {object} ModelPrice
 * @property {number} input_usd_per_million
 * @property {number} output_usd_per_million
 * @property {number} [cache_read_usd_per_million] Without it, cached input costs as much as other input.
 * @property {number} [cache_write_usd_per_million] Without it, input that the provider caches costs as much as other input.
 * @property {number} btc_price_usd
 * @property {number} [marginPercent]
 */
/**
 * A charge, with the fields that matter to a service. Amounts in sat.
 * @typedef {object} Charge
 * @property {string} id
 * @property {string} state
 * @property {number} amount The price.
 * @property {string} unit
 * @property {string[]} mints
 * @property {string} requestHash
 * @property {string} expiresAt
 * @property {string} paymentRequest For the customer (NUT-18). It asks for `faceValue`.
 * @property {number} faceValue The price with the mint's fee for a usual token.
 * @property {ModelPrice} [price] The prices of the model. Without a margin, `amount` is a flat price.
 * @property {number} [paid] What arrived, or is reserved of a prepaid balance.
 * @property {string} [balanceId] The prepaid balance that pays it.
 */
/**
 * The price of an order. dot-mi only remembers it, so it isn't in the list of charges.
 * @typedef {Pick<Charge, 'amount' | 'unit' | 'mints' | 'requestHash' | 'expiresAt' | 'paymentRequest' | 'faceValue' | 'price'>} Quote
 */
/** @typedef {{ inputTokens: number, outputTokens: number, cacheReadTokens?: number, cacheWriteTokens?: number, requests?: number, largestInputTokens?: number }} Usage What a model used. */
/** @typedef {{ amount: number } | Usage | ({ amount: number } & Usage)} Cost With both, the usage is only kept. */
/** @typedef {{ id: string, available: number, reserved: number, spent: number }} Balance Prepaid sats of a customer. */
/** @typedef {{ token: string, amount: number }} Change What a customer gets back. */
/**
 * @typedef {object} ChargesOptions
 * @property {string} apiUrl The address of dot-mi, http or https.
 * @property {string} key An agent key with the scope `charge`.
 * @property {string} [name] Tells services with the same key apart, and processes of one service. Default: none.
 * @property {number} [apiTimeoutMs] How long a call of dot-mi can take, with its calls of the mint. Default: 60,000.
 * @property {(chargeId: string) => Promise<Cost | undefined>} [costOfDone] What work costs that a former process of this
 *   service did, but could not settle. Without it, that payment is given back.
 * @property {(message: string, error?: unknown) => void} [onProblem] Called with what the operator should know, never
 *   with a key or token. Default: a line on stderr.
 */

/** How often a call is made that gets no answer. */
const TRIES = 3;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 60_000;
/** A customer who got no clear answer can try again before the payment is given back. */
const RECOVER_AFTER_MS = 10_000;
const PAGE_SIZE = 200;
/** The hex digits of a hash that name its service. */
const MARK_LENGTH = 16;

/** Errors of the server that leave a token as it was. After any other, it may be spent. */
const HARMLESS = /^(mint_unreachable|mint_error|wallet_busy|wallet_locked|price_unavailable)$/;
/** After these errors, it doesn't help to settle or release again. */
const FINAL =
  /^(already_settled|already_refunded|charge_not_found|charge_open|charge_not_priced|invalid_request)$/;

/**
 * What customers read: the HTTP status, type and code that X-Cashu clients know from other services, and a sentence.
 * @type {Record<string, [status: number, type: string, code: string, message: string]>}
 */
const REFUSALS = {
  amount_too_low: [400, 'cashu_error', 'amount_too_low', 'The token is worth less than the price.'],
  malformed_token: [400, 'invalid_token', 'invalid_cashu_token', 'This is not a complete Cashu token.'],
  invalid_signature: [400, 'invalid_token', 'invalid_cashu_token', 'The token is invalid or forged.'],
  token_unsupported: [400, 'invalid_token', 'unsupported_keyset', "The token's keyset isn't supported."],
  unknown_keyset: [400, 'invalid_token', 'unknown_keyset', "The mint doesn't know the token's keyset."],
  wrong_mint: [400, 'cashu_error', 'wrong_mint', 'The token is from another mint.'],
  wrong_unit: [400, 'cashu_error', 'wrong_unit', 'The token is not in sat.'],
  token_locked: [400, 'cashu_error', 'token_locked', 'The token is locked.'],
  amount_below_fee: [400, 'mint_error', 'amount_below_fee', "The mint's fee would use up the token."],
  token_too_large: [400, 'mint_error', 'token_too_large', 'The token has too many proofs for the mint.'],
  mint_refused: [400, 'mint_error', 'mint_refused', 'The mint refused the token.'],
  token_spent: [400, 'token_already_spent', 'cashu_token_already_spent', 'The token is already spent.'],
  token_in_progress: [503, 'mint_error', 'token_pending', 'The mint is processing the token. Try again.'],
  redemption_pending: [503, 'mint_error', 'token_pending', 'The payment is not complete. Try again.'],
  mint_unreachable: [503, 'mint_unreachable', 'cashu_mint_unreachable', "The mint can't be reached."],
  mint_error: [503, 'mint_unreachable', 'cashu_mint_unreachable', "The mint can't be used right now."],
  in_progress: [409, 'invalid_request_error', 'in_progress', 'This request is being worked on.'],
  already_done: [
    409,
    'invalid_request_error',
    'already_done',
    'This token was spent before. If it paid here, fetch what is left at `refund`.',
  ],
  charge_held: [425, 'invalid_request_error', 'refund_pending', 'The work isn’t done yet. Try again.'],
  charge_not_found: [
    404,
    'invalid_request_error',
    'refund_not_found',
    'Refund not found: no payment was made with this token.',
  ],
  nothing_to_refund: [
    404,
    'invalid_request_error',
    'nothing_to_refund',
    'Refund not found: nothing is left of this payment.',
  ],
  charge_is_deposit: [
    409,
    'invalid_request_error',
    'prepaid',
    'This token was paid into a prepaid balance. Use the key of that.',
  ],
  prepaid_balance_blocked: [
    403,
    'permission_error',
    'key_blocked',
    'The seller has blocked this key. Its balance can still be refunded.',
  ],
  prepaid_balance_not_found: [401, 'authentication_error', 'invalid_api_key', 'No balance has this key.'],
  prepaid_balance_too_low: [
    402,
    'insufficient_quota',
    'insufficient_balance',
    'The balance is too low for this request. Pay in more at /v1/balance/topup.',
  ],
  refund_swept: [410, 'invalid_request_error', 'refund_swept', 'Nobody fetched this refund in time.'],
};

/** What they read if only the operator can do something. @type {typeof REFUSALS[string]} */
const UNAVAILABLE = [503, 'api_error', 'service_unavailable', "This can't be paid for now. Try again."];

/** A call of dot-mi that failed. Its message has no secrets, but is for the operator. */
export class ChargeError extends Error {
  /**
   * @param {string} call
   * @param {number} status 0 if there was no answer
   * @param {string} code dot-mi's, or `already_done` and `in_progress` from `pay`
   * @param {Record<string, unknown>} [details]
   * @param {boolean} [isUnclear] whether dot-mi may have done what it was asked for
   */
  constructor(call, status, code, details = {}, isUnclear = false) {
    super(`${call}: ${status === 0 ? '' : `${status} `}${code}`);
    this.status = status;
    this.code = code;
    this.details = details;
    this.isUnclear = isUnclear || (status >= 500 && !HARMLESS.test(code));
  }

  get isForOperator() {
    return this.refusal === UNAVAILABLE;
  }

  /** What the customer reads. */
  get refusal() {
    // X-Cashu clients forget a token that is already spent. They still get the rest of one that paid here.
    const isOurs = this.code === 'token_spent' && this.details.operationId !== undefined;
    return REFUSALS[isOurs ? 'already_done' : this.code] ?? UNAVAILABLE;
  }

  /** Whether dot-mi asked the mint, which calls the refused token unspent. */
  get isTokenUnspent() {
    return this.details.unspent === true;
  }

  /** Whether a refused token is surely untouched by this call. */
  get isTokenUntouched() {
    return (
      !this.isUnclear &&
      !/^(token_spent|token_in_progress|already_done|in_progress|charge_is_deposit)$/.test(this.code)
    );
  }
}

const THIS_COMPUTER = /^(localhost|.+\.localhost|127\..+|0\.0\.0\.0|\[::1?\])$/;
const PROOF_TIMEOUT_MS = 5_000;

/**
 * Asks what listens at an origin whether it knows a key or token, without sending that. Rejects if it isn't reachable.
 * @param {string} origin @param {string} key
 */
export const knowsKey = async (origin, key) => {
  const nonce = randomUUID();
  const response = await fetch(`${origin}/api/health?${new URLSearchParams({ nonce, origin })}`, {
    redirect: 'error',
    signal: AbortSignal.timeout(PROOF_TIMEOUT_MS),
  });
  // What isn't JSON isn't from dot-mi.
  const health = await response.json().catch(() => undefined);
  const hash = createHash('sha256').update(key).digest('hex');
  const proof = createHmac('sha256', hash).update(`dot-mi server\n${nonce}\n${origin}`).digest('hex');
  return Array.isArray(health?.proofs) && health.proofs.includes(proof);
};

/**
 * Creates the function that checks that dot-mi is what listens at an address. It throws {@link ChargeError} `not_dot_mi`.
 * Anybody can listen at a port of this computer while dot-mi doesn't, so each call that sends a key or a token needs it.
 * Elsewhere only https proves who answers.
 * @param {Pick<ChargesOptions, 'apiUrl' | 'key'>} options
 */
export const createDotMiCheck = ({ apiUrl, key }) => {
  const { protocol, hostname, origin } = new URL(apiUrl);
  const isNeeded = protocol === 'http:' && THIS_COMPUTER.test(hostname);
  return async () => {
    if (isNeeded && !(await knowsKey(origin, key)))
      throw new ChargeError(
        `What answers at ${origin} doesn't know this key, so it was not sent`,
        0,
        'not_dot_mi',
      );
  };
};

/** Creates the function that calls dot-mi. @param {ChargesOptions} options */
const createApi = ({ apiUrl, key, apiTimeoutMs = 60_000 }) => {
  const base = new URL(apiUrl.endsWith('/') ? apiUrl : `${apiUrl}/`);
  if (!/^https?:$/.test(base.protocol)) throw new TypeError('apiUrl must begin with http:// or https://.');
  if (typeof key !== 'string' || key === '') throw new TypeError('key must be an agent key of dot-mi.');
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const requireDotMi = createDotMiCheck({ apiUrl, key });

  /**
   * @param {string} method @param {string} path @param {object} [body] @param {number} [tries]
   * @returns {Promise<unknown>}
   */
  const call = async (method, path, body, tries = TRIES, wasUnclear = false) => {
    const name = `${method} /api/${path}`;
    let isSent = wasUnclear;
    try {
      await requireDotMi();
      isSent = true;
      const response = await fetch(new URL(`api/${path}`, base), {
        method,
        headers,
        // A redirect would send the key and the token elsewhere.
        redirect: 'error',
        signal: AbortSignal.timeout(apiTimeoutMs),
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      const value = await response.json();
      if (response.ok) return value;
      throw new ChargeError(name, response.status, `${value.code}`, value, wasUnclear);
    } catch (error) {
      if (error instanceof ChargeError) {
        error.isUnclear ||= wasUnclear;
        throw error;
      }
      const { name: kind, cause } = /** @type {Error & { cause?: { code?: string } }} */ (error);
      const code = cause?.code ?? kind;
      const isUnclear = wasUnclear || (isSent && code !== 'ECONNREFUSED');
      if (tries <= 1 || code === 'TimeoutError') throw new ChargeError(name, 0, code, {}, isUnclear);
      await sleep(FIRST_RETRY_MS);
      return call(method, path, body, tries - 1, isUnclear);
    }
  };
  return call;
};

/** Writes a line to stderr. @param {string} message @param {unknown} [error] */
export const writeProblem = (message, error) =>
  void process.stderr.write(`${message}${error instanceof Error ? `: ${error.message}` : ''}\n`);

/** @typedef {ReturnType<typeof createCharges>} Charges */

/** Creates a seller's access to the charges of dot-mi. @param {ChargesOptions} options */
export const createCharges = (options) => {
  const { key, name = '', costOfDone = async () => undefined, onProblem = writeProblem } = options;
  const api = createApi(options);
  const mark = createHash('sha256')
    .update(JSON.stringify([key, name]))
    .digest('hex')
    .slice(0, MARK_LENGTH);
  /** The charges that are being worked on, settled or released. @type {Set<string>} */
  const claimed = new Set();
  /**
   * The payments and lists on their way here, each with the charges that were done meanwhile: what they say may be older.
   * @type {Set<{ done: Set<string>, end: Promise<void> }>}
   */
  const payments = new Set();
  /** What dot-mi could not settle or release yet. @type {Map<string, ['settle' | 'release', object]>} */
  const unfinished = new Map();
  /** @type {Map<() => Promise<unknown>, NodeJS.Timeout>} */
  const timers = new Map();
  let retryMs = FIRST_RETRY_MS;
  let isRecovered = false;

  /** Does a task once, later. @param {() => Promise<unknown>} task @param {number} waitMs */
  const later = (task, waitMs) => {
    if (timers.has(task)) return;
    const run = () => {
      timers.delete(task);
      task().catch(() => later(task, LAST_RETRY_MS));
    };
    timers.set(task, setTimeout(run, waitMs).unref());
  };

  /** @param {string} id */
  const forget = (id) => {
    unfinished.delete(id);
    claimed.delete(id);
    for (const { done } of payments) done.add(id);
  };

  /**
   * Settles or releases a charge. If dot-mi can't do it now, it is tried until it is done.
   * @param {string} id @param {'settle' | 'release'} action @param {object} body @param {number} [tries]
   * @returns {Promise<unknown>}
   */
  const finish = async (id, action, body, tries) => {
    try {
      const result = await api('POST', `charges/${id}/${action}`, body, tries);
      forget(id);
      return result;
    } catch (error) {
      // The next time, it is the last one.
      if (!unfinished.delete(id)) onProblem(`could not ${action} a charge`, error);
      if (error instanceof ChargeError && FINAL.test(error.code)) forget(id);
      else {
        unfinished.set(id, [action, body]);
        later(retry, retryMs);
      }
      throw error;
    }
  };

  const retry = async () => {
    for (const [id, [action, body]] of [...unfinished]) {
      const error = await finish(id, action, body, 1).catch((reason) => reason);
      // The others would get no answer either.
      if (error instanceof ChargeError && error.status === 0) break;
    }
    retryMs = unfinished.size === 0 ? FIRST_RETRY_MS : Math.min(2 * retryMs, LAST_RETRY_MS);
  };

  /** Claims the held charges of this service that nobody works on, so that they are released, or settled if the work is done. */
  const claimAbandoned = async () => {
    /** @type {string[]} */
    const held = [];
    const listing = { done: new Set(), end: Promise.resolve() };
    payments.add(listing);
    try {
      let cursor = '';
      do {
        const page = await api('GET', `charges?state=held&limit=${PAGE_SIZE}${cursor}`);
        const { charges, nextCursor } = /** @type {{ charges: Charge[], nextCursor?: string }} */ (page);
        for (const { id, requestHash } of charges) if (requestHash.startsWith(mark)) held.push(id);
        cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
      } while (cursor !== '');
      // One of them may belong to a payment whose answer is still on its way here.
      await Promise.all([...payments].map(({ end }) => end));
    } finally {
      payments.delete(listing);
    }
    const abandoned = held.filter((id) => !claimed.has(id) && !listing.done.has(id));
    for (const id of abandoned) {
      claimed.add(id);
      const cost = await costOfDone(id);
      unfinished.set(id, cost ? ['settle', cost] : ['release', {}]);
    }
    isRecovered = true;
    return abandoned.length;
  };

  /**
   * Gives back the payments that a former process of this service left unfinished, or settles them if the work is done.
   * Resolves with how many it found, once it has tried each. Never releases one that this process works on.
   */
  const recover = async () => {
    const found = await claimAbandoned();
    await retry();
    return found;
  };

  /** @param {readonly unknown[]} parts @param {string | Uint8Array} body */
  const hash = (parts, body) =>
    mark + createHash('sha256').update(JSON.stringify(parts)).update(body).digest('hex').slice(MARK_LENGTH);

  /**
   * Pays for an order, and claims the charge, once.
   * @param {Order} order @param {{ token: string } | { prepaidKey: string }} payment
   */
  const claim = async (order, payment) => {
    if (!isRecovered) {
      await claimAbandoned().catch((error) => {
        // Nothing was asked about the token.
        error.isUnclear = false;
        throw error;
      });
      void retry();
    }
    /** @type {() => void} */
    let leave = () => undefined;
    /** @type {Promise<void>} */
    const end = new Promise((resolve) => {
      leave = resolve;
    });
    const waiting = { done: new Set(), end };
    payments.add(waiting);
    try {
      const charge = /** @type {Charge} */ (
        await api('POST', 'charges/open-and-pay', { ...order, ...payment })
      );
      const { id, state } = charge;
      if (state !== 'held' || waiting.done.has(id))
        throw new ChargeError('pay', 409, 'already_done', { chargeId: id });
      if (claimed.has(id)) throw new ChargeError('pay', 409, 'in_progress');
      claimed.add(id);
      return charge;
    } catch (error) {
      const mayBePaid =
        error instanceof ChargeError && (error.isUnclear || error.code === 'token_in_progress');
      if (mayBePaid) later(recover, RECOVER_AFTER_MS);
      throw error;
    } finally {
      payments.delete(waiting);
      leave();
    }
  };

  /** @param {string} path @param {object} body */
  const balances = (path, body) => api('POST', `prepaid-balances${path}`, body);

  return {
    /** A hash of what is sold. A quote only pays for the same hash, so put everything into it that the price depends on. */
    hash,

    /** Gets the price of an order: `paymentRequest` is for the customer. @param {Order} order */
    quote: async (order) => /** @type {Quote} */ (await api('POST', 'charges/quote', order, 1)),

    /**
     * Pays for an order, at the price of its quote while that holds, and claims the charge. Each payment is claimed once: of
     * parallel calls with the same token, the others throw `in_progress`, and later ones `already_done`. The first call
     * recovers, because a payment of a former process must not be claimed again.
     * @param {Order} order @param {string} token
     */
    pay: (order, token) => claim(order, { token }),

    /**
     * Reserves the price of an order in a prepaid balance. Each call is another charge, unless `once` is the same.
     * @param {Order} order @param {string} prepaidKey @param {string} [once]
     */
    reserve: (order, prepaidKey, once = randomUUID()) =>
      claim({ ...order, requestHash: hash([order.requestHash, once], '') }, { prepaidKey }),

    /** Prepaid balances of customers. Each is spent with its key. */
    balances: {
      /** @param {string} token */
      open: async (token) =>
        /** @type {{ prepaidKey: string, balance: Balance }} */ (await balances('', { token })),
      /** @param {string} prepaidKey */
      read: async (prepaidKey) => /** @type {Balance} */ (await balances('/read', { prepaidKey })),
      /** @param {string} prepaidKey @param {string} token */
      topUp: async (prepaidKey, token) =>
        /** @type {{ added: number, balance: Balance }} */ (await balances('/top-up', { prepaidKey, token })),
      /** @param {string} prepaidKey */
      refund: async (prepaidKey) =>
        /** @type {{ refund: Change }} */ (await balances('/refund', { prepaidKey })).refund,
    },

    /** Charges for work that is done. What is left is change. @param {string} id @param {Cost} cost */
    settle: async (id, cost) =>
      /** @type {{ charged: number, change?: Change }} */ (await finish(id, 'settle', cost)),

    /** Gives everything back, because the work failed. The usage is only kept. @param {string} id @param {Usage} [usage] */
    release: async (id, usage) =>
      /** @type {{ refund?: Change }} */ (await finish(id, 'release', { ...usage })),

    /** The change or refund of a token that paid before. @param {string} token */
    refund: async (token) =>
      /** @type {{ refund: Change }} */ (await api('POST', 'charges/refund', { token })).refund,

    recover,

    /** Tries once more what is not settled or released yet, and stops trying. */
    async close() {
      await retry();
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
};
