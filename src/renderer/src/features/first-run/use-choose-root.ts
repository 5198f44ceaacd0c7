import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { checkRoot, type RootCheck, setUpRoot } from '../../../../shared/api/root.ts';
import type { KnownRoot } from '../../../../shared/api/roots.ts';
import { changeSettings } from '../../../../shared/api/settings.ts';
import { STARTER_ROOT } from '../../../../shared/settings.ts';
import { type ApiError, call } from '../../api/client.ts';
import { after } from '../../api/invalidations.ts';
import { useLive } from '../../api/live.tsx';
import { keys, rootsQuery, settingsQuery } from '../../api/queries.ts';

/** The first choice of a root. */
export interface RootChoice {
  /** The starter root's path. Undefined until the server reports it. */
  readonly starterRoot: string | undefined;
  /** Other folders that contain agents, or that the operator chose before. */
  readonly folders: readonly KnownRoot[];
  readonly chooseStarter: () => void;
  /** Chooses a folder with agents. If a folder has no agents, sets `lacking` instead. */
  readonly chooseRoot: (path: string) => void;
  /** The chosen folder, if it has no agents. The person can set it up, or use it as it is. */
  readonly lacking: RootCheck | null;
  readonly setUp: (path: string) => void;
  readonly takeAsItIs: (path: string) => void;
  readonly isChoosing: boolean;
  /** The error that made the server start without the chosen root. */
  readonly lastError: string | null;
  /** The problem with the path. */
  readonly error: string | undefined;
  readonly reset: () => void;
}

/** Chooses a root. The page continues once the server reports that the first run is over. */
export const useChooseRoot = (): RootChoice => {
  const { data } = useQuery(settingsQuery());
  const { data: roots = [] } = useQuery(rootsQuery());
  const { mutate, isPending, isSuccess, error, reset } = useMutation<unknown, ApiError, string>({
    mutationFn: (root) => call(changeSettings, { body: { root } }),
    // If the server restarts, the event stream triggers a refetch once it's back.
    meta: { refresh: after.settings() },
  });
  const isChoosing = isPending || isSuccess;
  useOutcome(isChoosing, reset);
  const choose = (root: string): void => {
    if (!isPending) mutate(root);
  };
  const checking = useMutation<RootCheck, ApiError, string>({
    mutationFn: (path) => call(checkRoot, { query: { path } }),
    // The server reports the problem with a folder that doesn't exist.
    onSuccess: ({ path, exists, agents }) => (exists && agents === null ? undefined : choose(path)),
  });
  const settingUp = useMutation<{ path: string }, ApiError, string>({
    mutationFn: (path) => call(setUpRoot, { body: { path } }),
    onSuccess: ({ path }) => choose(path),
  });
  const found = checking.data;
  const failure = error ?? settingUp.error ?? checking.error;
  return {
    starterRoot: data?.starterRoot,
    folders: roots.filter(({ path }) => path !== data?.starterRoot),
    chooseStarter: () => choose(STARTER_ROOT),
    chooseRoot: (path) => !checking.isPending && checking.mutate(path),
    lacking: found?.exists && found.agents === null ? found : null,
    setUp: (path) => !settingUp.isPending && settingUp.mutate(path),
    takeAsItIs: choose,
    isChoosing: isChoosing || checking.isPending || settingUp.isPending,
    lastError: isChoosing ? null : (data?.lastError ?? null),
    error: failure ? (failure.details?.issues?.[0]?.message ?? failure.message) : undefined,
    reset: () => {
      for (const mutation of [checking, settingUp]) mutation.reset();
      reset();
    },
  };
};

/** If the server is back and still waits for a first root, allows another choice, because it refused this one. */
const useOutcome = (isChoosing: boolean, reset: () => void): void => {
  const client = useQueryClient();
  const { state } = useLive();
  // The first open stream belongs to the old server, which hasn't stopped yet.
  const seen = useRef<'nothing' | 'there' | 'gone'>('nothing');
  useEffect(() => {
    if (!isChoosing) seen.current = 'nothing';
    else if (state !== 'open') seen.current = seen.current === 'nothing' ? 'nothing' : 'gone';
    else if (seen.current !== 'gone') seen.current = 'there';
    else {
      const read = [keys.health, keys.settings].map((queryKey) => client.refetchQueries({ queryKey }));
      // If the root was accepted, this page is gone before the reset.
      void Promise.all(read).then(reset);
    }
  }, [client, isChoosing, state, reset]);
};
