import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { parseModelName, priceNames } from '../../../../pi/agent-model.ts';
import { type BtcPrice, listPriceHistory, type PricePoint } from '../../../../shared/api/pricing.ts';
import type { AgentProfile } from '../../../../shared/api/profiles.ts';
import { call } from '../../api/client.ts';
import type { PricedModel, ReadModels } from '../../api/models.ts';
import { btcPriceQuery, keys, modelsQuery, profilesQuery } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { type ChartPeriod, PERIOD_HOURS } from './chart/price-history.ts';

/** The BTC price. `unavailable` means dot-mi never had one. The price stays visible while the API is offline. */
export type BtcStatus =
  | Unread
  | { readonly status: 'unavailable' }
  | { readonly status: 'ready'; readonly price: BtcPrice };

/** Reads the BTC price. */
export const useBtcPrice = (): BtcStatus => {
  const read = readStatus(useQuery(btcPriceQuery()));
  if (read.status === 'ready') return { status: 'ready', price: read.data };
  if (read.status === 'error' && read.error.code === 'price_unavailable') return { status: 'unavailable' };
  return read;
};

/** The models in the models file. `lastRead` has the models from the last successful read. */
export type ModelsStatus =
  | (Unread & { readonly lastRead: readonly PricedModel[] | null })
  | ({ readonly status: 'ready' } & Pick<ReadModels, 'models' | 'configError'>);

/** Reads the models. */
export const useModels = (): ModelsStatus => {
  const query = useQuery(modelsQuery());
  const read = readStatus(query);
  if (read.status !== 'ready') return { ...read, lastRead: query.data?.models ?? null };
  const { models, configError } = read.data;
  return { status: 'ready', models, configError };
};

/** Queries the BTC prices of the last `hours` hours, oldest first. */
const priceHistoryQuery = (hours: number) =>
  queryOptions({
    queryKey: keys.priceHistory(hours),
    queryFn: async ({ signal }) => (await call(listPriceHistory, { query: { hours } }, signal)).points,
  });

/** The price history of a period, oldest first. */
type PriceHistoryStatus = Unread | { readonly status: 'ready'; readonly points: readonly PricePoint[] };

/** Reads the price history of a period. */
export const usePriceHistory = (period: ChartPeriod): PriceHistoryStatus => {
  const read = readStatus(useQuery(priceHistoryQuery(PERIOD_HOURS[period])));
  return read.status === 'ready' ? { status: 'ready', points: read.data } : read;
};

/** The ids of the agents that start with each priced model, by the model's name. */
export type ModelUsers = ReadonlyMap<string, readonly string[]>;

/** Finds each agent's priced model. A price for its exact provider wins over a price for any provider. */
export const modelUsers = (
  profiles: readonly AgentProfile[],
  models: readonly Pick<PricedModel, 'name'>[],
): ModelUsers => {
  const priced = new Set(models.map(({ name }) => name));
  const users = new Map<string, string[]>();
  for (const { id, model } of profiles) {
    const name = model && priceNames(parseModelName(model.name)).find((candidate) => priced.has(candidate));
    if (name === undefined) continue;
    const ids = users.get(name);
    if (ids) ids.push(id);
    else users.set(name, [id]);
  }
  return users;
};

/** Loads which agents start with each of these models. Empty until loaded. */
export const useModelUsers = (models: readonly PricedModel[]): ModelUsers => {
  const { data } = useQuery(profilesQuery());
  return useMemo(() => modelUsers(data ?? [], models), [data, models]);
};
