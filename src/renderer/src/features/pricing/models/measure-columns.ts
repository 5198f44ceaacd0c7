import { cx } from '../../../ui/cx.ts';
import type { Measure, Side } from './sort-models.ts';

/** How many tokens a price is of. A wide window shows both; a narrow one shows one, which a person chooses. */
export const PERS = ['million', 'token'] as const;

/** One of {@link PERS}. */
export type Per = (typeof PERS)[number];

const PER: Readonly<Record<Measure, Per>> = {
  usdPerMillion: 'million',
  usdPerToken: 'token',
  satsPerMillion: 'million',
  satsPerToken: 'token',
};

/** A price of a token has the most digits. */
const WIDTHS: Readonly<Record<Measure, string>> = {
  usdPerMillion: 'w-20 max-wide:w-24',
  usdPerToken: 'w-28',
  satsPerMillion: 'w-20 max-wide:w-26',
  satsPerToken: 'w-25 last:w-29',
};

/** Classes of what belongs to a measure: it is hidden where a narrow window shows the other one. */
export const shownClass = (measure: Measure, per: Per): string =>
  PER[measure] === per ? '' : 'max-wide:hidden';

/** The last column in sight ends where everything of the page does. */
const isEnd = (measure: Measure, side: Side) => measure.startsWith('sats') && side === 'output';

/** Classes of the column of a measure. */
export const columnClass = (measure: Measure, per: Per): string =>
  cx(WIDTHS[measure], shownClass(measure, per));

/** Classes of a cell of a measure. */
export const cellClass = (measure: Measure, side: Side, per: Per): string =>
  cx('px-2', isEnd(measure, side) && 'max-wide:pr-6 last:pr-6', shownClass(measure, per));

/** Classes of the head of a column, whose button has an edge of its own. */
export const headClass = (measure: Measure, side: Side, per: Per): string =>
  cx('px-1', isEnd(measure, side) && 'max-wide:pr-5 last:pr-5', shownClass(measure, per));
