import { list, many, number } from './words.ts';

/** Strings for an agent's earnings and spending. */
export const activity = {
  period: 'Period',
  periods: { week: '7 days', month: '30 days', quarter: '90 days' },
  earned: 'Earned',
  spent: 'Spent',
  margin: 'Margin',
  heading: 'Earned and spent per day',
  chart: (days: number, earned: string, spent: string): string =>
    `Sats per day over ${days} days: earned ${earned}, spent ${spent}`,
  sats: (sats: string): string => `${sats} sat`,
  estimate: (amount: string): string => `≈ ${amount}`,
  unknown: 'Unknown',
  notCounted: (agents: readonly string[]): string =>
    `Some sessions of ${list.format(agents)} aren’t counted, because they’re outside the root or can’t be read. Add folders outside in Settings › More session folders.`,
  unpriced: (count: number): string =>
    `${many(count, 'model token has', 'model tokens have')} no price and ${count === 1 ? 'isn’t' : 'aren’t'} counted.`,
  addPrices: 'Add prices',
  atLeast: (amount: string): string => `at least ${amount}`,
  atMost: (amount: string): string => `at most ${amount}`,
  noBtc: 'There is no BTC price yet, so costs can’t be shown in sats.',
  testMoney: 'Earned in test money.',
  reading: 'dot-mi is still reading session files, so these costs may rise.',
  none: 'Nothing earned or spent yet',
  noneHint: 'Run this agent, or receive a token for it.',
  payments: 'Payments',
  noPayments: 'No token was received for this agent.',
  onlySales: 'No other token was received for this agent.',
  paymentsLocked: 'Sign in to see individual payments.',
  sales: 'Sales',
  saleCount: 'Done',
  saleColumns: { when: 'When', charged: 'Paid', cost: 'Cost', margin: 'Margin' },
  saleStates: { held: 'not done yet', refunded: 'refunded' },
  unknownCosts: (known: number, all: number): string =>
    known === 0
      ? 'dot-mi doesn’t know what these sales cost you. They have no model price or no model tokens on record.'
      : `Model cost and margin cover ${number.format(known)} of ${many(all, 'sale', 'sales')}. The others have no model price or no model tokens on record.`,
  showAllSales: (count: number): string => `Show all ${number.format(count)}`,
  mostSales: (count: string): string => `Only the latest ${count} charges of this period are counted here.`,
  models: 'Models',
  noModels: 'No model was called in this period.',
  columns: { model: 'Model', calls: 'Calls', tokens: 'Model tokens', cost: 'Cost', share: 'Share' },
  calls: (count: number): string => number.format(count),
} as const;
