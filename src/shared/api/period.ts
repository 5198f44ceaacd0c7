import { z } from 'zod';

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
