import type { BudgetLimit, LimitName } from '../../../shared/api/budgets.ts';
import type { CoveredCost } from '../../../shared/api/usage.ts';
import { formatSats, formatUsd } from '../money/format-price.ts';
import { covered } from './covered.ts';

const PERIODS = { day: 'today', month: 'this month' } as const;

const amount = (unit: BudgetLimit['unit'], value: number): string =>
  unit === 'usd' ? formatUsd(Math.round(value * 10_000) / 10_000) : `${formatSats(value)} sat`;

/** Strings for agents' budgets. */
export const budgets = {
  open: 'Budget…',
  title: (id: string): string => `Budget for ${id}`,
  description:
    'dot-mi doesn’t start an agent that is over budget. Agents that this one starts with --no-session aren’t counted.',
  linkGuard: 'Also stop a run when the agent reaches its limit',
  linkGuardHint: 'With this on, the agent can start only while dot-mi is running.',
  fields: {
    usdPerDay: 'Dollars a day',
    satsPerDay: 'Sats a day',
    usdPerMonth: 'Dollars a month',
    satsPerMonth: 'Sats a month',
  } satisfies Record<LimitName, string>,
  usdRule: 'Enter an amount above 0, such as 2.50, or leave it empty.',
  satsRule: 'Enter a whole number of sats above 0, or leave it empty.',
  used: ({ unit, period, used }: BudgetLimit): string =>
    used === null ? 'There is no BTC price yet.' : `${amount(unit, used)} used ${PERIODS[period]}`,
  notCounted:
    'Some sessions aren’t counted, because they’re outside the root or can’t be read. Add folders outside in Settings › More session folders.',
  unpriced: (tokens: string): string =>
    `${tokens} this month have no price, so they don’t count toward any limit. Add prices for their models.`,
  covered: (cost: CoveredCost): string => `This month: ${covered(cost)}`,
  save: 'Save budget',
  saving: 'Saving…',
  saved: (id: string): string => `Saved the budget for ${id}`,
  failed: 'The budget wasn’t saved',
  chip: (percent: number): string => `${percent}% of budget used`,
  exceeded: 'Budget used up',
  limit: ({ unit, period, limit, used }: BudgetLimit): string =>
    used === null
      ? `Limit: ${amount(unit, limit)} ${PERIODS[period]}. There is no BTC price yet.`
      : `${amount(unit, used)} of ${amount(unit, limit)} ${PERIODS[period]}`,
  attention: (id: string, percent: number): string =>
    percent >= 100 ? `${id} has used its budget` : `${id} has used ${percent}% of its budget`,
} as const;
