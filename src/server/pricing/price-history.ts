import { appendFile, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { isNotFound } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import { HIGHEST_USD, LOWEST_USD } from './btc-sources.ts';
import type { ReportedPrice } from './find-btc-price.ts';

/** The prices of the last few days, saved in a file. */
export interface PriceHistory {
  latest(): ReportedPrice | undefined;
  /** Returns the prices since `at`, oldest first. */
  since(at: number): ReportedPrice[];
  add(reported: ReportedPrice): Promise<void>;
}

const KEPT_MS = 8 * 24 * 60 * 60 * 1000;

/** The number of newest prices that are all kept: about a day's at the shortest interval in settings (30 s). */
const WHOLE_PRICES = 3_000;

/** Keep at most one older price per this interval: 11,520 for 8 days. */
const FINEST_MS = 60_000;

/** The file is rewritten once it has this many more lines than there are kept prices. */
const SPARE_LINES = 2_000;

const lineSchema = z.object({
  at: z.number(),
  price: z.number().min(LOWEST_USD).max(HIGHEST_USD),
  source: z.string(),
  host: z.string().optional(),
});

const parseLine = (line: string): ReportedPrice[] => {
  try {
    return [lineSchema.parse(JSON.parse(line))];
  } catch {
    // A crash truncated this line, or someone edited it.
    return [];
  }
};

const readLines = async (path: string): Promise<string[]> => {
  try {
    return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
};

/**
 * Opens the price history in a file of JSON lines. Appending is fast at any file size. Skips a line that a crash
 * truncated.
 */
export const openPriceHistory = async (path: string, now: number): Promise<PriceHistory> => {
  const lines = await readLines(path);
  let thinned: ReportedPrice[] = [];
  let whole: ReportedPrice[] = [];
  const keep = (reported: ReportedPrice) => {
    whole.push(reported);
    const oldest = whole.length > WHOLE_PRICES ? whole.shift() : undefined;
    const before = thinned.at(-1);
    if (oldest && (!before || oldest.at - before.at >= FINEST_MS)) thinned.push(oldest);
  };
  const all = () => [...thinned, ...whole];
  for (const reported of lines.flatMap(parseLine).sort((a, b) => a.at - b.at)) {
    // A price from the future means that a clock was wrong.
    if (reported.at > now - KEPT_MS && reported.at <= now) keep(reported);
  }
  let lineCount = lines.length;

  const rewrite = async () => {
    const prices = all();
    const text = prices.map((reported) => `${JSON.stringify(reported)}\n`).join('');
    await writeAtomically(path, Buffer.from(text));
    lineCount = prices.length;
  };

  return {
    latest: () => whole.at(-1),
    since: (at) => all().filter((reported) => reported.at >= at),
    async add(reported) {
      const oldest = thinned[0] ?? whole[0];
      if (oldest && oldest.at <= reported.at - KEPT_MS) {
        const isRecent = ({ at }: ReportedPrice) => at > reported.at - KEPT_MS;
        thinned = thinned.filter(isRecent);
        whole = whole.filter(isRecent);
      }
      keep(reported);
      lineCount += 1;
      if (lineCount > thinned.length + whole.length + SPARE_LINES) return rewrite();
      // A truncated line has no line ending, and the new line must not be joined to it.
      await appendFile(path, `\n${JSON.stringify(reported)}\n`);
    },
  };
};
