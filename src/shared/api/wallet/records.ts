import { z } from 'zod';
import { isMintUrl, MINT_URL_MAX } from '../../mint-url.ts';
import { chargeState } from '../charge-state.ts';
import { defineEndpoint } from '../endpoint.ts';
import { createdAt, errorText, id, limit, okBody } from '../fields.ts';
import { agentIdSchema } from '../names.ts';
import {
  agentOfOperation,
  fee,
  idempotencyKey,
  memo,
  mint,
  operationLabel,
  operationParams,
  sats,
  simulatedField,
} from './fields.ts';

/**
 * The kinds of wallet operations.
 *
 * - `swap` swaps the wallet's own proofs: off a keyset that expires or is inactive, or many small ones for
 *   few large ones.
 * - `recovered` credits sats that the mint signed for this wallet's words and that the wallet did not know
 *   about.
 * - `spent_elsewhere` corrects the balance after another copy of this wallet spent some of its proofs.
 *   `amount` is the loss.
 */
export const OPERATION_KINDS = [
  'receive',
  'send',
  'reclaim',
  'restore',
  'swap',
  'recovered',
  'spent_elsewhere',
] as const;

/** The schema of {@link OPERATION_KINDS}. */
export const operationKind = z.enum(OPERATION_KINDS).describe('The kind of operation.');

/** One of {@link OPERATION_KINDS}. */
export type OperationKind = (typeof OPERATION_KINDS)[number];

/** The states of an operation. `pending` automatically becomes one of the other two. */
export const OPERATION_STATES = ['pending', 'completed', 'failed'] as const;

/** The schema of {@link OPERATION_STATES}. */
export const operationState = z.enum(OPERATION_STATES).describe('The state: pending, completed or failed.');

/** One of {@link OPERATION_STATES}. */
export type OperationState = (typeof OPERATION_STATES)[number];

const updatedAt = z.iso.datetime().describe('When it last changed.');

const operationFailure = z
  .object({
    error: errorText,
    code: z.string().describe('A code for programs. It never changes its meaning.'),
  })
  .describe('Why it failed or is still pending: a sentence, and the code that a request would get.');

const operation = z
  .object({
    id,
    kind: operationKind,
    state: operationState,
    amount: sats.optional(),
    agent: agentOfOperation.optional().describe('The agent that earned it, or whose key sent it.'),
    label: operationLabel.optional(),
    ...simulatedField,
    error: operationFailure.optional(),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Operation' });

/** The response of {@link getOperation}. */
export type OperationStatus = z.infer<typeof operation>;

/** The state of one operation. */
export const getOperation = defineEndpoint({
  id: 'wallet.operation',
  method: 'GET',
  path: '/api/wallet/operations/:operationId',
  summary: 'Get an operation',
  task: 'Follow an operation',
  access: 'api',
  keys: ['receive', 'spend'],
  params: operationParams,
  success: { status: 200, body: operation },
  errors: ['wallet_locked', 'operation_not_found'],
});

const balance = z
  .object({
    balance: sats.describe('The sats that can be spent.'),
    pending: sats.describe('Sats in pending operations, not included in `balance`.'),
    mint,
    unit: z.literal('sat').describe('The unit of the amounts.'),
    devMode: z
      .boolean()
      .describe('True while dot-mi accepts ecash without checking it, so that the sats are not real.'),
    checkedAt: z.iso
      .datetime()
      .optional()
      .describe(
        "When the mint last confirmed that all of `balance` is unspent. Absent until the first confirmation after dot-mi starts. Until then, `balance` isn't confirmed.",
      ),
    unconfirmed: sats
      .optional()
      .describe(
        'Sats that the wallet holds and that are not in `balance`: the mint is processing them, called them spent, or refused them. The wallet asks again. `POST /api/wallet/check` asks now.',
      ),
    held: sats
      .optional()
      .describe(
        'The part of `balance` that customers paid for work that is not done yet, or that they will get back. Sends never use it.',
      ),
    expired: sats
      .optional()
      .describe('Sats on expired keysets, not included in `balance` because the mint may refuse them.'),
    seed: z
      .enum(['present', 'missing'])
      .describe(
        "`missing`: the file with the backup words is missing or unreadable. The wallet can send, but it can't receive until you enter the words.",
      ),
    backedUpAt: z.iso
      .datetime()
      .optional()
      .describe('When the operator last proved to have the backup words. Absent until then.'),
    otherMints: z
      .array(
        z.object({
          mint,
          balance: sats.describe('The sats that can be spent.'),
          pending: sats.describe(
            'Sats of operations that are still running. They are not part of the balance.',
          ),
        }),
      )
      .optional()
      .describe('Sats that the wallet still holds at mints that MINT_URL named before.'),
    unlisted: sats
      .optional()
      .describe(
        'The part of `balance` on keysets that the mint no longer lists. The wallet keeps it, but the mint may refuse it.',
      ),
  })
  .meta({ id: 'Balance' });

/** The response of {@link getBalance}. */
export type Balance = z.infer<typeof balance>;

/** The balance. The server responds without the mint. */
export const getBalance = defineEndpoint({
  id: 'wallet.balance',
  method: 'GET',
  path: '/api/wallet/balance',
  summary: 'Get the balance',
  task: 'Read the balance',
  access: 'api',
  keys: ['receive', 'spend'],
  success: { status: 200, body: balance },
  errors: ['wallet_locked'],
});

/** Asks the mint about all proofs of the wallet now. */
export const checkProofs = defineEndpoint({
  id: 'wallet.check',
  method: 'POST',
  path: '/api/wallet/check',
  summary: 'Ask the mint about all sats now',
  description:
    'Asks the mint about every proof of the wallet, including `unconfirmed` ones, and returns the balance after that. A proof counts as spent only after the mint has said so twice.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({}),
  success: { status: 200, body: balance },
  errors: ['wallet_locked', 'dev_mode', 'mint_error', 'mint_unreachable'],
});

/** How far back the balance history goes, in days. */
const BALANCE_DAYS_MAX = 31;

/** The balance at the ends of the last days. */
export const getBalanceHistory = defineEndpoint({
  id: 'wallet.balance-history',
  method: 'GET',
  path: '/api/wallet/balance/history',
  summary: 'Get the balance at the end of each of the last days',
  description:
    'The sats that could be spent at each time. Sats that a pending operation uses are not among them. Days end at midnight in the time zone of the server, and the last point is now.',
  access: 'operator',
  keys: 'none',
  query: z.object({
    days: z.coerce
      .number()
      .int()
      .min(1)
      .max(BALANCE_DAYS_MAX)
      .default(7)
      .describe('How many days to look back.'),
  }),
  success: {
    status: 200,
    body: z.object({
      points: z
        .array(
          z.object({
            at: z.iso.datetime().describe('The time, in UTC.'),
            balance: z.int().describe('The sats that can be spent.'),
          }),
        )
        .describe('Oldest first.'),
    }),
  },
  errors: ['wallet_locked'],
});

/** The response of {@link getBalanceHistory}. */
export type BalanceHistory = z.infer<typeof getBalanceHistory.success.body>;

/** The states of the mint: `simulated` in DEV_MODE, which never asks it. */
const MINT_STATES = ['reachable', 'unreachable', 'error', 'simulated'] as const;

const mintStatus = z
  .object({
    mint,
    state: z.enum(MINT_STATES).describe('The state of the mint. `simulated`: DEV_MODE never asks it.'),
    checkedAt: z.iso.datetime().nullable().describe('When this was checked.'),
    name: z.string().optional().describe('The name that the mint gives itself.'),
    version: z.string().optional().describe('The version of its software.'),
    message: z.string().optional().describe('The problem, or a message from the mint.'),
  })
  .meta({ id: 'MintStatus' });

/** The response of {@link getMint}. */
export type MintStatus = z.infer<typeof mintStatus>;

/** The state of the mint, checked at most every 15 s. */
export const getMint = defineEndpoint({
  id: 'wallet.mint',
  method: 'GET',
  path: '/api/wallet/mint',
  summary: "Get the mint's status",
  task: 'Check whether the mint responds',
  access: 'api',
  keys: ['receive', 'spend'],
  success: { status: 200, body: mintStatus },
  errors: ['wallet_locked'],
});

/** What the wallet needs of a mint: a keyset in sat, NUT-07 to learn what is spent, NUT-09 to restore. */
const MINT_NEEDS = ['sat', 'NUT-07', 'NUT-09'] as const;

/** One of {@link MINT_NEEDS}. */
export type MintNeed = (typeof MINT_NEEDS)[number];

const checkedMint = z
  .object({
    mint,
    name: z.string().optional().describe('The name that the mint gives itself.'),
    units: z.array(z.string()).describe('The units of its active keysets.'),
    lacks: z
      .array(z.enum(MINT_NEEDS))
      .describe(
        'Missing features that the wallet needs: an active keyset in sat, NUT-07 or NUT-09. Empty if the wallet can use the mint.',
      ),
  })
  .meta({ id: 'CheckedMint' });

/** The response of {@link checkMint}. */
export type CheckedMint = z.infer<typeof checkedMint>;

/** Asks a mint whether the wallet could use it. */
export const checkMint = defineEndpoint({
  id: 'wallet.checkMint',
  method: 'POST',
  path: '/api/wallet/mint-check',
  summary: 'Check whether the wallet can use a mint',
  description:
    'Asks the mint at this address now, also in DEV_MODE. Changes nothing. Use it before you change `mintUrl` or `devMode` in the settings.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({
    mintUrl: z
      .string()
      .max(MINT_URL_MAX)
      .refine(isMintUrl, 'mintUrl must be an http or https URL without a user, password, query or fragment.')
      .describe('The URL of the mint.'),
  }),
  success: { status: 200, body: checkedMint },
  errors: ['mint_unreachable', 'mint_error'],
});

const historyEntry = z
  .object({
    id,
    kind: operationKind,
    state: operationState,
    amount: sats,
    fee,
    memo: memo.optional(),
    token: z.string().optional().describe('The token of a send.'),
    spent: z.boolean().optional().describe('For a send: whether its token has been redeemed or reclaimed.'),
    reclaimed: z.boolean().optional().describe('For a send: whether this wallet reclaimed the token.'),
    agent: agentOfOperation.optional().describe('The agent that earned it, or whose key sent it.'),
    label: operationLabel.optional(),
    ...simulatedField,
    charge: z
      .object({
        id,
        state: chargeState,
        charged: sats
          .optional()
          .describe('The cost of the work to the customer. Absent until it is settled.'),
        balanceId: z
          .string()
          .optional()
          .describe('Present if it is a deposit: the prepaid balance that it was paid into.'),
      })
      .optional()
      .describe('For a receive or a send: the charge that it paid, or whose change or refund it is.'),
    sendId: z.string().optional().describe('For a reclaim: the send whose token it reclaimed.'),
    createdAt,
    updatedAt,
    error: operationFailure.optional(),
  })
  .meta({ id: 'HistoryEntry' });

/** One entry of the history. */
export type HistoryEntry = z.infer<typeof historyEntry>;

/** The most entries on one page of the history. */
const HISTORY_LIMIT_MAX = 200;

/** The operations, newest first. */
export const listHistory = defineEndpoint({
  id: 'wallet.history',
  method: 'GET',
  path: '/api/wallet/history',
  summary: 'List the operations, newest first',
  access: 'operator',
  keys: 'none',
  query: z.object({
    cursor: z
      .string()
      .regex(/^\d{1,15}$/, 'cursor must be a nextCursor that this route returned.')
      .optional()
      .describe('The nextCursor of the previous response, to continue there.'),
    limit: limit(HISTORY_LIMIT_MAX, 50),
    sendKey: idempotencyKey
      .optional()
      .describe('Only the send that a request with this Idempotency-Key started, if there is one.'),
    agent: agentIdSchema.optional().describe('Only what this agent earned, or sent with a key.'),
  }),
  success: {
    status: 200,
    body: z.object({
      entries: z.array(historyEntry).describe('The entries of this page of the list.'),
      nextCursor: z
        .string()
        .optional()
        .describe('Send it as cursor to get the next page. Absent on the last page.'),
    }),
  },
  errors: ['wallet_locked', 'idempotency_key_in_use'],
});

/** The response of {@link listHistory}. */
export type History = z.infer<typeof listHistory.success.body>;

/** Says which agent an operation was for. */
export const attributeOperation = defineEndpoint({
  id: 'wallet.attribute',
  method: 'PUT',
  path: '/api/wallet/operations/:operationId',
  summary: 'Say which agent an operation was for',
  description: 'Replaces the agent and the label. Null removes one.',
  access: 'operator',
  keys: 'none',
  params: operationParams,
  body: z.strictObject({
    agent: agentOfOperation.nullable().describe('The id of an agent.'),
    label: operationLabel.nullable().describe('A text of your own, up to 200 characters.'),
  }),
  success: { status: 200, body: okBody },
  errors: ['wallet_locked', 'operation_not_found'],
});
