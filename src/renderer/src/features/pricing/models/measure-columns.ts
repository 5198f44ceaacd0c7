import { cx } from '../../../ui/cx.ts';
import type { Measure, Side } from './sort-models.ts';

/** How many model tokens a price is for. A wide window shows both. A narrow one shows the chosen one. */
export const PERS = ['million', 'token'] as const;

/** One of {@link PERS}. */
export type Per = (typeof PERS)[number];

const PER: Readonly<Record<Measure, Per>> = {
  usdPerMillion: 'million',
  usdPerToken: 'token',
  satsPerMillion: 'million',
  satsPerToken: 'token',
};

/** A price per token has the most digits. */
const WIDTHS: Readonly<Record<Measure, string>> = {
  usdPerMillion: 'w-20 max-wide:w-24',
  usdPerToken: 'w-28',
  satsPerMillion: 'w-20 max-wide:w-26',
  satsPerToken: 'w-25 last:w-29',
};

/** Classes of a measure's elements, which are hidden while a narrow window shows the other one. */
export const shownClass = (measure: Measure, per: Per): string =>
  PER[measure] === per ? '' : 'max-wide:hidden';

/** The last visible column ends at the page's right edge. */
const isEnd = (measure: Measure, side: Side) => measure.startsWith('sats') && side === 'output';

/** Classes of a measure's column. */
export const columnClass = (measure: Measure, per: Per): string =>
  cx(WIDTHS[measure], shownClass(measure, per));

/** Classes of a measure's cell. */
export const cellClass = (measure: Measure, side: Side, per: Per): string =>
  cx('px-2', isEnd(measure, side) && 'max-wide:pr-6 last:pr-6', shownClass(measure, per));

/** Classes of a column's header, whose button has its own padding. */
export const headClass = (measure: Measure, side: Side, per: Per): string =>
  cx('px-1', isEnd(measure, side) && 'max-wide:pr-5 last:pr-5', shownClass(measure, per));
