import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { changeSettings, STARTER_ROOT } from '../../../../shared/api/settings.ts';
import { type ApiError, call } from '../../api/client.ts';
import { keys, settingsQuery } from '../../api/queries.ts';

/** The first choice of a root. */
export interface RootChoice {
  /** Where the starter root is; undefined until the server said so. */
  readonly starterRoot: string | undefined;
  readonly chooseStarter: () => void;
  readonly chooseRoot: (path: string) => void;
  readonly isChoosing: boolean;
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
  const choose = (root: string): void => {
    if (!isPending) mutate(root);
  };
  return {
    starterRoot: data?.starterRoot,
    chooseStarter: () => choose(STARTER_ROOT),
    chooseRoot: choose,
    isChoosing: isPending || isSuccess,
    error: error ? (error.details?.issues?.[0]?.message ?? error.message) : undefined,
    reset,
  };
};
