import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import type { LimitName } from '../../shared/api/budgets.ts';
import { AppError } from '../platform/app-error.ts';
import { writeAtomically } from '../platform/atomic-write.ts';
import type { Logger } from '../platform/logger.ts';
import { readPrivateFile } from '../platform/private-files.ts';

const amounts = z.object({
  usdPerDay: z.number().positive(),
  satsPerDay: z.number().positive(),
  usdPerMonth: z.number().positive(),
  satsPerMonth: z.number().positive(),
} satisfies Record<LimitName, z.ZodType>);

const fileSchema = z.object({
  version: z.literal(1),
  agents: z.record(
    z.string(),
    z.object({
      limits: amounts.partial(),
      /** The mark that was reported last for each limit, and when its period began. */
      reported: z.partialRecord(amounts.keyof(), z.object({ sinceMs: z.number(), percent: z.number() })),
    }),
  ),
});

/** The budgets of a root, by agent id. */
export type StoredBudgets = z.infer<typeof fileSchema>['agents'];

/** The budget of one agent. */
export type StoredBudget = StoredBudgets[string];

/** Keeps the budgets of one root across restarts. */
export interface BudgetStore {
  /** Throws `budgets_damaged`: without its limits, an agent could spend anything. */
  read(): Promise<StoredBudgets>;
  /** Replaces all of them. A crash leaves those before or the new ones. Throws the system's errors. */
  write(budgets: StoredBudgets): Promise<void>;
}

/** Creates a {@link BudgetStore} in a JSON file, mode 0600. It is read once. */
export const createBudgetStore = (path: string, logger: Pick<Logger, 'error'>): BudgetStore => {
  let known: StoredBudgets | undefined;
  return {
    async read() {
      if (known) return known;
      try {
        const file = await readPrivateFile(path);
        known = file ? fileSchema.parse(JSON.parse(file.text)).agents : {};
        return known;
      } catch (error) {
        logger.error({ err: error, file: path }, 'the budgets cannot be read');
        throw new AppError(
          'budgets_damaged',
          "dot-mi can't read its budgets, so it knows no limits. Its log names the file: repair it, or delete it and set the limits again.",
          {},
          error,
        );
      }
    },
    async write(agents) {
      await mkdir(dirname(path), { recursive: true });
      const text = `${JSON.stringify({ version: 1, agents }, null, 2)}\n`;
      await writeAtomically(path, Buffer.from(text), { mode: 0o600 });
      known = agents;
    },
  };
};
