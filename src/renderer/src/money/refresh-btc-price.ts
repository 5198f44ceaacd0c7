import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type BtcPrice, refreshPrice } from '../../../shared/api/pricing.ts';
import { type ApiError, call } from '../api/client.ts';
import { keys } from '../api/queries.ts';
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
    onSuccess: ({ btc_price_usd, source, updated_at }) => {
      client.setQueryData<BtcPrice>(keys.btcPrice, {
        btc_price_usd,
        age_seconds: 0,
        source,
        updated_at,
        stale: false,
      });
      for (const queryKey of [keys.allPriceHistory, keys.allPrompts])
        void client.invalidateQueries({ queryKey });
    },
  });
  const found = data ? words.btc.refreshed(formatBtcUsd(data.btc_price_usd), data.source) : '';
  return { run: () => !isPending && mutate(), isPending, error, found };
};
