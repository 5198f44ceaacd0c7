import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ChangedMintAddress, changeMintAddress } from '../../../../shared/api/wallet.ts';
import { type ApiError, call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';

/** Moves the wallet of an earlier address to the mint's new one. */
export const useMintAddress = (from: string) => {
  const client = useQueryClient();
  return useMutation<ChangedMintAddress, ApiError>({
    mutationFn: () => call(changeMintAddress, { body: { from } }),
    // After a restart, the event stream refetches everything.
    onSuccess: ({ restarting }) => {
      if (!restarting) void client.invalidateQueries({ queryKey: keys.wallet });
    },
  });
};
