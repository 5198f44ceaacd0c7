import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AgentBudget, type BudgetLimits, setBudget } from '../../../../shared/api/budgets.ts';
import { type LinkEntry, links } from '../../../../shared/api/links.ts';
import { catalogQuery } from '../../api/catalog-queries.ts';
import { call } from '../../api/client.ts';
import { budgetQuery, keys, linksQuery } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { budgets as words } from '../../strings/budgets.ts';
import { linkWords } from '../../strings/links.ts';
import { notify, notifyFailure } from '../../ui/toast.tsx';

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

/** Sets an agent's limits, and links or unlinks the guard. Needs the operator token. */
export const useSetBudget = (id: string, onSaved: () => void) => {
  const client = useQueryClient();
  const changeGuard = async (guard: WantedBudget['guard']): Promise<void> => {
    if (guard === undefined) return;
    try {
      if (guard === 'link') await call(links.extensions.create, { params: { id }, body: { name: GUARD } });
      else await call(links.extensions.remove, { params: { id, name: GUARD } });
    } catch (error) {
      notifyFailure(linkWords[guard === 'link' ? 'linkFailed' : 'unlinkFailed'](GUARD), error);
    }
    for (const queryKey of [
      keys.links(id, 'extensions'),
      ...[keys.linkCounts, keys.allUsage, keys.agentChecks(id), keys.checkCounts],
    ])
      void client.invalidateQueries({ queryKey });
  };
  return useMutation({
    mutationFn: async ({ limits, guard }: WantedBudget) => {
      const saved = await call(setBudget, { params: { id }, body: limits });
      // The limits are saved by now, so a failed link is only reported.
      await changeGuard(guard);
      return saved;
    },
    onSuccess: (saved) => {
      client.setQueryData(keys.budget(id), saved);
      void client.invalidateQueries({ queryKey: keys.budgets });
      notify(words.saved(id));
      onSaved();
    },
  });
};
