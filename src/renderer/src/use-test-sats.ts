import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createTestToken, receiveToken } from '../../shared/api/wallet.ts';
import { type ApiError, call } from './api/client.ts';
import { keys } from './api/queries.ts';
import { randomKey } from './random-key.ts';
import { testSats as words } from './strings/test-sats.ts';
import { notify, notifyFailure } from './ui/toast.tsx';

/** How many test sats a press gets. */
export const TEST_SATS = 100;

/** Gets test sats the way real ones arrive: as a token, which the wallet receives. */
export const useTestSats = (): (() => void) => {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      const { token } = await call(createTestToken, { body: { amount: TEST_SATS } });
      return call(receiveToken, { headers: { 'idempotency-key': randomKey() }, body: { token } });
    },
    onSuccess: ({ amount }) => notify(words.got(amount)),
    onError: (error: ApiError) => notifyFailure(words.failed, error),
    onSettled: () => client.invalidateQueries({ queryKey: keys.wallet }),
    gcTime: 0,
  });
  return () => {
    if (!isPending) mutate();
  };
};
