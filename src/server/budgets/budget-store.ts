import { z } from 'zod';
import type { LimitName } from '../../shared/api/budgets.ts';
import { AppError } from '../platform/app-error.ts';
import { createJsonStore } from '../platform/json-store.ts';
import type { Logger } from '../platform/logger.ts';

const amounts = z.object({
  usdPerDay: z.number().positive(),
  satsPerDay: z.number().positive(),
  usdPerMonth: z.number().positive(),
  satsPerMonth: z.number().positive(),
} satisfies Record<LimitName, z.ZodType>);

const budget = z.object({
  limits: amounts.partial(),
  /** The last mark reported for each limit, and when its period began. */
  reported: z.partialRecord(amounts.keyof(), z.object({ sinceMs: z.number(), percent: z.number() })),
});

const contents = z.object({
  agents: z.record(z.string(), budget),
  /** The budgets of deleted agents, by trash item. */
  deleted: z.record(z.string(), budget.extend({ deletedAtMs: z.number() })).default({}),
});

/** One agent's budget. */
export type StoredBudget = z.infer<typeof budget>;

/** The budgets in a root. These are maps, because an agent can have the name of a property that every object has. */
export interface StoredBudgets {
  /** By agent id. */
  readonly agents: ReadonlyMap<string, StoredBudget>;
  /** By trash item. */
  readonly deleted: ReadonlyMap<string, StoredBudget & { readonly deletedAtMs: number }>;
}

/** Stores one root's budgets across restarts. */
export interface BudgetStore {
  /** Throws `budgets_damaged`, because an agent without its limits could spend any amount. */
  read(): Promise<StoredBudgets>;
  /** Replaces all budgets atomically. Throws the system's errors. */
  write(budgets: StoredBudgets): Promise<void>;
}

/** Creates a {@link BudgetStore} that reads its JSON file once and writes it with mode 0600. */
export const createBudgetStore = (path: string, logger: Pick<Logger, 'error'>): BudgetStore => {
  const store = createJsonStore(contents);
  let known: StoredBudgets | undefined;
  return {
    async read() {
      if (known) return known;
      try {
        const { agents = {}, deleted = {} } = (await store.read(path)) ?? {};
        known = { agents: new Map(Object.entries(agents)), deleted: new Map(Object.entries(deleted)) };
        return known;
      } catch (error) {
        logger.error({ err: error, file: path }, 'the budgets can’t be read');
        throw new AppError(
          'budgets_damaged',
          'dot-mi can’t read the budgets file, so it can’t check any limits. Repair the file that the log names, or delete it and set the limits again.',
          {},
          error,
        );
      }
    },
    async write(budgets) {
      await store.write(path, {
        agents: Object.fromEntries(budgets.agents),
        deleted: Object.fromEntries(budgets.deleted),
      });
      known = budgets;
    },
  };
};
