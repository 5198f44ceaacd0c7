import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { deletePageKey, type PageKey, renewOperatorToken } from '../../../../shared/api/sign-in.ts';
import { call } from '../../api/client.ts';
import { canKeepSignedIn, keepSignedIn, stopKeepingSignedIn } from '../../api/page-session.ts';
import { keys, pageKeysQuery } from '../../api/queries.ts';
import { browserName } from '../../sign-in/browser-name.ts';

/** A signed-in browser. */
export type Browser = PageKey & { readonly isOwn: boolean };

/** The signed-in browsers. */
export interface Browsers {
  readonly keys: readonly Browser[];
  readonly canKeep: boolean;
  readonly isPending: boolean;
  readonly keep: () => void;
  readonly end: (key: Browser) => void;
}

/** Reads and changes the signed-in browsers. */
export const useBrowsers = (
  onKept: () => void,
  onEnded: (name: string) => void,
  onFailure: (error: unknown) => void,
): Browsers => {
  const client = useQueryClient();
  const { data } = useQuery(pageKeysQuery());
  const onSettled = () => client.invalidateQueries({ queryKey: keys.pageKeys });
  const keep = useMutation({
    mutationFn: () => keepSignedIn(browserName(navigator.userAgent)),
    onSuccess: onKept,
    onError: onFailure,
    onSettled,
  });
  const end = useMutation({
    mutationFn: async (key: Browser): Promise<void> => {
      if (key.isOwn) await stopKeepingSignedIn();
      else await call(deletePageKey, { params: { keyId: key.id } });
    },
    onSuccess: (_result, { name }) => onEnded(name),
    onError: onFailure,
    onSettled,
  });
  return {
    keys: data ?? [],
    canKeep: canKeepSignedIn(),
    isPending: keep.isPending || end.isPending,
    keep: () => keep.mutate(),
    end: (key) => end.mutate(key),
  };
};

/** Replaces the operator token. */
export const useRenewToken = (onDone: () => void, onFailure: (error: unknown) => void) =>
  useMutation({
    mutationFn: () => call(renewOperatorToken, { body: {} }),
    onSuccess: onDone,
    onError: onFailure,
  });
