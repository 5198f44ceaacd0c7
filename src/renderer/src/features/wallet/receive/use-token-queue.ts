import { useEffect, useRef, useSyncExternalStore } from 'react';
import { bareToken, bareTokens } from '../../../../../shared/bare-token.ts';
import { followLinks } from '../../../shell/intents.ts';
import { receiveStore } from './receive-store.ts';
import { consumeCashuLink, type LinkContent, readCashuLink, tokenQueue } from './token-queue.ts';

/** Puts text from elsewhere into the field. A token waits behind one that is already there. */
export const addText = (text: string): void => {
  const tokens = bareTokens(text);
  if (tokens.length > 1 && bareToken(receiveStore.get().text) === '') {
    tokenQueue.type(text);
    return;
  }
  if (tokens.length > 1) {
    for (const token of tokens) tokenQueue.add(readCashuLink(token));
    return;
  }
  const found = readCashuLink(text);
  if ('token' in found) tokenQueue.add(found);
  else if (bareToken(receiveStore.get().text) === '') tokenQueue.type(text);
};

const takesText = (element: EventTarget | null): boolean =>
  element instanceof HTMLElement && element.closest('input, textarea, [contenteditable]') !== null;

/** Handles text that is pasted anywhere on the page, except into a field or while a dialog is open. */
export const usePastedText = (onText: (text: string) => void): void => {
  const latest = useRef(onText);
  latest.current = onText;
  useEffect(() => {
    const onPaste = (event: ClipboardEvent): void => {
      const text = event.clipboardData?.getData('text') ?? '';
      if (text.trim() === '' || takesText(event.target)) return;
      if (document.querySelector('[data-dialog][data-open]')) return;
      event.preventDefault();
      latest.current(text);
    };
    document.addEventListener('paste', onPaste);
    return () => document.removeEventListener('paste', onPaste);
  }, []);
};

/** The queue's news: why a link was refused, or that a token waits behind the one in the field. */
export type QueueNews =
  | { readonly kind: 'problem'; readonly problem: 'wrongScheme' | 'tooLong'; readonly dismiss: () => void }
  | { readonly kind: 'waiting'; readonly take: () => void };

/**
 * Reports waiting tokens. Fills in the field from the page's link and later links. Never loses typed text. Calls
 * `onArrival` for each link.
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
