import { useMutation, useQueryClient } from '@tanstack/react-query';
import { refreshPrice } from '../../../shared/api/pricing.ts';
import { type ApiError, call } from '../api/client.ts';
import { after, refreshAfter } from '../api/invalidations.ts';
import { pricing as words } from '../strings/pricing.ts';
import { formatBtcUsd } from './format-price.ts';

/** The state of a price refresh, and the function that starts it. */
export interface BtcPriceRefresh {
  readonly run: () => void;
  readonly isPending: boolean;
  /** Why the last refresh failed. */
  readonly error: ApiError | null;
  /** The last refresh's result, for screen readers. Empty before the first refresh. */
  readonly found: string;
}

/** Requests a new BTC price. */
export const useRefreshBtcPrice = (): BtcPriceRefresh => {
  const client = useQueryClient();
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => call(refreshPrice, {}),
    // Not after a failure, because what shows the failure would be loaded again.
    onSuccess: () => void refreshAfter(client, after.btcPrice()),
  });
  const found = data ? words.btc.refreshed(formatBtcUsd(data.btc_price_usd), data.source) : '';
  return { run: () => !isPending && mutate(), isPending, error, found };
};
