import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReleasedOperation, releaseOperation } from '../../../../shared/api/wallet.ts';
import { type ApiError, call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';

interface Unreleased {
  readonly status: 'asking' | 'releasing';
  readonly error: ApiError | null;
}

/** Releasing an operation that is stuck. */
export type Release = { readonly run: () => void; readonly error: ApiError | null } & (
  | Unreleased
  | { readonly status: 'released'; readonly released: ReleasedOperation }
);

/** Gives up on an operation that stays pending, and gets its token. */
export const useRelease = (operationId: string): Release => {
  const client = useQueryClient();
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: () => call(releaseOperation, { params: { operationId } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.wallet }),
    // SECURITY: a token is money, so the cache forgets it as soon as nothing shows it.
    gcTime: 0,
  });
  const run = (): void => {
    if (!isPending) mutate();
  };
  if (data) return { status: 'released', released: data, error: null, run };
  return { status: isPending ? 'releasing' : 'asking', error, run };
};
