import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { MAX_MEMO, sendToken } from '../../../../../shared/api/wallet.ts';
import { call } from '../../../api/client.ts';
import { after } from '../../../api/invalidations.ts';
import { operationQuery, sendByKeyQuery } from '../../../api/wallet-queries.ts';
import { parseInteger } from '../../../parse-integer.ts';
import { wallet as words } from '../../../strings/wallet.ts';
import { type SendIntent, type SendState, sendStore } from './send-store.ts';

/** The typed amount and memo: their values, or their problems. */
type SendInput =
  | { readonly status: 'empty' }
  | { readonly status: 'ok'; readonly amount: number; readonly memo: string }
  | {
      readonly status: 'wrong';
      readonly amount: 'notWhole' | 'tooMuch' | undefined;
      readonly memo: 'memoTooLong' | undefined;
    };

/** Parses the typed amount and memo. Thousands separators are allowed. */
export const readSendInput = (typed: { amount: string; memo: string }, balance: number): SendInput => {
  const isEmpty = typed.amount.trim() === '';
  const amount = parseInteger(typed.amount);
  const memo = typed.memo.trim();
  const isMemoWrong = memo.length > MAX_MEMO;
  if (isEmpty && !isMemoWrong) return { status: 'empty' };
  const wrong = amount === null || amount < 1 ? 'notWhole' : amount > balance ? 'tooMuch' : undefined;
  if (isMemoWrong || amount === null || wrong) {
    return {
      status: 'wrong',
      amount: isEmpty ? undefined : wrong,
      memo: isMemoWrong ? 'memoTooLong' : undefined,
    };
  }
  return { status: 'ok', amount, memo };
};

/** The state and functions for typing and sending an amount. */
export interface Send {
  readonly state: SendState;
  readonly input: SendInput;
  /** Why a pending or unsure send has no outcome yet. */
  readonly pendingReason: string | undefined;
  readonly send: () => void;
  /** Sends again with the higher fee, if that fee is why the last send was refused. */
  readonly acceptFee: () => void;
  /** Checks again how an unsure send ended. */
  readonly checkAgain: () => void;
}

/** Sends the typed amount. The result stays in the store while another page is open. */
export const useSend = (balance: number): Send => {
  const state = useSyncExternalStore(sendStore.subscribe, sendStore.get);
  const { mutate } = useMutation({
    mutationFn: ({ amount, memo, key, maxFee }: SendIntent) =>
      call(sendToken, {
        headers: { 'idempotency-key': key },
        body: {
          amount,
          ...(memo === '' ? {} : { memo }),
          ...(maxFee === undefined ? {} : { maxFee }),
        },
      }),
    onSuccess: (sent, intent) => sendStore.sent(intent, sent),
    onError: (error, intent) => sendStore.refused(intent, error),
    meta: { refresh: after.wallet() },
    // SECURITY: a token is money, so the cache drops it once nothing shows it.
    gcTime: 0,
  });

  const { stage } = state;
  const pending = stage.kind === 'pending' ? stage : null;
  const { data: operation, error } = useQuery({
    ...operationQuery(pending?.operationId ?? ''),
    enabled: pending !== null,
  });
  useEffect(() => {
    if (!pending) return;
    // If the mint was changed, the new mint's wallet responds, and it doesn't have the operation.
    if (error?.code === 'operation_not_found') return sendStore.failed(pending.intent, error);
    if (operation?.id !== pending.operationId) return;
    // Retry with the same Idempotency-Key: now the response is the token.
    if (operation.state === 'completed') mutate(pending.intent);
    if (operation.state === 'failed') {
      const { code = 'internal', error: message = words.receive.failedUnknown } = operation.error ?? {};
      sendStore.failed(pending.intent, { code, message });
    }
  }, [pending, operation, error, mutate]);

  const unsure = stage.kind === 'unsure' ? stage : null;
  const settling = useQuery({ ...sendByKeyQuery(unsure?.intent.key ?? ''), enabled: unsure !== null });
  const { data: entry, error: notSettled } = settling;
  useEffect(() => {
    if (unsure && entry !== undefined) sendStore.settled(unsure.intent, entry ?? undefined);
  }, [unsure, entry]);

  const input = readSendInput(state, balance);
  return {
    state,
    input,
    pendingReason: unsure
      ? (notSettled ?? unsure.refusal)?.message
      : operation?.state === 'pending'
        ? operation.error?.error
        : undefined,
    checkAgain: () => void settling.refetch(),
    acceptFee: () => {
      const fee = stage.kind === 'refused' ? stage.fee : undefined;
      const intent = fee && sendStore.begin(fee.intent.amount, fee.intent.memo, fee.sats);
      if (intent) mutate(intent);
    },
    send: () => {
      const intent = input.status === 'ok' ? sendStore.begin(input.amount, input.memo) : null;
      if (intent) mutate(intent);
    },
  };
};
