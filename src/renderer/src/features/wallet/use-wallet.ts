import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { needsSignIn } from '../../../../shared/api/errors.ts';
import { changeSettings, type SettingsChange } from '../../../../shared/api/settings.ts';
import {
  type Balance,
  type ChangedMintAddress,
  changeMintAddress,
  type MintStatus,
} from '../../../../shared/api/wallet.ts';
import { type ApiError, call } from '../../api/client.ts';
import { after, refreshAfter } from '../../api/invalidations.ts';
import { useSession } from '../../api/page-session.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { balanceQuery, historyQuery, mintQuery } from '../../api/wallet-queries.ts';

/** The balance. It stays visible while the API is offline. */
type WalletStatus =
  | Unread
  | { readonly status: 'ready'; readonly balance: Balance; readonly mint: MintKnowledge };

/** The mint's status. An unreachable mint responds late or never, so the balance doesn't wait for it. */
export type MintKnowledge =
  | { readonly status: 'asking' }
  | { readonly status: 'error'; readonly error: ApiError }
  | { readonly status: 'known'; readonly mint: MintStatus };

/** Loads the balance and the mint's status. */
export const useWallet = (): WalletStatus => {
  const read = readStatus(useQuery(balanceQuery()));
  const mint = useMint();
  return read.status === 'ready' ? { status: 'ready', balance: read.data, mint } : read;
};

const useMint = (): MintKnowledge => {
  const read = readStatus(useQuery(mintQuery()));
  if (read.status === 'ready') return { status: 'known', mint: read.data };
  return read.status === 'error' ? read : { status: 'asking' };
};

/** Changes the mint, or switches between test money and real money. */
export const useMoneyChange = () => {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Pick<SettingsChange, 'devMode' | 'mintUrl'>) => call(changeSettings, { body }),
    // After a restart, the event stream refetches everything.
    onSuccess: ({ restarting }) => {
      if (!restarting) void refreshAfter(client, after.wallet());
    },
  });
};

/** Moves the wallet of an earlier address to the mint's new one. */
export const useMintAddress = (from: string) => {
  const client = useQueryClient();
  return useMutation<ChangedMintAddress, ApiError>({
    mutationFn: () => call(changeMintAddress, { body: { from } }),
    // After a restart, the event stream refetches everything.
    onSuccess: ({ restarting }) => {
      if (!restarting) void refreshAfter(client, after.wallet());
    },
  });
};

/** Returns whether this page has operator rights, which the history needs. Undefined while unknown. */
export const useIsOperator = (): boolean | undefined => {
  const session = useSession();
  const { data, error } = useInfiniteQuery(historyQuery());
  // Even a page with a token can lack these rights, because its token may not be the operator token.
  if (session !== 'signedIn' || needsSignIn(error)) return false;
  return data ? true : undefined;
};
