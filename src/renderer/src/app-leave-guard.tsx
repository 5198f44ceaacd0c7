import { type ReactNode, useEffect } from 'react';
import { type AroundNavHandler, Router } from 'wouter';
import { drafts } from './drafts/drafts.ts';
import { unsaved } from './drafts/unsaved.ts';
import { agentOf, parsePath, paths } from './routes.ts';
import { strings } from './strings.ts';
import { notifyInBackground } from './ui/toast.tsx';

/** Reports files that couldn't be saved after their agent was left, because nobody sees their editors. */
const tellFailedSaves = async (id: string, open: (path: string) => void): Promise<void> => {
  if (drafts.of(id).length === 0) return;
  // It compares texts, which the first view has no use for.
  const { failedSaves } = await import('./features/files/save-draft.ts');
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
    if (id !== null && agentOf(parsePath(to)) !== id) void tellFailedSaves(id, (path) => navigate(path));
    navigate(to, options);
  };
  return <Router aroundNav={aroundNav}>{children}</Router>;
};
