import { useMutation } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { releaseOperation } from '../../../../../shared/api/wallet.ts';
import { type ApiError, call } from '../../../api/client.ts';
import { after } from '../../../api/invalidations.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { notify } from '../../../ui/toast.tsx';
import { keepReleased, type ReleasedToken, releasedToken } from './released-token.ts';

/** The state of releasing a stuck operation, and the function that does it. */
export interface Release {
  readonly isRunning: boolean;
  readonly error: ApiError | null;
  /** Null until an operation with an outside token is released. */
  readonly released: ReleasedToken | null;
  readonly run: () => void;
}

/**
 * Releases a stuck operation, and gets its token. Calls `onReturned` if its sats are back in the balance.
 */
export const useRelease = (operationId: string | undefined, onReturned: () => void): Release => {
  const { mutate, isPending, error } = useMutation({
    mutationFn: (id: string) => call(releaseOperation, { params: { operationId: id } }),
    onSuccess: (released) => {
      if (keepReleased(released)) return;
      notify(words.release.returned);
      onReturned();
    },
    meta: { refresh: after.wallet() },
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
