import { useQuery } from '@tanstack/react-query';
import { listSignIns, type SignIns } from '../../../../shared/api/readiness.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';

/** How often to refetch the states while checks are running. */
const CHECKING_MS = 2_000;

/** Loads all agents' sign-in states in one request. Undefined until loaded. */
export const useSignIns = (): SignIns | undefined =>
  useQuery({
    queryKey: keys.signIns,
    queryFn: ({ signal }) => call(listSignIns, {}, signal),
    refetchInterval: ({ state }) => (state.data?.checking ? CHECKING_MS : false),
  }).data;
