import { z } from 'zod';

/** The mark of a response that says nothing else. */
export const ok = z.literal(true).describe('Always true. A failure has an error status instead.');

/** The body of a response that says nothing else. */
export const okBody = z.object({ ok });

/** The id of an agent in a response. Requests have `agentIdSchema`, which checks it. */
export const agentId = z.string().describe('The id of an agent.');

/** The id of anything else in a response. */
export const id = z.string().describe('The id, unchanged for as long as it exists.');

/** The name of an entry in a response. Requests have `entryNameSchema` or `linkNameSchema`, which check it. */
export const name = z.string().describe('The name, one path segment.');

/** The id of an agent key or a page key in a request. */
export const keyId = z.string().max(64).describe('The id of the key. It is not a secret.');

/** The etag of a file that exists. */
export const etag = z.string().describe('The etag of the file now, for If-Match. It includes its quotes.');

/** When something was created. */
export const createdAt = z.iso.datetime().describe('When it was created.');

/** A code for programs, one of `codes`. */
export const codeOf = <const C extends readonly string[]>(codes: C) =>
  z.enum(codes).describe('A code for programs. It never changes its meaning.');

/** What a person reads instead of a code. */
export const message = z.string().describe('A sentence for people.');

/** What a person reads about an error. */
export const errorText = z
  .string()
  .describe('One or two sentences for people that say what happened and what to do.');

/** The BTC price in USD. */
export const btcPriceUsd = z.number().positive().describe('The price of one bitcoin in US dollars.');

/** Where a BTC price is from. */
export const priceSource = z.string().describe('The source that gave the BTC price.');

/** How many entries of a list to answer. */
export const limit = (most: number, preset: number) =>
  z.coerce.number().int().min(1).max(most).default(preset).describe('The most entries to return.');

/** The times that a route adds up, in milliseconds since 1970. `fromMs` is included, `toMs` isn't. */
export interface Period {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

/** The parts of a query that name a period, with `what` it selects, such as "calls". */
export const periodQuery = (what: string) => ({
  from: z.iso.datetime({ offset: true }).optional().describe(`Only ${what} at this time or later.`),
  to: z.iso.datetime({ offset: true }).optional().describe(`Only ${what} before this time.`),
});

const msOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Date.parse(time);

/** The period that a query names. */
export const periodOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }): Period => ({
  fromMs: msOf(from),
  toMs: msOf(to),
});
