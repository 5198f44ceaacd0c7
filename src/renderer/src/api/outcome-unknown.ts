import type { ApiError } from './client.ts';

/** Whether a refusal leaves open what became of the request: whoever retries must ask with the same key. */
export const isOutcomeUnknown = ({ code, status }: Pick<ApiError, 'code' | 'status'>): boolean =>
  code === 'offline' || code === 'unexpected_answer' || code === 'idempotency_key_in_use' || status >= 500;
