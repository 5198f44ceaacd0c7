import { z } from 'zod';
import { OTHER_PAYMENTS } from '../../other-payment.ts';
import { type ErrorInfo, retryAfter } from '../error-info.ts';
import { message } from '../fields.ts';
import { operationId } from './fields.ts';

const mintRefusal = z.object({ mintCode: z.int().optional().describe("The mint's own error code.") });
const ownReceive = z.object({
  operationId: z.string().optional().describe('The operation with which this wallet received the token.'),
  receivedAt: z.iso.datetime().optional().describe('When that operation began.'),
  receivedAmount: z.int().optional().describe('The sats that it credited, or will credit.'),
});

/** The rows of the wallet in the table of errors. */
export const WALLET_ERRORS = {
  malformed_token: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'Not a Cashu token',
    message:
      'This is not a complete Cashu token. Copy it again, from its beginning (cashuA or cashuB) to its end.',
    advice: 'dot-mi can’t read this text. Copy the token again, from “cashu” to its end.',
    details: z.object({
      looksLike: z.enum(OTHER_PAYMENTS).optional().describe('The kind of the text, if it is a known one.'),
    }),
  },
  wrong_mint: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'A token from another mint',
    message:
      'This token is from another mint. This wallet only accepts tokens from the mint that MINT_URL names.',
    advice: 'This wallet only accepts tokens from its own mint. Ask the sender for one from that mint.',
    details: z.object({
      acceptedMints: z.array(z.string()).optional().describe('The mints whose tokens this wallet accepts.'),
    }),
  },
  wrong_unit: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'Not in sats',
    message: 'This token is not in sats. This wallet only accepts sats.',
    advice: 'This wallet only holds sats. Ask the sender for a token in sats.',
  },
  token_locked: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'Locked to a key',
    message:
      'This token is locked to a key that this wallet does not have. Ask its sender for one without a lock.',
    advice: 'Only the holder of that key can redeem it. Ask the sender for a token without a lock.',
  },
  invalid_signature: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'This token is invalid or forged',
    message: 'This token is invalid or forged. Ask its sender for another one.',
    advice: 'The mint’s signatures don’t match this token. Ask the sender for another one.',
    details: mintRefusal,
  },
  unknown_keyset: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'Unknown keyset',
    message: "The mint does not know this token's keyset. Ask its sender for another one.",
    advice: 'The mint doesn’t know the keys of this token. Ask the sender to swap it for a new one.',
  },
  amount_below_fee: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'Worth less than its fee',
    message: "The mint's fee would use up this token. Ask its sender for a larger one.",
    advice: 'The mint’s fee would take all of it, so nothing is left to receive. Ask for a larger token.',
  },
  token_too_large: {
    status: 422,
    retryable: false,
    title: 'Too many proofs for the mint',
    message:
      'This token has more proofs than the mint accepts in one swap. Ask its sender for several smaller tokens.',
    advice: 'The mint accepts fewer proofs at once. Ask the sender to split it into several tokens.',
    details: mintRefusal.extend({
      limit: z.int().optional().describe('The most proofs that the mint accepts in one swap.'),
    }),
  },
  token_spent: {
    status: 409,
    retryable: false,
    next: 'giveUp',
    title: 'Already spent',
    message: 'This token has already been spent. Ask its sender for another one.',
    advice:
      'Someone redeemed all or part of this token before. If this wallet didn’t receive it, ask the sender for a new one.',
    details: ownReceive,
  },
  token_in_progress: {
    status: 409,
    retryable: true,
    title: 'Being redeemed right now',
    message: 'Another request is redeeming this token right now. Try again in a moment.',
    advice: 'The mint is processing this token, perhaps for this wallet. Check again in a minute.',
    details: ownReceive.extend({
      retryAfterSeconds: z
        .int()
        .optional()
        .describe('In how many seconds to try again, as in the header Retry-After.'),
    }),
  },
  mint_refused: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'The mint refused it',
    details: mintRefusal,
  },
  mint_error: {
    status: 502,
    retryable: true,
    title: 'The mint’s response can’t be used',
    details: retryAfter,
  },
  mint_unreachable: { status: 503, retryable: true, title: 'The mint can’t be reached', details: retryAfter },
  redemption_pending: {
    status: 503,
    retryable: true,
    title: 'The mint may have redeemed it',
    details: retryAfter.extend({ operationId }),
  },
  operation_not_found: { status: 404, retryable: false, title: 'The wallet doesn’t know this operation' },
  insufficient_funds: { status: 422, retryable: false, next: 'ask', title: 'Not enough in the wallet' },
  fee_too_high: {
    status: 422,
    retryable: true,
    next: 'ask',
    title: 'The mint’s fee is too high',
    details: z.object({
      fee: z.int().describe("The mint's fee, in sat."),
      maxFee: z.int().describe('The highest fee that was allowed.'),
    }),
  },
  send_pending: {
    status: 503,
    retryable: true,
    title: 'The token isn’t ready yet',
    details: retryAfter.extend({ operationId: operationId.optional() }),
  },
  spend_limit_reached: {
    status: 403,
    retryable: true,
    next: 'ask',
    title: 'The key’s limit for today is reached',
    details: z.object({
      satsPerDay: z.int().describe("The key's limit."),
      spentToday: z.int().describe('The sats that count for it so far.'),
      resetsAt: z.iso.datetime().describe('When the next day begins.'),
    }),
  },
  already_spent: { status: 409, retryable: false, next: 'giveUp', title: 'The proofs are already spent' },
  not_reclaimable: { status: 409, retryable: false, next: 'giveUp', title: 'This token can’t be taken back' },
  dev_mode: { status: 409, retryable: false, next: 'ask', title: 'Not possible with test money' },
  real_money: { status: 409, retryable: false, next: 'ask', title: 'Only possible with test money' },
  invalid_mnemonic: { status: 422, retryable: false, title: 'These aren’t backup words' },
  wrong_words: { status: 422, retryable: false, title: 'These aren’t the words of this wallet' },
  nothing_found: {
    status: 409,
    retryable: false,
    title: 'These words hold no sats at this mint',
    details: z.object({
      skipped: z
        .array(
          z.object({
            keysetId: z.string().describe('The id of a keyset of the mint (NUT-02).'),
            reason: message,
          }),
        )
        .optional()
        .describe('Keysets that were not searched.'),
    }),
  },
  seed_missing: { status: 409, retryable: true, next: 'ask', title: 'The backup words are missing' },
  seed_present: { status: 409, retryable: false, title: 'The wallet has its backup words' },
  not_releasable: { status: 409, retryable: false, title: 'This operation can’t be released' },
  released: { status: 409, retryable: false, title: 'The operation was released' },
  wallet_busy: { status: 503, retryable: true, title: 'The wallet is busy', details: retryAfter },
  wallet_locked: {
    status: 503,
    retryable: true,
    next: 'ask',
    title: 'The wallet is locked',
    details: retryAfter,
  },
  test_token_not_found: { status: 404, retryable: false, title: 'No such test token' },
  idempotency_key_reused: { status: 422, retryable: false, title: 'The key was used for another request' },
  idempotency_key_in_use: { status: 409, retryable: true, title: 'The first request is still running' },
  wallet_damaged: { status: 500, retryable: true, next: 'ask', title: 'dot-mi can’t read the wallet' },
} as const satisfies Readonly<Record<string, ErrorInfo>>;
