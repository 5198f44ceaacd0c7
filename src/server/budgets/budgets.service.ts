import { join, resolve } from 'node:path';
import {
  type AgentBudget,
  BUDGET_MARKS,
  type BUDGET_PERIODS,
  type BudgetLimit,
  type BudgetLimits,
  type LimitName,
} from '../../shared/api/budgets.ts';
import { ERRORS } from '../../shared/api/errors.ts';
import type { EventData } from '../../shared/api/events.ts';
import type { Period } from '../../shared/api/fields.ts';
import { TRASH_DAYS } from '../../shared/api/trash.ts';
import type { Usage, UsageGroup } from '../../shared/api/usage.ts';
import { AppError } from '../platform/app-error.ts';
import type { Clock } from '../platform/clock.ts';
import { type Completeness, completenessOf } from '../platform/completeness.ts';
import { createKeyedLock } from '../platform/keyed-lock.ts';
import type { Logger } from '../platform/logger.ts';
import { isSamePath } from '../platform/root.ts';

import type { BudgetStore, StoredBudget, StoredBudgets } from './budget-store.ts';

type PeriodName = (typeof BUDGET_PERIODS)[number];

const LIMITS = {
  usdPerDay: { unit: 'usd', period: 'day' },
  satsPerDay: { unit: 'sats', period: 'day' },
  usdPerMonth: { unit: 'usd', period: 'month' },
  satsPerMonth: { unit: 'sats', period: 'month' },
} as const satisfies Record<LimitName, Pick<BudgetLimit, 'unit' | 'period'>>;

const LIMIT_NAMES = Object.keys(LIMITS) as LimitName[];

/**
 * How often limits are checked without a request. Requests from launchers, the guard extension and the page also check
 * them.
 */
const LOOK_EVERY_MS = 30_000;

/** How long the budget of a deleted agent is kept: a day longer than its trash item. */
const KEEP_DELETED_MS = (TRASH_DAYS + 1) * 24 * 60 * 60 * 1000;

/** A limit whose use reached 80 or 100 percent. */
export type ReachedBudget = NonNullable<EventData<'budgets'>['reached']>;

/** Called when an agent's use reaches 80 or 100 percent of a limit. */
export type OnBudgetReached = (reached: ReachedBudget) => void;

/** Dependencies of {@link createBudgetsService}. */
export interface BudgetsDeps {
  store: BudgetStore;
  /**
   * Returns each agent's spending in a period, with the calls that a subscription covers. SECURITY: an agent can write
   * its own sign-ins, and would otherwise have its budget back. Throws `root_unavailable`.
   */
  usageWithCovered(period: Period): Promise<Usage>;
  /** Returns the root's path without symlinks. Throws `agent_not_found` and `root_unavailable`. */
  requireAgent(id: string): Promise<string>;
  publish(data: EventData<'budgets'>): void;
  onReached?: OnBudgetReached | undefined;
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
}

/** The state of an agent's budget: no limits, something left of every limit, or a limit used up. */
type BudgetState = 'none' | 'left' | 'used';

/** The service behind the budget routes. All methods throw `root_unavailable` and `budgets_damaged`. */
export interface BudgetsService {
  /** Lists budgets of existing agents, sorted by id. */
  list(): Promise<AgentBudget[]>;
  /** Throws `agent_not_found`, and `root_changed` if `directory` isn't the agent's. */
  get(id: string, directory?: string): Promise<AgentBudget>;
  /** Returns an agent's {@link BudgetState}. Doesn't calculate usage for agents without limits. */
  stateOf(id: string): Promise<BudgetState>;
  /** Forgets an agent's budget, so that a new agent with its id doesn't inherit it. Never rejects. */
  forget(id: string): Promise<void>;
  /** Keeps the budget of an agent that was moved to the trash, for its trash item. Never rejects. */
  putAway(id: string, entry: string): Promise<void>;
  /** Gives an agent the budget of the trash item from which it's restored. Never rejects. */
  bringBack(entry: string, id: string): Promise<void>;
  /** Sets or removes the named limits. Throws `agent_not_found` and the system's errors. */
  set(id: string, limits: BudgetLimits): Promise<AgentBudget>;
  /** Starts the periodic checks, which run only while limits exist. */
  start(): void;
  close(): void;
}

/** Returns the start and end of the current period, in milliseconds since 1970. */
const boundsOf = (period: PeriodName, nowMs: number): { fromMs: number; toMs: number } => {
  const now = new Date(nowMs);
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  return period === 'day'
    ? // Don't add 24 hours, because days on which the clocks change are shorter or longer.
      { fromMs: new Date(year, month, day).getTime(), toMs: new Date(year, month, day + 1).getTime() }
    : { fromMs: new Date(year, month).getTime(), toMs: new Date(year, month + 1).getTime() };
};

const without = <T>(map: ReadonlyMap<string, T>, key: string): Map<string, T> => {
  const others = new Map(map);
  others.delete(key);
  return others;
};

/** The usage of an agent that hasn't made a call yet. */
const NOTHING = { usdRecorded: 0, usdEstimated: 0, satsRecorded: 0, satsEstimated: 0, unpricedTokens: 0 };

type Cost = Pick<UsageGroup, keyof typeof NOTHING | 'coveredBySubscription'>;

const usedOf = (unit: BudgetLimit['unit'], cost: Cost): number | null => {
  if (unit === 'usd') return cost.usdRecorded + (cost.usdEstimated ?? 0);
  return cost.satsRecorded === null ? null : cost.satsRecorded + (cost.satsEstimated ?? 0);
};

interface PeriodUsage {
  readonly bounds: { readonly fromMs: number; readonly toMs: number };
  readonly completeness: Completeness;
  costOf(agent: string): Cost;
}

export const createBudgetsService = ({
  store,
  usageWithCovered,
  requireAgent,
  publish,
  onReached,
  clock,
  logger,
}: BudgetsDeps): BudgetsService => {
  const lock = createKeyedLock();
  let cancelTimer: (() => void) | undefined;
  let isClosed = false;

  const readPeriod = async (period: PeriodName): Promise<PeriodUsage> => {
    const bounds = boundsOf(period, clock.now());
    const found = await usageWithCovered(bounds);
    const byAgent = new Map(found.groups.map((group) => [group.key, group]));
    return { bounds, completeness: found, costOf: (agent) => byAgent.get(agent) ?? NOTHING };
  };

  const readUsage = async (): Promise<Record<PeriodName, PeriodUsage>> => {
    const [day, month] = await Promise.all([readPeriod('day'), readPeriod('month')]);
    return { day, month };
  };

  const limitOf = (
    name: LimitName,
    limit: number,
    agent: string,
    periods: Record<PeriodName, PeriodUsage>,
  ): BudgetLimit => {
    const { unit, period } = LIMITS[name];
    const { bounds, costOf } = periods[period];
    const used = usedOf(unit, costOf(agent));
    return {
      unit,
      period,
      limit,
      used,
      left: used === null ? null : Math.max(0, limit - used),
      exceeded: used !== null && used >= limit,
      resetsAt: new Date(bounds.toMs).toISOString(),
    };
  };

  const budgetOf = (
    agent: string,
    { limits: stored }: Pick<StoredBudget, 'limits'>,
    periods: Record<PeriodName, PeriodUsage>,
  ): AgentBudget => {
    const limits = LIMIT_NAMES.flatMap((name) => {
      const limit = stored[name];
      return limit === undefined ? [] : [limitOf(name, limit, agent, periods)];
    });
    const { unpricedTokens, coveredBySubscription } = periods.month.costOf(agent);
    return {
      agent,
      limits,
      exceeded: limits.some(({ exceeded }) => exceeded),
      unpricedTokens,
      ...(coveredBySubscription ? { coveredBySubscription } : {}),
      ...completenessOf(agent, [periods.day.completeness, periods.month.completeness]),
    };
  };

  /** Returns the highest mark that a limit has reached, in percent, or 0. */
  const markOf = ({ used, limit }: BudgetLimit): number =>
    BUDGET_MARKS.findLast((mark) => used !== null && used >= (limit * mark) / 100) ?? 0;

  /** Records the marks that were reached. Returns those not yet reported in their period. */
  const noteMarks = (
    budgets: StoredBudgets,
    periods: Record<PeriodName, PeriodUsage>,
  ): { next: StoredBudgets; isChanged: boolean; reached: ReachedBudget[] } => {
    const reached: ReachedBudget[] = [];
    let isChanged = false;
    const noteAgent = (agent: string, budget: StoredBudget): StoredBudget => {
      const reported: StoredBudget['reported'] = {};
      for (const name of LIMIT_NAMES) {
        const amount = budget.limits[name];
        if (amount === undefined) continue;
        const limit = limitOf(name, amount, agent, periods);
        const { fromMs: sinceMs } = periods[limit.period].bounds;
        const percent = markOf(limit);
        const before = budget.reported[name];
        const known = before?.sinceMs === sinceMs ? before.percent : 0;
        // A raised limit can be reached and reported again.
        if (percent > 0) reported[name] = { sinceMs, percent };
        if (percent !== known) isChanged = true;
        if (percent > known) reached.push({ agent, unit: limit.unit, period: limit.period, percent });
      }
      return { ...budget, reported };
    };
    const agents = new Map([...budgets.agents].map(([agent, budget]) => [agent, noteAgent(agent, budget)]));
    return { next: { ...budgets, agents }, isChanged, reached };
  };

  /** Reports marks reached since the last check. Returns the data it checked. */
  const look = (): Promise<{ budgets: StoredBudgets; periods: Record<PeriodName, PeriodUsage> }> =>
    lock.run('budgets', async () => {
      const budgets = await store.read();
      const periods = await readUsage();
      const { next, isChanged, reached } = noteMarks(budgets, periods);
      if (isChanged) {
        // Write first, so that a crash can't report a mark twice.
        await store.write(next);
        for (const one of reached) {
          publish({ ids: [one.agent], reached: one });
          onReached?.(one);
        }
      }
      return { budgets: next, periods };
    });

  const lookLater = (): void => {
    cancelTimer?.();
    if (isClosed) return;
    cancelTimer = clock.after(LOOK_EVERY_MS, async () => {
      try {
        const hasAny = (await store.read()).agents.size > 0;
        if (hasAny) await look();
      } catch (error) {
        // Routes report this error to their callers. The next check may succeed.
        logger.warn({ err: error }, 'budgets could not be looked at');
      }
      lookLater();
    });
  };

  /** Changes the stored budgets. If they can't be read, nobody can run without their limits anyway. */
  const changeQuietly = (next: (budgets: StoredBudgets) => StoredBudgets | undefined): Promise<void> =>
    lock
      .run('budgets', async () => {
        const changed = next(await store.read());
        if (changed) await store.write(changed);
      })
      .catch((error: unknown) =>
        logger.warn({ err: error }, 'the budget of a deleted agent could not be moved'),
      );

  return {
    async list() {
      if ((await store.read()).agents.size === 0) return [];
      const { budgets, periods } = await look();
      const exist = await Promise.all(
        [...budgets.agents].map(async ([agent, budget]) => {
          // An agent that can't be read still exists and can still spend.
          const isGone = await requireAgent(agent).then(
            () => false,
            (error: unknown) => error instanceof AppError && error.code === 'agent_not_found',
          );
          return isGone ? [] : [budgetOf(agent, budget, periods)];
        }),
      );
      return exist.flat().sort((a, b) => (a.agent < b.agent ? -1 : 1));
    },

    async get(id, directory) {
      const realRoot = await requireAgent(id);
      if (directory !== undefined && !isSamePath(resolve(directory), join(realRoot, 'agents', id)))
        throw new AppError('root_changed', ERRORS.root_changed.message);
      const { budgets, periods } = await look();
      return budgetOf(id, budgets.agents.get(id) ?? { limits: {} }, periods);
    },

    async stateOf(id) {
      const budget = (await store.read()).agents.get(id);
      if (budget === undefined) return 'none';
      return budgetOf(id, budget, (await look()).periods).exceeded ? 'used' : 'left';
    },

    async set(id, limits) {
      await requireAgent(id);
      await lock.run('budgets', async () => {
        const all = await store.read();
        const before = all.agents.get(id);
        const merged = { ...before?.limits, ...limits };
        const kept = Object.fromEntries(Object.entries(merged).filter(([, limit]) => limit != null));
        const agents = new Map(all.agents);
        if (Object.keys(kept).length === 0) agents.delete(id);
        else agents.set(id, { limits: kept, reported: before?.reported ?? {} });
        await store.write({ ...all, agents });
      });
      publish({ ids: [id], reached: null });
      return this.get(id);
    },

    forget: (id) =>
      changeQuietly(({ agents, deleted }) => {
        if (!agents.has(id)) return undefined;
        return { agents: without(agents, id), deleted };
      }),

    putAway: (id, entry) =>
      changeQuietly(({ agents, deleted }) => {
        const budget = agents.get(id);
        if (!budget) return undefined;
        const nowMs = clock.now();
        const recent = [...deleted].filter(([, { deletedAtMs }]) => nowMs - deletedAtMs < KEEP_DELETED_MS);
        return {
          agents: without(agents, id),
          deleted: new Map([...recent, [entry, { ...budget, deletedAtMs: nowMs }]]),
        };
      }),

    bringBack: (entry, id) =>
      changeQuietly(({ agents, deleted }) => {
        const found = deleted.get(entry);
        if (!found) return undefined;
        const { deletedAtMs: _, ...budget } = found;
        return { agents: new Map([...agents, [id, budget]]), deleted };
      }),

    start: lookLater,

    close() {
      isClosed = true;
      cancelTimer?.();
    },
  };
};
