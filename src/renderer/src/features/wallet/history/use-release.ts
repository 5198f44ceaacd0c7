import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { createStore } from 'zustand/vanilla';
import { type ReleasedOperation, releaseOperation } from '../../../../../shared/api/wallet.ts';
import { type ApiError, call } from '../../../api/client.ts';
import { keys } from '../../../api/queries.ts';

const { getState, setState, subscribe } = createStore<ReleasedOperation | null>(() => null);

/**
 * The token of the last release, until the person hides it. The server returns it only once, so it outlives
 * its view. SECURITY: a token is money, so it stays in memory only.
 */
export const releasedToken = {
  get: getState,
  subscribe,
  set: (next: ReleasedOperation | null): void => setState(next, true),
};

/** The release of a stuck operation. */
export interface Release {
  readonly isRunning: boolean;
  readonly error: ApiError | null;
  /** Null until it is released. */
  readonly released: ReleasedOperation | null;
  readonly run: () => void;
}

/** Releases an operation that stays pending, and gets its token. */
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
