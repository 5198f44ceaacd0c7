import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Balance, checkProofs } from '../../../../shared/api/wallet.ts';
import { type ApiError, call } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { balanceQuery } from '../../api/wallet-queries.ts';
import { wallet as words } from '../../strings/wallet.ts';

/**
 * Says how a check ended, in one sentence. If proofs are missing afterwards, another copy of the wallet may have
 * spent them.
 */
export const outcomeOf = (before: Balance, now: Balance): string => {
  const { balance, unconfirmed = 0 } = now;
  if (unconfirmed > 0) return words.unconfirmed.still(unconfirmed);
  const isAllBack = balance >= before.balance + (before.unconfirmed ?? 0);
  return isAllBack ? words.unconfirmed.confirmed : words.unconfirmed.noneLeft;
};

/** A check of all proofs at the mint. */
export interface ProofCheck {
  readonly isRunning: boolean;
  readonly error: ApiError | null;
  /** How the last check ended. Null before the first check, and once the balance changes. */
  readonly outcome: string | null;
  readonly run: () => void;
}

/** Makes the server check all proofs at the mint, and shows the balance afterwards. */
export const useProofCheck = (shown: Balance): ProofCheck => {
  const client = useQueryClient();
  const { queryKey } = balanceQuery();
  const { mutate, isPending, error, data } = useMutation<
    { readonly checked: Balance; readonly outcome: string },
    ApiError,
    Balance
  >({
    mutationFn: async (before) => {
      const checked = await call(checkProofs, { body: {} });
      return { checked, outcome: outcomeOf(before, checked) };
    },
    onSuccess: ({ checked }) => client.setQueryData(queryKey, checked),
    meta: { refresh: after.wallet() },
  });
  const isCurrent = data && (data.checked.unconfirmed ?? 0) === (shown.unconfirmed ?? 0);
  return {
    isRunning: isPending,
    error,
    outcome: isCurrent ? data.outcome : null,
    run: () => {
      if (!isPending) mutate(shown);
    },
  };
};
