import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import type { ApiError } from '../api/client.ts';
import { healthQuery } from '../api/queries.ts';
import { randomKey } from '../random-key.ts';
import { agentOf, parsePath, paths } from '../routes.ts';
import { strings } from '../strings.ts';
import { notify, notifyFailure } from '../ui/toast.tsx';
import { keepDrafts } from './draft-keeper.ts';
import { createDraftStore } from './draft-store.ts';
import { type Draft, drafts } from './drafts.ts';

/**
 * Whether the drafts of earlier pages are back, so that typing can begin, and the `rootId` that they belong to.
 * `error`: why the server didn't say which root it manages. Nothing can be typed until it does.
 */
export interface DraftKeeping {
  readonly ready: boolean;
  readonly root: string;
  readonly error: ApiError | null;
}

const DraftKeepingContext = createContext<DraftKeeping>({ ready: false, root: '', error: null });

/** The state of draft keeping. */
export const useDraftKeeping = (): DraftKeeping => use(DraftKeepingContext);

const writer = randomKey();
const store = createDraftStore();

/** Brings drafts back at the start and keeps them beyond the page. Replaces them when the root changes. */
export const DraftKeepingProvider = ({ children }: { readonly children: ReactNode }) => {
  const [, navigate] = useLocation();
  const { data, error } = useQuery(healthQuery());
  // A server that asks for a token names its root only to a page that is signed in.
  const [{ root, rootId }, setKnown] = useState<{ root?: string; rootId?: string }>({});
  if (data?.dotMiRoot !== undefined && data.rootId !== undefined && data.rootId !== rootId)
    setKnown({ root: data.dotMiRoot, rootId: data.rootId });
  const [restoredRoot, setRestoredRoot] = useState<string>();

  useEffect(() => {
    if (root === undefined || rootId === undefined) return;
    let current = true;
    drafts.openRoot(rootId);
    const keeper = keepDrafts({
      drafts,
      store,
      root,
      rootId,
      writer,
      now: Date.now,
      onFailure: (failure) => notifyFailure(strings.drafts.notKept, failure),
    });
    void keeper.restore().then((restored) => {
      if (!current) return;
      setRestoredRoot(rootId);
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
      const left = drafts.all().length;
      if (left > 0) notify(strings.drafts.otherRoot(left, root));
      drafts.openRoot(null);
    };
  }, [root, rootId, navigate]);

  const ready = rootId !== undefined && rootId === restoredRoot;
  const keeping = useMemo(
    () => ({ ready, root: rootId ?? '', error: data ? null : error }),
    [ready, rootId, data, error],
  );
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
