import { createHash, randomBytes } from 'node:crypto';
import type { ChargeChange } from '../../../shared/api/charge-fields.ts';
import type {
  OpenedPrepaidBalance,
  PrepaidBalance,
  RefundedPrepaidBalance,
  ToppedUpPrepaidBalance,
} from '../../../shared/api/prepaid-balances.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Mint } from '../mint/mint.ts';
import { ownerOf, owns } from '../owner.ts';
import type { ChargePayment, ChargeTerms, OwnedTerms, Owner, StoredCharge } from '../store/charges-table.ts';
import { sumOf } from '../store/operation.ts';
import type { StoredBalance } from '../store/prepaid-table.ts';
import type { WalletStore } from '../store/wallet-store.ts';
import type { Redeem } from './redeem.ts';

/**
 * Customers' prepaid sats, as the routes call them. A caller needs a balance's key, and must own the balance
 * ({@link owns}).
 */
export interface PrepaidService {
  /** Throws `amount_too_low`, `charge_is_deposit` and the errors of a receive. */
  open(caller: Caller, token: string, fields: BalanceFields): Promise<OpenedPrepaidBalance>;
  /** Throws `prepaid_balance_not_found`, and so do the following methods. */
  read(caller: Caller, key: string): PrepaidBalance;
  /** Throws `prepaid_balance_blocked`, `amount_too_low` and the errors of a receive. */
  topUp(caller: Caller, key: string, token: string): Promise<ToppedUpPrepaidBalance>;
  /** Throws `charge_held`, `nothing_to_refund` and the errors of a send. */
  refund(caller: Caller, key: string): Promise<RefundedPrepaidBalance>;
  /** Blocks or unblocks a balance for the operator. */
  setBlocked(id: string, isBlocked: boolean): PrepaidBalance;
}

/** What a new balance is for. */
type BalanceFields = Pick<ChargeTerms, 'agent' | 'label'>;

/** The prepaid balances at one mint. */
export interface PrepaidBook extends PrepaidService {
  /** Returns whether a balance in this book has this key. */
  has(key: string): boolean;
  /** Returns whether a balance in this book has this id. */
  hasId(id: string): boolean;
  /**
   * Reserves a request's price, once for each `requestHash`. Throws `prepaid_balance_blocked`, `prepaid_balance_too_low`, and `already_paid` if the
   * charge for that hash isn't the caller's.
   */
  reserve(caller: Caller, key: string, terms: ChargeTerms): StoredCharge;
  /** Settles the deposits that are used up. Call this in the transaction that settles a balance's charge. */
  cover(balance: number): void;
  /** Refunds a token that was paid into a balance, if nobody has proven that they have the balance's key. */
  refundUnproven(payment: ChargePayment): Promise<ChargeChange>;
}

interface PrepaidParts {
  store: WalletStore;
  mint: Pick<Mint, 'inspect' | 'states' | 'encode'>;
  redeem: Redeem;
  /** Prepares a charge. Returns a function that writes the charge. */
  draft(terms: OwnedTerms): Promise<() => StoredCharge>;
  /** Takes a place for a request to the mint that brings no sats. Throws `mint_error`. */
  takeRequest(): void;
  /** Makes a payment's change, once. */
  change(payment: ChargePayment): Promise<ChargeChange | undefined>;
  /** Called after a charge changed. */
  onChange(charge: number): void;
}

/** A charge needs time limits, but a deposit isn't refunded when they pass. */
const DEPOSIT_SECONDS = 3_600;

/** Hashes a key. SECURITY: reading the database must not be enough to spend customers' balances. */
const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

const newKey = (): string => `sk-${randomBytes(32).toString('hex')}`;

const notFound = () =>
  new AppError(
    'prepaid_balance_not_found',
    'No prepaid balance has this key. Deposit a token to get one.',
  ).withHint({ route: 'POST /api/prepaid-balances', text: 'POST /api/prepaid-balances creates one.' });

const sumOfPaid = (payments: readonly ChargePayment[]): number =>
  payments.reduce((sum, { paid }) => sum + paid, 0);

const shown = (balance: StoredBalance): PrepaidBalance => ({
  id: balance.id,
  ...(balance.agent === undefined ? {} : { agent: balance.agent }),
  available: Math.max(0, balance.available),
  reserved: balance.reserved,
  spent: balance.spent,
  createdAt: new Date(balance.createdAt).toISOString(),
  ...(balance.blockedAt === undefined ? {} : { blocked: true as const }),
});

/** Creates the {@link PrepaidBook} of a mint's wallet. */
export const createPrepaidBook = ({
  store,
  mint,
  redeem,
  draft,
  takeRequest,
  change,
  onChange,
}: PrepaidParts): PrepaidBook => {
  const { charges, prepaid } = store;

  const get = (number: number | undefined): StoredBalance => {
    const balance = number === undefined ? undefined : prepaid.get(number);
    if (!balance) throw new Error('a payment names a balance that is not there');
    return balance;
  };

  /** Returns a balance. SECURITY: its key works only for whoever opened it, so other sellers can't draw from it. */
  const require = (caller: Caller, key: string): StoredBalance => {
    const balance = prepaid.byKey(hashOf(key));
    if (!balance || !owns(caller, balance.owner)) throw notFound();
    if (balance.provenAt === undefined) prepaid.prove(balance.number);
    return balance;
  };

  const requireUnblocked = ({ blockedAt }: StoredBalance) => {
    if (blockedAt === undefined) return;
    throw new AppError(
      'prepaid_balance_blocked',
      'The operator has blocked this balance. It can’t pay for work or be topped up, but it can be refunded.',
    );
  };

  /** Pays a token into a balance. If needed, `balance` creates one in the transaction. */
  const deposit = async (
    token: string,
    { owner, agent, label }: BalanceFields & { owner: Owner },
    { balance, isSame }: { balance(): number; isSame(payment: ChargePayment): boolean },
  ): Promise<ChargePayment> => {
    const create = await draft({
      owner,
      agent,
      label,
      // No request matches this hash, so it only has to be unique.
      requestHash: randomBytes(32).toString('hex'),
      amount: 1,
      ttlSeconds: DEPOSIT_SECONDS,
      holdSeconds: DEPOSIT_SECONDS,
    });
    let created: StoredCharge | undefined;
    try {
      const { receive } = await redeem(token, {
        asked: () => ({ amount: 1, faceValue: 1 }),
        open() {
          created = create();
          return created;
        },
        balance,
        isSame({ payment }) {
          const before = payment === undefined ? undefined : charges.payment(payment);
          return before?.balance !== undefined && isSame(before);
        },
      });
      const payment = charges.payment(receive);
      if (!payment) throw new Error('a deposit was not found after it was paid');
      return payment;
    } catch (error) {
      if (created) charges.expire(created.number);
      throw error;
    }
  };

  const settle = (payment: ChargePayment, charged: number) => {
    if (charges.decide(payment.operation, { charged })) onChange(payment.charge);
    // The payment is used up, so there's no change.
    if (charged === payment.paid) charges.finish(payment.operation);
  };

  const unsettled = (balance: number) =>
    charges.deposits(balance).filter(({ charged }) => charged === undefined);

  /**
   * Joins the tokens of refunds into one, without the proofs that were redeemed. Undefined if all were. Throws
   * `charge_held` if the mint is processing the only others. Rejects with `MintError`, because a token with a spent proof
   * is worth nothing to its customer.
   */
  const joinUnspent = async (parts: readonly ChargeChange[]): Promise<ChargeChange | undefined> => {
    const opened = await Promise.all(
      parts.map(async (part) => {
        const token = await mint.inspect(part.token);
        if (!('opened' in token)) throw new Error('the wallet can’t read its own token');
        return { part, proofs: token.opened.proofs };
      }),
    );
    const states = await mint.states(opened.flatMap(({ proofs }) => proofs.map(({ y }) => y)));
    let at = 0;
    const unspent = opened
      .map(({ part, proofs }) => ({ part, proofs: proofs.filter(() => states[at++] === 'UNSPENT') }))
      .filter(({ proofs }) => proofs.length > 0);
    if (unspent.length === 0 && states.includes('PENDING'))
      throw new AppError(
        'charge_held',
        'The mint is still processing an earlier refund of this balance, so somebody may be redeeming it. Try again in a moment.',
        { retryAfterSeconds: 5 },
      );
    if (unspent.length === 0) return undefined;
    const proofs = unspent.flatMap((each) => each.proofs);
    return {
      token: await mint.encode(proofs, undefined),
      amount: sumOf(proofs),
      fee: unspent.reduce((total, { part }) => total + part.fee, 0),
    };
  };

  /**
   * Settles the cost of uses, and refunds the rest. The response holds every earlier refund too that nobody redeemed, so
   * that one whose response was lost isn't lost.
   */
  const empty = async (number: number): Promise<ChargeChange> => {
    store.transaction(() => {
      const balance = get(number);
      if (balance.reserved > 0)
        throw new AppError(
          'charge_held',
          'A request that this balance pays for is still running. Try again in a moment.',
          { retryAfterSeconds: 2 },
        );
      const open = unsettled(number);
      let toCover = sumOfPaid(open) - balance.available;
      for (const payment of open) {
        const charged = Math.min(toCover, payment.paid);
        toCover -= charged;
        settle(payment, charged);
      }
    });
    const refunded = charges.deposits(number).filter(({ paid, charged = paid }) => charged < paid);
    // SECURITY: anybody who has a key can repeat a refund as often as they like.
    if (refunded.length > 0 && refunded.every((payment) => payment.change !== undefined)) takeRequest();
    const parts: ChargeChange[] = [];
    // One at a time, so that the next refund can use the remaining proofs.
    for (const payment of refunded.filter(({ isSwept }) => !isSwept)) {
      const part = await change(payment);
      if (part) parts.push(part);
    }
    const refund = await joinUnspent(parts);
    const swept = refunded.find(({ isSwept }) => isSwept);
    // This throws `refund_swept`.
    if (!refund && swept) await change(swept);
    if (!refund)
      throw new AppError('nothing_to_refund', 'This balance is empty.', {
        charged: get(number).spent,
      });
    return refund;
  };

  return {
    has: (key) => prepaid.byKey(hashOf(key)) !== undefined,
    hasId: (id) => prepaid.byId(id) !== undefined,
    setBlocked(id, isBlocked) {
      const balance = prepaid.byId(id);
      if (!balance)
        throw new AppError('prepaid_balance_not_found', 'No prepaid balance has this id.').withHint({
          route: 'GET /api/charges',
          text: 'GET /api/charges lists the ids of balances that paid.',
        });
      prepaid.setBlocked(balance.number, isBlocked);
      return shown(get(balance.number));
    },

    async open(caller, token, { agent, label }) {
      const owner = ownerOf(caller);
      const key = newKey();
      const payment = await deposit(
        token,
        { owner, agent, label },
        {
          balance: () => prepaid.add(hashOf(key), owner, agent),
          isSame(before) {
            const balance = get(before.balance);
            return balance.provenAt === undefined && balance.owner === owner && balance.agent === agent;
          },
        },
      );
      const { number } = get(payment.balance);
      // The response with the first key may be lost. The key can be replaced only until it's used.
      if (!prepaid.replaceKey(number, hashOf(key)))
        throw new AppError(
          'charge_is_deposit',
          'This token was already paid into a prepaid balance, and that balance’s key has already been used. Keep using that key.',
        );
      return { prepaidKey: key, balance: shown(get(number)) };
    },

    read: (caller, key) => shown(require(caller, key)),

    async topUp(caller, key, token) {
      const found = require(caller, key);
      requireUnblocked(found);
      const { number, owner, agent } = found;
      const { paid } = await deposit(
        token,
        { owner, agent },
        { balance: () => number, isSame: ({ balance }) => balance === number },
      );
      return { added: paid, balance: shown(get(number)) };
    },

    async refund(caller, key) {
      const { number } = require(caller, key);
      const refund = await empty(number);
      return { refund, balance: shown(get(number)) };
    },

    reserve(caller, key, terms) {
      const found = require(caller, key);
      requireUnblocked(found);
      const { number, agent } = found;
      if (terms.agent !== undefined && agent !== terms.agent) throw notFound();
      const owner = ownerOf(caller);
      const charge = store.transaction(() => {
        const before = prepaid.chargeOf(number, terms.requestHash);
        if (before !== undefined) {
          // SECURITY: the customer knows the hash and the key too, but without a key the charge's id is the proof.
          if (owner !== null && charges.get(before)?.owner === owner) return before;
          throw new AppError(
            'already_paid',
            'This balance already pays for a request with this requestHash. Use a different one for each request.',
          );
        }
        const { available } = get(number);
        if (available < terms.amount)
          throw new AppError(
            'prepaid_balance_too_low',
            `This costs up to ${terms.amount} sat, but the balance has only ${available} sat available.`,
            { required: terms.amount, available },
          );
        // The balance pays this charge, so it needs no payment request.
        const created = charges.add({ ...terms, owner }, { paymentRequest: '', faceValue: terms.amount });
        prepaid.reserve(number, created.number, terms.amount);
        return created.number;
      });
      const reserved = charges.get(charge);
      if (!reserved) throw new Error('a charge was not found after it was reserved');
      return reserved;
    },

    cover(balance) {
      const open = unsettled(balance);
      const { available, reserved } = get(balance);
      let toCover = sumOfPaid(open) - available - reserved;
      for (const payment of open) {
        if (toCover < payment.paid) return;
        settle(payment, payment.paid);
        toCover -= payment.paid;
      }
    },

    async refundUnproven({ balance }) {
      const { number, provenAt } = get(balance);
      if (provenAt !== undefined)
        throw new AppError(
          'charge_is_deposit',
          'This token was paid into a prepaid balance. Use that balance’s key to get the rest.',
        );
      return empty(number);
    },
  };
};
