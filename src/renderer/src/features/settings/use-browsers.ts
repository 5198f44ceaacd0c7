import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { renewOperatorToken } from '../../../../shared/api/operator-token.ts';
import { deletePageKey, listPageKeys, type PageKey } from '../../../../shared/api/page-keys.ts';
import { browserKeyId } from '../../api/browser-key.ts';
import { call } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { canKeepSignedIn, keepSignedIn, pageSession, stopKeepingSignedIn } from '../../api/page-session.ts';
import { keys } from '../../api/queries.ts';
import { browserName } from '../../shell/sign-in.tsx';

/** The browsers that stay signed in. Needs a page signed in as the operator. */
const pageKeysQuery = () =>
  queryOptions({
    queryKey: keys.pageKeys,
    queryFn: async ({ signal }) => {
      const { keys: found } = await call(listPageKeys, {}, signal);
      const ownId = browserKeyId();
      return found.map((key) => ({ ...key, isOwn: key.id === ownId }));
    },
  });

/** A signed-in browser. */
export type Browser = PageKey & { readonly isOwn: boolean };

/** Signs this browser out: revokes its key, and drops this tab's token and cached data. */
const signOut = async (client: QueryClient): Promise<void> => {
  await stopKeepingSignedIn();
  pageSession.signOut();
  // Other tabs keep their data until they're closed or reloaded.
  await client.resetQueries();
};

/** The signed-in browsers. */
export interface Browsers {
  /** Undefined until loaded. */
  readonly keys: readonly Browser[] | undefined;
  readonly canKeep: boolean;
  readonly isPending: boolean;
  readonly keep: () => void;
  readonly end: (key: Browser) => void;
  /** Signs this tab out, if this browser stores no key. */
  readonly signOut: () => void;
}

/** Loads and changes the signed-in browsers. */
export const useBrowsers = (
  onKept: () => void,
  onEnded: (name: string) => void,
  onSignedOut: () => void,
  onFailure: (error: unknown) => void,
): Browsers => {
  const client = useQueryClient();
  const { data } = useQuery(pageKeysQuery());
  const meta = { refresh: after.signedInBrowsers() };
  const keep = useMutation({
    mutationFn: () => keepSignedIn(browserName(navigator.userAgent)),
    onSuccess: onKept,
    onError: onFailure,
    meta,
  });
  const end = useMutation({
    mutationFn: async (key: Browser): Promise<void> => {
      if (key.isOwn) await signOut(client);
      else await call(deletePageKey, { params: { keyId: key.id } });
    },
    onSuccess: (_result, { name }) => onEnded(name),
    onError: onFailure,
    meta,
  });
  const leaving = useMutation({
    mutationFn: () => signOut(client),
    onSuccess: onSignedOut,
    onError: onFailure,
  });
  return {
    keys: data,
    canKeep: canKeepSignedIn(),
    isPending: keep.isPending || end.isPending,
    keep: () => keep.mutate(),
    end: (key) => end.mutate(key),
    signOut: () => leaving.mutate(),
  };
};

/** Replaces the operator token. */
export const useRenewToken = (onDone: () => void, onFailure: (error: unknown) => void) =>
  useMutation({
    mutationFn: () => call(renewOperatorToken, { body: {} }),
    onSuccess: onDone,
    onError: onFailure,
  });
