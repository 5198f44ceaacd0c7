import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { operationQuery } from '../../../api/queries.ts';
import { wallet as texts } from '../../../strings/wallet.ts';
import { type PendingReceive, receiveStore } from './receive-store.ts';

/** Follows an operation to its end: the event stream says when it is time to look again. Answers what keeps it so far. */
export const usePendingReceive = ({ operationId, end }: PendingReceive): string | undefined => {
  const { data, error } = useQuery({ ...operationQuery(operationId), enabled: end === null });
  useEffect(() => {
    if (error?.code === 'operation_not_found') receiveStore.ended(operationId, error);
    if (data?.state === 'completed') receiveStore.ended(operationId, { amount: data.amount, fee: undefined });
    if (data?.state === 'failed') {
      const { code = 'internal', error = texts.receive.failedUnknown } = data.error ?? {};
      receiveStore.ended(operationId, { code, message: error });
    }
  }, [data, error, operationId]);
  return data?.state === 'pending' ? data.error?.error : undefined;
};
