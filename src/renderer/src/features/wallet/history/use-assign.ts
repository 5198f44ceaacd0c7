import { useMutation, useQueryClient } from '@tanstack/react-query';
import { attributeOperation, type HistoryEntry } from '../../../../../shared/api/wallet.ts';
import { call } from '../../../api/client.ts';
import { keys } from '../../../api/queries.ts';

/** Sets the agent and the label of an operation. Null removes one. */
export const useAssign = ({ id }: HistoryEntry, onDone: () => void) => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { readonly agent: string | null; readonly label: string | null }) =>
      call(attributeOperation, { params: { operationId: id }, body }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.wallet });
      onDone();
    },
  });
};
