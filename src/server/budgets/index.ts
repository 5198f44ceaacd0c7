import { join } from 'node:path';
import { getBudget, listBudgets, setBudget } from '../../shared/api/budgets.ts';
import type { Base, Feature } from '../feature.ts';
import { createBudgetStore } from './budget-store.ts';
import { type BudgetsDeps, type BudgetsService, createBudgetsService } from './budgets.service.ts';

type BudgetsFeatureDeps = Pick<Base, 'config' | 'root' | 'requireAgent' | 'publish' | 'clock' | 'logger'> &
  Pick<BudgetsDeps, 'usageWithCovered' | 'onReached'>;

/** Creates the feature for agent budgets, stored in `data/budgets`. */
export const createBudgets = ({
  config,
  root,
  publish,
  ...deps
}: BudgetsFeatureDeps): Feature & Pick<BudgetsService, 'stateOf' | 'forget' | 'putAway' | 'bringBack'> => {
  const file = join(config.dataDirectory, 'data', 'budgets', `${root.id}.json`);
  const budgets = createBudgetsService({
    ...deps,
    store: createBudgetStore(file, deps.logger),
    publish: (data) => publish({ name: 'budgets', data }),
  });
  return {
    routes(bind) {
      bind(listBudgets, async () => ({ budgets: await budgets.list() }));
      bind(getBudget, ({ params: { id }, query: { directory } }) => budgets.get(id, directory));
      bind(setBudget, ({ params: { id }, body }) => budgets.set(id, body));
    },
    stateOf: budgets.stateOf,
    forget: budgets.forget,
    putAway: budgets.putAway,
    bringBack: budgets.bringBack,
    start: budgets.start,
    close: budgets.close,
  };
};
