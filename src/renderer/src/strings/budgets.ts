import type { BudgetLimit, LimitName } from '../../../shared/api/budgets.ts';
import { formatSats, formatUsd } from '../format-price.ts';

const PERIODS = { day: 'today', month: 'this month' } as const;

const amount = (unit: BudgetLimit['unit'], value: number): string =>
  unit === 'usd' ? formatUsd(Math.round(value * 10_000) / 10_000) : `${formatSats(value)} sat`;

/** Texts about the budgets of agents. */
export const budgets = {
  open: 'Budget…',
  title: (id: string): string => `Budget of ${id}`,
  description:
    'setup.sh run and the run command won’t start an agent over budget. An empty field sets no limit.',
  linkGuard: 'Stop pi before its next call, too',
  linkGuardHint: 'Links budget-guard.ts. setup.sh run then needs dot-mi to be running.',
  fields: {
    usdPerDay: 'Dollars a day',
    satsPerDay: 'Sats a day',
    usdPerMonth: 'Dollars a month',
    satsPerMonth: 'Sats a month',
  } satisfies Record<LimitName, string>,
  usdRule: 'Enter an amount above zero, such as 2.50.',
  satsRule: 'Enter a whole number of sats above zero.',
  used: ({ unit, period, used }: BudgetLimit): string =>
    used === null ? 'There is no BTC price yet.' : `${amount(unit, used)} used ${PERIODS[period]}`,
  notCounted:
    'Some of its sessions aren’t counted, so its budget may not stop it: settings.json keeps them in a directory that dot-mi doesn’t read. Add it in Settings › More session directories.',
  unpriced: (tokens: string): string =>
    `${tokens} this month have no price. No limit counts them. Give their models a price in Pricing.`,
  save: 'Save budget',
  saving: 'Saving…',
  saved: (id: string): string => `Budget of ${id} saved`,
  failed: 'The budget wasn’t saved',
  chip: (percent: number): string => `${percent}% of budget used`,
  exceeded: 'Budget used up',
  limit: ({ unit, period, limit, used }: BudgetLimit): string =>
    used === null
      ? `${amount(unit, limit)} ${PERIODS[period]}, with no BTC price yet`
      : `${amount(unit, used)} of ${amount(unit, limit)} ${PERIODS[period]}`,
  attention: (id: string, percent: number): string =>
    percent >= 100 ? `${id} has used its budget` : `${id} has used ${percent}% of its budget`,
} as const;
