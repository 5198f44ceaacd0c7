// Apart from the wallet's other queries, of which the first view has some.
import { queryOptions } from '@tanstack/react-query';
import { getCharge } from '../../../shared/api/charges.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

/** A charge: what a customer paid, and for what. */
export const chargeQuery = (chargeId: string) =>
  queryOptions({
    queryKey: [...keys.wallet, 'charge', chargeId],
    queryFn: ({ signal }) => call(getCharge, { params: { chargeId } }, signal),
  });
