import { useEffect, useSyncExternalStore } from 'react';
import { followLinks } from '../../../commands/opened-links.ts';
import { consumeCashuLink, readCashuLink } from './cashu-link.ts';
import { tokenQueue } from './token-queue.ts';

/** What is to be said of what came: why a link was not taken, or that a token waits behind the one in the field. */
export type QueueNews =
  | { readonly kind: 'problem'; readonly problem: 'wrongScheme' | 'tooLong'; readonly dismiss: () => void }
  | { readonly kind: 'waiting'; readonly take: () => void };

/** Tells what waits, and fills the field in from a link, when the page opens and when another link comes; what is typed is never lost. */
export const useTokenQueue = (): QueueNews | null => {
  const first = useSyncExternalStore(tokenQueue.subscribe, tokenQueue.first);
  useEffect(() => {
    const take = (): void => {
      const found = consumeCashuLink({ location, history });
      if (found) tokenQueue.add(found);
    };
    take();
    const unfollow = followLinks((text) => tokenQueue.add(readCashuLink(text)));
    window.addEventListener('hashchange', take);
    return () => {
      unfollow();
      window.removeEventListener('hashchange', take);
    };
  }, []);
  if (!first) return null;
  if ('problem' in first) return { kind: 'problem', problem: first.problem, dismiss: tokenQueue.next };
  return { kind: 'waiting', take: tokenQueue.next };
};
