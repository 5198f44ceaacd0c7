/** What a handful of rounds says: the middle, and how far apart they were. */
export interface Spread {
  median: number;
  low: number;
  high: number;
  /** Each round, in the order they were run. */
  rounds: readonly number[];
}

/** The value below which a share of `values` lies (nearest rank); NaN of none. */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
};

/** Sums up rounds. The median, since a neighbour's burst on the machine spoils one round and not the middle one. */
export const spreadOf = (rounds: readonly number[]): Spread => ({
  median: (percentile(rounds, 0.5) + percentile(rounds, 0.5 + 1e-9)) / 2,
  low: Math.min(...rounds),
  high: Math.max(...rounds),
  rounds,
});
