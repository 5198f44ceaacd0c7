import { type ReactNode, useEffect } from 'react';
import { type AroundNavHandler, Router } from 'wouter';
import { drafts } from './drafts/drafts.ts';
import { unsaved } from './drafts/unsaved.ts';
import { agentOf, parsePath, paths } from './routes.ts';
import { strings } from './strings.ts';
import { preloaded } from './ui/lazy-view.tsx';
import { notifyInBackground } from './ui/toast.tsx';

// It compares texts, which the first view has no use for.
const loadFailedSaves = preloaded(async () => (await import('./features/files/save-draft.ts')).failedSaves);

/** Reports files that couldn't be saved after their agent was left, because nobody sees their editors. */
const tellFailedSaves = async (id: string, open: (path: string) => void): Promise<void> => {
  if (drafts.of(id).length === 0) return;
  const failedSaves = await loadFailedSaves();
  for (const file of await failedSaves(id)) {
    if (agentOf(parsePath(window.location.pathname)) === id) return;
    notifyInBackground(strings.leave.notSaved(id, file), {
      label: strings.drafts.open,
      run: () => open(paths.agent(id, { kind: 'files', file })),
    });
  }
};

const askAboutTokens = (event: BeforeUnloadEvent): void => {
  if (unsaved.mustAsk()) event.preventDefault();
};

/**
 * Asks before the page closes with a token that isn't received, because nothing keeps that. Nothing else asks:
 * unsaved text is kept as drafts, and the rail lists it.
 */
export const LeaveGuard = ({ children }: { readonly children: ReactNode }) => {
  useEffect(() => {
    window.addEventListener('beforeunload', askAboutTokens);
    return () => window.removeEventListener('beforeunload', askAboutTokens);
  }, []);

  const aroundNav: AroundNavHandler = (navigate, to, options) => {
    const id = agentOf(parsePath(window.location.pathname));
    if (id !== null && agentOf(parsePath(to)) !== id) {
      // Without its code nothing can be told now; the rail still lists what isn't saved.
      tellFailedSaves(id, (path) => navigate(path)).catch(() => undefined);
    }
    navigate(to, options);
  };
  return <Router aroundNav={aroundNav}>{children}</Router>;
};
