import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { RootTrust } from '../../../shared/api/trust.ts';
import { getRootTrust, trustRoot, withdrawRootTrust } from '../../../shared/api/trust.ts';
import { type ApiError, call } from '../api/client.ts';
import { healthQuery, keys, rootTrustQuery } from '../api/queries.ts';
import { readStatus, type Unread } from '../api/read-status.ts';

/** Whether the root is trusted: for who has the operator token. */
export type RootTrustStatus = Unread | { readonly status: 'ready'; readonly trust: RootTrust };

/** Reads whether the root is trusted. */
export const useRootTrust = (): RootTrustStatus => {
  const read = readStatus(useQuery(rootTrustQuery()));
  return read.status === 'ready' ? { status: 'ready', trust: read.data } : read;
};

/** Whether the root waits for no yes, as far as the page knows. Needs no token. */
export const useIsRootTrusted = (): boolean => useQuery(healthQuery()).data?.rootTrusted ?? true;

const useKeepTrust = () => {
  const client = useQueryClient();
  return async (trust: RootTrust): Promise<void> => {
    // A read that is under way would put back what was.
    await client.cancelQueries({ queryKey: keys.rootTrust });
    client.setQueryData(keys.rootTrust, trust);
    void client.invalidateQueries({ queryKey: keys.health });
  };
};

/** Withdraws trust in the root. */
export const useWithdrawTrust = (onWithdrawn: () => void, onFailed: (error: ApiError) => void) => {
  const keep = useKeepTrust();
  return useMutation<RootTrust, ApiError, void>({
    mutationFn: () => call(withdrawRootTrust, {}),
    onSuccess: async (trust) => {
      await keep(trust);
      onWithdrawn();
    },
    onError: onFailed,
  });
};

/**
 * One look at the root's script, and a yes to exactly what was seen then. Not a query: what is shown must not change
 * under the eyes of who reads it.
 */
export const useTrustQuestion = (onTrusted: () => void) => {
  const keep = useKeepTrust();
  const look = useMutation<RootTrust, ApiError, void>({
    mutationFn: () => call(getRootTrust, {}),
    onSuccess: keep,
  });
  const yes = useMutation<RootTrust, ApiError, string>({
    mutationFn: (sha256) => call(trustRoot, { body: { sha256 } }),
    onSuccess: async (trust) => {
      await keep(trust);
      onTrusted();
    },
    onError: ({ code }) => {
      if (code === 'script_changed') look.mutate();
    },
  });
  return { look, yes };
};
