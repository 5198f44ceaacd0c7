import type { Page } from 'playwright';
import type { Figure, Section } from '../figures.ts';
import { spreadOf } from '../statistics.ts';
import { type ServedAgent, type TypingFigures, typeLargeFile } from './type-large-file.ts';

/** A key now and then may wait for the counting of words or the keeping of a draft, but not as long as a person would feel it. */
const TARGETS_MS: Readonly<Record<'p50' | 'p95' | 'max', number | undefined>> = {
  p50: undefined,
  p95: 50,
  max: 100,
};

/** A person doesn't feel less than this. */
const MOST_PER_KEY_MS = 50;

/** Typing in a SYSTEM.md of 1 MB, in lines and on one line, beside one of 10 kB. */
export const measureTyping = async (page: Page, served: ServedAgent): Promise<Section> => {
  const { small, large, oneLine } = await typeLargeFile(page, served);
  const figure = (share: 'p50' | 'p95' | 'max'): Figure => ({
    id: `page.typing.${share}`,
    name: `from a key to the frame that shows it: ${share}`,
    unit: 'ms',
    ours: large.keyToPaintMs[share],
    baseline: small.keyToPaintMs[share],
    result: { kind: 'value', spread: spreadOf([large.keyToPaintMs[share]]) },
    ...(TARGETS_MS[share] === undefined ? {} : { target: { at: 'most', value: TARGETS_MS[share] } as const }),
    note: `${large.keys} keys; tasks over 50 ms: ${large.longTasks}, beside ${small.longTasks}`,
  });
  const cpu = (id: string, name: string, { cpuPerKeyMs, keyToPaintMs }: TypingFigures): Figure => ({
    id: `page.typing.${id}`,
    name,
    unit: 'ms',
    ours: cpuPerKeyMs,
    baseline: small.cpuPerKeyMs,
    result: { kind: 'value', spread: spreadOf([cpuPerKeyMs]) },
    target: { at: 'most', value: MOST_PER_KEY_MS },
    note: `to the frame: p95 ${keyToPaintMs.p95.toFixed(0)} ms`,
  });
  return {
    title: 'Typing in a SYSTEM.md of 1 MB; beside it one of 10 kB',
    figures: [
      figure('p50'),
      figure('p95'),
      figure('max'),
      cpu('cpu', 'processor time per key', large),
      cpu('line.cpu', 'processor time per key, 1 MB on one line', oneLine),
    ],
  };
};
