import { z } from 'zod';
import { isMintUrl, MINT_URL_MAX } from '../../mint-url.ts';
import { chargeState } from '../charge-state.ts';
import { defineEndpoint } from '../endpoint.ts';
import { createdAt, errorText, id, NEXT_CURSOR_HEADER, nextCursor, okBody, PAGE_FIELDS } from '../fields.ts';
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
 * - `swap` swaps the wallet's own proofs, to leave an expiring or inactive keyset, or to turn many small proofs into
 *   few large ones.
 * - `recovered` credits sats that the mint signed for this wallet's words but that were missing from the wallet.
 * - `spent_elsewhere` corrects the balance after another copy of this wallet spent some of its proofs. `amount` is the
 *   loss.
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

export const operationKind = z.enum(OPERATION_KINDS).describe('The kind of operation.');

export type OperationKind = (typeof OPERATION_KINDS)[number];

/** The states of an operation. `pending` automatically becomes one of the other two. */
export const OPERATION_STATES = ['pending', 'completed', 'failed'] as const;

export const operationState = z.enum(OPERATION_STATES).describe('The state: pending, completed or failed.');

export type OperationState = (typeof OPERATION_STATES)[number];

const updatedAt = z.iso.datetime().describe('When it last changed.');

const operationFailure = z
  .object({
    error: errorText,
    code: z.string().describe('A code for programs. Its meaning never changes.'),
  })
  .describe(
    'Why the operation failed or is still pending, with the code that a request would return. Absent if there is no problem.',
  );

const operation = z
  .object({
    id,
    kind: operationKind,
    state: operationState,
    amount: sats.optional(),
    agent: agentOfOperation
      .optional()
      .describe('The agent that earned the sats, or whose key sent them. Absent if there is none.'),
    label: operationLabel.optional(),
    ...simulatedField,
    error: operationFailure.optional(),
    createdAt,
    updatedAt,
  })
  .meta({ id: 'Operation' });

/** The response of {@link getOperation}. */
export type OperationStatus = z.infer<typeof operation>;

/** Returns the state of one operation. */
export const getOperation = defineEndpoint({
  id: 'wallet.operation',
  method: 'GET',
  path: '/api/wallet/operations/:operationId',
  summary: 'Get an operation',
  description:
    'Only the operator and the agent key that made it can get a send. Only the seller can get a customer’s payment for a charge.',
  task: 'Follow an operation',
  access: 'api',
  keys: ['receive', 'spend'],
  params: operationParams,
  success: { status: 200, body: operation },
  errors: ['wallet_locked', 'operation_not_found'],
});

const balance = z
  .object({
    balance: sats.describe('The sats that the wallet can spend at this mint.'),
    pending: sats.describe('The sats in pending operations, which `balance` leaves out.'),
    mint,
    unit: z.literal('sat').describe('The unit of the amounts.'),
    devMode: z
      .boolean()
      .describe('True with test money: dot-mi accepts ecash without checking it, and the sats aren’t real.'),
    checkedAt: z.iso
      .datetime()
      .optional()
      .describe(
        'When the mint last confirmed that all of `balance` is unspent. Absent until the mint has confirmed this for the first time since dot-mi started.',
      ),
    unconfirmed: sats
      .optional()
      .describe(
        'The sats that the wallet holds but `balance` leaves out: the mint is processing them, called them spent, or refused them. The wallet checks them again. To check now, use `POST /api/wallet/check`. Absent if there are none.',
      ),
    held: sats
      .optional()
      .describe(
        'The part of `balance` that customers paid for unfinished work, or that will be refunded to them. Sends never use it. Absent if there is none.',
      ),
    expired: sats
      .optional()
      .describe(
        'The sats on expired keysets, which `balance` leaves out because the mint may refuse them. Absent if there are none.',
      ),
    seed: z
      .enum(['present', 'missing'])
      .describe(
        '`missing`: the file with the backup words is missing or unreadable. The wallet can send, but can’t receive until you enter the words.',
      ),
    backedUpAt: z.iso
      .datetime()
      .optional()
      .describe('When the operator last confirmed the backup words. Absent until then.'),
    otherMints: z
      .array(
        z.object({
          mint,
          balance: sats.describe('The sats that the wallet can spend at this mint.'),
          pending: sats.describe('The sats in pending operations, which `balance` leaves out.'),
        }),
      )
      .optional()
      .describe(
        'The sats that the wallet still holds at mints that it used before. Absent if there are none.',
      ),
    dust: sats
      .optional()
      .describe(
        'The part of `balance` in proofs that cost more in fees than they are worth. Sends leave them out until the mint lowers its fee. Absent if there is none.',
      ),
    unlisted: sats
      .optional()
      .describe(
        'The part of `balance` on keysets that the mint no longer lists. The wallet keeps these sats, but the mint may refuse them. Absent if there are none.',
      ),
  })
  .meta({ id: 'Balance' });

/** The response of {@link getBalance}. */
export type Balance = z.infer<typeof balance>;

/** Returns the balance. The server responds without contacting the mint. */
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

/** Checks all proofs of the wallet with the mint now. */
export const checkProofs = defineEndpoint({
  id: 'wallet.check',
  method: 'POST',
  path: '/api/wallet/check',
  summary: 'Check all sats with the mint now',
  description:
    'Checks every proof of the wallet with the mint, including `unconfirmed` ones, and then returns the balance. A proof counts as spent only after the mint has said so twice.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({}),
  success: { status: 200, body: balance },
  errors: ['wallet_locked', 'dev_mode', 'mint_error', 'mint_unreachable'],
});

/** The longest balance history, in days. */
const BALANCE_DAYS_MAX = 31;

/** Lists the balance at the end of each of the last days. */
export const getBalanceHistory = defineEndpoint({
  id: 'wallet.balance-history',
  method: 'GET',
  path: '/api/wallet/balance/history',
  summary: 'Get the balance at the end of each recent day',
  description:
    'Returns the balance at each time, without the sats in pending operations. Days end at midnight in the server’s time zone. The last point is now.',
  access: 'operator',
  keys: 'none',
  query: z.object({
    days: z.coerce
      .number()
      .int()
      .min(1)
      .max(BALANCE_DAYS_MAX)
      .default(7)
      .describe('The length of the history, in days.'),
  }),
  success: {
    status: 200,
    body: z.object({
      points: z
        .array(
          z.object({
            at: z.iso.datetime().describe('The time, in UTC.'),
            balance: z.int().describe('The balance at that time, in sats.'),
          }),
        )
        .describe('The points, oldest first.'),
    }),
  },
  errors: ['wallet_locked'],
});

export type BalanceHistory = z.infer<typeof getBalanceHistory.success.body>;

/** The mint's states. `simulated` means test money, for which dot-mi never contacts the mint. */
const MINT_STATES = ['reachable', 'unreachable', 'error', 'simulated'] as const;

const mintStatus = z
  .object({
    mint,
    state: z
      .enum(MINT_STATES)
      .describe('The state of the mint. `simulated`: with test money, dot-mi never contacts it.'),
    checkedAt: z.iso.datetime().nullable().describe('When dot-mi last checked. Null if it hasn’t.'),
    name: z.string().optional().describe('The name that the mint reports. Absent if it reports none.'),
    version: z.string().optional().describe('The version of the mint’s software. Absent if it reports none.'),
    message: z
      .string()
      .optional()
      .describe('The problem, or a message from the mint. Absent if there is neither.'),
    foreignKeysets: z
      .array(
        z.object({
          mint: mint.describe('The URL of the mint whose keysets these are.'),
          keysets: z.int().positive().describe('How many keysets of that mint this one lists.'),
          all: z
            .boolean()
            .describe(
              'True if this mint lists no other keysets, so it may be the same mint at another address.',
            ),
        }),
      )
      .optional()
      .describe(
        'Mints whose keysets this mint lists as its own. The wallet doesn’t use them here. Absent if there are none.',
      ),
  })
  .meta({ id: 'MintStatus' });

/** The response of {@link getMint}. */
export type MintStatus = z.infer<typeof mintStatus>;

/** Returns the mint's state, checked at most every 15 s. */
export const getMint = defineEndpoint({
  id: 'wallet.mint',
  method: 'GET',
  path: '/api/wallet/mint',
  summary: 'Get the state of the mint',
  task: 'Check whether the mint responds',
  access: 'api',
  keys: ['receive', 'spend'],
  success: { status: 200, body: mintStatus },
  errors: ['wallet_locked'],
});

/** Gives the wallet of an earlier address of this mint its new address. */
export const changeMintAddress = defineEndpoint({
  id: 'wallet.changeMintAddress',
  method: 'POST',
  path: '/api/wallet/mint/address',
  summary: 'Use the sats of an earlier address of this mint',
  description:
    'For a mint that has a new address, after you changed `mintUrl`: moves the wallet of the earlier address to this one, and restarts dot-mi. `GET /api/wallet/mint` must report the earlier address with `all`. ' +
    'Only a mint’s operator can say that it moved. Any other server can list the same keysets, and would get the sats.',
  access: 'operator',
  keys: 'none',
  body: z.strictObject({ from: z.string().max(MINT_URL_MAX).describe('The earlier URL of the mint.') }),
  success: {
    status: 200,
    body: z.object({
      mint,
      restarting: z.boolean().describe('True if dot-mi restarts now. If false, restart it to use the sats.'),
    }),
  },
  errors: ['wallet_locked', 'dev_mode', 'not_same_mint', 'mint_error', 'mint_unreachable'],
});

/** The response of {@link changeMintAddress}. */
export type ChangedMintAddress = z.infer<typeof changeMintAddress.success.body>;

/** Features the wallet needs from a mint: a keyset in sats, NUT-07 to check what is spent, NUT-09 to restore. */
const MINT_NEEDS = ['sat', 'NUT-07', 'NUT-09'] as const;

export type MintNeed = (typeof MINT_NEEDS)[number];

const checkedMint = z
  .object({
    mint,
    name: z.string().optional().describe('The name that the mint reports. Absent if it reports none.'),
    units: z.array(z.string()).describe('The units of the mint’s active keysets.'),
    lacks: z
      .array(z.enum(MINT_NEEDS))
      .describe(
        'The features that the mint lacks: an active keyset in sats, NUT-07 or NUT-09. Empty if the wallet can use the mint.',
      ),
  })
  .meta({ id: 'CheckedMint' });

/** The response of {@link checkMint}. */
export type CheckedMint = z.infer<typeof checkedMint>;

/** Checks whether the wallet could use a mint. */
export const checkMint = defineEndpoint({
  id: 'wallet.checkMint',
  method: 'POST',
  path: '/api/wallet/mint-check',
  summary: 'Check whether the wallet can use a mint',
  description:
    'Contacts the mint at this URL, even with test money. Changes nothing. Use it before you change `mintUrl` or `devMode` in the settings.',
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
    token: z.string().optional().describe('For a send: its token. Otherwise absent.'),
    spent: z
      .boolean()
      .optional()
      .describe('For a send: true if somebody has redeemed or reclaimed its token. Otherwise absent.'),
    reclaimed: z
      .boolean()
      .optional()
      .describe('For a send: true if this wallet reclaimed its token. Otherwise absent.'),
    agent: agentOfOperation
      .optional()
      .describe('The agent that earned the sats, or whose key sent them. Absent if there is none.'),
    label: operationLabel.optional(),
    ...simulatedField,
    charge: z
      .object({
        id,
        state: chargeState,
        charged: sats.optional().describe('The final price, in sats. Absent until the charge is settled.'),
        balanceId: z
          .string()
          .optional()
          .describe('For a deposit: the id of its prepaid balance. Otherwise absent.'),
      })
      .optional()
      .describe(
        'For a receive: the charge that it paid. For a send: the charge whose change or refund it sent. Otherwise absent.',
      ),
    sendId: z
      .string()
      .optional()
      .describe('For a reclaim: the id of the send whose token it reclaimed. Otherwise absent.'),
    createdAt,
    updatedAt,
    error: operationFailure.optional(),
  })
  .meta({ id: 'HistoryEntry' });

/** One row of the history. */
export type HistoryEntry = z.infer<typeof historyEntry>;

/** Lists the wallet's operations, newest first. */
export const listHistory = defineEndpoint({
  id: 'wallet.history',
  method: 'GET',
  path: '/api/wallet/history',
  summary: 'List the operations, newest first',
  description: 'For CSV, send `Accept: text/csv`. It has no tokens, because those are money.',
  access: 'operator',
  keys: 'none',
  query: z.object({
    ...PAGE_FIELDS,
    sendKey: idempotencyKey
      .optional()
      .describe('Only the send that was requested with this Idempotency-Key.'),
    agent: agentIdSchema.optional().describe('Only what this agent earned, or sent with its key.'),
  }),
  success: {
    status: 200,
    body: z.object({
      entries: z.array(historyEntry).describe('The operations, newest first.'),
      nextCursor,
    }),
    headers: NEXT_CURSOR_HEADER,
    // SECURITY: a token is money, so it isn't in a file that people pass on.
    csv: {
      columns: [
        'created_at',
        'operation',
        'kind',
        'state',
        'amount_sats',
        'fee_sats',
        'agent',
        'label',
        'memo',
        'charge',
        'charge_state',
        'charged_sats',
        'updated_at',
      ],
      rows: ({ entries }: History) =>
        entries.map((each) => [
          each.createdAt,
          each.id,
          each.kind,
          each.state,
          each.amount,
          each.fee,
          each.agent ?? null,
          each.label ?? null,
          each.memo ?? null,
          each.charge?.id ?? null,
          each.charge?.state ?? null,
          each.charge?.charged ?? null,
          each.updatedAt,
        ]),
    },
  },
  errors: ['wallet_locked', 'idempotency_key_in_use'],
});

/** A page of the history. */
export interface History {
  entries: HistoryEntry[];
  nextCursor?: string | undefined;
}

/** Sets an operation's agent and label. */
export const attributeOperation = defineEndpoint({
  id: 'wallet.attribute',
  method: 'PUT',
  path: '/api/wallet/operations/:operationId',
  summary: 'Set the agent and label of an operation',
  description: 'Replaces both. Null removes the agent or label.',
  access: 'operator',
  keys: 'none',
  params: operationParams,
  body: z.strictObject({
    agent: agentOfOperation.nullable().describe('The agent that earned the sats. Null for none.'),
    label: operationLabel.nullable().describe('Your own note, up to 200 characters.'),
  }),
  success: { status: 200, body: okBody },
  errors: ['wallet_locked', 'operation_not_found'],
});
