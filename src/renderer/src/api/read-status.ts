import type { ApiError } from './client.ts';

/** What a query of the cache says of a read. */
interface Read<T> {
  readonly data: T | undefined;
  readonly error: ApiError | null;
}

/** A read that has nothing to show. */
export type Unread =
  | { readonly status: 'loading' }
  | { readonly status: 'error'; readonly error: ApiError; readonly retry: () => void };

/** How a read stands. */
export type ReadStatus<T> = Unread | { readonly status: 'ready'; readonly data: T };

/** What is shown of a read: once read, it stays on the screen while the API is offline; any other error takes its place. */
export const lastRead = <T>({ data, error }: Read<T>): T | undefined =>
  !error || error.code === 'offline' ? data : undefined;

/** The status of a query, with {@link lastRead} as its data. */
export const readStatus = <T>(query: Read<T> & { readonly refetch: () => unknown }): ReadStatus<T> => {
  const data = lastRead(query);
  if (data !== undefined) return { status: 'ready', data };
  const { error, refetch } = query;
  return error ? { status: 'error', error, retry: () => void refetch() } : { status: 'loading' };
};
