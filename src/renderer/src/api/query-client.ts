// Separate from app.tsx, so that tests use the same retry rules.
import { QueryClient } from '@tanstack/react-query';
import type { ApiError } from './client.ts';

declare module '@tanstack/react-query' {
  interface Register {
    // `call` throws nothing else, so a query's error needs no narrowing.
    defaultError: ApiError;
  }
}

/**
 * The cache of the API's answers. The event stream says when something is stale. Refetching when the window
 * gets the focus covers file systems that report no changes.
 */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        refetchOnWindowFocus: true,
        // A refused call would be refused again. The event stream handles a lost connection: it reconnects
        // and invalidates everything.
        retry: false,
        // The API is on this machine, so being offline says nothing about it.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
