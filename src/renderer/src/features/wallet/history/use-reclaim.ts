import { useMutation, useQueryClient } from '@tanstack/react-query';
import { reclaimToken } from '../../../../../shared/api/wallet.ts';
import { type ApiError, call } from '../../../api/client.ts';
import { keys } from '../../../api/queries.ts';
import { wallet as texts } from '../../../strings/wallet.ts';
import { notify, notifyFailure } from '../../../ui/toast.tsx';

const words = texts.reclaim;

/** Taking sent tokens back. */
export interface Reclaim {
  readonly run: (operationId: string) => void;
  /** The send whose token is being taken back. */
  readonly runningId: string | undefined;
}

/** Takes the unspent part of a sent token back, and says how it went. */
export const useReclaim = (): Reclaim => {
  const client = useQueryClient();
  const { mutate, isPending, variables } = useMutation({
    mutationFn: (operationId: string) => call(reclaimToken, { params: { operationId } }),
    onSuccess: ({ amount, fee }) => notify(words.done(amount, fee)),
    onError: (error: ApiError) =>
      error.code === 'redemption_pending' ? notify(words.pending) : notifyFailure(words.failed, error),
    onSettled: () => client.invalidateQueries({ queryKey: keys.wallet }),
  });
  return {
    run: (operationId) => !isPending && mutate(operationId),
    runningId: isPending ? variables : undefined,
  };
};
