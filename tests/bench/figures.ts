import type { Spread } from './statistics.ts';

/** What a figure is to reach: at least or at most this much. */
export interface Target {
  at: 'least' | 'most';
  value: number;
}

/** One line of the report. */
export interface Figure {
  /** For programs, stable. */
  id: string;
  name: string;
  unit: 'per second' | 'ms' | 'kB';
  /** Ours, and beside it what the section's title names (bare Express, bare cashu-ts, an empty store), in `unit`. */
  ours: number;
  baseline?: number | undefined;
  /** What the target is about: the ratio of ours to the baseline, or ours itself. */
  result: { kind: 'ratio' | 'value'; spread: Spread };
  target?: Target | undefined;
  /** What else was seen, for a person. */
  note?: string | undefined;
  /** What else was seen, for programs. */
  details?: Readonly<Record<string, unknown>>;
}

/** Figures that belong together. */
export interface Section {
  title: string;
  figures: readonly Figure[];
}

/** Whether a figure reaches its target; undefined where there is none. */
export const isReached = ({ result, target }: Figure): boolean | undefined => {
  if (!target) return undefined;
  const { median } = result.spread;
  return target.at === 'least' ? median >= target.value : median <= target.value;
};
