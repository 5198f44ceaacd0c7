import { number } from './words.ts';

/** Strings for the balance chart. Separate from the wallet's strings, which the first view doesn't need. */
export const balanceChart = {
  chart: (from: number, to: number): string =>
    `Balance over seven days: ${number.format(from)} sat at the start, ${number.format(to)} sat at the end`,
  change: (sats: number): string =>
    sats === 0
      ? 'Unchanged in 7 days'
      : `${sats > 0 ? '+' : '−'}${number.format(Math.abs(sats))} sat in 7 days`,
} as const;
