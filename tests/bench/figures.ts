import { type Spread, spreadOf } from './statistics.ts';

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
  unit: 'per second' | 'ms' | 'kB' | 'MB' | 'MB/s' | '%';
  /** Ours, and beside it what the section's title names (bare Express, bare cashu-ts, an empty store), in `unit`. */
  ours: number;
  baseline?: number | undefined;
  /** What the target is about: the ratio of ours to the baseline, or ours itself. */
  result: { kind: 'ratio' | 'value'; spread: Spread };
  target?: Target | undefined;
  /** Which of the rounds has to reach it: the middle one unless told; the worst where a person feels each. */
  judged?: 'median' | 'worst';
  /** What else was seen, for a person. */
  note?: string | undefined;
  /** What else was seen, for programs. */
  details?: Readonly<Record<string, unknown>>;
}

/** A figure in milliseconds, one value for each round, with the most that its median should be. */
export const timeFigure = (
  id: string,
  name: string,
  values: readonly number[],
  targetMs?: number,
): Figure => {
  const spread = spreadOf(values);
  return {
    id,
    name,
    unit: 'ms',
    ours: spread.median,
    result: { kind: 'value', spread },
    target: targetMs === undefined ? undefined : { at: 'most', value: targetMs },
  };
};

/** Figures that belong together. */
export interface Section {
  title: string;
  figures: readonly Figure[];
}

/** What of the rounds is held against the target. */
export const judgedValue = ({ result, target, judged }: Figure): number => {
  const { median, low, high } = result.spread;
  if (judged !== 'worst') return median;
  return target?.at === 'least' ? low : high;
};

/** Whether a figure reaches its target; undefined where there is none. */
export const isReached = (figure: Figure): boolean | undefined => {
  const { target } = figure;
  if (!target) return undefined;
  const value = judgedValue(figure);
  return target.at === 'least' ? value >= target.value : value <= target.value;
};
