import type { CoveredCost } from '../../../shared/api/usage.ts';
import { formatSats } from '../money/format-price.ts';
import { many } from './words.ts';

/** Describes the calls that a subscription covers. */
export const covered = ({ calls, sats, counted }: CoveredCost): string =>
  `${many(calls, 'call', 'calls')} covered by a subscription${
    sats === null ? '' : `, would be ≈ ${formatSats(sats)} sat`
  }.${counted ? ' Counted as spent.' : ''}`;
