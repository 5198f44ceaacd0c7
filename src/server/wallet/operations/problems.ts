import { ERRORS } from '../../../shared/api/errors.ts';
import { type InvalidReason, type OperationKind, REASON_CODES } from '../../../shared/api/wallet.ts';
import { MOST_TOKENS } from '../../../shared/bare-token.ts';
import { OTHER_PAYMENT_TEXTS } from '../../../shared/other-payment.ts';
import { AppError } from '../../platform/app-error.ts';
import { MintError, TokenError } from '../mint/mint.ts';
import type { Failure, Operation, Taken } from '../store/operation.ts';
import type { Refused, Wait } from './decide.ts';
import type { RefusedReading } from './read-token.ts';

const RETRY_AFTER_SECONDS = 5;

/** NUT error code for a keyset that has expired (NUT-02). */
const KEYSET_EXPIRED = 12_003;

/** Describes why a token is refused. */
export const tokenFailure = (reason: InvalidReason): Failure => ({
  code: REASON_CODES[reason],
  message: ERRORS[REASON_CODES[reason]].message,
});

/** The error for an amount, in sats, that the mint's fee would use up. */
export const belowFeeError = (amount: number, fee: number): AppError =>
  new AppError(
    'amount_below_fee',
    `The mint’s fee is ${fee} sat, which would use up the full ${amount} sat.`,
  );

/** The error for a send of an amount, in sats, whose token would be worth less than the fee for redeeming it. */
export const worthlessError = (amount: number, fee: number): AppError =>
  new AppError(
    'amount_below_fee',
    `The mint’s fee for redeeming a token of ${amount} sat is ${fee} sat, so nobody could redeem it. Send more.`,
  );

/** Returns what to do with text that contains several tokens. Undefined for other text. */
export const severalTokensMessage = (instead: RefusedReading['isInstead']): string | undefined => {
  if (typeof instead !== 'object') return undefined;
  const { tokens } = instead;
  return `This text has ${tokens < MOST_TOKENS ? tokens : `at least ${tokens}`} tokens. Send them one at a time.`;
};

/**
 * Describes where a token is from. SECURITY: the token's author chose the address, so the sentence repeats it only if
 * it can't mislead.
 */
export const originOf = (mint: string): string => {
  if (mint === '') return 'This token is from several mints';
  const isShown = URL.canParse(mint) && mint.length <= 200;
  return `This token is from ${isShown ? new URL(mint).href : 'another mint'}`;
};

/** The error for a token that the wallet refused to read. It names `mintUrl`, the mint that the wallet accepts. */
export const refusalError = (
  { refusal, limit, description, isInstead }: RefusedReading,
  mintUrl: string,
): AppError => {
  if (typeof isInstead === 'string')
    return new AppError('malformed_token', OTHER_PAYMENT_TEXTS[isInstead].message, { looksLike: isInstead });
  const several = severalTokensMessage(isInstead);
  if (several !== undefined) return new AppError('malformed_token', several);
  if (refusal === 'wrong_mint') {
    return new AppError(
      'wrong_mint',
      `${originOf(description?.mint ?? '')}. This wallet only accepts tokens from ${mintUrl}, so ask the sender for one.`,
      { acceptedMints: [mintUrl] },
    );
  }
  const { code, message } = tokenFailure(refusal);
  return new AppError(code, message, refusal === 'too_large' ? { limit } : {});
};

/** The failure if a mint's fee is higher than the caller accepts. Both in sats. */
export const feeTooHighFailure = (fee: number, maxFee: number): Failure => ({
  code: 'fee_too_high',
  message: `The mint’s fee is ${fee} sat, but the limit is ${maxFee} sat. To accept this fee, send again with maxFee ${fee}.`,
  details: { fee, maxFee },
});

/** The failure for a token that this wallet has redeemed or is redeeming. */
export const ownTokenFailure = ({ state, operation }: Taken): Failure => {
  if (!operation) return tokenFailure(state === 'completed' ? 'spent' : 'pending');
  const { id, createdAt, amount } = operation;
  const receivedAt = new Date(createdAt).toISOString();
  const details = { operationId: id, receivedAt, receivedAmount: amount };
  return state === 'completed'
    ? {
        code: 'token_spent',
        message: `This wallet already received this token: ${amount} sat on ${receivedAt.slice(0, 10)} at ${receivedAt.slice(11, 19)} UTC. It can’t be used again, so ask for another token.`,
        details,
      }
    : {
        code: 'token_in_progress',
        message:
          'This wallet is already receiving this token. GET /api/wallet/operations/<operationId> reports the outcome.',
        details: { ...details, retryAfterSeconds: RETRY_AFTER_SECONDS },
      };
};

/** The failure if the mint couldn't be reached before anything happened. */
const mintFailure = (error: MintError): Failure => {
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

/** Returns whether an operation uses the wallet's own proofs, so a bad token can't be the cause. */
export const isOfOwnProofs = (kind: OperationKind): boolean => kind === 'send' || kind === 'swap';

const spentFailure = (kind: OperationKind): Failure => {
  if (isOfOwnProofs(kind)) {
    return {
      code: 'already_spent',
      message:
        'Another copy of this wallet spent some of its proofs. The balance has been corrected. Try again.',
    };
  }
  return kind === 'reclaim'
    ? {
        code: 'already_spent',
        message: 'This token has already been redeemed, so there is nothing to reclaim.',
      }
    : tokenFailure('spent');
};

const heldFailure = (): Failure => ({
  code: 'wallet_busy',
  message: 'The mint is still processing some of this wallet’s proofs. Try again later.',
  details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
});

const tooLargeFailure = ({
  error,
  limit: { what, most },
}: Extract<Refused, { why: 'too_large' }>): Failure => {
  const said = most === undefined ? ` It says: ${error.message}.` : ` It accepts at most ${most} ${what}.`;
  return {
    code: 'token_too_large',
    message: `This is more than the mint accepts in one swap.${said} Split the token into smaller ones.`,
    details: { ...codeOf(error), ...(most === undefined ? {} : { limit: most }) },
  };
};

const codeOf = ({ details: { mintCode } }: MintError) => (mintCode === undefined ? {} : { mintCode });

/** Describes an operation's refused exchange for people and programs, including the mint's own words. */
export const refusedFailure = (refused: Refused, kind: OperationKind): Failure => {
  switch (refused.why) {
    case 'never_sent':
      return mintFailure(refused.error);
    case 'inputs_spent':
      return spentFailure(kind);
    case 'inputs_pending':
      return heldFailure();
    case 'inputs_refused': {
      const details = codeOf(refused.error);
      return isOfOwnProofs(kind)
        ? { code: 'mint_refused', message: 'The mint refused one of this wallet’s own proofs.', details }
        : { ...tokenFailure('invalid_signature'), details };
    }
    case 'too_large':
      return tooLargeFailure(refused);
    case 'mint_refused':
      return {
        code: 'mint_refused',
        message:
          refused.error.details.mintCode === KEYSET_EXPIRED
            ? 'The mint refused, because a keyset has expired. Nobody can redeem its sats anymore.'
            : `The mint refused: ${refused.error.message}`,
        details: codeOf(refused.error),
      };
    case 'keyset_unlisted':
      return tokenFailure('unknown_keyset');
    case 'no_active_keyset':
      return { code: 'mint_error', message: 'The mint has no active keyset.' };
    case 'below_fee':
      return tokenFailure('below_fee');
    case 'fee_too_high':
      return feeTooHighFailure(refused.fee, refused.feeMax);
    case 'rewritten_too_often':
      return {
        code: 'mint_refused',
        message: 'The mint repeatedly refused the outputs of this swap. Try again later.',
      };
  }
};

const waitMessage = (wait: SeenWait): string => {
  switch (wait.why) {
    case 'mint_working':
      return 'The mint is still processing this operation. The wallet will check again.';
    case 'partly_signed':
      return 'The mint returned only some of the signatures. The wallet will check again.';
    default:
      return `${wait.error.message} The wallet retries automatically.`;
  }
};

/** A wait whose reason the operation shows. `confirming` isn't one, because the operation's state already shows it. */
export type SeenWait = Exclude<Wait, { why: 'confirming' }>;

/** Describes why an operation's exchange waits, for people and programs. */
export const waitFailure = (wait: SeenWait, kind: OperationKind): Failure => {
  const message = waitMessage(wait);
  if (wait.why === 'mint_unreachable') return { code: 'mint_unreachable', message };
  return { code: kind === 'send' ? 'send_pending' : 'redemption_pending', message };
};

/** Converts {@link TokenError} and {@link MintError} to {@link AppError}. Returns any other error unchanged. */
export const toAppError = (error: unknown): unknown => {
  const failure =
    error instanceof TokenError
      ? tokenFailure(error.reason)
      : error instanceof MintError
        ? mintFailure(error)
        : undefined;
  return failure ? new AppError(failure.code, failure.message, failure.details ?? {}, error) : error;
};

/** The error for an operation that is still pending at the deadline. The wallet keeps working on it. */
export const pendingError = ({ id, kind }: Operation): AppError => {
  const details = { operationId: id, retryAfterSeconds: RETRY_AFTER_SECONDS };
  return isOfOwnProofs(kind)
    ? new AppError(
        'send_pending',
        'The mint hasn’t responded yet. The wallet keeps trying, and the token will appear in the history.',
        details,
      )
    : new AppError(
        'redemption_pending',
        'The mint may have accepted the token. The wallet keeps checking. GET /api/wallet/operations/<operationId> reports the outcome.',
        details,
      );
};

/** The error for a second reclaim of a send while the first is pending. */
export const reclaimPendingError = (reclaim?: Operation): AppError =>
  new AppError(
    'send_pending',
    'This wallet is already reclaiming this token. The mint hasn’t responded yet.',
    {
      ...(reclaim ? { operationId: reclaim.id } : {}),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );

/** The error for a receive while the words are missing, because new proofs couldn't be restored. */
export const seedMissingError = (): AppError =>
  new AppError(
    'seed_missing',
    'The file with this wallet’s backup words is missing. Open the wallet and enter the words, or accept new ones. Until then, the wallet can only send.',
  );

/** The error for a token that would give the wallet more sats than exist. */
export const tooManySatsError = (): AppError =>
  new AppError(
    'token_too_large',
    'With this token, the wallet would hold more sats than exist. Ask the operator whether the mint can be trusted.',
  );

/** The error for anything that needs real sats in DEV_MODE. */
export const devModeError = () =>
  new AppError(
    'dev_mode',
    'This needs real money, but the wallet holds only test money. Set DEV_MODE=false and MINT_URL, then restart dot-mi.',
  );

/** Runs a task, and converts its errors with {@link toAppError}. */
export const withAppErrors = async <T>(task: () => Promise<T>): Promise<T> => {
  try {
    return await task();
  } catch (error) {
    throw toAppError(error);
  }
};
