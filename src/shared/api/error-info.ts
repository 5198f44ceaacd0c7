import { z } from 'zod';

/** The properties of an error code. */
export interface ErrorInfo {
  /** The HTTP status. */
  readonly status: number;
  /**
   * True if the same request can succeed later: for every 5xx, and for each 4xx that only has to wait for something
   * else.
   */
  readonly retryable: boolean;
  /**
   * What a program should do if it can't retry. `ask`: ask a person, because the program isn't allowed to, or because
   * something needs repair. `giveUp`: stop, because nothing can make this work. Absent: change the request.
   */
  readonly next?: 'ask' | 'giveUp';
  /** A few words for a person, shown above the response's message. Absent if only the page knows what failed. */
  readonly title?: string;
  /** The response's message, if it's always the same. */
  readonly message?: string;
  /** What a person can do about it. */
  readonly advice?: string;
  /** Fields of the error body in addition to those of {@link Problem}. */
  readonly details?: z.ZodObject;
}

/** The field of an error that says when to try again. */
export const retryAfter = z.object({
  retryAfterSeconds: z
    .number()
    .optional()
    .describe('How long to wait before a retry, in seconds. The header Retry-After has the same value.'),
});
