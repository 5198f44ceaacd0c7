import type { Figure, Section } from '../figures.ts';
import { spreadOf } from '../statistics.ts';
import type { Frames } from './frames.ts';
import type { ListRound } from './measure-list.ts';

const LONGEST_FRAME = { at: 'most', value: 50 } as const;

const STEPS = { open: 'opens', filter: 'is filtered', scroll: 'is scrolled through' } as const;

const worst = (rounds: readonly Frames[]) => Math.max(...rounds.map(({ longestMs }) => longestMs));

/** The figures of a list of many agents, beside those of one of few in the same run. */
export const listFigures = (many: readonly ListRound[], few: readonly ListRound[]): Section => {
  const frames = (['open', 'filter', 'scroll'] as const).flatMap((step): Figure[] => {
    const [ours, beside] = [many.map((round) => round[step]), few.map((round) => round[step])];
    const figure = (id: string, name: string, of: (frames: Frames) => number): Figure => ({
      id: `page.list.${step}.${id}`,
      name: `${STEPS[step]}: ${name}`,
      unit: 'ms',
      ours: spreadOf(ours.map(of)).median,
      baseline: spreadOf(beside.map(of)).median,
      result: { kind: 'value', spread: spreadOf(ours.map(of)) },
    });
    return [
      {
        ...figure('longest', 'longest frame', ({ longestMs }) => longestMs),
        target: LONGEST_FRAME,
        judged: 'worst',
        note: `the worst; beside ${worst(beside).toFixed(0)} ms`,
      },
      {
        ...figure('cpu', 'longest task, processor time', ({ longestTaskMs }) => longestTaskMs),
        target: LONGEST_FRAME,
        judged: 'worst',
      },
      figure('p95', 'p95 of the frames', ({ p95Ms }) => p95Ms),
    ];
  });
  const open = spreadOf(many.map(({ openMs }) => openMs));
  return {
    title: 'The list of 10,000 agents; beside it that of 100',
    figures: [
      {
        id: 'page.list.open.time',
        name: 'from the click to the first row',
        unit: 'ms',
        ours: open.median,
        baseline: spreadOf(few.map(({ openMs }) => openMs)).median,
        result: { kind: 'value', spread: open },
      },
      ...frames,
    ],
  };
};
