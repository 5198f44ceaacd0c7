// Separate from the wallet's other queries, because the first view uses some of those.
import { queryOptions } from '@tanstack/react-query';
import { getCharge } from '../../../shared/api/charges.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

/** A charge: the customer's payment and its purpose. */
export const chargeQuery = (chargeId: string) =>
  queryOptions({
    queryKey: [...keys.wallet, 'charge', chargeId],
    queryFn: ({ signal }) => call(getCharge, { params: { chargeId } }, signal),
  });
