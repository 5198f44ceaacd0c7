// @ts-check
/**
 * The line of customers for paid-request.mjs: a few are worked for, more have paid and wait for their turn, and some are
 * paying. It has no dependencies.
 */
import { busy, CustomerError } from './customer-request.mjs';

/** How many customers pay at once while tokens turn out to be worthless. */
const MOST_PAYING = 32;
/** How many more customers pay at once after each worthless token. */
const MORE_PAYING = 4;
/** How many recent runs the expected time of the next one is based on. */
const RUNS_REMEMBERED = 20;
/** How long a run is expected to take before one has ended. */
const UNKNOWN_RUN_MS = 5_000;

/** @typedef {{ startedAt?: number, key?: string | undefined }} Customer Whose request is in the line or worked on. */
/** @typedef {Map<Customer, { enter: () => void, refuse: (error: unknown) => void }>} Waiting Customers in order of arrival. */
/**
 * A customer's place. Always leave it.
 * @typedef {object} Place
 * @property {() => void} refused Call this if the payment failed.
 * @property {(signal: AbortSignal) => Promise<void>} work Call this after the payment. Waits for a turn.
 * @property {() => void} leave
 */

/**
 * Creates a line, in which customers pay first and then wait, so that nobody fills it with worthless tokens.
 * @param {object} limits
 * @param {number} limits.mostAtOnce How many are worked for at once, and how many of them can have the same key.
 * @param {number} limits.mostWaiting How many more have paid and wait.
 * @param {() => number} [limits.now] The time in milliseconds.
 */
export const createLine = ({ mostAtOnce, mostWaiting, now = Date.now }) => {
  const capacity = mostAtOnce + mostWaiting;
  const running = /** @type {Set<Customer>} */ (new Set());
  const paying = /** @type {Set<Customer>} */ (new Set());
  /** Customers who have paid and wait for their turn. */
  const paid = /** @type {Waiting} */ (new Map());
  /** Customers who wait to pay. */
  const unpaid = /** @type {Waiting} */ (new Map());
  /** How long the last runs took, in milliseconds. @type {number[]} */
  let runs = [];
  /** How many payments are expected to fail, because others just did. */
  let spare = 0;

  /** @param {Waiting} waiting @param {Customer} customer @param {AbortSignal} signal @returns {Promise<void>} */
  const wait = (waiting, customer, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => refuse(signal.reason);
      const end = () => {
        waiting.delete(customer);
        signal.removeEventListener('abort', abort);
      };
      const refuse = (/** @type {unknown} */ error) => {
        end();
        reject(error);
      };
      const enter = () => {
        end();
        resolve();
      };
      waiting.set(customer, { enter, refuse });
      signal.addEventListener('abort', abort, { once: true });
    });

  const isFull = () => running.size + paid.size >= capacity;
  const canPay = () => {
    const most = Math.max(capacity, Math.min(capacity + spare, MOST_PAYING));
    return !isFull() && running.size + paid.size + paying.size < most;
  };

  const begin = (/** @type {Customer} */ customer) => {
    customer.startedAt = now();
    running.add(customer);
  };

  /** Gives free places to customers who wait, and refuses those who haven't paid once the line is full. */
  const next = () => {
    for (const [customer, { enter }] of paid) {
      if (running.size >= mostAtOnce) break;
      begin(customer);
      enter();
    }
    for (const [customer, { enter }] of unpaid) {
      if (!canPay()) break;
      paying.add(customer);
      enter();
    }
    if (isFull()) for (const { refuse } of unpaid.values()) refuse(busy(secondsUntil(() => true)));
    if (paying.size === 0 && unpaid.size === 0) spare = 0;
  };

  const usualMs = () =>
    runs.length === 0 ? UNKNOWN_RUN_MS : runs.reduce((sum, ms) => sum + ms, 0) / runs.length;

  /** When the requests end, as far as the last runs tell, in milliseconds from now. @returns {[Customer, number][]} */
  const expectedEnds = () => {
    const usual = usualMs();
    const ends = [...running].map((customer) => {
      const elapsed = now() - (customer.startedAt ?? 0);
      // One that takes longer than usual can take much longer.
      return /** @type {[Customer, number]} */ ([customer, Math.max(usual - elapsed, usual / 4)]);
    });
    const turns = ends.map(([, ms]) => ms).sort((a, b) => a - b);
    for (const customer of paid.keys()) {
      const end = (turns.shift() ?? 0) + usual;
      turns.push(end);
      turns.sort((a, b) => a - b);
      ends.push([customer, end]);
    }
    return [
      ...ends,
      ...[...paying, ...unpaid.keys()].map(
        (customer) => /** @type {[Customer, number]} */ ([customer, usual]),
      ),
    ];
  };

  /** How long it takes until one of these customers is done, in whole seconds. @param {(customer: Customer) => boolean} isOne */
  const secondsUntil = (isOne) => {
    const ends = expectedEnds().filter(([customer]) => isOne(customer));
    return Math.max(1, Math.ceil(Math.min(...ends.map(([, ms]) => ms)) / 1_000));
  };

  /** @param {string} key */
  const requireShare = (key) => {
    const hasKey = (/** @type {Customer} */ customer) => customer.key === key;
    const all = [...running, ...paying, ...paid.keys(), ...unpaid.keys()];
    if (all.filter(hasKey).length < mostAtOnce) return;
    throw new CustomerError(
      429,
      'rate_limit_exceeded',
      'This key has too many requests at once. Try again.',
      {
        type: 'rate_limit_error',
        headers: { 'Retry-After': `${secondsUntil(hasKey)}` },
      },
    );
  };

  return {
    /**
     * Takes a place to pay. Waits while others pay, because a token that turns out to be worthless must not cost another
     * customer a refusal. Throws a {@link CustomerError} with `Retry-After` if the line is full, or if the key has too many
     * requests in it.
     * @param {AbortSignal} signal @param {string} [key] @returns {Promise<Place>}
     */
    async enter(signal, key) {
      /** @type {Customer} */
      const customer = { key };
      if (key !== undefined) requireShare(key);
      if (isFull()) throw busy(secondsUntil(() => true));
      if (canPay()) paying.add(customer);
      else await wait(unpaid, customer, signal);
      return {
        refused() {
          spare = Math.min(spare + MORE_PAYING, MOST_PAYING);
        },
        async work(workSignal) {
          spare = Math.floor(spare / 2);
          paying.delete(customer);
          workSignal.throwIfAborted();
          const turn = running.size < mostAtOnce ? begin(customer) : wait(paid, customer, workSignal);
          next();
          await turn;
        },
        leave() {
          paying.delete(customer);
          if (running.delete(customer))
            runs = [...runs, now() - (customer.startedAt ?? 0)].slice(-RUNS_REMEMBERED);
          next();
        },
      };
    },
    /** Refuses all who wait. @param {unknown} error */
    close(error) {
      for (const { refuse } of [...paid.values(), ...unpaid.values()]) refuse(error);
    },
  };
};
