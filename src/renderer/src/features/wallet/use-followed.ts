import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { operationQuery } from '../../api/queries.ts';
import { wallet as texts } from '../../strings/wallet.ts';
import { type Followed, tokenDesk } from './token-desk.ts';

/** Follows an operation to its end: the event stream says when it is time to look again. Answers what keeps it so far. */
export const useFollowed = ({ operationId, end }: Followed): string | undefined => {
  const { data, error } = useQuery({ ...operationQuery(operationId), enabled: end === null });
  useEffect(() => {
    if (error?.code === 'operation_not_found') tokenDesk.ended(operationId, error);
    if (data?.state === 'completed') tokenDesk.ended(operationId, { amount: data.amount, fee: undefined });
    if (data?.state === 'failed') {
      const { code = 'internal', error = texts.receive.failedUnknown } = data.error ?? {};
      tokenDesk.ended(operationId, { code, message: error });
    }
  }, [data, error, operationId]);
  return data?.state === 'pending' ? data.error?.error : undefined;
};
