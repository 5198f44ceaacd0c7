import { satsPerMillion, satsPerToken, usdPerToken } from '../../../../../shared/price-math.ts';
import { formatSats, formatUsd, shorten } from '../../../format-price.ts';
import type { Measure } from './sort-models.ts';

/** A measure that follows from USD per million. */
type DerivedMeasure = Exclude<Measure, 'usdPerMillion'>;

/** How many characters fit in a measure's column. */
const MOST: Readonly<Record<Measure, number>> = {
  usdPerMillion: 8,
  usdPerToken: 12,
  satsPerMillion: 8,
  satsPerToken: 10,
};

/** USD per million as its column shows it. */
export const usdPerMillionText = (usd: number): string =>
  shorten(formatUsd(usd), usd, MOST.usdPerMillion, '$');

/** A price as shown, and with all digits that mean something. */
export interface Price {
  readonly text: string;
  readonly exact: string;
}

/** A BTC price has no more digits than these, and further ones are only rounding errors. */
const exactDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 7 });

const exactText = (value: number): string => exactDigits.format(value);

/** A price in another measure. Null for sats while there is no BTC price. */
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
