import { z } from 'zod';
import { agentIdSchema } from '../names.ts';

/** An amount in whole sats. */
export const sats = z.int().nonnegative().describe('The amount, in sats.');

/** The mint's fee, in sats. */
export const fee = sats.describe('The mint’s fee, in sats.');

/** The URL of a token's or balance's mint. */
export const mint = z.string().describe('The URL of the mint.');

/** A token's memo, which its sender wrote. */
export const memo = z.string().describe('A note that the sender adds to the token.');

/** The id of the operation that a response is about. */
export const operationId = z
  .string()
  .describe('The id of the operation, for GET /api/wallet/operations/:operationId.');

/** A string that a client chooses for a request that can take effect only once. */
export const idempotencyKey = z.string().min(1).max(255);

/** Headers of requests that can take effect only once. */
export const idempotencyHeaders = z.object({
  'idempotency-key': idempotencyKey
    .optional()
    .describe(
      'Once a request has started an operation, the same Idempotency-Key with the same body returns the same response for 30 days, so retries are safe. A request that was refused earlier is decided anew. Each agent key has its own Idempotency-Keys. ' +
        'Programs without an agent key share one set of Idempotency-Keys, so include your program’s name in each of yours. Without an Idempotency-Key, a repeated receive fails with `token_spent`, even if you lost the first response, ' +
        'and a repeated send creates another token.',
    ),
});

/** The fields of a response to a repeated Idempotency-Key. */
export const replayFields = {
  replayed: z
    .literal(true)
    .optional()
    .describe(
      'True if an earlier request with the same Idempotency-Key started this operation. Otherwise absent.',
    ),
  createdAt: z.iso
    .datetime()
    .optional()
    .describe('When that earlier request started. Absent without `replayed`.'),
};

/** The field that marks a response as test money. */
export const simulatedField = {
  simulated: z
    .literal(true)
    .optional()
    .describe(
      'True with test money: the wallet didn’t contact the mint, and the sats aren’t real. Otherwise absent.',
    ),
};

/** The errors of a refused Idempotency-Key. */
export const IDEMPOTENCY_ERRORS = ['idempotency_key_reused', 'idempotency_key_in_use'] as const;

/** The agent that an operation was for. */
export const agentOfOperation = agentIdSchema.describe(
  'The agent that earned the sats. They still count for it after you delete the agent.',
);

/** The longest label of an operation, in characters. */
export const LABEL_MAX = 200;

/** The operator's label for an operation. */
export const operationLabel = z
  .string()
  .trim()
  .min(1)
  .max(LABEL_MAX)
  .describe('Your own note about the operation, up to 200 characters.');

/** The path parameters that name an operation. */
export const operationParams = z.strictObject({ operationId });
