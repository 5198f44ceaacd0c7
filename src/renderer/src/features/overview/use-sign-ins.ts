import { useQuery } from '@tanstack/react-query';
import { listSignIns, type SignIns } from '../../../../shared/api/readiness.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';

/** How soon a running check is asked about again. */
const CHECKING_MS = 2_000;

/** Which agents are signed in: one request for all of them. Undefined until it is read. */
export const useSignIns = (): SignIns | undefined =>
  useQuery({
    queryKey: keys.signIns,
    queryFn: ({ signal }) => call(listSignIns, {}, signal),
    refetchInterval: ({ state }) => (state.data?.checking ? CHECKING_MS : false),
  }).data;
