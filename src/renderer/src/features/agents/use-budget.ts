import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type AgentBudget,
  type BudgetLimit,
  type BudgetLimits,
  setBudget,
} from '../../../../shared/api/budgets.ts';
import { undoChange } from '../../../../shared/api/changes.ts';
import { type LinkEntry, links } from '../../../../shared/api/links.ts';
import { catalogQuery } from '../../api/catalog-queries.ts';
import { call, callForChange } from '../../api/client.ts';
import { after, refreshAfter } from '../../api/invalidations.ts';
import { budgetQuery, keys, linksQuery } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { notifyUndoable } from '../../changes/changes.ts';
import { budgets as words } from '../../strings/budgets.ts';
import { linkWords } from '../../strings/links.ts';
import { reportFailure } from '../../ui/failures.tsx';
import { notify } from '../../ui/toast.tsx';

/** Loads an agent's budget while it's shown. */
export const useBudget = (id: string, isShown: boolean): AgentBudget | undefined =>
  lastRead(useQuery({ ...budgetQuery(id), enabled: isShown }));

const GUARD = 'budget-guard.ts';

/** Returns whether the extension that stops pi at a limit is linked. Undefined if its link can't be changed. */
export const guardState = (
  shared: readonly { readonly name: string }[] | undefined,
  entries: readonly Pick<LinkEntry, 'name' | 'linksToShared' | 'broken'>[] | undefined,
): 'linked' | 'unlinked' | undefined => {
  if (!shared?.some(({ name }) => name === GUARD) || !entries) return undefined;
  const entry = entries.find(({ name }) => name === GUARD);
  if (!entry) return 'unlinked';
  return entry.linksToShared && !entry.broken ? 'linked' : undefined;
};

/** Tracks an agent's {@link guardState} while it's shown. */
export const useGuard = (id: string, isShown: boolean): ReturnType<typeof guardState> =>
  guardState(
    lastRead(useQuery({ ...catalogQuery('extensions'), enabled: isShown })),
    lastRead(useQuery({ ...linksQuery(id, 'extensions'), enabled: isShown })),
  );

/** The limits to set, and the change to the guard's link. */
interface WantedBudget {
  readonly limits: BudgetLimits;
  readonly guard: 'link' | 'unlink' | undefined;
}

/** Returns the limits that restore a budget. */
const limitsOf = ({ limits }: AgentBudget): BudgetLimits => {
  const limitOf = (unit: BudgetLimit['unit'], period: BudgetLimit['period']): number | null =>
    limits.find((one) => one.unit === unit && one.period === period)?.limit ?? null;
  return {
    usdPerDay: limitOf('usd', 'day'),
    satsPerDay: limitOf('sats', 'day'),
    usdPerMonth: limitOf('usd', 'month'),
    satsPerMonth: limitOf('sats', 'month'),
  };
};

/** Sets an agent's limits, and links or unlinks the guard. One Undo restores both. Needs the operator token. */
export const useSetBudget = (id: string, onSaved: () => void) => {
  const client = useQueryClient();
  /** Returns the change of the guard's link, or null. */
  const changeGuard = async (guard: WantedBudget['guard']): Promise<string | null> => {
    if (guard === undefined) return null;
    try {
      const made =
        guard === 'link'
          ? await callForChange(links.extensions.create, { params: { id }, body: { name: GUARD } })
          : await callForChange(links.extensions.remove, { params: { id, name: GUARD } });
      return made.change;
    } catch (error) {
      reportFailure(linkWords.failed[guard](GUARD), error);
      return null;
    }
  };
  const show = (saved: AgentBudget): void => {
    client.setQueryData(keys.budget(id), saved);
    void refreshAfter(client, after.budget(id));
  };
  return useMutation({
    mutationFn: async ({ limits, guard }: WantedBudget) => {
      const before = client.getQueryData(budgetQuery(id).queryKey);
      const saved = await call(setBudget, { params: { id }, body: limits });
      // The limits are saved by now, so a failed link is only reported.
      return { before, saved, change: await changeGuard(guard) };
    },
    onSuccess: ({ before, saved, change }) => {
      show(saved);
      if (!before) notify(words.saved(id));
      else
        notifyUndoable(words.saved(id), async () => {
          show(await call(setBudget, { params: { id }, body: limitsOf(before) }));
          if (change !== null) await call(undoChange, { params: { change } });
        });
      onSaved();
    },
  });
};
