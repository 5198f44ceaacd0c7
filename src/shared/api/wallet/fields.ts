import { z } from 'zod';

/** Amounts are whole satoshis. */
export const sats = z.int().nonnegative();

/** Of what must not happen twice. */
export const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('The same key with the same body gets the same response, so retries are safe.'),
});

/** What an Idempotency-Key can be refused for. */
export const IDEMPOTENCY_ERRORS = ['idempotency_key_reused', 'idempotency_key_in_use'] as const;

/** Which operation a path is about. */
export const operationParams = z.strictObject({ operationId: z.string() });
