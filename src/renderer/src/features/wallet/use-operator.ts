import { useInfiniteQuery } from '@tanstack/react-query';
import { historyQuery } from '../../api/queries.ts';
import { useSession } from '../../sign-in/use-session.ts';

/** Whether this page may do what only the operator may; undefined while nobody knows. The history tells: it is one of those things. */
export const useIsOperator = (): boolean | undefined => {
  const session = useSession();
  const { data, error } = useInfiniteQuery(historyQuery());
  // A page with a token can still lack the right: that of API_TOKEN is not the operator's.
  if (session !== 'signedIn' || error?.code === 'unauthorized') return false;
  return data ? true : undefined;
};
