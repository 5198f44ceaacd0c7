// Apart from its users, because the list of agents, its chips and the overview show the same share.
import type { AgentBudget } from '../../shared/api/budgets.ts';

/** From this share of a limit on, an agent is marked, in percent. */
export const WARN_AT_PERCENT = 80;

/** How much of its tightest limit an agent has used, in whole percent. 0 if that is not known. */
export const usedPercent = ({ limits }: AgentBudget): number =>
  // Rounded down, so that 100 means that a limit is reached.
  Math.max(0, ...limits.map(({ used, limit }) => Math.floor(((used ?? 0) / limit) * 100)));
