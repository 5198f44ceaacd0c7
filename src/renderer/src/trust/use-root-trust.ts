import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRootTrust, type RootTrust, trustRoot, withdrawRootTrust } from '../../../shared/api/root.ts';
import { showSaved } from '../api/cache-invalidation.ts';
import { type ApiError, call } from '../api/client.ts';
import { after, refreshAfter } from '../api/invalidations.ts';
import { keys, rootTrustQuery } from '../api/queries.ts';
import { readStatus, type Unread } from '../api/read-status.ts';

/** The operator's trust in the root. Needs the operator token. */
type RootTrustStatus = Unread | { readonly status: 'ready'; readonly trust: RootTrust };

/** Reads whether the root is trusted. */
export const useRootTrust = (): RootTrustStatus => {
  const read = readStatus(useQuery(rootTrustQuery()));
  return read.status === 'ready' ? { status: 'ready', trust: read.data } : read;
};

const useKeepTrust = () => {
  const client = useQueryClient();
  return async (trust: RootTrust): Promise<void> => {
    await showSaved(client, keys.rootTrust, trust);
    void refreshAfter(client, after.trust());
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
 * Checks the root and its script once, and trusts exactly that version. Doesn't use a query, because the text must not
 * change while someone reads it.
 */
export const useTrustQuestion = (onTrusted: () => void) => {
  const keep = useKeepTrust();
  const look = useMutation<RootTrust, ApiError, void>({
    mutationFn: () => call(getRootTrust, {}),
    onSuccess: keep,
  });
  const yes = useMutation<RootTrust, ApiError, string | null>({
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
