import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { needsSignIn } from '../../../shared/api/errors.ts';
import type { KnownRoot } from '../../../shared/api/roots.ts';
import { changeSettings } from '../../../shared/api/settings.ts';
import { type ApiError, call } from '../api/client.ts';
import { desktopBridge } from '../api/desktop.ts';
import { after } from '../api/invalidations.ts';
import { rootsQuery } from '../api/queries.ts';
import { paths } from '../routes.ts';
import { roots as words } from '../strings/shell.ts';
import { reportFailure } from '../ui/failures.tsx';
import { requestEntry } from './intents.ts';

interface RootSwitch {
  readonly roots: readonly KnownRoot[];
  /** Why the known roots can't be shown. */
  readonly problem: string | undefined;
  readonly open: (path: string) => void;
}

const NONE: readonly KnownRoot[] = [];

/** Lets a person choose a folder, and opens it: in the desktop's dialog, or in the settings where there is none. */
export const useOpenFolder = (open: RootSwitch['open']): (() => void) => {
  const [, navigate] = useLocation();
  return () => {
    const bridge = desktopBridge();
    if (!bridge?.chooseFolder) {
      requestEntry({ kind: 'setting', id: 'root' });
      navigate(paths.settingsOf('general'));
      return;
    }
    bridge.chooseFolder().then(
      (path) => path !== null && open(path),
      (error: unknown) => reportFailure(words.chooseFailed, error),
    );
  };
};

/**
 * Loads the known roots while the menu is open, and switches roots. Doesn't ask about unsaved text, because that
 * is kept for each root.
 */
export const useRootSwitch = (isOpen: boolean): RootSwitch => {
  const [, navigate] = useLocation();
  const { data, error } = useQuery({ ...rootsQuery(), enabled: isOpen });
  const { mutate } = useMutation<unknown, ApiError, string>({
    mutationFn: (root) => call(changeSettings, { body: { root } }),
    // The event stream refetches everything once the server is back.
    onSuccess: () => navigate(paths.overview),
    meta: { refresh: after.settings() },
    onError: (failure) => reportFailure(words.failed, failure),
  });
  const problem = needsSignIn(error) ? words.signIn : error?.message;
  return { roots: data ?? NONE, problem, open: mutate };
};
