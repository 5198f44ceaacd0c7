import { list, many, number } from './words.ts';

const usd = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const wholeUsd = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 0,
});

interface Problems {
  readonly missingFiles: readonly string[];
  readonly brokenLinks: number;
  readonly errors: number;
  readonly warnings: number;
  readonly problem?: string;
}

/** Strings for the overview. */
export const overview = {
  title: 'Overview',
  fixAll: 'Fix all…',
  continueWith: (id: string): string => `Continue with ${id}`,

  balance: {
    heading: 'Balance',
    sats: (sats: number): string => number.format(sats),
    unit: 'sat',
    usd: (amount: number): string => `≈ ${usd.format(amount)}`,
    pending: (sats: number): string => `+ ${number.format(sats)} sat pending`,
    testMoney: 'Test money',
    price: (dollars: number): string => `1 BTC = ${wholeUsd.format(dollars)}`,
    unknown: 'The wallet isn’t available.',
  },

  money: {
    heading: 'Totals in sats',
    earned: 'Earned',
    spent: 'Spent',
    today: 'Today',
    week: 'Last 7 days',
    unpriced: (count: number): string => `${many(count, 'model token has', 'model tokens have')} no price`,
  },

  /** Formats an amount in sats, null if unknown. */
  sats: (sats: number | null, isEstimate: boolean): string => {
    if (sats === null) return 'Unknown';
    if (sats !== 0 && Math.abs(sats) < 1) return '< 1';
    const rounded = Math.round(sats);
    return `${isEstimate ? '≈ ' : ''}${rounded < 0 ? '−' : ''}${number.format(Math.abs(rounded))}`;
  },

  atLeast: (sats: string): string => `at least ${sats}`,
  atMost: (sats: string): string => `at most ${sats}`,

  attention: {
    heading: 'Needs attention',
    none: 'Nothing needs your attention.',
    agent: (agent: Problems & { readonly id: string }): string =>
      `${agent.id}: ${overview.agents.problems(agent)}`,
    moreAgents: (count: number): string => `${many(count, 'more agent has', 'more agents have')} problems`,
    skills: (count: number): string => `${many(count, 'shared skill has', 'shared skills have')} errors`,
    'seed-missing': 'The wallet’s backup words are missing',
    'not-backed-up': 'The wallet isn’t backed up. Write down its backup words',
    expired: (sats: number): string => `${number.format(sats)} sat expired`,
    pending: (sats: number): string => `${number.format(sats)} sat in operations that haven’t finished`,
    mint: (name: string): string => `${name} isn’t responding`,
    'no-price': 'There is no BTC price yet',
    'stale-price': 'The BTC price is out of date',
  },

  agents: {
    heading: 'Agents',
    count: (count: number): string => number.format(count),
    caption: 'All agents, with their model, state, last run, and money over the last 7 days',
    columns: {
      name: 'Agent',
      model: 'Model',
      ready: 'Readiness',
      problems: 'Problems',
      earned: 'Earned',
      spent: 'Spent',
      margin: 'Margin',
      links: 'Links',
      ran: 'Last run',
      changed: 'Last change',
    },
    problems: ({ missingFiles, brokenLinks, errors, warnings, problem }: Problems): string =>
      problem ??
      [
        ...(missingFiles.length > 0 ? [`${list.format(missingFiles)} missing`] : []),
        ...(brokenLinks > 0 ? [many(brokenLinks, 'broken link', 'broken links')] : []),
        ...(errors > 0 ? [many(errors, 'error', 'errors')] : []),
        ...(warnings > 0 ? [many(warnings, 'warning', 'warnings')] : []),
      ].join(', '),
    moneyNote: 'Earned, spent and margin in sats, over the last 7 days',
    testMoneyNote: 'Earned in test money. Spent and margin in sats, over the last 7 days',
    readiness: {
      ready: 'Ready',
      checking: 'Checking…',
      unchecked: 'Not checked',
      invalid: 'Sign-in broken',
      missing: 'Not signed in',
      'no-pi': 'pi missing',
      unreadable: 'Can’t be read',
    },
    stopping: (count: number): string => many(count, 'problem', 'problems'),
    noProblems: 'None',
    noAgent: 'No agent',
    noModel: 'pi’s default',
    neverRan: 'Never',
    runsNow: 'Now',
    changeUnknown: 'Unknown',
  },

  none: 'No agents yet',
  noneHint: 'An agent is a folder with a prompt, arguments, and links to shared skills and extensions.',
} as const;
