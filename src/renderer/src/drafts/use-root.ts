import { useQuery } from '@tanstack/react-query';
import { healthQuery } from '../api/queries.ts';

/** The directory of the agents that drafts belong to; `isUnknown` when the server cannot be asked for it. */
export const useRoot = (): { readonly root: string | undefined; readonly isUnknown: boolean } => {
  const { data, isError } = useQuery(healthQuery());
  return { root: data?.dotMiRoot, isUnknown: isError };
};
