import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { EditableFile } from '../../../shared/api/names.ts';
import type { ApiError } from '../api/client.ts';
import { useLive } from '../api/live.tsx';
import { pageSession, useSession } from '../api/page-session.ts';
import { draftListQuery, healthQuery } from '../api/queries.ts';
import { tabStorage } from '../browser-storage.ts';
import { storedTexts } from '../kept.ts';
import { pageWriter } from '../random-key.ts';
import { type AgentSection, agentOf, parsePath, paths } from '../routes.ts';
import { draftWords as words } from '../strings/files.ts';
import { dismissFailure, reportFailure } from '../ui/failures.tsx';
import { preloaded } from '../ui/lazy-view.tsx';
import { notifyInBackground } from '../ui/toast.tsx';
import { type DraftKeeper, keepDrafts } from './draft-keeper.ts';
import { createBrowserDrafts, createServerDrafts, type DraftHead, headOf } from './draft-stores.ts';
import { type Draft, drafts } from './drafts.ts';
import { unsaved } from './unsaved.ts';

/** The state of draft keeping: its root, other pages' text, and whether typing can begin. */
interface DraftKeeping {
  /** True once earlier pages' drafts are restored. */
  readonly ready: boolean;
  /** The root's id (`rootId`). */
  readonly root: string;
  /** Why the server's root is unknown. Nobody can type until it's known. */
  readonly error: ApiError | null;
  /** The drafts that the server stores for other pages, latest first. */
  readonly others: readonly DraftHead[];
  /** Continues another page's draft here. A toast offers to return to this page's text. */
  readonly adopt: (head: DraftHead) => void;
  /** Removes another page's draft. A toast offers Undo. */
  readonly discard: (head: DraftHead) => void;
}

const NOTHING: DraftKeeping = {
  ready: false,
  root: '',
  error: null,
  others: [],
  adopt: () => {},
  discard: () => {},
};

const DraftKeepingContext = createContext<DraftKeeping>(NOTHING);

export const useDraftKeeping = (): DraftKeeping => use(DraftKeepingContext);

const browserDrafts = createBrowserDrafts();

let openKeeper: DraftKeeper | undefined;
unsaved.guard('drafts', () => openKeeper?.holdsLost() ?? false);

/** The drafts that the server stores for this and other pages. Empty until the page is signed in. */
const useKeptHeads = (isReady: boolean): readonly DraftHead[] | undefined => {
  const isSignedIn = useSession() === 'signedIn';
  const { data } = useQuery({ ...draftListQuery(), enabled: isReady && isSignedIn });
  return useMemo(() => data?.map(headOf), [data]);
};

/** Restores drafts on load and stores them on the server. Loads the new root's drafts when the root changes. */
export const DraftKeepingProvider = ({ children }: { readonly children: ReactNode }) => {
  const [, navigate] = useLocation();
  const { data, error } = useQuery(healthQuery());
  // A server that requires a token names its root only to a signed-in page.
  const [{ root, rootId }, setKnown] = useState<{ root?: string; rootId?: string }>({});
  if (data?.dotMiRoot !== undefined && data.rootId !== undefined && data.rootId !== rootId)
    setKnown({ root: data.dotMiRoot, rootId: data.rootId });
  const [restoredRoot, setRestoredRoot] = useState<string>();
  const keeperRef = useRef<DraftKeeper>(undefined);

  useEffect(() => {
    if (root === undefined || rootId === undefined) return;
    let current = true;
    drafts.openRoot(rootId);
    const keeper = keepDrafts({
      drafts,
      server: createServerDrafts(rootId),
      mayUseServer: () => pageSession.state() === 'signedIn',
      browser: browserDrafts(root),
      rootId,
      writer: pageWriter,
      onLost: (isLost) => {
        if (isLost) reportFailure(words.notKept, words.notKeptHint);
        else dismissFailure(words.notKept);
      },
    });
    openKeeper = keeper;
    keeperRef.current = keeper;
    void keeper.restore().then((restored) => {
      if (!current) return;
      setRestoredRoot(rootId);
      tellRestored(restored, navigate);
    });
    const onVisibilityChange = (): void => {
      if (document.visibilityState === 'hidden') keeper.flush();
    };
    window.addEventListener('beforeunload', keeper.flushBeforeLeaving);
    window.addEventListener('pagehide', keeper.flushBeforeLeaving);
    document.addEventListener('visibilitychange', onVisibilityChange);
    return () => {
      current = false;
      window.removeEventListener('beforeunload', keeper.flushBeforeLeaving);
      window.removeEventListener('pagehide', keeper.flushBeforeLeaving);
      document.removeEventListener('visibilitychange', onVisibilityChange);
      keeper.stop();
      openKeeper = undefined;
      keeperRef.current = undefined;
      const left = drafts.all().length;
      if (left > 0) notifyInBackground(words.otherRoot(left, root));
      drafts.openRoot(null);
    };
  }, [root, rootId, navigate]);

  const ready = rootId !== undefined && rootId === restoredRoot;
  const heads = useKeptHeads(ready);
  const { state } = useLive();
  const isSignedIn = useSession() === 'signedIn';
  useEffect(() => {
    if (heads) keeperRef.current?.compare(heads);
  }, [heads]);
  useEffect(() => {
    if (state === 'open' && isSignedIn) keeperRef.current?.retry();
  }, [state, isSignedIn]);

  const keeping = useMemo(
    (): DraftKeeping => ({
      ready,
      root: rootId ?? '',
      error: data ? null : error,
      others: heads?.filter(({ writer }) => writer !== pageWriter) ?? NOTHING.others,
      adopt: (head) => void adoptDraft(head, keeperRef.current),
      discard: (head) => void discardDraft(head, rootId ?? ''),
    }),
    [ready, rootId, data, error, heads],
  );
  return <DraftKeepingContext value={keeping}>{children}</DraftKeepingContext>;
};

// The first view has nothing to undo.
const loadChanges = preloaded(() => import('../changes/changes.ts'));

const adoptDraft = async (head: DraftHead, keeper: DraftKeeper | undefined): Promise<void> => {
  const mine = drafts.get(head.id, head.file);
  try {
    if (!(await keeper?.adopt(head))) return;
  } catch (error) {
    reportFailure(words.notAdopted, error);
    return;
  }
  if (mine) (await loadChanges()).notifyUndoable(words.adopted(head.file), () => drafts.put(mine));
};

const discardDraft = async (head: DraftHead, rootId: string): Promise<void> => {
  const server = createServerDrafts(rootId);
  try {
    const kept = await server.read(head);
    await server.remove(head);
    if (!kept) return;
    (await loadChanges()).notifyUndoable(words.discarded(head.file), () => server.put(kept, null));
  } catch (error) {
    reportFailure(words.notDiscarded, error);
  }
};

const SAID_KEY = 'dot-mi.recovered';

const nameOf = ({ root, id, file, typedAt }: Draft): string => `${root}/${id}/${file}/${typedAt}`;

/**
 * Announces recovered text once, even across reloads: in the open file's editor, or in one notice for all. The rail
 * lists the rest.
 */
const tellRestored = (restored: readonly Draft[], navigate: (path: string) => void): void => {
  if (restored.length === 0) return;
  const said = new Set(storedTexts(tabStorage.getItem(SAID_KEY)));
  tabStorage.setItem(SAID_KEY, JSON.stringify(restored.map(nameOf)));
  const fresh = restored.filter((draft) => !said.has(nameOf(draft)));
  const page = parsePath(window.location.pathname);
  const opened = fresh.find(
    ({ id, file }) => agentOf(page) === id && page.name === 'agent' && isFileOpen(page.section, file),
  );
  for (const draft of restored)
    if (draft !== opened) drafts.patch(draft.id, draft.file, { restoredFrom: null });
  const [first] = fresh;
  if (opened || !first) return;
  notifyInBackground(words.broughtBack([...new Set(fresh.map(({ id }) => id))]), {
    label: words.open,
    run: () => navigate(paths.agent(first.id, { kind: 'files', file: first.file })),
  });
};

const isFileOpen = (section: AgentSection, file: EditableFile): boolean =>
  section.kind === 'files' && section.file === file;
