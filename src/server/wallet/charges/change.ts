import type { ChargeChange } from '../../../shared/api/charge-fields.ts';
import type { ErrorCode } from '../../../shared/api/errors.ts';
import { AppError } from '../../platform/app-error.ts';
import { createKeyedLock } from '../../platform/keyed-lock.ts';
import type { Logger } from '../../platform/logger.ts';
import { pendingError } from '../operations/problems.ts';
import { inspectReclaim, type Receiver, type WalletContext } from '../operations/receive.ts';
import type { Spender } from '../operations/spend.ts';
import type { ChargePayment } from '../store/charges-table.ts';
import { failureError, type Operation } from '../store/operation.ts';

/** How long a customer can fetch change or a refund: 180 days, as in Routstr. */
const REFUNDS_KEPT_MS = 180 * 24 * 60 * 60_000;

/** How long an expired unpaid charge is still listed. */
const UNPAID_KEPT_MS = 24 * 60 * 60_000;

/** The longest time between two checks of what customers are owed. */
const LOOK_EVERY_MS = 10 * 60_000;

interface ChangeParts {
  context: WalletContext;
  receiver: Receiver;
  spender: Spender;
  logger: Logger;
  /** Called with a charge's number after it changed. */
  onChange(charge: number): void;
}

/** Gives customers the rest of their payments. */
interface ChangeMaker {
  /**
   * Makes the change for a settled or refunded payment, once. Undefined if nothing is left after the fee.
   * Throws `send_pending` and the errors of a send. A later call resumes the send.
   */
  change(payment: ChargePayment): Promise<ChargeChange | undefined>;
  /** Call after a payment arrives, or after an operation with change ends. */
  paymentChanged(): void;
}

/** Returns a completed send as change. The rest of the amount owed is the fee. */
const changeOf = ({ paid, charged = 0 }: ChargePayment, send: Operation | undefined) =>
  send?.kind === 'send' && send.state === 'completed'
    ? { token: send.token, amount: send.amount, fee: paid - charged - send.amount }
    : undefined;

/** Send failures caused by the wallet's own proofs. A retry uses other proofs or other keysets. */
const OF_OWN_PROOFS: readonly ErrorCode[] = ['already_spent', 'unknown_keyset', 'fee_too_high'];

/** Converts a send's error for a caller who wants change, and so can't choose a fee or proofs. */
const ofChange = (error: unknown): unknown =>
  error instanceof AppError && OF_OWN_PROOFS.includes(error.code)
    ? new AppError(
        'wallet_busy',
        'The mint refused the proofs that the wallet sent to make the customer’s change. Try again in a moment.',
        { retryAfterSeconds: 1 },
        error,
      )
    : error;

export const createChangeMaker = ({
  context,
  receiver,
  spender,
  logger,
  onChange,
}: ChangeParts): ChangeMaker => {
  const { store, clock, queue } = context;
  const { charges } = store;
  const lock = createKeyedLock();
  let lookAt = clock.now();
  let forgottenBeforeMs = 0;
  /** The last payment whose change the previous check tried to take back, or 0 after all of them. */
  let sweptUpTo = 0;

  const finish = (payment: ChargePayment, kept = 0) => {
    charges.finish(payment.operation, kept);
    onChange(payment.charge);
  };

  const make = async (operation: number): Promise<ChargeChange | undefined> => {
    const payment = charges.payment(operation);
    if (payment?.charged === undefined) throw new Error('a payment without a result has no change');
    if (payment.isSwept)
      throw new AppError(
        'refund_swept',
        'Nobody fetched this refund within 180 days, so the seller took it back.',
      );
    const owed = payment.paid - payment.charged;
    if (payment.kept > 0) return undefined;
    if (owed === 0) {
      finish(payment);
      return undefined;
    }
    const before = payment.change === undefined ? undefined : store.operations.get(payment.change);
    if (before?.state === 'pending') throw pendingError(before);
    const known = changeOf(payment, before);
    if (known) {
      finish(payment);
      return known;
    }
    const send = await spender
      .send({
        amount: owed,
        isChange: true,
        bind(written) {
          charges.setChange(operation, written.number);
          store.attributions.set(written.number, store.attributions.of(operation));
        },
      })
      .catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'amount_below_fee') return undefined;
        throw ofChange(error);
      });
    if (!send) {
      finish(payment, owed);
      return undefined;
    }
    if (send.state === 'pending') throw pendingError(send);
    if (send.state === 'failed') throw ofChange(failureError(send.failure));
    finish(payment);
    return changeOf(payment, send);
  };

  const change = ({ operation }: ChargePayment) => lock.run(`${operation}`, () => make(operation));

  /** Takes back change that wasn't fetched in time. */
  const sweep = async (payment: ChargePayment) => {
    const send = payment.change === undefined ? undefined : store.operations.get(payment.change);
    if (send?.state !== 'completed' || send.kind !== 'send') return;
    // A reclaim that an earlier check started may have ended since.
    if (!send.reclaimed) {
      try {
        const { operation } = await receiver.receive(await inspectReclaim(context, send), () => undefined);
        if (operation.state === 'pending') return;
        if (operation.state === 'failed') throw failureError(operation.failure);
      } catch (error) {
        const isGone =
          error instanceof AppError && ['already_spent', 'amount_below_fee'].includes(error.code);
        if (!isGone) throw error;
      }
    }
    charges.markSwept(payment.operation);
  };

  /** Runs a task for each payment. Logs a failure, and continues with the next payment. */
  const each = async (
    payments: readonly ChargePayment[],
    task: (payment: ChargePayment) => Promise<unknown>,
  ) => {
    for (const payment of payments) {
      if (queue.isStopped()) return;
      await task(payment).catch((error: unknown) =>
        logger.debug({ err: error }, 'a customer will get their change later'),
      );
    }
  };

  /** Decides payments that weren't settled in time. */
  const refundOverdue = async () => {
    for (const payment of charges.overdue()) {
      if (charges.decide(payment.operation, { charged: 0 })) onChange(payment.charge);
    }
    for (const charge of store.prepaid.overdue()) {
      if (store.prepaid.decide(charge, { charged: 0 })) onChange(charge);
    }
    lookAt = clock.now();
    looks.changed();
  };

  const look = async () => {
    lookAt = clock.now() + LOOK_EVERY_MS;
    await each(
      charges.unfinished().filter(({ charged }) => charged !== undefined),
      change,
    );
    const unswept = charges.unswept(clock.now() - REFUNDS_KEPT_MS, sweptUpTo);
    sweptUpTo = unswept.at(-1)?.operation ?? 0;
    await each(unswept, sweep);
    if (queue.isStopped()) return;
    store.failedReceives.forget();
    // Earlier charges that still exist were paid, or are removed with their failed payment.
    const beforeMs = clock.now() - UNPAID_KEPT_MS;
    charges.forgetUnpaid(forgottenBeforeMs, beforeMs);
    forgottenBeforeMs = beforeMs;
  };

  // It waits for no mint, so that a slow one doesn't delay the decisions.
  const overdue = queue.add('overdue charges', {
    dueAt: charges.nextRefundAt,
    work: refundOverdue,
    shortestMs: 0,
    longestMs: LOOK_EVERY_MS,
  });
  const looks = queue.add('change', {
    dueAt: () => lookAt,
    work: look,
    shortestMs: 0,
    longestMs: LOOK_EVERY_MS,
  });

  return { change, paymentChanged: overdue.changed };
};
