import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { receiveToken, type TokenValidation } from '../../../../../shared/api/wallet.ts';
import { bareToken, bareTokens, isTokenText } from '../../../../../shared/bare-token.ts';
import { type OtherPayment, otherPaymentOf } from '../../../../../shared/other-payment.ts';
import { type ApiError, call } from '../../../api/client.ts';
import { after, refreshAfter } from '../../../api/invalidations.ts';
import { readStatus } from '../../../api/read-status.ts';
import { tokenCheckQuery } from '../../../api/wallet-queries.ts';
import { isPendingToken, type ReceiveRequest, type ReceiveState, receiveStore } from './receive-store.ts';
import { tokenQueue } from './token-queue.ts';

/** The check of a token before it's received. `unknown` means it couldn't be checked. */
export type TokenCheck =
  | { readonly status: 'idle' }
  | { readonly status: 'checking' }
  | { readonly status: 'checked'; readonly validation: TokenValidation; readonly checkAgain: () => void }
  | {
      readonly status: 'unknown';
      readonly error: ApiError;
      /** True if only the query to the mint failed. Receiving is then safe, because it queries the mint again. */
      readonly mayReceive: boolean;
      readonly checkAgain: () => void;
    };

/** With test money, any text passes validation, but text without an amount or proofs isn't a token. */
const asToken = (validation: TokenValidation): TokenValidation => {
  const { valid, amount, proofs } = validation;
  return valid && amount === 0 && proofs === undefined
    ? { ...validation, valid: false, reason: 'malformed' }
    : validation;
};

// Wait for a pause, because each check queries the mint, and a half-typed token is useless.
const TYPING_PAUSE_MS = 250;

/** Checks a token once it has stopped changing, and aborts the previous check. */
const useTokenCheck = (token: string, paused: boolean): TokenCheck => {
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

/** The state and functions for typing, checking and receiving a token. */
interface Receive {
  readonly state: ReceiveState;
  readonly check: TokenCheck;
  /** The kind of text, if it requests sats instead of containing a token. */
  readonly other: OtherPayment | undefined;
  readonly tokens: readonly string[];
  readonly canReceive: boolean;
  /** Puts text into the field, or queues it during a receive request. */
  readonly type: (text: string) => void;
  readonly receive: () => void;
}

// These codes are final for the token. After other refusals, such as the mint's, a new request can succeed.
const FINAL_CODES: readonly string[] = [
  'token_spent',
  'malformed_token',
  'wrong_mint',
  'wrong_unit',
  'token_locked',
  'invalid_signature',
  'amount_below_fee',
  'token_too_large',
];

/** Receives the token in the field, unless `isOff`. The store keeps the result if the view changes. */
export const useReceive = (isOff: boolean): Receive => {
  const client = useQueryClient();
  const state = useSyncExternalStore(receiveStore.subscribe, receiveStore.get);
  const { mutate } = useMutation({
    mutationFn: ({ token, key, agent, label }: ReceiveRequest) =>
      call(receiveToken, {
        headers: { 'idempotency-key': key },
        body: { token, ...(agent ? { agent } : {}), ...(label ? { label } : {}) },
      }),
    onSuccess: ({ amount, fee, simulated, replayed, createdAt }, { token, agent }) =>
      receiveStore.received(token, {
        amount,
        fee,
        simulated,
        agent,
        ...(replayed ? { receivedAt: createdAt } : {}),
      }),
    onError: (error, { token }) => receiveStore.refused(token, error),
    onSettled: () => {
      // Continue with the batch's next token, because the wallet receives one at a time.
      const next = receiveStore.next();
      if (next) mutate(next);
      return refreshAfter(client, after.wallet());
    },
    // SECURITY: a token is money, so the cache drops it once nothing shows it.
    gcTime: 0,
  });

  const tokens = bareTokens(state.text).filter(isTokenText);
  const isMany = tokens.length > 1;
  const token = bareToken(state.text);
  const { outcome } = state;
  const refusal = outcome?.kind === 'refused' && outcome.token === token ? outcome : null;
  const underWay = isPendingToken(state, token);
  // The wallet's response outranks a check, which would say "spent" after our own receive.
  const other = otherPaymentOf(state.text);
  const check = useTokenCheck(token, isMany || underWay || refusal !== null || other !== undefined);
  const canReceive =
    !isOff &&
    other === undefined &&
    !underWay &&
    (isMany ||
      (refusal
        ? !FINAL_CODES.includes(refusal.code)
        : (check.status === 'unknown' && check.mayReceive) ||
          (check.status === 'checked' && check.validation.valid)));
  /** The token to receive once its check finishes, so that Ctrl+Enter right after pasting works. */
  const [awaited, setAwaited] = useState<string | null>(null);
  const receive = (): void => {
    setAwaited(check.status === 'checking' ? token : null);
    const redemption = canReceive ? (isMany ? receiveStore.beginAll() : receiveStore.begin()) : null;
    if (redemption) mutate(redemption);
  };
  const isOwn = check.status === 'checked' && check.validation.receivedAt !== undefined;
  useEffect(() => {
    if (isOwn) receiveStore.owns(token);
  }, [isOwn, token]);
  const isDue = awaited === token && check.status === 'checked' && check.validation.valid;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per check, however often this renders
  useEffect(() => {
    if (isDue) receive();
    else if (check.status !== 'checking') setAwaited(null);
  }, [isDue, check.status]);
  return { state, check, other, tokens, canReceive, type: tokenQueue.type, receive };
};
