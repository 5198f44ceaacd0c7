import { appendFile, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { isNotFound } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import { HIGHEST_USD, LOWEST_USD } from './btc-sources.ts';
import type { Quote } from './find-price.ts';

/** The prices of the last few days, saved in a file. */
export interface PriceHistory {
  latest(): Quote | undefined;
  /** Returns the prices since `at`, oldest first. */
  since(at: number): Quote[];
  add(quote: Quote): Promise<void>;
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

const parseLine = (line: string): Quote[] => {
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
  let thinned: Quote[] = [];
  let whole: Quote[] = [];
  const keep = (quote: Quote) => {
    whole.push(quote);
    const oldest = whole.length > WHOLE_PRICES ? whole.shift() : undefined;
    const before = thinned.at(-1);
    if (oldest && (!before || oldest.at - before.at >= FINEST_MS)) thinned.push(oldest);
  };
  const all = () => [...thinned, ...whole];
  for (const quote of lines.flatMap(parseLine).sort((a, b) => a.at - b.at)) {
    // A price from the future means that a clock was wrong.
    if (quote.at > now - KEPT_MS && quote.at <= now) keep(quote);
  }
  let lineCount = lines.length;

  const rewrite = async () => {
    const quotes = all();
    const text = quotes.map((quote) => `${JSON.stringify(quote)}\n`).join('');
    await writeAtomically(path, Buffer.from(text));
    lineCount = quotes.length;
  };

  return {
    latest: () => whole.at(-1),
    since: (at) => all().filter((quote) => quote.at >= at),
    async add(quote) {
      const oldest = thinned[0] ?? whole[0];
      if (oldest && oldest.at <= quote.at - KEPT_MS) {
        const isRecent = ({ at }: Quote) => at > quote.at - KEPT_MS;
        thinned = thinned.filter(isRecent);
        whole = whole.filter(isRecent);
      }
      keep(quote);
      lineCount += 1;
      if (lineCount > thinned.length + whole.length + SPARE_LINES) return rewrite();
      // A truncated line has no line ending, and the new line must not be joined to it.
      await appendFile(path, `\n${JSON.stringify(quote)}\n`);
    },
  };
};
