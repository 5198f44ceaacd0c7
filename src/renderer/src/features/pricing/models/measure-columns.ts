import { cx } from '../../../ui/cx.ts';
import type { Measure, Side } from './sort-models.ts';

/** What the shown prices are for: a million model tokens, one, or a million in the provider's cache. */
export const PERS = ['million', 'token', 'cache'] as const;

/** One of {@link PERS}. */
export type Per = (typeof PERS)[number];

/** The measures that the table shows. */
export const SHOWN_MEASURES = {
  million: ['usdPerMillion', 'satsPerMillion'],
  token: ['usdPerToken', 'satsPerToken'],
  cache: ['usdPerMillion', 'satsPerMillion'],
} as const satisfies Readonly<Record<Per, readonly Measure[]>>;

/** A price per token has the most digits. */
const WIDTHS: Readonly<Record<Measure, string>> = {
  usdPerMillion: 'w-24 wide:w-32',
  usdPerToken: 'w-30 wide:w-34',
  satsPerMillion: 'w-26 wide:w-32',
  satsPerToken: 'w-28 wide:w-34',
};

/** The last column ends at the page's right edge. */
const isEnd = (measure: Measure, side: Side) => measure.startsWith('sats') && side === 'output';

/** Classes of a measure's column. */
export const columnClass = (measure: Measure): string => WIDTHS[measure];

/** Classes of a measure's cell. */
export const cellClass = (measure: Measure, side: Side): string => cx('px-2', isEnd(measure, side) && 'pr-6');

/** Classes of a column's header, whose button has its own padding. */
export const headClass = (measure: Measure, side: Side): string => cx('px-1', isEnd(measure, side) && 'pr-5');
