import { queryOptions } from '@tanstack/react-query';
import type { CallOf } from '../../../shared/api/endpoint.ts';
import {
  listSales,
  listServices,
  listSoldChanges,
  previewService,
  type Sales,
  type ServiceEstimate,
} from '../../../shared/api/services.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

/** How many of the latest requests are shown. */
const LATEST_SALES = 200;

/** Queries the agents that are or were for sale. Needs a page signed in as the operator. */
export const servicesQuery = () =>
  queryOptions({
    queryKey: [...keys.services, 'all'],
    queryFn: async ({ signal }) => (await call(listServices, {}, signal)).services,
  });

/** Queries the latest requests from an agent's customers, newest first, and sums over all. The agent must have been for sale. */
export const salesQuery = (agent: string) =>
  queryOptions({
    queryKey: [...keys.services, 'sales', agent],
    queryFn: ({ signal }): Promise<Sales> =>
      call(listSales, { params: { agent }, query: { limit: LATEST_SALES } }, signal),
  });

/** Queries what changed in an agent since it was put up for sale. */
export const soldChangesQuery = (agent: string) =>
  queryOptions({
    queryKey: [...keys.prompts(agent), 'sold'],
    queryFn: ({ signal }) => call(listSoldChanges, { params: { agent } }, signal),
  });

/** The parts of a price, for {@link estimateQuery}. */
export type PriceTerms = Pick<
  CallOf<typeof previewService>['body'],
  'priceSats' | 'marginPercent' | 'maxOutputTokens'
>;

/** Queries the price that an agent's customer would pay. Refetched when the prompt or a price changes. */
export const estimateQuery = (agent: string, terms: PriceTerms) =>
  queryOptions({
    queryKey: [...keys.prompts(agent), 'sale', terms],
    queryFn: ({ signal }): Promise<ServiceEstimate> =>
      call(previewService, { body: { agent, ...terms } }, signal),
    placeholderData: (before) => before,
  });
