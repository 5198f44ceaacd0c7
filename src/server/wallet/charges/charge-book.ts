import type { ChargeState } from '../../../shared/api/charge-state.ts';
import type {
  Charge,
  ChargeReceipt,
  Charges,
  ChargeUse,
  RefundedToken,
  ReleasedCharge,
  SettledCharge,
} from '../../../shared/api/charges.ts';
import type { EventData } from '../../../shared/api/events.ts';
import { chargedSats } from '../../../shared/price-math.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Keysets } from '../mint/mint.ts';
import type { MintWallet } from '../operations/mint-wallet.ts';
import { pendingError } from '../operations/problems.ts';
import { feeOfToken } from '../operations/spend.ts';
import type { ChargePayment, ChargeTerms, StoredCharge } from '../store/charges-table.ts';
import { failureError, type Operation, sumOf } from '../store/operation.ts';
import { createChangeMaker } from './change.ts';

/** The charges of a wallet, as their routes call it. `agent` limits a caller to the charges of an agent. */
export interface ChargeService {
  /** Throws `too_many_charges`. */
  create(terms: ChargeTerms): Promise<Charge>;
  /** Throws `charge_not_found`, `charge_expired`, `already_paid`, `amount_too_low`, and the errors of a receive. */
  pay(id: string, token: string, agent?: string): Promise<Charge>;
  /** Pays the open charge of a request, or a new one. Throws like {@link pay}. */
  openAndPay(terms: ChargeTerms, token: string): Promise<Charge>;
  settle(id: string, use: ChargeUse, agent?: string): Promise<SettledCharge>;
  release(id: string, agent?: string): Promise<ReleasedCharge>;
  refund(token: string, agent?: string): Promise<RefundedToken>;
  get(id: string, agent?: string): Charge;
  list(cursor: string | undefined, limit: number, agent?: string, state?: ChargeState): Charges;
}

/** The charges at one mint. */
export interface ChargeBook extends Omit<ChargeService, 'list'> {
  /** The charges before a number, newest first. */
  page(
    before: number,
    limit: number,
    agent?: string,
    state?: ChargeState,
  ): { number: number; charge: Charge }[];
  /** Whether a charge is in this book. */
  has(id: string): boolean;
  /** Call after an operation ended. */
  operationEnded(operation: Operation): void;
  start(): void;
  stop(): Promise<void>;
}

/** Dependencies of a {@link ChargeBook}. */
interface ChargeBookParts {
  wallet: Pick<MintWallet, 'context' | 'receiver' | 'spender'>;
  logger: Logger;
  publish(event: EventData<'charge'>): void;
  /** Called after what customers are owed changed. */
  onOwedChanged(): void;
}

/** How a token pays. */
interface Redemption {
  /** What must arrive, in sat. Throws if the charge can't be paid. */
  required(): number;
  /** The charge, in the transaction that writes its receive. Throws if it can't be paid. */
  open(): StoredCharge;
  /** Whether a charge that the token pays or paid before is the one of this request. */
  isSame(charge: StoredCharge): boolean;
}

/** The most charges that wait for a payment at once. Each is a row on disk that a stranger can ask for. */
const MOST_OPEN = 50_000;

/** The face value, in sat, at which a usual token is worth `amount` after the mint's fee. */
const faceValueFor = (amount: number, keysets: Keysets): number => {
  let face = amount;
  while (face - feeOfToken(face, keysets) < amount) face += 1;
  return face;
};

/** What the work costs, in sat. */
const costOf = (
  { price }: StoredCharge,
  { amount, inputTokens = 0, outputTokens = 0, cacheReadTokens = 0 }: ChargeUse,
) => {
  if (amount !== undefined) return amount;
  if (price) return chargedSats(price, { inputTokens, outputTokens, cacheReadTokens });
  throw new AppError(
    'charge_not_priced',
    'This charge has a flat price, so settle it with amount instead of model tokens.',
  );
};

const notFound = () =>
  new AppError(
    'charge_not_found',
    'There is no such charge. It may have expired unpaid more than a day ago.',
  ).withHint({ route: 'GET /api/charges', text: 'GET /api/charges lists all.' });

const alreadyPaid = (what = 'This one was not touched.') =>
  new AppError('already_paid', `Another token has paid this charge. ${what}`);

const requireEnough = (received: number, required: number) => {
  if (received >= required) return;
  throw new AppError(
    'amount_too_low',
    `This token would bring ${received} sat, and ${required} sat are required. It was not touched.`,
    { required, received },
  );
};

const expired = () =>
  new AppError('charge_expired', 'This charge can no longer be paid. The token was not touched.');

const isoOf = (ms: number): string => new Date(ms).toISOString();

const receiptOf = ({ id }: StoredCharge, payment: ChargePayment): ChargeReceipt => ({
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
    onChange: ({ charge }) => changed(charge),
  });

  const paymentOf = ({ payment }: StoredCharge): ChargePayment | undefined =>
    payment === undefined ? undefined : charges.payment(payment);

  const shown = (charge: StoredCharge): Charge => {
    const { id, state, amount, agent, label, requestHash, price, paymentRequest, faceValue } = charge;
    const payment = paymentOf(charge);
    const isPaid = payment?.paymentState === 'completed';
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
      ...(isPaid ? { paid: payment.paid } : {}),
      ...(payment?.charged === undefined ? {} : { charged: payment.charged }),
      ...(operation ? { operationId: operation.id } : {}),
    };
  };

  /** SECURITY: a key of an agent learns nothing of other agents' charges. */
  const require = (id: string, agent: string | undefined): StoredCharge => {
    const charge = charges.byId(id);
    if (!charge || (agent !== undefined && charge.agent !== agent)) throw notFound();
    return charge;
  };

  const reread = ({ number }: StoredCharge): StoredCharge => {
    const charge = charges.get(number);
    if (!charge) throw notFound();
    return charge;
  };

  /** The charge that a token pays or paid already, and its receive. */
  const paidBefore = (error: unknown): { charge: StoredCharge; operation: Operation } | undefined => {
    if (!(error instanceof AppError) || typeof error.details?.operationId !== 'string') return undefined;
    const operation = store.operations.byId(error.details.operationId);
    const payment = operation && charges.payment(operation.number);
    const charge = payment && charges.get(payment.charge);
    return charge && operation ? { charge, operation } : undefined;
  };

  const answer = (charge: StoredCharge, operation: Operation): Charge => {
    if (operation.state === 'pending') throw pendingError(operation);
    if (operation.state === 'failed') throw failureError(operation.failure);
    return shown(reread(charge));
  };

  /** Throws if a charge can't be paid now. */
  const requirePayable = (charge: StoredCharge) => {
    const payment = paymentOf(charge);
    if (payment && payment.paymentState !== 'failed') throw alreadyPaid();
    if (charge.expiresAt <= clock.now()) throw expired();
  };

  /** Redeems a token for a charge. A token that pays or paid this charge already gets the same answer. */
  const redeem = async (token: string, { required, open, isSame }: Redemption): Promise<Charge> => {
    const again = (error: unknown): Charge => {
      const before = paidBefore(error);
      if (!before || !isSame(before.charge)) throw error;
      // The mint redeemed it after all, when another one had paid.
      if (before.charge.payment !== before.operation.number)
        throw alreadyPaid('This one arrived late, and is refunded.');
      return answer(before.charge, before.operation);
    };
    const prepared = await receiver.inspect(token).catch(again);
    if ('id' in prepared) return prepared;
    // A fee above the face value brings nothing.
    const received = Math.max(0, sumOf(prepared.proofs) - prepared.fee);
    requireEnough(received, required());
    let charge: StoredCharge | undefined;
    const receiving = receiver.receive(prepared, (written) => {
      const opened = open();
      // Another charge of the request may have become the one to pay.
      requireEnough(received, opened.amount);
      charges.addPayment(opened.number, written.number);
      store.attributions.set(written.number, opened);
      charge = opened;
    });
    const done = await receiving.catch(again);
    if ('id' in done) return done;
    if (!charge) throw new Error('a receive was written without its charge');
    return answer(charge, done.operation);
  };

  const requirePayment = (charge: StoredCharge): ChargePayment => {
    const payment = paymentOf(charge);
    if (payment?.paymentState === 'completed') return payment;
    throw new AppError(
      'charge_open',
      'Nobody has paid this charge yet. Pay it before you settle or release it.',
    );
  };

  /** Records what a charge costs, once. Throws if something else was recorded before. */
  const decide = (charge: StoredCharge, wanted: number, isRelease: boolean): ChargePayment => {
    const { operation, paid } = requirePayment(charge);
    const charged = Math.min(wanted, paid);
    if (charges.decide(operation, charged, wanted > paid)) changed(charge.number);
    const payment = charges.payment(operation);
    if (payment?.charged === undefined) throw new Error('a decision was not recorded');
    if (payment.charged === charged) return payment;
    throw payment.charged === 0 && !isRelease
      ? new AppError('already_refunded', 'The customer of this charge got everything back.')
      : new AppError(
          'already_settled',
          `This charge was settled with ${payment.charged} sat, and that doesn't change.`,
          { charged: payment.charged },
        );
  };

  const requireRoom = () => {
    if (charges.countOpen(MOST_OPEN) < MOST_OPEN) return;
    throw new AppError(
      'too_many_charges',
      `${MOST_OPEN} charges wait for a payment. Try again when some have expired.`,
      { retryAfterSeconds: 60 },
    );
  };

  /** Prepares a charge. The returned function writes it. */
  const draft = async (terms: ChargeTerms): Promise<() => StoredCharge> => {
    const faceValue = faceValueFor(terms.amount, await mint.keysets(false));
    const paymentRequest = await mint.request(faceValue);
    return () => charges.add(terms, { paymentRequest, faceValue });
  };

  return {
    has: (id) => charges.byId(id) !== undefined,

    async create(terms) {
      requireRoom();
      const charge = (await draft(terms))();
      publish({ id: charge.id, state: charge.state, agent: charge.agent ?? null });
      return shown(charge);
    },

    async pay(id, token, agent) {
      const asked = require(id, agent);
      const open = () => {
        const charge = reread(asked);
        requirePayable(charge);
        return charge;
      };
      return redeem(token, {
        required: () => open().amount,
        open,
        isSame: ({ number }) => number === asked.number,
      });
    },

    async openAndPay(terms, token) {
      const quoted = () => charges.openFor(terms.requestHash, terms.agent);
      const create = await draft(terms);
      let created: StoredCharge | undefined;
      const open = () => {
        const charge = quoted();
        if (charge) return charge;
        created = create();
        return created;
      };
      try {
        return await redeem(token, {
          required: () => quoted()?.amount ?? terms.amount,
          open,
          isSame: ({ requestHash, agent }) => requestHash === terms.requestHash && agent === terms.agent,
        });
      } catch (error) {
        // Nobody else was asked to pay it.
        const unpaid = created && charges.get(created.number);
        if (unpaid && paymentOf(unpaid)?.paymentState === 'failed') charges.expire(unpaid.number);
        throw error;
      }
    },

    async settle(id, use, agent) {
      const charge = require(id, agent);
      const payment = decide(charge, costOf(charge, use), false);
      const change = await changes.change(payment);
      const settled = charges.payment(payment.operation) ?? payment;
      return {
        charged: settled.charged ?? 0,
        ...(change ? { change } : {}),
        receipt: receiptOf(charge, settled),
      };
    },

    async release(id, agent) {
      const charge = require(id, agent);
      const payment = decide(charge, 0, true);
      const refund = await changes.change(payment);
      return {
        state: 'refunded',
        ...(refund ? { refund } : {}),
        receipt: receiptOf(charge, charges.payment(payment.operation) ?? payment),
      };
    },

    async refund(token, agent) {
      const { ys } = await mint.describe(token);
      const operation = store.operations.ofInput(ys);
      const payment = operation && charges.payment(operation.number);
      const charge = payment && charges.get(payment.charge);
      if (!charge || (agent !== undefined && charge.agent !== agent))
        throw new AppError(
          'charge_not_found',
          'No charge was paid with this token. If it was refused, it is still worth its sats.',
        );
      const held = (why: string) =>
        new AppError('charge_held', `${why} Try again in a moment.`, { retryAfterSeconds: 2 });
      if (payment.paymentState !== 'completed') throw held('The mint is still processing this payment.');
      if (payment.charged === undefined) throw held('The work that this token paid for is not done yet.');
      const refund = await changes.change(payment);
      if (!refund)
        throw new AppError(
          'nothing_to_refund',
          payment.charged === payment.paid
            ? 'The work cost all that was paid, so there is no change.'
            : "The change was less than the mint's fee for it.",
          { charged: payment.charged },
        );
      return { state: payment.charged === 0 ? 'refunded' : 'settled', refund };
    },

    get: (id, agent) => shown(require(id, agent)),

    page: (before, limit, agent, state) =>
      charges
        .page(before, limit, { agent, state })
        .map((charge) => ({ number: charge.number, charge: shown(charge) })),

    operationEnded({ number }) {
      const payment = charges.payment(number) ?? charges.paymentOfChange(number);
      if (!payment) return;
      changed(payment.charge);
      changes.lookSoon();
    },

    start: changes.start,
    stop: changes.stop,
  };
};
