// Apart from the dialog, because components don't call the API.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type AgentBudget, type BudgetLimits, setBudget } from '../../../../shared/api/budgets.ts';
import { call } from '../../api/client.ts';
import { budgetQuery, keys } from '../../api/queries.ts';
import { lastRead } from '../../api/read-status.ts';
import { budgets as words } from '../../strings/budgets.ts';
import { notify } from '../../ui/toast.tsx';

/** Reads the budget of an agent while it is shown. */
export const useBudget = (id: string, isShown: boolean): AgentBudget | undefined =>
  lastRead(useQuery({ ...budgetQuery(id), enabled: isShown }));

/** Sets the limits of an agent. Needs the operator token. */
export const useSetBudget = (id: string, onSaved: () => void) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: BudgetLimits) => call(setBudget, { params: { id }, body }),
    onSuccess: (saved) => {
      client.setQueryData(keys.budget(id), saved);
      void client.invalidateQueries({ queryKey: keys.budgets });
      notify(words.saved(id));
      onSaved();
    },
  });
};
