import { useEffect, useState } from 'react';
import { type LinkContent, takeCashuLink } from './cashu-link.ts';
import { tokenDesk, tokenIn } from './token-desk.ts';

/** What is to be said of a link that came: why it was not taken, or that it waits behind what was typed. */
export type LinkNews =
  | { readonly kind: 'problem'; readonly problem: 'wrongScheme' | 'tooLong'; readonly dismiss: () => void }
  | { readonly kind: 'waiting'; readonly take: () => void };

/** Fills the field in from a link, when the page opens and when another link comes; what is typed is never lost. */
export const useCashuLink = (): LinkNews | null => {
  const [content, setContent] = useState<LinkContent | null>(null);
  useEffect(() => {
    const take = (): void => {
      const found = takeCashuLink({ location, history });
      if (!found) return;
      const { text, sending } = tokenDesk.get();
      const isFree =
        !sending && (tokenIn(text) === '' || ('token' in found && tokenIn(text) === found.token));
      if ('token' in found && isFree) {
        tokenDesk.type(found.token);
        setContent(null);
      } else setContent(found);
    };
    take();
    window.addEventListener('hashchange', take);
    return () => window.removeEventListener('hashchange', take);
  }, []);
  if (!content) return null;
  if ('problem' in content) {
    return { kind: 'problem', problem: content.problem, dismiss: () => setContent(null) };
  }
  return {
    kind: 'waiting',
    take: () => {
      tokenDesk.type(content.token);
      // While another token is on its way the field takes nothing.
      if (tokenDesk.get().text === content.token) setContent(null);
    },
  };
};
