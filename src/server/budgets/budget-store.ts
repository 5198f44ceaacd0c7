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

const contents = z.object({
  agents: z.record(
    z.string(),
    z.object({
      limits: amounts.partial(),
      /** The last mark reported for each limit, and when its period began. */
      reported: z.partialRecord(amounts.keyof(), z.object({ sinceMs: z.number(), percent: z.number() })),
    }),
  ),
});

/** The budgets in a root, by agent id. */
export type StoredBudgets = z.infer<typeof contents>['agents'];

/** One agent's budget. */
export type StoredBudget = StoredBudgets[string];

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
        known = (await store.read(path))?.agents ?? {};
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
    async write(agents) {
      await store.write(path, { agents });
      known = agents;
    },
  };
};
