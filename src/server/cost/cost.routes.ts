import { getCost } from '../../shared/api/cost.ts';
import type { Routes } from '../http/bind-endpoint.ts';
import { type CostDeps, type CostPrices, createCostService } from './cost.service.ts';

/** The route of costs. `prices` is the pricing service. */
export const costRoutes =
  (prompt: CostDeps['prompt'], prices: CostPrices): Routes =>
  (bind) => {
    const costs = createCostService({ ...prices, prompt });
    bind(getCost, ({ params, query }, caller) =>
      costs.cost({
        id: params.id,
        model: query.model,
        outputTokens: query.outputTokens,
        isOperator: caller.may('operator'),
      }),
    );
  };
