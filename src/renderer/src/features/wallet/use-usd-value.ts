// Its own file because the value follows from the price, which the wallet itself doesn't read.
import { useQuery } from '@tanstack/react-query';
import { SATS_PER_BTC } from '../../../../shared/price-math.ts';
import { btcPriceQuery } from '../../api/queries.ts';

/** The value of sats in USD. Null for no sats, and while the BTC price is unknown or out of date. */
export const useUsdValue = (sats: number): number | null => {
  const { data } = useQuery(btcPriceQuery());
  if (sats === 0 || !data || data.stale) return null;
  return (sats / SATS_PER_BTC) * data.btc_price_usd;
};
