import { useMutation } from '@tanstack/react-query';
import { checkMint } from '../../../shared/api/wallet.ts';
import { hostOf } from '../../../shared/mint-url.ts';
import { call } from '../api/client.ts';
import { wallet as walletWords } from '../strings/wallet.ts';

/** Checks whether the wallet could use a mint. */
export const useMintCheck = () =>
  useMutation({ mutationFn: (mintUrl: string) => call(checkMint, { body: { mintUrl } }) });

/** Returns why the wallet can't use the checked mint, and what to do. Undefined if it can. */
export const mintCheckProblem = ({
  variables,
  data,
  error,
}: ReturnType<typeof useMintCheck>): string | undefined => {
  const host = hostOf(variables ?? '');
  const lacked = data?.lacks[0];
  if (lacked) return walletWords.realMoney.lacks[lacked](data.name ?? host);
  if (!error) return undefined;
  if (error.code === 'mint_unreachable') return walletWords.realMoney.unreachable(host);
  // A mint that limits requests says when to retry, so keep its message.
  if (error.code === 'mint_error' && error.details?.retryAfterSeconds === undefined)
    return walletWords.realMoney.unlike(host);
  return error.message;
};
