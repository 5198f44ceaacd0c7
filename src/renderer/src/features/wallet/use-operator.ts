import { useInfiniteQuery } from '@tanstack/react-query';
import { needsSignIn } from '../../../../shared/api/errors.ts';
import { historyQuery } from '../../api/wallet-queries.ts';
import { useSession } from '../../sign-in/use-session.ts';

/** Whether this page has the operator's rights, which the history needs. Undefined while unknown. */
export const useIsOperator = (): boolean | undefined => {
  const session = useSession();
  const { data, error } = useInfiniteQuery(historyQuery());
  // A page with a token can still lack the right, because the API token isn't the operator token.
  if (session !== 'signedIn' || needsSignIn(error)) return false;
  return data ? true : undefined;
};
