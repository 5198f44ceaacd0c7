import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

/** Amounts are whole satoshis. */
const sats = z.int().nonnegative();

const tokenField = z
  .string()
  .refine((text) => text.trim() !== '', 'token must not be empty.')
  .describe('A serialized Cashu token (`cashuA…` or `cashuB…`), with or without `cashu:` before it.');

/** What a token can be refused for, as `reason` of a validation. */
export const INVALID_REASONS = [
  'malformed',
  'wrong_mint',
  'wrong_unit',
  'spent',
  'pending',
  'locked',
  'invalid_signature',
  'unknown_keyset',
] as const;

/** One of {@link INVALID_REASONS}. */
export type InvalidReason = (typeof INVALID_REASONS)[number];

/** What an operation of the wallet does. `swap` moves the wallet's own proofs off a keyset that is about to expire. */
export const OPERATION_KINDS = ['receive', 'send', 'reclaim', 'restore', 'swap'] as const;

/** One of {@link OPERATION_KINDS}. */
export type OperationKind = (typeof OPERATION_KINDS)[number];

/** Where an operation stands: `pending` ends by itself as one of the two others. */
export const OPERATION_STATES = ['pending', 'completed', 'failed'] as const;

/** One of {@link OPERATION_STATES}. */
export type OperationState = (typeof OPERATION_STATES)[number];

const operationFailure = z
  .object({ error: z.string(), code: z.string() })
  .describe(
    'Why it failed, or why it is still pending: a sentence, and the code a request would be answered.',
  );

const validation = z
  .object({
    valid: z.boolean(),
    amount: sats.describe('Face value in satoshis; 0 when malformed.'),
    mint: z.string().describe('The mint that issued it; empty when malformed.'),
    reason: z.enum(INVALID_REASONS).optional().describe('Why it is not valid.'),
    unit: z.string().optional(),
    memo: z.string().optional(),
    proofs: z.int().optional().describe('How many proofs it holds.'),
    fee: sats.optional().describe('What the mint would keep of it, where the mint was asked.'),
  })
  .meta({ id: 'TokenValidation' });

/** What {@link validateToken} answers. */
export type TokenValidation = z.infer<typeof validation>;

/** Checks a token without redeeming it; nothing changes, here or at the mint. */
export const validateToken = defineEndpoint({
  id: 'wallet.validate',
  method: 'POST',
  path: '/api/wallet/validate',
  summary: 'Check a token without redeeming it',
  description:
    'Valid means: it decodes, is in sat, of our mint, its signatures check (where it carries DLEQ proofs) and the mint says that every ' +
    'proof is unspent. In DEV_MODE every token is valid.',
  access: 'api',
  body: z.strictObject({ token: tokenField }),
  success: { status: 200, body: validation },
  errors: ['mint_unreachable', 'mint_error'],
});

const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The same key with the same body gets the same answer, so that a retry can do no harm.'),
});

const IDEMPOTENCY_ERRORS = ['idempotency_key_reused', 'idempotency_key_in_use'] as const;

const receipt = z
  .object({
    success: z.literal(true),
    amount: sats.describe('What was credited: face value less the fee.'),
    mint: z.string(),
    fee: sats.describe("The mint's fee."),
    operationId: z.string(),
  })
  .meta({ id: 'Receipt' });

/** What {@link receiveToken} answers. */
export type Receipt = z.infer<typeof receipt>;

/** Redeems a token into the wallet. A token pays once. */
export const receiveToken = defineEndpoint({
  id: 'wallet.receive',
  method: 'POST',
  path: '/api/wallet/receive',
  summary: 'Redeem a token into the wallet',
  description:
    'A token pays once. `redemption_pending` carries `operationId`: the mint may have taken the token, and the wallet finds out by ' +
    'itself; ask the operation, or retry with the same Idempotency-Key.',
  access: 'api',
  headers: idempotencyHeaders,
  body: z.strictObject({ token: tokenField }),
  success: { status: 200, body: receipt },
  errors: [
    'token_spent',
    'token_in_progress',
    'malformed_token',
    'wrong_mint',
    'wrong_unit',
    'token_locked',
    'invalid_signature',
    'unknown_keyset',
    'amount_below_fee',
    'token_too_large',
    'mint_refused',
    'mint_error',
    'mint_unreachable',
    'redemption_pending',
    ...IDEMPOTENCY_ERRORS,
  ],
});

const operation = z
  .object({
    id: z.string(),
    kind: z.enum(OPERATION_KINDS),
    state: z.enum(OPERATION_STATES),
    amount: sats.optional(),
    error: operationFailure.optional(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Operation' });

/** What {@link getOperation} answers. */
export type OperationStatus = z.infer<typeof operation>;

const operationParams = z.strictObject({ operationId: z.string() });

/** Where one operation stands. */
export const getOperation = defineEndpoint({
  id: 'wallet.operation',
  method: 'GET',
  path: '/api/wallet/operations/:operationId',
  summary: 'See where an operation stands',
  access: 'api',
  params: operationParams,
  success: { status: 200, body: operation },
  errors: ['operation_not_found'],
});

const balance = z
  .object({
    balance: sats,
    pending: sats.describe('In operations that are under way; not in `balance`.'),
    mint: z.string(),
    unit: z.literal('sat'),
    devMode: z.boolean(),
    unlisted: sats
      .optional()
      .describe(
        'The part of `balance` on keysets that the mint no longer lists; kept, but the mint may not take it.',
      ),
  })
  .meta({ id: 'Balance' });

/** What {@link getBalance} answers. */
export type Balance = z.infer<typeof balance>;

/** The balance; answers without the mint. */
export const getBalance = defineEndpoint({
  id: 'wallet.balance',
  method: 'GET',
  path: '/api/wallet/balance',
  summary: 'Read the balance',
  access: 'api',
  success: { status: 200, body: balance },
  errors: [],
});

/** How the mint stands: `simulated` in DEV_MODE, which never asks it. */
export const MINT_STATES = ['reachable', 'unreachable', 'error', 'simulated'] as const;

const mintStatus = z
  .object({
    mint: z.string(),
    state: z.enum(MINT_STATES),
    checkedAt: z.iso.datetime().nullable(),
    name: z.string().optional(),
    version: z.string().optional(),
    message: z.string().optional().describe('What is wrong, or what the mint wishes to say.'),
  })
  .meta({ id: 'MintStatus' });

/** What {@link getMint} answers. */
export type MintStatus = z.infer<typeof mintStatus>;

/** How the mint stands; asked at most every 15 s. */
export const getMint = defineEndpoint({
  id: 'wallet.mint',
  method: 'GET',
  path: '/api/wallet/mint',
  summary: 'See how the mint stands',
  access: 'api',
  success: { status: 200, body: mintStatus },
  errors: [],
});

const historyEntry = z
  .object({
    id: z.string(),
    kind: z.enum(OPERATION_KINDS),
    state: z.enum(OPERATION_STATES),
    amount: sats,
    fee: sats,
    memo: z.string().optional(),
    token: z.string().optional().describe('The token of a send.'),
    spent: z.boolean().optional().describe('Of a send: whether its token has been redeemed or reclaimed.'),
    reclaimed: z.boolean().optional().describe('Of a send: whether it was us who took it back.'),
    sendId: z.string().optional().describe('Of a reclaim: the send whose token it took back.'),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    error: operationFailure.optional(),
  })
  .meta({ id: 'HistoryEntry' });

/** One entry of the history. */
export type HistoryEntry = z.infer<typeof historyEntry>;

/** The most entries one page of the history holds. */
export const HISTORY_LIMIT_MAX = 200;

/** The operations, newest first. */
export const listHistory = defineEndpoint({
  id: 'wallet.history',
  method: 'GET',
  path: '/api/wallet/history',
  summary: 'List the operations, newest first',
  access: 'operator',
  query: z.object({
    cursor: z
      .string()
      .regex(/^\d{1,15}$/, 'cursor must be a nextCursor of this route.')
      .optional(),
    limit: z.coerce.number().int().min(1).max(HISTORY_LIMIT_MAX).default(50),
  }),
  success: {
    status: 200,
    body: z.object({ entries: z.array(historyEntry), nextCursor: z.string().optional() }),
  },
  errors: [],
});

/** What {@link listHistory} answers. */
export type History = z.infer<typeof listHistory.success.body>;

/** Takes sats out of the wallet as a token. */
export const sendToken = defineEndpoint({
  id: 'wallet.send',
  method: 'POST',
  path: '/api/wallet/send',
  summary: 'Take sats out as a token',
  description:
    'The token stays in the history, where it can be shown again and reclaimed while it is unspent. The balance drops by `amount + fee`.',
  access: 'operator',
  headers: idempotencyHeaders,
  body: z.strictObject({ amount: z.int().positive(), memo: z.string().max(1000).optional() }),
  success: {
    status: 201,
    body: z
      .object({
        token: z.string(),
        amount: sats.describe("The token's face value."),
        fee: sats.describe('What the swap cost on top.'),
        operationId: z.string(),
      })
      .meta({ id: 'SentToken' }),
  },
  errors: [
    'dev_mode',
    'insufficient_funds',
    'already_spent',
    'token_too_large',
    'mint_refused',
    'mint_error',
    'mint_unreachable',
    'send_pending',
    ...IDEMPOTENCY_ERRORS,
  ],
});

/** What {@link sendToken} answers. */
export type SentToken = z.infer<typeof sendToken.success.body>;

/** Takes the unspent part of a sent token back. */
export const reclaimToken = defineEndpoint({
  id: 'wallet.reclaim',
  method: 'POST',
  path: '/api/wallet/operations/:operationId/reclaim',
  summary: 'Take a sent token back while it is unspent',
  access: 'operator',
  params: operationParams,
  success: {
    status: 200,
    body: z.object({ amount: sats, fee: sats, operationId: z.string() }).meta({ id: 'Reclaimed' }),
  },
  errors: [
    'dev_mode',
    'operation_not_found',
    'not_reclaimable',
    'already_spent',
    'token_in_progress',
    'amount_below_fee',
    'mint_refused',
    'mint_error',
    'mint_unreachable',
    'redemption_pending',
  ],
});

/** What {@link reclaimToken} answers. */
export type Reclaimed = z.infer<typeof reclaimToken.success.body>;

/** What can keep the backup words on the disk. */
export const SEED_PROTECTIONS = ['keychain', 'file'] as const;

/** Shows the backup words. */
export const getSeed = defineEndpoint({
  id: 'wallet.seed',
  method: 'GET',
  path: '/api/wallet/seed',
  summary: 'Show the backup words',
  access: 'operator',
  success: {
    status: 200,
    body: z
      .object({
        mnemonic: z.string(),
        protection: z
          .enum(SEED_PROTECTIONS)
          .describe(
            'What keeps the words on the disk: the keychain of the system, or the mode of their file alone.',
          ),
      })
      .meta({ id: 'BackupWords' }),
  },
  errors: ['dev_mode'],
});

/** What {@link getSeed} answers. */
export type BackupWords = z.infer<typeof getSeed.success.body>;

/** Restores an empty wallet from its backup words. */
export const restoreWallet = defineEndpoint({
  id: 'wallet.restore',
  method: 'POST',
  path: '/api/wallet/restore',
  summary: 'Restore an empty wallet from backup words',
  access: 'operator',
  body: z.strictObject({ mnemonic: z.string().max(1000) }),
  success: {
    status: 200,
    body: z.object({ amount: sats, proofs: z.int().nonnegative() }).meta({ id: 'Restored' }),
  },
  errors: ['dev_mode', 'wallet_not_empty', 'invalid_mnemonic', 'mint_error', 'mint_unreachable'],
});

/** What {@link restoreWallet} answers. */
export type Restored = z.infer<typeof restoreWallet.success.body>;
