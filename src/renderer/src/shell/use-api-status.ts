import { useQuery } from '@tanstack/react-query';
import type { Health } from '../../../shared/api/health.ts';
import type { ConnectionState } from '../api/events.ts';
import { useLive } from '../api/live.tsx';
import { healthQuery } from '../api/queries.ts';

/** The API's address, whether it answers, and what it last reported about itself. */
export interface ApiStatus {
  readonly state: ConnectionState;
  readonly address: string;
  /** Undefined until it has answered once. */
  readonly health: Health | undefined;
  readonly retryNow: () => void;
}

/** The state of the API for the rail and the banners. */
export const useApiStatus = (): ApiStatus => {
  const { state, retryNow } = useLive();
  const { data } = useQuery(healthQuery());
  return { state, address: window.location.origin, health: data, retryNow };
};
