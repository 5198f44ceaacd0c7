import { queryOptions } from '@tanstack/react-query';
import type { CallOf } from '../../../shared/api/endpoint.ts';
import {
  listSales,
  listServices,
  previewService,
  type ServiceEstimate,
} from '../../../shared/api/services.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

/** The agents that are for sale, or were. Needs a page that is signed in as the operator. */
export const servicesQuery = () =>
  queryOptions({
    queryKey: [...keys.services, 'all'],
    queryFn: async ({ signal }) => (await call(listServices, {}, signal)).services,
  });

/** The last requests of an agent's customers, newest first. The agent must have been for sale. */
export const salesQuery = (agent: string) =>
  queryOptions({
    queryKey: [...keys.services, 'sales', agent],
    queryFn: async ({ signal }) => (await call(listSales, { params: { agent } }, signal)).sales,
  });

/** What a price is made of, for {@link estimateQuery}. */
export type PriceTerms = Pick<
  CallOf<typeof previewService>['body'],
  'priceSats' | 'marginPercent' | 'maxOutputTokens'
>;

/** What a customer of an agent would pay. What changes its prompt or a price changes this too. */
export const estimateQuery = (agent: string, terms: PriceTerms) =>
  queryOptions({
    queryKey: [...keys.prompts(agent), 'sale', terms],
    queryFn: ({ signal }): Promise<ServiceEstimate> =>
      call(previewService, { body: { agent, ...terms } }, signal),
    placeholderData: (before) => before,
  });
