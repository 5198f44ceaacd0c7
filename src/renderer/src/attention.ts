import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AgentListEntry } from '../../shared/api/agents.ts';
import type { AgentBudget } from '../../shared/api/budgets.ts';
import type { AgentCheckCounts, SkillCheckCounts } from '../../shared/api/checks.ts';
import type { AgentLinkCounts } from '../../shared/api/links.ts';
import type { BtcPrice } from '../../shared/api/pricing.ts';
import type { AgentStatus } from '../../shared/api/status.ts';
import type { Balance, MintStatus } from '../../shared/api/wallet.ts';
import {
  agentListQuery,
  btcPriceQuery,
  budgetsQuery,
  checkCountsQuery,
  linkCountsQuery,
  statusQuery,
} from './api/queries.ts';
import { lastRead } from './api/read-status.ts';
import { balanceQuery, mintQuery } from './api/wallet-queries.ts';

/** An agent that has used at least this percentage of a limit is marked. */
export const WARN_AT_PERCENT = 80;

/** Returns how much of its tightest limit an agent has used, in whole percent. 0 if unknown. */
export const usedPercent = ({ limits }: AgentBudget): number =>
  // Rounded down, so that 100 means that a limit is reached.
  Math.max(0, ...limits.map(({ used, limit }) => Math.floor(((used ?? 0) / limit) * 100)));

/** An agent with problems. */
export interface AgentProblems {
  readonly id: string;
  readonly missingFiles: readonly string[];
  readonly brokenLinks: number;
  /** Errors from its checks, except broken links. */
  readonly errors: number;
  readonly warnings: number;
  /** A sentence that says why the agent or its links can't be read. */
  readonly problem?: string;
}

/** A problem or event that a person should see, and the view that shows it. */
export type Attention =
  | { readonly view: 'agents'; readonly kind: 'agent'; readonly agent: AgentProblems }
  /** The agent is waiting for a person's answer. */
  | { readonly view: 'agents'; readonly kind: 'waiting'; readonly agent: string }
  | { readonly view: 'agents'; readonly kind: 'budget'; readonly agent: string; readonly percent: number }
  /** The number of shared skills with errors. */
  | { readonly view: 'catalog'; readonly kind: 'skills'; readonly count: number }
  | { readonly view: 'wallet'; readonly kind: 'seed-missing' | 'not-backed-up' }
  | { readonly view: 'wallet'; readonly kind: 'expired' | 'pending'; readonly sats: number }
  | { readonly view: 'wallet'; readonly kind: 'mint'; readonly mint: string }
  | { readonly view: 'pricing'; readonly kind: 'no-price' }
  | { readonly view: 'pricing'; readonly kind: 'stale-price'; readonly updatedAt: string };

/** The data to search for problems. A part is undefined until it loads, or if this page has no access to it. */
interface AttentionSources {
  readonly agents?: readonly AgentListEntry[] | undefined;
  readonly links?: readonly AgentLinkCounts[] | undefined;
  readonly checks?: readonly AgentCheckCounts[] | undefined;
  readonly skills?: readonly SkillCheckCounts[] | undefined;
  readonly budgets?: readonly AgentBudget[] | undefined;
  readonly statuses?: readonly AgentStatus[] | undefined;
  readonly balance?: Balance | undefined;
  readonly mint?: MintStatus | undefined;
  readonly price?: BtcPrice | undefined;
  /** True if no BTC price was ever fetched. */
  readonly hasNoPrice?: boolean;
}

/** Returns one agent's problems, or undefined. */
export const problemsOf = (
  { id, missingFiles = [], problem: own }: AgentListEntry,
  links: AgentLinkCounts | undefined,
  checks: AgentCheckCounts | undefined,
): AgentProblems | undefined => {
  const brokenLinks = links?.brokenLinks ?? 0;
  const errors = Math.max(0, (checks?.errors ?? 0) - brokenLinks);
  const warnings = checks?.warnings ?? 0;
  const problem = (own ?? links?.problem)?.message;
  if (missingFiles.length + brokenLinks + errors + warnings === 0 && problem === undefined) return undefined;
  return { id, missingFiles, brokenLinks, errors, warnings, ...(problem === undefined ? {} : { problem }) };
};

/** Returns whether somebody should look at an agent now. Warnings alone can wait. */
const isUrgent = ({ missingFiles, brokenLinks, errors, problem }: AgentProblems): boolean =>
  missingFiles.length + brokenLinks + errors > 0 || problem !== undefined;

/** Returns whether the wallet has real sats but nobody has confirmed its backup words. */
const isNotBackedUp = ({ seed, devMode, balance, backedUpAt }: Balance): boolean =>
  seed === 'present' && !devMode && balance > 0 && backedUpAt === undefined;

const walletAttention = ({ balance, mint }: AttentionSources): Attention[] => [
  ...(balance?.seed === 'missing' ? [{ view: 'wallet', kind: 'seed-missing' } as const] : []),
  ...(balance && isNotBackedUp(balance) ? [{ view: 'wallet', kind: 'not-backed-up' } as const] : []),
  ...(mint?.state === 'unreachable' || mint?.state === 'error'
    ? [{ view: 'wallet', kind: 'mint', mint: mint.name ?? mint.mint } as const]
    : []),
  ...(balance?.expired ? [{ view: 'wallet', kind: 'expired', sats: balance.expired } as const] : []),
  ...(balance?.pending ? [{ view: 'wallet', kind: 'pending', sats: balance.pending } as const] : []),
];

const pricingAttention = ({ price, hasNoPrice = false }: AttentionSources): Attention[] => {
  if (hasNoPrice) return [{ view: 'pricing', kind: 'no-price' }];
  return price?.stale ? [{ view: 'pricing', kind: 'stale-price', updatedAt: price.updated_at }] : [];
};

const budgetAttention = ({ budgets = [] }: AttentionSources): Attention[] =>
  budgets.flatMap((budget): Attention[] => {
    const percent = usedPercent(budget);
    return percent >= WARN_AT_PERCENT
      ? [{ view: 'agents', kind: 'budget', agent: budget.agent, percent }]
      : [];
  });

const waitingAttention = ({ statuses = [] }: AttentionSources): Attention[] =>
  statuses.flatMap(({ agent, state }): Attention[] =>
    state === 'waiting' ? [{ view: 'agents', kind: 'waiting', agent }] : [],
  );

const skillAttention = ({ skills = [] }: AttentionSources): Attention[] => {
  const count = skills.filter(({ errors }) => errors > 0).length;
  return count === 0 ? [] : [{ view: 'catalog', kind: 'skills', count }];
};

/**
 * Returns everything that needs attention: waiting agents first, then money, then shared skills, which many agents
 * use, then agents by id.
 */
export const findAttention = (known: AttentionSources): Attention[] => {
  const links = new Map(known.links?.map((counts) => [counts.id, counts]));
  const checks = new Map(known.checks?.map((counts) => [counts.id, counts]));
  const agents = (known.agents ?? []).flatMap((entry): Attention[] => {
    const agent = problemsOf(entry, links.get(entry.id), checks.get(entry.id));
    return agent && isUrgent(agent) ? [{ view: 'agents', kind: 'agent', agent }] : [];
  });
  return [
    ...waitingAttention(known),
    ...walletAttention(known),
    ...budgetAttention(known),
    ...pricingAttention(known),
    ...skillAttention(known),
    ...agents,
  ];
};

/**
 * Returns everything that needs attention, from the same queries as the views. `asksAll` also queries the mint and
 * the checks. Otherwise only their cached results count.
 */
export const useAttention = ({ asksAll }: { readonly asksAll: boolean }): readonly Attention[] => {
  const agents = lastRead(useQuery(agentListQuery()));
  const links = lastRead(useQuery(linkCountsQuery()));
  const balance = lastRead(useQuery(balanceQuery()));
  const mint = lastRead(useQuery({ ...mintQuery(), enabled: asksAll }));
  const checks = lastRead(useQuery({ ...checkCountsQuery(), enabled: asksAll }));
  const budgets = lastRead(useQuery(budgetsQuery()));
  const statuses = lastRead(useQuery(statusQuery()));
  const priceRead = useQuery(btcPriceQuery());
  const price = lastRead(priceRead);
  const hasNoPrice = priceRead.error?.code === 'price_unavailable';
  return useMemo(
    () =>
      findAttention({
        agents,
        links,
        checks: checks?.agents,
        skills: checks?.skills,
        budgets: budgets && [...budgets.values()],
        statuses: statuses && [...statuses.values()],
        balance,
        mint,
        price,
        hasNoPrice,
      }),
    [agents, links, checks, budgets, statuses, balance, mint, price, hasNoPrice],
  );
};
