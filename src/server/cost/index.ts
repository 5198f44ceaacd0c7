import { getCost } from '../../shared/api/cost.ts';
import type { Feature } from '../feature.ts';
import { readerOf } from '../platform/caller.ts';
import { type CostDeps, createCostService } from './cost.service.ts';

/** Creates the route that estimates costs. */
export const createCost = (deps: CostDeps): Feature => {
  const costs = createCostService(deps);
  return {
    routes(bind) {
      bind(getCost, ({ params, query }, caller) =>
        costs.cost({
          id: params.id,
          model: query.model,
          outputTokens: query.outputTokens,
          reader: readerOf(caller),
        }),
      );
    },
  };
};
