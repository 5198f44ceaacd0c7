import { useQuery } from '@tanstack/react-query';
import type { SharedExtension, SharedSkill } from '../../../../shared/api/catalog.ts';
import type { ApiError } from '../../api/client.ts';
import { extensionsQuery, skillsQuery } from '../../api/queries.ts';

/** One of the two catalogs. */
export type CatalogStatus<T> =
  | { readonly status: 'loading' }
  | { readonly status: 'error'; readonly error: ApiError; readonly retry: () => void }
  | { readonly status: 'ready'; readonly items: readonly T[] };

/** Reads both catalogs, so that changing between them is instant. */
export const useCatalog = (): {
  readonly skills: CatalogStatus<SharedSkill>;
  readonly extensions: CatalogStatus<SharedExtension>;
} => ({ skills: statusOf(useQuery(skillsQuery())), extensions: statusOf(useQuery(extensionsQuery())) });

const statusOf = <T>(query: {
  readonly data: readonly T[] | undefined;
  readonly error: ApiError | null;
  readonly refetch: () => unknown;
}): CatalogStatus<T> => {
  const { data, error, refetch } = query;
  if (data && (!error || error.code === 'offline')) return { status: 'ready', items: data };
  return error ? { status: 'error', error, retry: () => void refetch() } : { status: 'loading' };
};
