import { z } from 'zod';
import { agentIdSchema } from '../names.ts';

/** An amount in whole sats. */
export const sats = z.int().nonnegative().describe('An amount in sats.');

/** What the mint keeps. */
export const fee = sats.describe("The mint's fee in sats.");

/** The mint of a token or a balance. */
export const mint = z.string().describe('The URL of the mint.');

/** What the sender of a token says about it. */
export const memo = z.string().describe('A text that travels with the token.');

/** The operation of a response. */
export const operationId = z
  .string()
  .describe('The id of the wallet operation, for GET /api/wallet/operations/:operationId.');

/** A text that a client chooses for a request that must not happen twice. */
export const idempotencyKey = z.string().min(1).max(255);

/** Headers of requests that must not happen twice. */
export const idempotencyHeaders = z.object({
  'idempotency-key': idempotencyKey
    .optional()
    .describe(
      'The same key with the same body gets the same response for 30 days, so retries are safe. Each agent key has keys of its ' +
        'own. Programs without one share theirs, so put a name in yours. Without a key, a repeated receive fails with `token_spent`, even if the first response was lost, ' +
        'and a repeated send makes another token.',
    ),
});

/** Fields of a response that an Idempotency-Key repeats. */
export const replayFields = {
  replayed: z
    .literal(true)
    .optional()
    .describe('Present when an earlier request with the same Idempotency-Key started this operation.'),
  createdAt: z.iso.datetime().optional().describe('Present with `replayed`: when that request started.'),
};

/** Marks a response of DEV_MODE. */
export const simulatedField = {
  simulated: z
    .literal(true)
    .optional()
    .describe('Present in DEV_MODE: the wallet did not ask the mint, and the sats are not real.'),
};

/** The errors of a refused Idempotency-Key. */
export const IDEMPOTENCY_ERRORS = ['idempotency_key_reused', 'idempotency_key_in_use'] as const;

/** The agent that an operation was for. */
export const agentOfOperation = agentIdSchema.describe(
  'The agent that earned it. Its figures keep it even after the agent is deleted.',
);

/** The longest label, in characters. */
export const LABEL_MAX = 200;

/** A text of the sender or the owner about an operation. */
export const operationLabel = z
  .string()
  .trim()
  .min(1)
  .max(LABEL_MAX)
  .describe('A text of your own, up to 200 characters.');

/** The operation in a path. */
export const operationParams = z.strictObject({ operationId });
