import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { TokenValidation } from '../../../../../shared/api/wallet.ts';
import type { ApiError } from '../../../api/client.ts';
import { readStatus } from '../../../api/read-status.ts';
import { tokenCheckQuery } from '../../../api/wallet-queries.ts';

/** The check of a token before it is received. `unknown`: it couldn't be checked. */
export type TokenCheck =
  | { readonly status: 'idle' }
  | { readonly status: 'checking' }
  | { readonly status: 'checked'; readonly validation: TokenValidation; readonly checkAgain: () => void }
  | {
      readonly status: 'unknown';
      readonly error: ApiError;
      /** Only the mint failed to answer. Receiving the token asks it again and does no harm. */
      readonly mayReceive: boolean;
      readonly checkAgain: () => void;
    };

/** Test money accepts any text, but text without an amount or proofs isn't a token. */
const asToken = (validation: TokenValidation): TokenValidation => {
  const { valid, amount, proofs } = validation;
  return valid && amount === 0 && proofs === undefined
    ? { ...validation, valid: false, reason: 'malformed' }
    : validation;
};

// Each check asks the mint, and a token that is being typed isn't one yet.
const TYPING_PAUSE_MS = 250;

/** Checks a token once it has stopped changing, and aborts the check of an earlier one. */
export const useTokenCheck = (token: string, paused: boolean): TokenCheck => {
  const [settled, setSettled] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSettled(token), token === '' ? 0 : TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [token]);

  const isWanted = !paused && token !== '';
  const query = useQuery({
    ...tokenCheckQuery(settled),
    enabled: isWanted && settled === token,
  });
  if (!isWanted) return { status: 'idle' };
  if (settled !== token) return { status: 'checking' };
  const checkAgain = (): void => void query.refetch();
  const read = readStatus(query);
  if (read.status === 'ready') return { status: 'checked', validation: asToken(read.data), checkAgain };
  if (read.status === 'loading') return { status: 'checking' };
  const { error } = read;
  const mayReceive = error.code === 'mint_unreachable' || error.code === 'mint_error';
  return { status: 'unknown', error, mayReceive, checkAgain };
};
