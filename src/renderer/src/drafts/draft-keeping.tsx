import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { healthQuery } from '../api/queries.ts';
import { randomKey } from '../random-key.ts';
import { agentOf, parsePath, paths } from '../routes.ts';
import { strings } from '../strings.ts';
import { notify, notifyFailure } from '../ui/toast.tsx';
import { keepDrafts } from './draft-keeper.ts';
import { createDraftStore } from './draft-store.ts';
import { type Draft, drafts } from './drafts.ts';

/** The directory of the agents that drafts belong to. `isUnknown` if the server can't be asked for it. */
const useRoot = (): { readonly root: string | undefined; readonly isUnknown: boolean } => {
  const { data, isError } = useQuery(healthQuery());
  return { root: data?.dotMiRoot, isUnknown: isError };
};

/** Whether the drafts of earlier pages are back, so that typing can begin, and the root they belong to. */
export interface DraftKeeping {
  readonly ready: boolean;
  readonly root: string;
}

const DraftKeepingContext = createContext<DraftKeeping>({ ready: false, root: '' });

/** The state of draft keeping. */
export const useDraftKeeping = (): DraftKeeping => use(DraftKeepingContext);

const writer = randomKey();
const store = createDraftStore(indexedDB);

/** Brings drafts back at the start and keeps them beyond the page. Replaces them when the root changes. */
export const DraftKeepingProvider = ({ children }: { readonly children: ReactNode }) => {
  const [, navigate] = useLocation();
  const { root, isUnknown } = useRoot();
  const [restoredRoot, setRestoredRoot] = useState<string>();

  useEffect(() => {
    if (root === undefined) return;
    let current = true;
    const keeper = keepDrafts({
      drafts,
      store,
      root,
      writer,
      now: Date.now,
      onFailure: (error) => notifyFailure(strings.drafts.notKept, error),
    });
    void keeper.restore().then((restored) => {
      if (!current) return;
      setRestoredRoot(root);
      tellRestored(restored, navigate);
    });
    const onVisibilityChange = (): void => {
      if (document.visibilityState === 'hidden') keeper.flush();
    };
    // The page may end next. The question before leaving takes long enough to write.
    window.addEventListener('beforeunload', keeper.flush);
    window.addEventListener('pagehide', keeper.flush);
    document.addEventListener('visibilitychange', onVisibilityChange);
    return () => {
      current = false;
      window.removeEventListener('beforeunload', keeper.flush);
      window.removeEventListener('pagehide', keeper.flush);
      document.removeEventListener('visibilitychange', onVisibilityChange);
      keeper.stop();
      drafts.clear();
    };
  }, [root, navigate]);

  // Without a root nothing can be brought back, and typing must not wait for that.
  const ready = root === undefined ? isUnknown : root === restoredRoot;
  const keeping = useMemo(() => ({ ready, root: root ?? '' }), [ready, root]);
  return <DraftKeepingContext value={keeping}>{children}</DraftKeepingContext>;
};

/** The editor of a file also shows this. The notice is for drafts of agents that aren't open. */
const tellRestored = (restored: readonly Draft[], navigate: (path: string) => void): void => {
  const opened = agentOf(parsePath(window.location.pathname));
  const elsewhere = restored.filter(({ id }) => id !== opened);
  const [first] = elsewhere;
  if (!first) return;
  const words = strings.drafts;
  notify(words.broughtBack([...new Set(elsewhere.map(({ id }) => id))]), {
    label: words.open,
    run: () => navigate(paths.agent(first.id, { kind: 'files', file: first.file })),
  });
};
