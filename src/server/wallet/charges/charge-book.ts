import type { UsedTokens } from '../../../shared/api/charge-fields.ts';
import type {
  Charge,
  ChargeQuote,
  ChargeReceipt,
  Charges,
  ChargeUse,
  RefundedToken,
  ReleasedCharge,
  ReleaseUse,
  SettledCharge,
} from '../../../shared/api/charges.ts';
import type { EventData } from '../../../shared/api/events.ts';
import { chargedSats } from '../../../shared/price-math.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Caller } from '../../platform/caller.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Keysets } from '../mint/mint.ts';
import type { MintWallet } from '../operations/mint-wallet.ts';
import { redeemedLimit } from '../operations/read-token.ts';
import { feeOfToken } from '../operations/spend.ts';
import { ownerOf, owns } from '../owner.ts';
import type {
  ChargeFilter,
  ChargePayment,
  ChargeTerms,
  Cost,
  Decision,
  OwnedTerms,
  Owner,
  StoredCharge,
} from '../store/charges-table.ts';
import type { Operation } from '../store/operation.ts';
import type { SalesTable } from '../store/sales-table.ts';
import { createChangeMaker } from './change.ts';
import { createPrepaidBook, type PrepaidBook, type PrepaidService } from './prepaid-balances.ts';
import { alreadyPaid, createRedeem } from './redeem.ts';

/**
 * A wallet's charges, as the routes call them. A caller that doesn't own a charge ({@link owns}) gets `charge_not_found`,
 * as for one that doesn't exist.
 */
export interface ChargeService {
  /** Throws `too_many_charges`. */
  create(caller: Caller, terms: ChargeTerms): Promise<Charge>;
  /** Throws `charge_expired`, `already_paid`, `amount_too_low` and the errors of a receive. */
  pay(caller: Caller, id: string, token: string): Promise<Charge>;
  /** Returns the price of a request and keeps it in memory. `asked` is equal for equal requests. */
  quote(caller: Caller, terms: ChargeTerms, asked: string): Promise<ChargeQuote>;
  /** Pays a new charge at the caller's lowest quoted price for the request, or at these terms. Throws the errors of {@link pay}. */
  openAndPay(caller: Caller, terms: ChargeTerms, token: string): Promise<Charge>;
  /**
   * Reserves a request's price in a prepaid balance. Throws `prepaid_balance_not_found`, `prepaid_balance_too_low` and
   * `already_paid`.
   */
  openAndReserve(caller: Caller, terms: ChargeTerms, prepaidKey: string): Promise<Charge>;
  settle(caller: Caller, id: string, use: ChargeUse): Promise<SettledCharge>;
  release(caller: Caller, id: string, use: ReleaseUse): Promise<ReleasedCharge>;
  refund(caller: Caller, token: string): Promise<RefundedToken>;
  get(caller: Caller, id: string): Charge;
  readonly prepaid: PrepaidService;
  /** Lists a key's charges, or all for the operator. */
  list(caller: Caller, page: ChargePage): Charges;
  /** The paid requests of customers at all mints. */
  readonly sales: SalesTable;
}

/** A page of the list of charges, which begins after `cursor`. */
export interface ChargePage extends ChargeFilter {
  cursor: string | undefined;
  limit: number;
}

/** The charges at one mint. */
export interface ChargeBook extends Omit<ChargeService, 'list' | 'prepaid' | 'sales'> {
  readonly prepaid: PrepaidBook;
  /** Returns the charges before a number, newest first. */
  page(
    caller: Caller,
    before: number,
    limit: number,
    filter: ChargeFilter,
  ): { number: number; charge: Charge }[];
  /** Returns whether a charge is in this book. */
  has(id: string): boolean;
  /** Call this after an operation ended. */
  operationEnded(operation: Operation): void;
}

interface ChargeBookParts {
  wallet: Pick<MintWallet, 'context' | 'receiver' | 'spender'>;
  logger: Logger;
  publish(event: EventData<'charge'>): void;
  /** Called after an amount owed to customers changed. */
  onOwedChanged(): void;
}

/** How many face values are tried. At a fee of 1 sat per proof, 60 are enough. */
const MOST_FACES_TRIED = 1_000;

/** The limit for unpaid charges of an owner. Each is a row on disk. */
const MOST_OPEN = 1_000;

/** The number of requests whose quotes are kept for an owner. Strangers can ask for them. */
const MOST_QUOTES = 2_000;

/** The number of prices that are kept for a request. Only its seller changes them. */
const MOST_PRICES = 8;

/** What a customer must pay for a charge. Amounts in sats. */
type Price = Pick<StoredCharge, 'paymentRequest' | 'faceValue'>;

/** A price that a customer got. Times in milliseconds since 1970. */
interface Quote extends Price {
  terms: OwnedTerms;
  /** What the seller asked for. */
  asked: string;
  quotedAt: number;
  expiresAt: number;
}

/**
 * Creates the quotes of all owners. They are in memory, so that a stranger's question doesn't write to the disk. A request has
 * one quote for each price that its seller asked for while they hold, so a change of price closes none early.
 */
const createQuotes = (clock: Clock) => {
  const owners = new Map<Owner, Map<string, Quote[]>>();
  const nameOf = ({ agent, requestHash }: Pick<ChargeTerms, 'agent' | 'requestHash'>) =>
    JSON.stringify([requestHash, agent]);
  /** Returns the quotes for a request that hold, the oldest first, also if the clock was set back meanwhile. */
  const holding = (terms: OwnedTerms): Quote[] => {
    const now = clock.now();
    const quotes = owners.get(terms.owner)?.get(nameOf(terms)) ?? [];
    return quotes.filter(({ quotedAt, expiresAt }) => quotedAt <= now && now < expiresAt);
  };
  return {
    /** Returns the quote for a request whose seller asked for the same. */
    find: (terms: OwnedTerms, asked: string): Quote | undefined =>
      holding(terms).find((quote) => quote.asked === asked),
    /** Returns the lowest quote for a request. */
    lowest: (terms: OwnedTerms): Quote | undefined =>
      holding(terms).reduce<Quote | undefined>(
        (low, quote) => (low && low.terms.amount <= quote.terms.amount ? low : quote),
        undefined,
      ),
    /** Keeps a quote, and forgets its owner's oldest request if there are too many. */
    keep(quote: Quote): void {
      const { terms } = quote;
      const requests = owners.get(terms.owner) ?? new Map<string, Quote[]>();
      owners.set(terms.owner, requests);
      const name = nameOf(terms);
      const quotes = [...holding(terms), quote].slice(-MOST_PRICES);
      // The newest is the last one.
      requests.delete(name);
      requests.set(name, quotes);
      const [oldest] = requests.keys();
      if (requests.size > MOST_QUOTES && oldest !== undefined) requests.delete(oldest);
    },
  };
};

/**
 * Returns the face value, in sats, that a typical token needs to be worth `amount` after the mint's fee: the lowest one,
 * or one that is always enough if the fee is so high that none of the next 1,000 is. SECURITY: the mint chooses the fee.
 */
const faceValueFor = (amount: number, keysets: Keysets): number => {
  // A typical token has one proof for each 1 in its amount in base 2, so no amount has a higher fee than this one.
  const most = amount + feeOfToken(2 ** 53 - 1, keysets);
  const last = Math.min(most, amount + MOST_FACES_TRIED);
  for (let face = amount; face < last; face++) if (face - feeOfToken(face, keysets) >= amount) return face;
  return most;
};

/** Returns the cost of the work, in sats. */
const costOf = (
  { price }: StoredCharge,
  { amount, inputTokens = 0, outputTokens = 0, ...others }: ChargeUse,
) => {
  if (amount !== undefined) return amount;
  if (price?.marginPercent !== undefined) {
    const { marginPercent } = price;
    const work = { inputTokens, outputTokens, ...others };
    // Work that used nothing that its provider reported isn't free.
    return Math.max(1, chargedSats({ ...price, marginPercent }, work));
  }
  throw new AppError(
    'charge_not_priced',
    'This charge has a flat price, so settle it with "amount" instead of model tokens.',
  );
};

const notFound = () =>
  new AppError(
    'charge_not_found',
    'There is no such charge. It may have expired unpaid more than a day ago.',
  ).withHint({ route: 'GET /api/charges', text: 'GET /api/charges lists your key’s charges.' });

const expired = () =>
  new AppError('charge_expired', 'This charge can no longer be paid. The token was not redeemed.');

const isoOf = (ms: number): string => new Date(ms).toISOString();

const usedBy = ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
  requests,
  largestInputTokens,
}: ReleaseUse): UsedTokens | undefined =>
  inputTokens === undefined || outputTokens === undefined
    ? undefined
    : {
        inputTokens,
        outputTokens,
        ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
        ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
        ...(requests === undefined ? {} : { requests }),
        ...(largestInputTokens === undefined ? {} : { largestInputTokens }),
      };

const receiptOf = ({ id }: StoredCharge, payment: Decision): ChargeReceipt => ({
  chargeId: id,
  charged: payment.charged ?? 0,
  paid: payment.paid,
  ...(payment.isCapped ? { capped: true as const } : {}),
  ...(payment.kept > 0 ? { changeKept: payment.kept } : {}),
  settledAt: isoOf(payment.decidedAt ?? 0),
});

/** Creates the {@link ChargeBook} of a mint's wallet. */
export const createChargeBook = ({ wallet, logger, publish, onOwedChanged }: ChargeBookParts): ChargeBook => {
  const { context, receiver, spender } = wallet;
  const { store, mint, clock, mintUrl } = context;
  const { charges } = store;

  const changed = (number: number) => {
    const charge = charges.get(number);
    onOwedChanged();
    if (charge) publish({ id: charge.id, state: charge.state, agent: charge.agent ?? null });
  };
  const changes = createChangeMaker({
    context,
    receiver,
    spender,
    logger,
    onChange: changed,
  });

  const redeem = createRedeem(context, receiver);
  const quotes = createQuotes(clock);

  const paymentOf = ({ payment }: StoredCharge): ChargePayment | undefined =>
    payment === undefined ? undefined : charges.payment(payment);

  const shown = (charge: StoredCharge): Charge => {
    const { id, state, amount, agent, label, requestHash, price, paymentRequest, faceValue } = charge;
    const payment = paymentOf(charge);
    const decision = charge.use ?? (payment?.paymentState === 'completed' ? payment : undefined);
    const balance = charge.use?.balance ?? payment?.balance;
    const operation = payment && store.operations.get(payment.operation);
    return {
      id,
      state,
      amount,
      unit: 'sat',
      mints: [mintUrl],
      ...(agent === undefined ? {} : { agent }),
      ...(label === undefined ? {} : { label }),
      requestHash,
      createdAt: isoOf(charge.createdAt),
      expiresAt: isoOf(charge.expiresAt),
      paymentRequest,
      faceValue,
      ...(price ? { price } : {}),
      ...(decision ? { paid: decision.paid } : {}),
      ...(decision?.charged === undefined ? {} : { charged: decision.charged }),
      ...(decision?.used ? { used: decision.used } : {}),
      ...(balance === undefined ? {} : { balanceId: store.prepaid.get(balance)?.id }),
      ...(operation ? { operationId: operation.id } : {}),
    };
  };

  /** Returns a charge. SECURITY: callers learn nothing about the charges of others. */
  const require = (caller: Caller, id: string): StoredCharge => {
    const charge = charges.byId(id);
    if (!charge || !owns(caller, charge.owner)) throw notFound();
    return charge;
  };

  const reread = ({ number }: StoredCharge): StoredCharge => {
    const charge = charges.get(number);
    if (!charge) throw notFound();
    return charge;
  };

  /** Throws if a charge can't be paid now. */
  const requirePayable = (charge: StoredCharge) => {
    const payment = paymentOf(charge);
    if (charge.use || (payment && payment.paymentState !== 'failed')) throw alreadyPaid();
    if (charge.expiresAt <= clock.now()) throw expired();
  };

  /** Returns how a charge was paid, and its receive if a token paid it. */
  const requirePaid = (charge: StoredCharge): { decision: Decision; receive?: number } => {
    if (charge.use) return { decision: charge.use };
    const payment = paymentOf(charge);
    if (payment?.balance !== undefined)
      throw new AppError(
        'charge_is_deposit',
        'This charge is a deposit into a prepaid balance. It is settled once requests have used up the deposit.',
      );
    if (payment?.paymentState === 'completed') return { decision: payment, receive: payment.operation };
    throw new AppError(
      'charge_open',
      'Nobody has paid this charge yet. It must be paid before you can settle or release it.',
    );
  };

  /** Records what a charge costs, unless it's already recorded. */
  const write = (charge: StoredCharge, receive: number | undefined, cost: Cost): boolean => {
    if (receive !== undefined) return charges.decide(receive, cost);
    if (!store.prepaid.decide(charge.number, cost)) return false;
    if (charge.use) prepaid.cover(charge.use.balance);
    return true;
  };

  /** Records what a charge costs, once, and makes its change. Throws if something else was recorded before. */
  const decide = async (charge: StoredCharge, wanted: number, use: ReleaseUse, isRelease = false) => {
    const { decision, receive } = requirePaid(charge);
    const { paid } = decision;
    const charged = Math.min(wanted, paid);
    const cost = { charged, isCapped: wanted > paid, used: usedBy(use) };
    if (store.transaction(() => write(charge, receive, cost))) changed(charge.number);
    const decided = requirePaid(reread(charge)).decision;
    if (decided.charged === undefined) throw new Error('a decision was not recorded');
    if (decided.charged !== charged)
      throw decided.charged === 0 && !isRelease
        ? new AppError('already_refunded', 'This charge was fully refunded.')
        : new AppError(
            'already_settled',
            `This charge was settled for ${decided.charged} sat, and that can’t be changed.`,
            { charged: decided.charged },
          );
    const payment = receive === undefined ? undefined : charges.payment(receive);
    const change = payment && (await changes.change(payment));
    return { change, receipt: receiptOf(charge, requirePaid(reread(charge)).decision) };
  };

  /** SECURITY: each owner has a limit of its own, so that no caller can use up the others'. */
  const requireRoom = (owner: Owner) => {
    if (charges.countOpen(owner, MOST_OPEN) < MOST_OPEN) return;
    throw new AppError(
      'too_many_charges',
      `${MOST_OPEN} of your charges are waiting for payment. Try again after some of them expire.`,
      { retryAfterSeconds: 60 },
    );
  };

  const priceOf = async (amount: number): Promise<Price> => {
    const faceValue = faceValueFor(amount, await mint.keysets(false));
    return { faceValue, paymentRequest: await mint.request(faceValue) };
  };

  /** Prepares a charge. Returns a function that writes the charge. */
  const draft = async (terms: OwnedTerms): Promise<() => StoredCharge> => {
    const price = await priceOf(terms.amount);
    return () => charges.add(terms, price);
  };

  const quotedAs = ({ terms, expiresAt, paymentRequest, faceValue }: Quote): ChargeQuote => ({
    amount: terms.amount,
    unit: 'sat',
    mints: [mintUrl],
    ...(terms.agent === undefined ? {} : { agent: terms.agent }),
    requestHash: terms.requestHash,
    expiresAt: isoOf(expiresAt),
    paymentRequest,
    faceValue,
    ...(terms.price ? { price: terms.price } : {}),
  });

  const prepaid = createPrepaidBook({
    store,
    mint,
    redeem,
    draft,
    takeRequest: context.tokenShare.takeRequest,
    change: changes.change,
    onChange: changed,
  });

  return {
    prepaid,
    has: (id) => charges.byId(id) !== undefined,

    async create(caller, terms) {
      const owner = ownerOf(caller);
      requireRoom(owner);
      const charge = (await draft({ ...terms, owner }))();
      publish({ id: charge.id, state: charge.state, agent: charge.agent ?? null });
      return shown(charge);
    },

    async quote(caller, terms, asked) {
      const owned = { ...terms, owner: ownerOf(caller) };
      const known = quotes.find(owned, asked);
      if (known) return quotedAs(known);
      const price = await priceOf(terms.amount);
      const quotedAt = clock.now();
      const expiresAt = quotedAt + terms.ttlSeconds * 1_000;
      const quote = { ...price, terms: owned, asked, quotedAt, expiresAt };
      // SECURITY: without a key, nobody can prove later that this price is theirs.
      if (owned.owner !== null) quotes.keep(quote);
      return quotedAs(quote);
    },

    async pay(caller, id, token) {
      const asked = require(caller, id);
      const open = () => {
        const charge = reread(asked);
        requirePayable(charge);
        return charge;
      };
      const { charge } = await redeem(token, {
        asked: open,
        open,
        isSame: ({ number }) => number === asked.number,
      });
      return shown(charge);
    },

    async openAndPay(caller, terms, token) {
      const owner = ownerOf(caller);
      const { requestHash, agent } = terms;
      const owned = { ...terms, owner };
      const quoted = quotes.lowest(owned);
      const price = quoted ?? (await priceOf(terms.amount));
      const payable = quoted?.terms ?? owned;
      let created: StoredCharge | undefined;
      try {
        const { charge } = await redeem(token, {
          asked: () => ({ amount: payable.amount, faceValue: price.faceValue }),
          open() {
            created = charges.add(payable, price);
            return created;
          },
          // SECURITY: without a key, only a charge's id proves who opened it, so neither the hash nor the token reveals it.
          isSame: (before) =>
            owner !== null &&
            before.owner === owner &&
            before.requestHash === requestHash &&
            before.agent === agent,
        });
        return shown(charge);
      } catch (error) {
        // Nobody else was asked to pay this charge.
        const unpaid = created && charges.get(created.number);
        if (unpaid && paymentOf(unpaid)?.paymentState === 'failed') charges.expire(unpaid.number);
        throw error;
      }
    },

    async openAndReserve(caller, terms, key) {
      const charge = prepaid.reserve(caller, key, terms);
      changed(charge.number);
      changes.paymentChanged();
      return shown(charge);
    },

    async settle(caller, id, use) {
      const charge = require(caller, id);
      const { change, receipt } = await decide(charge, costOf(charge, use), use);
      return { charged: receipt.charged, ...(change ? { change } : {}), receipt };
    },

    async release(caller, id, use) {
      const { change: refund, receipt } = await decide(require(caller, id), 0, use, true);
      return { state: 'refunded', ...(refund ? { refund } : {}), receipt };
    },

    async refund(caller, token) {
      const { ys } = await mint.describe(token, redeemedLimit(store));
      const held = (why: string) =>
        new AppError('charge_held', `${why} Try again in a moment.`, { retryAfterSeconds: 2 });
      const find = (operation: { number: number } | undefined) => {
        const payment = operation && charges.payment(operation.number);
        const charge = payment && charges.get(payment.charge);
        return charge && owns(caller, charge.owner) ? { charge, payment } : undefined;
      };
      const paid = () => find(ys && store.operations.ofInput(ys)?.operation);
      let found = paid();
      if (!found && ys && store.operations.recheckedWith(ys).some(find)) {
        context.tokenShare.takeRequest();
        await context.recovery.recheckTakers(ys);
        found = paid();
        // The mint may still report that it carried out the payment, unless it calls the token unspent.
        if (!found && (await mint.states(ys)).some((state) => state !== 'UNSPENT'))
          throw held('The mint is still processing this payment.');
      }
      if (!found)
        throw new AppError(
          'charge_not_found',
          'No charge was paid with this token. If it was refused, you can still spend it.',
        );
      const { payment } = found;
      if (payment.paymentState !== 'completed') throw held('The mint is still processing this payment.');
      if (payment.balance !== undefined)
        return { state: 'refunded', refund: await prepaid.refundUnproven(payment) };
      if (payment.charged === undefined) throw held('The work that this token paid for is not done yet.');
      const refund = await changes.change(payment);
      if (!refund)
        throw new AppError(
          'nothing_to_refund',
          payment.charged === payment.paid
            ? 'The work cost the full amount paid, so there is nothing to refund.'
            : 'The amount left was less than the mint’s fee to refund it.',
          { charged: payment.charged },
        );
      return { state: payment.charged === 0 ? 'refunded' : 'settled', refund };
    },

    get: (caller, id) => shown(require(caller, id)),

    page: (caller, before, limit, filter) =>
      charges
        .page(before, limit, {
          ...filter,
          owner: caller.kind === 'operator' ? undefined : ownerOf(caller),
        })
        .map((charge) => ({ number: charge.number, charge: shown(charge) })),

    operationEnded({ number }) {
      const payment = charges.payment(number) ?? charges.paymentOfChange(number);
      if (!payment) return;
      changed(payment.charge);
      changes.paymentChanged();
    },
  };
};
