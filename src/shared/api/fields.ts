import { z } from 'zod';

/** The only field of a response that has nothing to report. */
export const ok = z.literal(true).describe('Always true. Failures have an error status.');

/** The body of a response that has nothing to report. */
export const okBody = z.object({ ok });

/** The id of an agent in a response. Requests have `agentIdSchema`, which checks it. */
export const agentId = z.string().describe('The id of an agent.');

/** The id of anything other than an agent, in a response. */
export const id = z.string().describe('The id. It never changes.');

/** The name of an entry in a response. Requests have `entryNameSchema` or `linkNameSchema`, which check it. */
export const name = z.string().describe('The name, a single path segment.');

/** The id of an agent key or a page key, in a request. */
export const keyId = z.string().max(64).describe('The id of the key. It isn’t a secret.');

/** The etag of an existing file, in a response. */
export const etag = z.string().describe('The current etag of the file, with its quotes, for If-Match.');

/** When something was created. */
export const createdAt = z.iso.datetime().describe('When it was created.');

/** Creates the field for a program's code, one of `codes`. */
export const codeOf = <const C extends readonly string[]>(codes: C) =>
  z.enum(codes).describe('A code for programs. Its meaning never changes.');

/** The message for people that goes with a code. */
export const message = z.string().describe('A sentence for people.');

/** The message for people in an error. */
export const errorText = z.string().describe('A sentence or two for people: what happened and what to do.');

/** The BTC price in USD. */
export const btcPriceUsd = z.number().positive().describe('The price of one bitcoin, in US dollars.');

/** The source of a BTC price. */
export const priceSource = z.string().describe('The source of the BTC price.');

/** Creates the query parameter that limits a list's length. */
export const limit = (most: number, preset: number) =>
  z.coerce
    .number()
    .int()
    .min(1)
    .max(most)
    .default(preset)
    .describe('The maximum number of entries to return.');

/** The query parameters of a list that is read page by page, newest first. */
export const PAGE_FIELDS = {
  cursor: z
    .string()
    .regex(/^\d{1,15}$/, 'cursor must be a nextCursor from this route.')
    .optional()
    .describe('The `nextCursor` of the previous response.'),
  limit: limit(200, 50),
};

/** The field of a page that points to the next one. */
export const nextCursor = z
  .string()
  .optional()
  .describe('Pass it as `cursor` to get the next page. Absent on the last page.');

/** The header that repeats {@link nextCursor}, because a page in CSV has no fields. */
export const NEXT_CURSOR_HEADER = {
  'Next-Cursor': {
    description: 'Pass it as `cursor` to get the next page. Absent on the last page.',
    from: ({ nextCursor: next }: { nextCursor?: string | undefined }) => next,
  },
} as const;

/** The period that a route adds up, in milliseconds since 1970. Includes `fromMs` but not `toMs`. */
export interface Period {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

/** Creates a period's query parameters. `what` names the things selected, such as "calls". */
export const periodQuery = (what: string) => ({
  from: z.iso.datetime({ offset: true }).optional().describe(`Only ${what} at or after this time.`),
  to: z.iso.datetime({ offset: true }).optional().describe(`Only ${what} before this time.`),
});

/** The most agents that a request can name. A root has about 2,000. */
export const MAX_AGENTS = 10_000;

/** The most names in a list in a request. */
export const MAX_NAMES = 1_000;

const msOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time);

/** Returns the period that a query names. */
export const periodOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }): Period => ({
  fromMs: msOf(from),
  toMs: msOf(to),
});
