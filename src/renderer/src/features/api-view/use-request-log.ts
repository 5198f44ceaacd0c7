import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  KEPT_REQUESTS,
  type LoggedRequest,
  listRequests,
  MAX_REQUESTS,
} from '../../../../shared/api/requests.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { type ReadStatus, readStatus } from '../../api/read-status.ts';

/** Selects the requests to show. */
export interface LogFilter {
  /** Undefined shows all. */
  readonly agent: string | undefined;
  readonly errors: boolean;
  readonly page: boolean;
}

/** Puts new requests before earlier ones. Both are newest first. */
export const mergeRequests = (
  newer: readonly LoggedRequest[],
  before: readonly LoggedRequest[],
): readonly LoggedRequest[] => {
  const last = newer.at(-1)?.id ?? Number.POSITIVE_INFINITY;
  return [...newer, ...before.filter(({ id }) => id < last)].slice(0, KEPT_REQUESTS);
};

/** Fetches the request log, and later only new requests. Needs the operator token. */
export const useRequestLog = ({ agent, errors, page }: LogFilter): ReadStatus<readonly LoggedRequest[]> => {
  const client = useQueryClient();
  const queryKey = [...keys.requests, { agent, errors, page }];
  return readStatus(
    useQuery({
      queryKey,
      queryFn: async ({ signal }): Promise<readonly LoggedRequest[]> => {
        const known = client.getQueryData<readonly LoggedRequest[]>(queryKey) ?? [];
        const query = { agent, errors: `${errors}`, page: `${page}`, limit: MAX_REQUESTS } as const;
        const first = await call(listRequests, { query: { ...query, after: known[0]?.id } }, signal);
        if (first.nextCursor === undefined) return mergeRequests(first.requests, known);
        // There are more new requests than fit in one response, so fetch the rest too.
        const cursor = first.nextCursor;
        const rest = await call(listRequests, { query: { ...query, cursor } }, signal);
        return mergeRequests(first.requests, rest.requests);
      },
      // Comparing a thousand rows would only show that the first is new.
      structuralSharing: false,
    }),
  );
};
