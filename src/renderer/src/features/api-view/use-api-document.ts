import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { getOpenApi } from '../../../../shared/api/openapi.ts';
import { call } from '../../api/client.ts';
import { keys } from '../../api/queries.ts';
import { readStatus, type Unread } from '../../api/read-status.ts';
import { type ApiRoute, createResolve, type Resolve, routesOf } from './openapi.ts';

/** The server's routes, and a function that resolves the rest of its document. */
interface ApiDocument {
  readonly routes: readonly ApiRoute[];
  readonly resolve: Resolve;
}

const documentQuery = () =>
  queryOptions({
    queryKey: keys.openApi,
    queryFn: ({ signal }) => call(getOpenApi, { query: {} }, signal),
    // The document changes only with the server's version, and an update makes the event stream reconnect.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Reads the OpenAPI document. */
export const useApiDocument = (): Unread | { readonly status: 'ready'; readonly data: ApiDocument } => {
  const read = readStatus(useQuery(documentQuery()));
  const document = read.status === 'ready' ? read.data : undefined;
  const data = useMemo(() => {
    const resolve = createResolve(document);
    return { resolve, routes: routesOf(document, resolve) };
  }, [document]);
  return read.status === 'ready' ? { status: 'ready', data } : read;
};
