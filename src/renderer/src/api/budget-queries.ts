// Apart from the other queries, whose file would be too long.
import { queryOptions } from '@tanstack/react-query';
import { type AgentBudget, getBudget, listBudgets } from '../../../shared/api/budgets.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

/** Sessions outside the root cause no event, so budgets are also read again after this long. */
const READ_AGAIN_MS = 30_000;

/** What an agent has used of its budget. */
export const budgetQuery = (id: string) =>
  queryOptions({
    queryKey: keys.budget(id),
    queryFn: ({ signal }) => call(getBudget, { params: { id }, query: {} }, signal),
  });

const byAgent = (all: readonly AgentBudget[]): ReadonlyMap<string, AgentBudget> =>
  new Map(all.map((budget) => [budget.agent, budget]));

/** The agents that have a budget, by id. */
export const budgetsQuery = () =>
  queryOptions({
    queryKey: keys.allBudgets,
    queryFn: async ({ signal }) => (await call(listBudgets, {}, signal)).budgets,
    select: byAgent,
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 0 ? READ_AGAIN_MS : false),
  });
