import { AppError } from '../../platform/app-error.ts';
import type { Proof } from '../mint/mint.ts';
import { pendingError } from '../operations/problems.ts';
import type { Receiver, WalletContext } from '../operations/receive.ts';
import type { StoredCharge } from '../store/charges-table.ts';
import { failureError, type Operation, sumOf } from '../store/operation.ts';

/** What a customer is asked for: the amount that should arrive, and the face value that the payment request names. In sats. */
export type Asked = Pick<StoredCharge, 'amount' | 'faceValue'>;

/** The part of the price that a seller loses, rounded up, if a token's fee is higher than the payment request assumed. */
const MOST_LOST_PART = 10;

/**
 * Returns whether a token pays. The price must arrive. But a customer whose token is worth what the payment request asks for
 * can't know the mint's fee for it, so it pays if at most a tenth of the price is missing.
 */
const isEnough = (face: number, received: number, { amount, faceValue }: Asked): boolean =>
  received >= amount ||
  (face >= faceValue && received > 0 && received >= amount - Math.ceil(amount / MOST_LOST_PART));

/** How a token pays. */
interface Redemption {
  /** Returns what the customer is asked for, in sats. Throws if the charge can't be paid. */
  asked(): Asked;
  /** Returns the charge, in the transaction that writes its receive. Throws if it can't be paid. */
  open(): StoredCharge;
  /** Returns the number of the prepaid balance that the token is paid into, in the same transaction. */
  balance?(): number;
  /** Returns whether a charge that this token is paying or has paid belongs to this request. */
  isSame(charge: StoredCharge): boolean;
}

/** A charge that a token paid, and the number of its receive. */
export interface Redeemed {
  charge: StoredCharge;
  receive: number;
}

/** Redeems a token for a charge. A token that already paid this charge gets the same response. */
export type Redeem = (token: string, redemption: Redemption) => Promise<Redeemed>;

/** The error if another token has paid the charge. */
export const alreadyPaid = (what = 'This one was not redeemed.') =>
  new AppError('already_paid', `Another token has paid this charge. ${what}`);

const tooLow = (received: number, required: number, isUnspent: boolean) =>
  new AppError(
    'amount_too_low',
    `This token is worth ${received} sat after the fee, but the payment must be at least ${required} sat. It was not redeemed.`,
    { required, received, ...(isUnspent ? { unspent: true as const } : {}) },
  );

/** Creates the function that redeems tokens for charges. */
export const createRedeem = (
  { store, mint, tokenShare }: Pick<WalletContext, 'store' | 'mint' | 'tokenShare'>,
  receiver: Receiver,
): Redeem => {
  const { charges } = store;

  /** Returns the charge that this token is paying or has paid, and its receive. */
  const paidBefore = (error: unknown): { charge: StoredCharge; operation: Operation } | undefined => {
    if (!(error instanceof AppError) || typeof error.details?.operationId !== 'string') return undefined;
    const operation = store.operations.byId(error.details.operationId);
    const payment = operation && charges.payment(operation.number);
    const charge = payment && charges.get(payment.charge);
    return charge && operation ? { charge, operation } : undefined;
  };

  const response = ({ number }: StoredCharge, operation: Operation): Redeemed => {
    if (operation.state === 'pending') throw pendingError(operation);
    if (operation.state === 'failed') throw failureError(operation.failure);
    const charge = charges.get(number);
    if (!charge) throw new Error('a charge was not found after its payment');
    return { charge, receive: operation.number };
  };

  /** Returns whether the mint calls all of a token's proofs unspent. */
  const isUnspent = async (proofs: readonly Pick<Proof, 'y'>[]): Promise<boolean> => {
    try {
      tokenShare.takeRequest();
      const states = await mint.states(proofs.map(({ y }) => y));
      return states.every((state) => state === 'UNSPENT');
    } catch {
      return false;
    }
  };

  return async (token, { asked, open, balance, isSame }) => {
    const again = (error: unknown): Redeemed => {
      const before = paidBefore(error);
      if (!before || !isSame(before.charge)) throw error;
      // The mint redeemed this token after all, but by then another token had paid.
      if (before.charge.payment !== before.operation.number)
        throw alreadyPaid('This one arrived too late, so its sats are refunded.');
      return response(before.charge, before.operation);
    };
    const prepared = await receiver.inspect(token).catch(again);
    if ('charge' in prepared) return prepared;
    const face = sumOf(prepared.proofs);
    // A fee above the face value leaves nothing.
    const received = Math.max(0, face - prepared.fee);
    const price = asked();
    if (!isEnough(face, received, price))
      throw tooLow(received, price.amount, await isUnspent(prepared.proofs));
    let charge: StoredCharge | undefined;
    const receiving = tokenShare.redeem(prepared, () =>
      receiver.receive(prepared, (written) => {
        const opened = open();
        // By now, the request may have to pay a different charge.
        if (!isEnough(face, received, opened)) throw tooLow(received, opened.amount, false);
        charges.addPayment(opened.number, written.number, balance?.());
        store.attributions.set(written.number, opened);
        charge = opened;
      }),
    );
    const done = await receiving.catch(again);
    if ('charge' in done) return done;
    if (!charge) throw new Error('a receive was written without its charge');
    // An earlier payment with this token, which had failed, may be the one that the mint carried out.
    if (done.operation.state === 'failed') return again(failureError(done.operation.failure));
    return response(charge, done.operation);
  };
};
