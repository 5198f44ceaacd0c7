import { z } from 'zod';

/** An amount in whole sats. */
export const sats = z.int().nonnegative();

/** Headers of requests that must not happen twice. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The same key with the same body gets the same response, so retries are safe.'),
});

/** The errors of a refused Idempotency-Key. */
export const IDEMPOTENCY_ERRORS = ['idempotency_key_reused', 'idempotency_key_in_use'] as const;

/** The operation in a path. */
export const operationParams = z.strictObject({ operationId: z.string() });
