import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { type ReleasedOperation, releaseOperation } from '../../../../shared/api/wallet.ts';
import { type ApiError, call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';

let released: ReleasedOperation | null = null;
const listeners = new Set<() => void>();

/**
 * The token of the last release, until it is put away. The server hands it out once, so it outlives the view that shows it.
 * SECURITY: a token is money, so it is in memory only.
 */
export const releasedToken = {
  get: (): ReleasedOperation | null => released,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  set: (next: ReleasedOperation | null): void => {
    released = next;
    for (const listener of listeners) listener();
  },
};

/** Releasing an operation that is stuck. */
export interface Release {
  readonly isRunning: boolean;
  readonly error: ApiError | null;
  /** Set once it is released. */
  readonly released: ReleasedOperation | null;
  readonly run: () => void;
}

/** Gives up on an operation that stays pending, and gets its token. */
export const useRelease = (operationId: string | undefined): Release => {
  const client = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: (id: string) => call(releaseOperation, { params: { operationId: id } }),
    onSuccess: releasedToken.set,
    onSettled: () => client.invalidateQueries({ queryKey: keys.wallet }),
    gcTime: 0,
  });
  return {
    isRunning: isPending,
    error,
    released: useSyncExternalStore(releasedToken.subscribe, releasedToken.get),
    run: () => {
      if (!isPending && operationId !== undefined) mutate(operationId);
    },
  };
};
