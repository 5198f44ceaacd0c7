import { queryOptions } from '@tanstack/react-query';
import { listRoots } from '../../../shared/api/roots.ts';
import { call } from './client.ts';
import { keys } from './queries.ts';

/** The roots that the operator chose recently, and folders that look like one. Needs the operator token. */
export const rootsQuery = () =>
  queryOptions({
    queryKey: keys.roots,
    queryFn: async ({ signal }) => (await call(listRoots, {}, signal)).roots,
  });
