import type { ApiError } from './client.ts';

/** Whether a refusal leaves the request's outcome open. A retry must then use the same key. */
export const isOutcomeUnknown = ({ code, status }: Pick<ApiError, 'code' | 'status'>): boolean =>
  code === 'offline' || code === 'unexpected_answer' || code === 'idempotency_key_in_use' || status >= 500;
