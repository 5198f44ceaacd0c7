// Its own file because it listens to the whole page, unlike the field.
import { useEffect, useRef } from 'react';
import { bareToken, bareTokens } from '../../../../../shared/bare-token.ts';
import { readCashuLink } from './cashu-link.ts';
import { receiveStore } from './receive-store.ts';
import { tokenQueue } from './token-queue.ts';

/** Puts text from outside the field into it. A token waits behind one that is already there. */
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

/** Passes on text that is pasted anywhere on the page, except into a field or while a dialog is open. */
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
