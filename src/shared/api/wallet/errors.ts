import { z } from 'zod';
import { OTHER_PAYMENTS } from '../../other-payment.ts';
import { type ErrorInfo, retryAfter } from '../error-info.ts';
import { message } from '../fields.ts';
import { operationId } from './fields.ts';

const mintRefusal = z.object({
  mintCode: z.int().optional().describe('The mint’s error code. Absent if it sent none.'),
});
const ownReceive = z.object({
  operationId: z
    .string()
    .optional()
    .describe('The id of the operation in which this wallet received the token. Absent if it didn’t.'),
  receivedAt: z.iso
    .datetime()
    .optional()
    .describe('When that operation started. Absent without `operationId`.'),
  receivedAmount: z
    .int()
    .optional()
    .describe('The sats that the operation credited or will credit. Absent without `operationId`.'),
});

/** The wallet's rows in {@link ERRORS}. */
export const WALLET_ERRORS = {
  malformed_token: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'This isn’t a Cashu token',
    message:
      'This is not a complete Cashu token. Copy it again, from the start (cashuA or cashuB) to the end.',
    advice: 'dot-mi can’t read this text. Copy the token again, from “cashu” to the end.',
    details: z.object({
      looksLike: z
        .enum(OTHER_PAYMENTS)
        .optional()
        .describe('The kind of payment text that it is instead. Absent if dot-mi doesn’t know it.'),
    }),
  },
  wrong_mint: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'The token is from another mint',
    message: 'This token is from another mint. This wallet accepts only tokens from the mint in MINT_URL.',
    advice: 'This wallet accepts only tokens from its own mint. Ask the sender for one from that mint.',
    details: z.object({
      acceptedMints: z.array(z.string()).optional().describe('The mints whose tokens this wallet accepts.'),
    }),
  },
  wrong_unit: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'The token isn’t in sats',
    message: 'This token is not in sats. This wallet accepts only sats.',
    advice: 'This wallet accepts only sats. Ask the sender for a token in sats.',
  },
  token_locked: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'The token is locked to a key',
    message:
      'This token is locked to a key that this wallet doesn’t have. Ask the sender for one without a lock.',
    advice: 'Only the holder of that key can redeem it. Ask the sender for a token without a lock.',
  },
  invalid_signature: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'The token is invalid or forged',
    message: 'This token is invalid or forged. Ask the sender for another one.',
    advice: 'The mint’s signatures don’t match this token. Ask the sender for another one.',
    details: mintRefusal,
  },
  token_unsupported: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'This keyset isn’t supported',
    message: 'This token needs a newer dot-mi. Update it, or ask the sender for another token.',
    advice: 'This token needs a newer dot-mi. Update it, or ask the sender for another token.',
  },
  unknown_keyset: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'The mint doesn’t know this keyset',
    message: 'The mint doesn’t know this token’s keyset. Ask the sender for another one.',
    advice: 'The mint doesn’t know this token’s keyset. Ask the sender for another token.',
  },
  amount_below_fee: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'The token is worth less than its fee',
    message: 'The mint’s fee would use up this token. Ask the sender for a larger one.',
    advice: 'The mint’s fee would use up this token. Ask the sender for a larger one.',
  },
  token_too_large: {
    status: 422,
    retryable: false,
    title: 'The token has too many proofs',
    message:
      'This token has more proofs than the mint accepts in one swap. Ask the sender for several smaller tokens.',
    advice:
      'This token has more proofs than the mint accepts in one swap. Ask the sender for several smaller tokens.',
    details: mintRefusal.extend({
      limit: z
        .int()
        .optional()
        .describe('The most proofs that the mint accepts in one swap. Absent if unknown.'),
    }),
  },
  token_spent: {
    status: 409,
    retryable: false,
    next: 'giveUp',
    title: 'The token is already spent',
    message: 'This token is already spent. Ask the sender for another one.',
    advice:
      'Somebody has redeemed all or part of this token. If this wallet didn’t receive it, ask the sender for a new one.',
    details: ownReceive,
  },
  token_in_progress: {
    status: 409,
    retryable: true,
    title: 'The token is being redeemed',
    message: 'Another request is redeeming this token. Try again in a moment.',
    advice: 'The mint is processing this token, perhaps for this wallet. Check again in a minute.',
    details: ownReceive.extend({
      retryAfterSeconds: z
        .int()
        .optional()
        .describe('How long to wait before a retry, in seconds. The header Retry-After has the same value.'),
    }),
  },
  mint_refused: {
    status: 422,
    retryable: false,
    next: 'giveUp',
    title: 'The mint refused the request',
    details: mintRefusal,
  },
  mint_error: {
    status: 502,
    retryable: true,
    title: 'dot-mi can’t use the mint’s response',
    details: retryAfter,
  },
  mint_unreachable: {
    status: 503,
    retryable: true,
    title: 'dot-mi can’t reach the mint',
    details: retryAfter,
  },
  redemption_pending: {
    status: 503,
    retryable: true,
    title: 'The mint may have redeemed the token',
    details: retryAfter.extend({ operationId }),
  },
  operation_not_found: { status: 404, retryable: false, title: 'The wallet doesn’t know this operation' },
  insufficient_funds: {
    status: 422,
    retryable: false,
    next: 'ask',
    title: 'The wallet doesn’t have enough sats',
  },
  fee_too_high: {
    status: 422,
    retryable: true,
    next: 'ask',
    title: 'The mint’s fee is too high',
    details: z.object({
      fee: z.int().describe('The mint’s fee, in sats.'),
      maxFee: z.int().describe('The highest allowed fee, in sats.'),
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
    title: 'The key has reached today’s limit',
    details: z.object({
      satsPerDay: z.int().describe('The key’s limit per day, in sats.'),
      spentToday: z.int().describe('The sats that the key has sent today.'),
      resetsAt: z.iso.datetime().describe('When the limit resets.'),
    }),
  },
  already_spent: { status: 409, retryable: false, next: 'giveUp', title: 'The proofs are already spent' },
  not_reclaimable: {
    status: 409,
    retryable: false,
    next: 'giveUp',
    title: 'This token can’t be taken back',
    details: z.object({
      operationId: z
        .string()
        .optional()
        .describe('The id of the operation that reclaimed the token earlier. Absent if none did.'),
    }),
  },
  dev_mode: { status: 409, retryable: false, next: 'ask', title: 'This doesn’t work with test money' },
  real_money: { status: 409, retryable: false, next: 'ask', title: 'This works only with test money' },
  invalid_mnemonic: { status: 422, retryable: false, title: 'These aren’t backup words' },
  wrong_words: { status: 422, retryable: false, title: 'These aren’t the words of this wallet' },
  nothing_found: {
    status: 409,
    retryable: false,
    title: 'These words have no sats at this mint',
    details: z.object({
      skipped: z
        .array(
          z.object({
            keysetId: z.string().describe('The id of a keyset of the mint (NUT-02).'),
            reason: message,
          }),
        )
        .optional()
        .describe('The keysets that dot-mi couldn’t search. Absent if there are none.'),
    }),
  },
  seed_missing: { status: 409, retryable: true, next: 'ask', title: 'The backup words are missing' },
  seed_present: { status: 409, retryable: false, title: 'The wallet already has its backup words' },
  not_releasable: { status: 409, retryable: false, title: 'This operation can’t be released' },
  not_same_mint: { status: 409, retryable: false, title: 'These aren’t the same mint' },
  released: { status: 409, retryable: false, title: 'The operation was released' },
  wallet_busy: { status: 503, retryable: true, title: 'The wallet is busy', details: retryAfter },
  wallet_locked: {
    status: 503,
    retryable: true,
    next: 'ask',
    title: 'The wallet is locked',
    details: retryAfter,
  },
  test_token_not_found: { status: 404, retryable: false, title: 'This test token doesn’t exist' },
  idempotency_key_reused: {
    status: 422,
    retryable: false,
    title: 'The Idempotency-Key was used for another request',
  },
  idempotency_key_in_use: { status: 409, retryable: true, title: 'The first request is still running' },
  wallet_damaged: { status: 500, retryable: true, next: 'ask', title: 'dot-mi can’t read the wallet' },
} as const satisfies Readonly<Record<string, ErrorInfo>>;
