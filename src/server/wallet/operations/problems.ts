import { ERRORS } from '../../../shared/api/errors.ts';
import { type InvalidReason, REASON_CODES } from '../../../shared/api/wallet.ts';
import { OTHER_PAYMENT_TEXTS, otherPaymentOf } from '../../../shared/other-payment.ts';
import { AppError } from '../../platform/app-error.ts';
import { MintError, TokenError } from '../mint/mint.ts';
import type { Failure, Operation } from '../store/operation.ts';

const RETRY_AFTER_SECONDS = 5;

/** The refusal of a token for a reason. */
export const tokenFailure = (reason: InvalidReason): Failure => ({
  code: REASON_CODES[reason],
  message: ERRORS[REASON_CODES[reason]].message,
});

/** The refusal of a text that asks for sats. Undefined for any other text. */
export const otherPaymentError = (text: string): AppError | undefined => {
  const looksLike = otherPaymentOf(text);
  return looksLike && new AppError('malformed_token', OTHER_PAYMENT_TEXTS[looksLike].message, { looksLike });
};

/** The refusal of a token from another mint, which names the accepted one. */
export const wrongMintError = (mintUrl: string): AppError =>
  new AppError(
    'wrong_mint',
    `This token is from another mint. Ask its sender for one from ${mintUrl}, the only mint that this wallet accepts.`,
    { acceptedMints: [mintUrl] },
  );

/** The refusal of a mint's fee that is higher than the caller accepts. Both in sat. */
export const feeTooHighFailure = (fee: number, maxFee: number): Failure => ({
  code: 'fee_too_high',
  message: `The mint's fee is ${fee} sat, but at most ${maxFee} sat are allowed. To accept this fee, send again with maxFee ${fee}.`,
  details: { fee, maxFee },
});

/** The refusal of a token that this wallet has redeemed or is redeeming. */
export const ownTokenFailure = ({ id, state, createdAt, amount }: Operation): Failure => {
  const receivedAt = new Date(createdAt).toISOString();
  const details = { operationId: id, receivedAt, receivedAmount: amount };
  return state === 'completed'
    ? {
        code: 'token_spent',
        message: `This wallet already received this token: ${amount} sat on ${receivedAt.slice(0, 10)} at ${receivedAt.slice(11, 19)} UTC. It pays for nothing else, so ask for another one.`,
        details,
      }
    : {
        code: 'token_in_progress',
        message:
          'This wallet is already receiving this token. GET /api/wallet/operations/<operationId> reports the outcome.',
        details: { ...details, retryAfterSeconds: RETRY_AFTER_SECONDS },
      };
};

/** NUT error code for inputs whose signature is not the mint's. */
export const PROOF_INVALID = 10_001;

/**
 * The failure for a mint's definite refusal. Most error codes aren't reliable, so it keeps the mint's own
 * words.
 */
export const refusalFailure = ({ message, details: { mintCode, limit } }: MintError): Failure => {
  const code = mintCode === undefined ? {} : { mintCode };
  if (limit) {
    const most =
      limit.most === undefined ? ` It says: ${message}.` : ` It accepts at most ${limit.most} ${limit.what}.`;
    return {
      code: 'token_too_large',
      message: `This is more than the mint accepts in one swap.${most} Split it into smaller tokens.`,
      details: { ...code, ...(limit.most === undefined ? {} : { limit: limit.most }) },
    };
  }
  if (mintCode === PROOF_INVALID) return { ...tokenFailure('invalid_signature'), details: code };
  return { code: 'mint_refused', message: `The mint refused: ${message}`, details: code };
};

/** The failure for a mint that couldn't be asked, before anything happened. */
export const mintFailure = (error: MintError): Failure => {
  const { kind, message } = error;
  const retryAfterMs = error.details.retryAfterMs ?? RETRY_AFTER_SECONDS * 1000;
  const details = { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) };
  if (kind === 'unreachable' || kind === 'unanswered') {
    return { code: 'mint_unreachable', message: `${message} Nothing has changed. Try again.`, details };
  }
  if (kind === 'limited') {
    return {
      code: 'mint_error',
      message: `The mint is limiting requests. Nothing has changed. Try again in ${details.retryAfterSeconds} s.`,
      details,
    };
  }
  return { code: 'mint_error', message: kind === 'refused' ? `The mint refused: ${message}` : message };
};

/**
 * Converts {@link TokenError} and {@link MintError} to {@link AppError}. Returns any other error unchanged.
 */
export const toAppError = (error: unknown): unknown => {
  const failure =
    error instanceof TokenError
      ? tokenFailure(error.reason)
      : error instanceof MintError
        ? mintFailure(error)
        : undefined;
  return failure ? new AppError(failure.code, failure.message, failure.details ?? {}, error) : error;
};

/** The answer for an operation that is still pending at the deadline. The wallet keeps working on it. */
export const pendingError = ({ id, kind }: Operation): AppError => {
  const details = { operationId: id, retryAfterSeconds: RETRY_AFTER_SECONDS };
  return kind === 'send' || kind === 'swap'
    ? new AppError(
        'send_pending',
        "The mint hasn't answered yet. The wallet keeps trying, and the token will appear in the history.",
        details,
      )
    : new AppError(
        'redemption_pending',
        'The mint may have accepted the token. The wallet keeps checking. GET /api/wallet/operations/<operationId> reports the outcome.',
        details,
      );
};

/** The answer to a second reclaim of a send while the first is pending. */
export const reclaimPendingError = (reclaim?: Operation): AppError =>
  new AppError(
    'send_pending',
    "This wallet is already reclaiming this token. The mint hasn't answered yet.",
    {
      ...(reclaim ? { operationId: reclaim.id } : {}),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );

/** Refuses a receive while the words are missing, because new proofs couldn't be restored. */
export const seedMissingError = (): AppError =>
  new AppError(
    'seed_missing',
    "The file with this wallet's backup words is missing. Open the wallet and enter the words, or accept new ones. Until then it can only send.",
  );

/** The refusal of a token with which the wallet would hold more sats than there are bitcoin. */
export const tooManySatsError = (): AppError =>
  new AppError(
    'token_too_large',
    'With this token, the wallet would hold more sats than there are bitcoin. Ask the operator whether the mint can be trusted.',
  );

/** The refusal of anything that needs real sats in DEV_MODE. */
export const devModeError = () =>
  new AppError(
    'dev_mode',
    'DEV_MODE has no real sats. To do this, start dot-mi with DEV_MODE=false and MINT_URL.',
  );
