import { useQuery } from '@tanstack/react-query';
import type { Balance, MintStatus } from '../../../../shared/api/wallet.ts';
import type { ApiError } from '../../api/client.ts';
import { balanceQuery, mintQuery } from '../../api/queries.ts';

/** The balance. Once read, it stays on the screen while the API is offline. */
export type WalletStatus =
  | { readonly status: 'loading' }
  | { readonly status: 'error'; readonly error: ApiError; readonly retry: () => void }
  | { readonly status: 'ready'; readonly balance: Balance; readonly mint: MintKnowledge };

/** What is known of the mint: a mint that is away answers late or never, and the balance does not wait for it. */
export type MintKnowledge =
  | { readonly status: 'asking' }
  | { readonly status: 'error'; readonly error: ApiError }
  | { readonly status: 'known'; readonly mint: MintStatus };

/** Reads the balance, and asks how the mint stands. */
export const useWallet = (): WalletStatus => {
  const { data, error, refetch } = useQuery(balanceQuery());
  const mint = useMint();
  if (data && (!error || error.code === 'offline')) return { status: 'ready', balance: data, mint };
  return error ? { status: 'error', error, retry: () => void refetch() } : { status: 'loading' };
};

const useMint = (): MintKnowledge => {
  const { data, error } = useQuery(mintQuery());
  if (data && (!error || error.code === 'offline')) return { status: 'known', mint: data };
  return error ? { status: 'error', error } : { status: 'asking' };
};
