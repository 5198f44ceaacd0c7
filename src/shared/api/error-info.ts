import { z } from 'zod';

/** The properties of an error code. */
export interface ErrorInfo {
  /** The HTTP status. */
  readonly status: number;
  /**
   * Whether the same request can succeed later, because nothing is wrong with it: every 5xx, and each 4xx
   * that only waits for something else.
   */
  readonly retryable: boolean;
  /**
   * What a program should do if it can't retry. `ask`: ask a person, because it lacks a right or something must be
   * repaired. `giveUp`: nothing helps with what was sent. Absent: change the request.
   */
  readonly next?: 'ask' | 'giveUp';
  /** A few words for a person, above the response's sentence. Absent if only the page knows what failed. */
  readonly title?: string;
  /** The sentence of the response, where it is always the same. */
  readonly message?: string;
  /** What a person can do about it. */
  readonly advice?: string;
  /** The fields of the error body in addition to those of {@link Problem}. */
  readonly details?: z.ZodObject;
}

/** The field of an error that says when to try again. */
export const retryAfter = z.object({
  retryAfterSeconds: z.number().optional().describe('As in the header Retry-After.'),
});
