import { type Figure, isReached, judgedValue, type Section } from './figures.ts';
import type { Machine } from './machine.ts';
import type { Plan } from './plan.ts';

/** All of one run. */
export interface Report {
  machine: Machine;
  /** The load average when the run ended. */
  loadAverageAtEnd: number;
  /** Of `npm run bench`; the bench of the page has none. */
  plan?: Plan;
  seconds: number;
  sections: readonly Section[];
}

type Row = readonly string[];

const HEADER: Row = ['', 'ours', 'beside', 'result', 'low – high', 'target', '', ''];
/** Numbers stand to the right. */
const RIGHT = new Set([1, 2, 3, 4, 5]);

const plain = (value: number, { unit }: Pick<Figure, 'unit'>) => {
  if (unit === 'per second') {
    return `${value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')}/s`;
  }
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} ${unit}`;
};

const verdict = (figure: Figure) => {
  const reached = isReached(figure);
  if (reached === undefined) return 'information';
  return reached ? 'reached' : 'MISSED';
};

const toRow = (figure: Figure): Row => {
  const { name, ours, baseline, result, target, note = '' } = figure;
  const show = (value: number) => (result.kind === 'ratio' ? `${value.toFixed(2)}×` : plain(value, figure));
  const { low, high } = result.spread;
  return [
    `  ${name}`,
    plain(ours, figure),
    baseline === undefined ? '' : plain(baseline, figure),
    show(judgedValue(figure)),
    `${show(low)} – ${show(high)}`,
    target
      ? `${target.at === 'least' ? '≥' : '≤'} ${target.value}${result.kind === 'ratio' ? '×' : ` ${figure.unit}`}`
      : '',
    verdict(figure),
    note,
  ];
};

const align = (rows: readonly Row[]) => {
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return (row: Row) =>
    row
      .map((cell, i) => (RIGHT.has(i) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
};

/** The report as a table for people. */
export const toTable = ({ machine, loadAverageAtEnd, seconds, sections }: Report): string => {
  const rows = sections.map(({ figures }) => figures.map(toRow));
  const format = align([HEADER, ...rows.flat()]);
  const { date, node, system, cores, processor, memoryGiB, loadAverage } = machine;
  const figures = sections.flatMap((section) => section.figures);
  const missed = figures.filter((figure) => isReached(figure) === false);
  const withTarget = figures.filter((figure) => figure.target);
  return [
    `dot-mi Desktop, bench of ${date}`,
    `${cores} × ${processor}, ${memoryGiB} GiB, ${system}, Node ${node}`,
    `load average ${loadAverage.toFixed(1)} before, ${loadAverageAtEnd.toFixed(1)} after; took ${seconds.toFixed(0)} s`,
    '',
    format(HEADER),
    ...sections.flatMap(({ title }, i) => ['', title, ...(rows[i] ?? []).map(format)]),
    '',
    missed.length === 0
      ? `All ${withTarget.length} targets reached.`
      : `${withTarget.length - missed.length} of ${withTarget.length} targets reached; MISSED: ${missed.map(({ id }) => id).join(', ')}.`,
  ].join('\n');
};

/** The report for programs: the same figures, each with its rounds and verdict. */
export const toJson = (report: Report): string =>
  `${JSON.stringify(
    {
      ...report,
      sections: report.sections.map(({ title, figures }) => ({
        title,
        figures: figures.map((figure) => ({ ...figure, reached: isReached(figure) ?? null })),
      })),
    },
    null,
    2,
  )}\n`;
