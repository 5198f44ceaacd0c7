import { satsPerMillion, satsPerToken, usdPerToken } from '../../../../../shared/sats.ts';
import { formatSats, formatUsd, shorten } from '../../../money/format-price.ts';
import { cx } from '../../../ui/cx.ts';

/** The sides of a price. */
export const SIDES = ['input', 'output'] as const;
/** The units in which prices are shown. */
const MEASURES = ['usdPerMillion', 'usdPerToken', 'satsPerMillion', 'satsPerToken'] as const;

export type Side = (typeof SIDES)[number];
export type Measure = (typeof MEASURES)[number];

/** The unit of the shown prices: a million model tokens, one model token, or a million cached ones. */
export const PERS = ['million', 'token', 'cache'] as const;

export type Per = (typeof PERS)[number];

/** The measures that the table shows for each unit. */
export const SHOWN_MEASURES = {
  million: ['usdPerMillion', 'satsPerMillion'],
  token: ['usdPerToken', 'satsPerToken'],
  cache: ['usdPerMillion', 'satsPerMillion'],
} as const satisfies Readonly<Record<Per, readonly Measure[]>>;

/** The columns' widths. A price per token has the most digits. */
const WIDTHS: Readonly<Record<Measure, string>> = {
  usdPerMillion: 'w-24 wide:w-32',
  usdPerToken: 'w-30 wide:w-34',
  satsPerMillion: 'w-26 wide:w-32',
  satsPerToken: 'w-28 wide:w-34',
};

/** Returns whether a column is the last one, which ends at the page's right edge. */
const isEnd = (measure: Measure, side: Side) => measure.startsWith('sats') && side === 'output';

/** Returns the CSS classes for a measure's column. */
export const columnClass = (measure: Measure): string => WIDTHS[measure];

/** Returns the CSS classes for a measure's cell. */
export const cellClass = (measure: Measure, side: Side): string => cx('px-2', isEnd(measure, side) && 'pr-6');

/** A measure derived from USD per million. */
type DerivedMeasure = Exclude<Measure, 'usdPerMillion'>;

/** How many characters fit in a measure's column. */
const MOST: Readonly<Record<Measure, number>> = {
  usdPerMillion: 8,
  usdPerToken: 12,
  satsPerMillion: 8,
  satsPerToken: 10,
};

/** Formats USD per million for its column. */
export const usdPerMillionText = (usd: number): string =>
  shorten(formatUsd(usd), usd, MOST.usdPerMillion, '$');

/** A price as shown, and with all significant digits. */
export interface Price {
  readonly text: string;
  readonly exact: string;
}

/** A BTC price has at most seven significant digits, so further digits are rounding errors. */
const exactDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 7 });

const exactText = (value: number): string => exactDigits.format(value);

/** Converts a price to another measure. Null for sats while there is no BTC price. */
export const priceIn = (
  measure: DerivedMeasure,
  usdPerMillion: number,
  btcUsd: number | null,
): Price | null => {
  if (measure === 'usdPerToken') {
    const usd = usdPerToken(usdPerMillion);
    return { text: shorten(formatUsd(usd), usd, MOST[measure], '$'), exact: `$${exactText(usd)}` };
  }
  if (btcUsd === null) return null;
  const sats = (measure === 'satsPerToken' ? satsPerToken : satsPerMillion)(usdPerMillion, btcUsd);
  return { text: shorten(formatSats(sats), sats, MOST[measure]), exact: exactText(sats) };
};
