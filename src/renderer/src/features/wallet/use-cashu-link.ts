import { useEffect, useSyncExternalStore } from 'react';
import { followLinks } from '../../commands/opened-links.ts';
import { readCashuLink, takeCashuLink } from './cashu-link.ts';
import { linkQueue } from './link-queue.ts';

/** What is to be said of a link that came: why it was not taken, or that it waits behind what was typed. */
export type LinkNews =
  | { readonly kind: 'problem'; readonly problem: 'wrongScheme' | 'tooLong'; readonly dismiss: () => void }
  | { readonly kind: 'waiting'; readonly take: () => void };

/** Fills the field in from a link, when the page opens and when another link comes; what is typed is never lost. */
export const useCashuLink = (): LinkNews | null => {
  const first = useSyncExternalStore(linkQueue.subscribe, linkQueue.first);
  useEffect(() => {
    const take = (): void => {
      const found = takeCashuLink({ location, history });
      if (found) linkQueue.add(found);
    };
    take();
    const unfollow = followLinks((text) => linkQueue.add(readCashuLink(text)));
    window.addEventListener('hashchange', take);
    return () => {
      unfollow();
      window.removeEventListener('hashchange', take);
    };
  }, []);
  if (!first) return null;
  if ('problem' in first) return { kind: 'problem', problem: first.problem, dismiss: linkQueue.next };
  return { kind: 'waiting', take: linkQueue.next };
};
