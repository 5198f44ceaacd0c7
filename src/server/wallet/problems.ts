import type { ErrorCode } from '../../shared/api/errors.ts';
import type { InvalidReason } from '../../shared/api/wallet.ts';
import { AppError } from '../platform/app-error.ts';
import { MintError, TokenError } from './mint.ts';
import type { Failure, Operation } from './operation.ts';

const TOKEN_CODES: Record<InvalidReason, ErrorCode> = {
  malformed: 'malformed_token',
  wrong_mint: 'wrong_mint',
  wrong_unit: 'wrong_unit',
  spent: 'token_spent',
  pending: 'token_in_progress',
  locked: 'token_locked',
  invalid_signature: 'invalid_signature',
  unknown_keyset: 'unknown_keyset',
};

const TOKEN_MESSAGES: Record<InvalidReason, string> = {
  malformed:
    'This is not a whole Cashu token; copy it again from its beginning (cashuA or cashuB) to its end.',
  wrong_mint: 'This token is of another mint; only tokens of the mint that MINT_URL names are taken.',
  wrong_unit: 'This token is not in sat; only sats are taken.',
  spent: 'This token has been spent already; ask its sender for another.',
  pending: 'This token is being redeemed right now; ask again in a while.',
  locked:
    'This token is locked to a key that this wallet does not have; ask its sender for one without a lock.',
  invalid_signature: "The mint's signature on this token is not genuine; ask its sender for another.",
  unknown_keyset: 'The mint does not know the keyset of this token; ask its sender for another.',
};

const RETRY_AFTER_SECONDS = 5;

/** The refusal of a token for a reason. */
export const tokenFailure = (reason: InvalidReason): Failure => ({
  code: TOKEN_CODES[reason],
  message: TOKEN_MESSAGES[reason],
});

/** Codes of cashubtc/cdk for "too many inputs" and "too many outputs"; others answer HTTP 413. */
const TOO_MANY = [11_014, 11_015];

/** What a mint's definite no is answered with. Its codes are not reliable, so all but its limits keep its own words. */
export const refusalFailure = ({ message, details: { mintCode, status } }: MintError): Failure => {
  const details = mintCode === undefined ? {} : { details: { mintCode } };
  if (status === 413 || (mintCode !== undefined && TOO_MANY.includes(mintCode))) {
    return {
      code: 'token_too_large',
      message: `This is more than the mint takes at once: ${message}`,
      ...details,
    };
  }
  return { code: 'mint_refused', message: `The mint refused: ${message}`, ...details };
};

/** The failure of a mint that could not be asked, where nothing has happened yet. */
export const mintFailure = (error: MintError): Failure => {
  const { kind, message } = error;
  if (kind === 'unreachable' || kind === 'unanswered') {
    const retryAfterMs = error.details.retryAfterMs ?? RETRY_AFTER_SECONDS * 1000;
    return {
      code: 'mint_unreachable',
      message: `${message} Nothing has changed; try again.`,
      details: { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) },
    };
  }
  return { code: 'mint_error', message: kind === 'refused' ? `The mint refused: ${message}` : message };
};

/** Turns what the port throws into an answer; anything else stays what it is. */
export const toAppError = (error: unknown): unknown => {
  const failure =
    error instanceof TokenError
      ? tokenFailure(error.reason)
      : error instanceof MintError
        ? mintFailure(error)
        : undefined;
  return failure ? new AppError(failure.code, failure.message, failure.details ?? {}, error) : error;
};

/** The answer for an operation that has not ended in time; it goes on by itself. */
export const pendingError = ({ id, kind }: Operation): AppError => {
  const details = { operationId: id, retryAfterSeconds: RETRY_AFTER_SECONDS };
  return kind === 'send'
    ? new AppError(
        'send_pending',
        'The mint has not answered yet; the wallet finds out by itself, and the token appears in the history.',
        details,
      )
    : new AppError(
        'redemption_pending',
        'The mint may have taken the token; the wallet finds out by itself. Ask GET /api/wallet/operations/<operationId>.',
        details,
      );
};

/** No answer of this wallet is right in DEV_MODE, where there is no money. */
export const devModeError = () =>
  new AppError('dev_mode', 'DEV_MODE has no real sats; start with DEV_MODE=false and MINT_URL to do this.');
