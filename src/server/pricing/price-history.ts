import { appendFile, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { isNotFound } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import { HIGHEST_USD, LOWEST_USD } from './btc-sources.ts';
import type { Quote } from './find-price.ts';

/** A price and when it was fetched, in milliseconds since 1970. */
export interface TimedQuote extends Quote {
  at: number;
}

/** The prices of the last days, kept in a file. */
export interface PriceHistory {
  /** The newest one. */
  latest(): TimedQuote | undefined;
  /** Those not older than a time, oldest first. */
  since(at: number): TimedQuote[];
  add(quote: TimedQuote): Promise<void>;
}

const KEPT_MS = 8 * 24 * 60 * 60 * 1000;

/** Prices that follow each other faster are kept one in this time, beside the newest: 8 days of them are 11,520. */
const FINEST_MS = 60_000;

/** The file is written anew when it holds so many lines more than are kept. */
const SPARE_LINES = 2_000;

const lineSchema = z.object({
  at: z.number(),
  price: z.number().min(LOWEST_USD).max(HIGHEST_USD),
  source: z.string(),
});

const parseLine = (line: string): TimedQuote[] => {
  try {
    return [lineSchema.parse(JSON.parse(line))];
  } catch {
    // The last line of a crash, or one that was edited.
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
 * Opens the history in a file of JSON lines: a price is appended, which costs the same however many there are, and a line that a
 * crash cut is passed over.
 */
export const openPriceHistory = async (path: string, now: number): Promise<PriceHistory> => {
  const lines = await readLines(path);
  let quotes: TimedQuote[] = [];
  const keep = (quote: TimedQuote) => {
    const before = quotes.at(-2);
    // The newest always counts; the one before it stays only when it is far enough from its own predecessor.
    const last = quotes.at(-1);
    if (before && last && last.at - before.at < FINEST_MS) quotes.pop();
    quotes.push(quote);
  };
  for (const quote of lines.flatMap(parseLine).sort((a, b) => a.at - b.at)) {
    // A clock that was wrong, or will be: tomorrow's price is none.
    if (quote.at > now - KEPT_MS && quote.at <= now) keep(quote);
  }
  let lineCount = lines.length;

  const rewrite = async () => {
    const text = quotes.map((quote) => `${JSON.stringify(quote)}\n`).join('');
    await writeAtomically(path, Buffer.from(text));
    lineCount = quotes.length;
  };

  return {
    latest: () => quotes.at(-1),
    since: (at) => quotes.filter((quote) => quote.at >= at),
    async add(quote) {
      const oldest = quotes[0];
      if (oldest && oldest.at <= quote.at - KEPT_MS) {
        quotes = quotes.filter(({ at }) => at > quote.at - KEPT_MS);
      }
      keep(quote);
      lineCount += 1;
      if (lineCount > quotes.length + SPARE_LINES) return rewrite();
      // A line that a crash cut has no end; the new one must not be joined to it.
      await appendFile(path, `\n${JSON.stringify(quote)}\n`);
    },
  };
};
