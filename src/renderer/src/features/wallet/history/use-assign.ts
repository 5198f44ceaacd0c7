import { useMutation, useQueryClient } from '@tanstack/react-query';
import { attributeOperation, type HistoryEntry } from '../../../../../shared/api/wallet.ts';
import { call } from '../../../api/client.ts';
import { keys } from '../../../api/queries.ts';

/** Assigns an operation to an agent, or to none with null. Keeps its label. */
export const useAssign = ({ id, label }: HistoryEntry, onDone: () => void) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (agent: string | null) =>
      call(attributeOperation, { params: { operationId: id }, body: { agent, label: label ?? null } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.wallet });
      onDone();
    },
  });
};
