import { useQuery } from '@tanstack/react-query';
import { listSignIns, type SignIns } from '../../../../shared/api/readiness.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';

/** The interval at which running checks are fetched again. */
const CHECKING_MS = 2_000;

/** Loads in one request which agents are signed in. Undefined until loaded. */
export const useSignIns = (): SignIns | undefined =>
  useQuery({
    queryKey: keys.signIns,
    queryFn: ({ signal }) => call(listSignIns, {}, signal),
    refetchInterval: ({ state }) => (state.data?.checking ? CHECKING_MS : false),
  }).data;
