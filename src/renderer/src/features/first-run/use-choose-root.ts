import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { changeSettings, STARTER_ROOT } from '../../../../shared/api/settings.ts';
import { type ApiError, call } from '../../api/client.ts';
import { useLive } from '../../api/live.tsx';
import { keys, settingsQuery } from '../../api/queries.ts';

/** The first choice of a root. */
export interface RootChoice {
  /** Where the starter root is; undefined until the server said so. */
  readonly starterRoot: string | undefined;
  readonly chooseStarter: () => void;
  readonly chooseRoot: (path: string) => void;
  readonly isChoosing: boolean;
  /** Why the server did not start with what was chosen, and came back without it. */
  readonly lastError: string | null;
  /** What is wrong with the path. */
  readonly error: string | undefined;
  readonly reset: () => void;
}

/** Chooses a root; the page goes on as soon as the server says that the first run is over. */
export const useChooseRoot = (): RootChoice => {
  const client = useQueryClient();
  const { data } = useQuery(settingsQuery());
  const { mutate, isPending, isSuccess, error, reset } = useMutation<unknown, ApiError, string>({
    mutationFn: (root) => call(changeSettings, { body: { root } }),
    // Where the server restarts, the event stream asks again when it is back.
    onSuccess: () => client.invalidateQueries({ queryKey: keys.health }),
  });
  const isChoosing = isPending || isSuccess;
  useOutcome(isChoosing, reset);
  const choose = (root: string): void => {
    if (!isPending) mutate(root);
  };
  return {
    starterRoot: data?.starterRoot,
    chooseStarter: () => choose(STARTER_ROOT),
    chooseRoot: choose,
    isChoosing,
    lastError: isChoosing ? null : (data?.lastError ?? null),
    error: error ? (error.details?.issues?.[0]?.message ?? error.message) : undefined,
    reset,
  };
};

/** A server that is back and still waits for a first root has not taken the one that was chosen: another can be. */
const useOutcome = (isChoosing: boolean, reset: () => void): void => {
  const client = useQueryClient();
  const { state } = useLive();
  // A stream that opens for the first time is that of the server that has yet to go.
  const seen = useRef<'nothing' | 'there' | 'gone'>('nothing');
  useEffect(() => {
    if (!isChoosing) seen.current = 'nothing';
    else if (state !== 'open') seen.current = seen.current === 'nothing' ? 'nothing' : 'gone';
    else if (seen.current !== 'gone') seen.current = 'there';
    else {
      const read = [keys.health, keys.settings].map((queryKey) => client.refetchQueries({ queryKey }));
      // With a root this page is gone by then.
      void Promise.all(read).then(reset);
    }
  }, [isChoosing, state, client, reset]);
};
