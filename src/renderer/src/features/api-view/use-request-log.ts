import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  type CallerClass,
  callerClass,
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

/** Puts new requests before earlier ones, and keeps as many of each class of callers as dot-mi does. */
export const mergeRequests = (
  newer: readonly LoggedRequest[],
  before: readonly LoggedRequest[],
): readonly LoggedRequest[] => {
  const last = newer.at(-1)?.id ?? Number.POSITIVE_INFINITY;
  const counts = new Map<CallerClass, number>();
  return [...newer, ...before.filter(({ id }) => id < last)].filter(({ caller }) => {
    const count = (counts.get(callerClass(caller.kind)) ?? 0) + 1;
    counts.set(callerClass(caller.kind), count);
    return count <= KEPT_REQUESTS;
  });
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
        const newer: LoggedRequest[] = [];
        let cursor: string | undefined;
        do {
          const read = await call(listRequests, { query: { ...query, after: known[0]?.id, cursor } }, signal);
          newer.push(...read.requests);
          cursor = read.nextCursor;
        } while (cursor !== undefined);
        return mergeRequests(newer, known);
      },
      // Comparing thousands of rows would only show that the first is new.
      structuralSharing: false,
    }),
  );
};
