import type { ApiError } from './client.ts';

/** The part of a query's result that matters here. */
interface Read<T> {
  readonly data: T | undefined;
  readonly error: ApiError | null;
}

/** A read without data to show. */
export type Unread =
  | { readonly status: 'loading' }
  | { readonly status: 'error'; readonly error: ApiError; readonly retry: () => void };

/** The state of a read. */
export type ReadStatus<T> = Unread | { readonly status: 'ready'; readonly data: T };

/** Returns the data to show. It stays visible while the API is offline. Any other error replaces it. */
export const lastRead = <T>({ data, error }: Read<T>): T | undefined =>
  !error || error.code === 'offline' ? data : undefined;

/** Returns a query's status, with {@link lastRead} as its data. */
export const readStatus = <T>(query: Read<T> & { readonly refetch: () => unknown }): ReadStatus<T> => {
  const data = lastRead(query);
  if (data !== undefined) return { status: 'ready', data };
  const { error, refetch } = query;
  return error ? { status: 'error', error, retry: () => void refetch() } : { status: 'loading' };
};
