import { useQuery } from '@tanstack/react-query';
import type { SharedEntryUsage, SharedExtension, SharedSkill } from '../../../../shared/api/catalog.ts';
import type { LinkKind } from '../../../../shared/api/names.ts';
import type { ApiError } from '../../api/client.ts';
import { extensionsQuery, skillsQuery, usageQuery } from '../../api/queries.ts';

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

/** The agents that use each shared entry, by its name; who is used by none is not in it. */
export type Usage = ReadonlyMap<string, readonly string[]>;

const byName = (usage: readonly SharedEntryUsage[]): Usage =>
  new Map(usage.map(({ name, agents }) => [name, agents]));

/** Reads who uses the entries of a kind; undefined until it is known. The catalog does not wait for it. */
export const useUsage = (kind: LinkKind): Usage | undefined =>
  useQuery({ ...usageQuery(kind), select: byName }).data;
