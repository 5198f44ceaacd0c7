import { createStore } from 'zustand/vanilla';
import { bareToken, bareTokens } from '../../../../../shared/bare-token.ts';
import type { LinkContent } from './cashu-link.ts';
import { type ReceiveStore, receiveStore } from './receive-store.ts';

/** Tokens from links, files or the clipboard that wait for the field. Outlives its view but not the page. */
interface TokenQueue {
  /** What to show now: the oldest waiting token, or why a link was refused. */
  readonly first: () => LinkContent | null;
  readonly subscribe: (listener: () => void) => () => void;
  /** Fills the field if it's empty. Otherwise the token waits. A problem is shown until the next link. */
  readonly add: (content: LinkContent) => void;
  /** Puts text into the field, like `type` of the store. While a token is being sent, a new one waits. */
  readonly type: (text: string) => void;
  /** Replaces the field's text with the oldest waiting token, or dismisses a problem. */
  readonly next: () => void;
}

/** Creates an empty queue in front of a receive store. */
export const createTokenQueue = (store: Pick<ReceiveStore, 'get' | 'type'>): TokenQueue => {
  const { getState, setState, subscribe } = createStore<readonly LinkContent[]>(() => []);
  const replace = (next: readonly LinkContent[]): void => setState(next, true);
  const isEmpty = (): boolean => bareToken(store.get().text) === '';
  const holds = (token: string): boolean => bareTokens(store.get().text).includes(token);
  const add = (content: LinkContent): void => {
    const tokens = getState().filter((item) => 'token' in item);
    if ('problem' in content) {
      replace([...tokens, content]);
      return;
    }
    const { token } = content;
    const isFree = tokens.length === 0 && isEmpty() && !store.get().sending;
    if (isFree) store.type(token);
    const isKnown = holds(token) || tokens.some((item) => item.token === token);
    replace(isKnown ? tokens : [...tokens, content]);
  };
  return {
    first: () => getState()[0] ?? null,
    subscribe,
    add,
    type: (text) => {
      if (!store.get().sending) return store.type(text);
      for (const token of bareTokens(text)) add({ token });
    },
    next: () => {
      const [first, ...rest] = getState();
      if (first && 'token' in first) {
        store.type(first.token);
        // The field ignores text while another token is being sent.
        if (!holds(first.token)) return;
      }
      replace(rest);
    },
  };
};

/** The page's only token queue. */
export const tokenQueue: TokenQueue = createTokenQueue(receiveStore);
