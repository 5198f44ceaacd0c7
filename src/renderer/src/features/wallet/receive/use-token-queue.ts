import { useEffect, useRef, useSyncExternalStore } from 'react';
import { followLinks } from '../../../commands/opened-links.ts';
import { consumeCashuLink, type LinkContent, readCashuLink } from './cashu-link.ts';
import { tokenQueue } from './token-queue.ts';

/** The news of the queue: why a link was refused, or that a token waits behind the one in the field. */
export type QueueNews =
  | { readonly kind: 'problem'; readonly problem: 'wrongScheme' | 'tooLong'; readonly dismiss: () => void }
  | { readonly kind: 'waiting'; readonly take: () => void };

/**
 * Reports what waits. Fills in the field from the page's link and later ones. Never loses typed text.
 * `onArrival` runs for each link.
 */
export const useTokenQueue = (onArrival: () => void): QueueNews | null => {
  const first = useSyncExternalStore(tokenQueue.subscribe, tokenQueue.first);
  const latest = useRef(onArrival);
  latest.current = onArrival;
  useEffect(() => {
    const add = (content: LinkContent): void => {
      tokenQueue.add(content);
      latest.current();
    };
    const take = (): void => {
      const found = consumeCashuLink({ location, history });
      if (found) add(found);
    };
    take();
    const unfollow = followLinks((text) => add(readCashuLink(text)));
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
