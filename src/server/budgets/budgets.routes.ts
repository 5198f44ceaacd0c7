import { getBudget, listBudgets, setBudget } from '../../shared/api/budgets.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import type { BudgetsService } from './budgets.service.ts';

/** The routes of the agents' budgets. */
export const budgetsRoutes =
  (budgets: BudgetsService): Routes =>
  (bind) => {
    bind(listBudgets, async () => ({ budgets: await budgets.list() }));
    bind(getBudget, ({ params: { id }, query: { directory } }) => budgets.get(id, directory));
    bind(setBudget, ({ params: { id }, body }) => budgets.set(id, body));
  };
