import type { LinkContent } from './cashu-link.ts';
import { type TokenDesk, tokenDesk, tokenIn } from './token-desk.ts';

/** What came by a link, a file or the clipboard, and the field could not take yet. It outlives the view that shows it, not the page. */
export interface TokenQueue {
  /** What is to be said now: the oldest token that waits, or why a link was not taken. */
  readonly first: () => LinkContent | null;
  readonly subscribe: (listener: () => void) => () => void;
  /** Fills a free field in; else the token waits behind those before it. A problem is said until the next link comes. */
  readonly add: (content: LinkContent) => void;
  /** Puts a text into the field, as `type` of the desk; while a token is on its way, the one in the text waits. */
  readonly type: (text: string) => void;
  /** Puts the token that waits first into the field, whatever is there; a problem is forgotten. */
  readonly next: () => void;
}

/** Makes an empty queue before a desk. */
export const createTokenQueue = (desk: Pick<TokenDesk, 'get' | 'type'>): TokenQueue => {
  let queue: readonly LinkContent[] = [];
  const listeners = new Set<() => void>();
  const replace = (next: readonly LinkContent[]): void => {
    queue = next;
    for (const listener of listeners) listener();
  };
  const holds = (token: string): boolean => tokenIn(desk.get().text) === token;
  const add = (content: LinkContent): void => {
    const tokens = queue.filter((item) => 'token' in item);
    if ('problem' in content) {
      replace([...tokens, content]);
      return;
    }
    const { token } = content;
    const isFree = tokens.length === 0 && holds('') && !desk.get().sending;
    if (isFree) desk.type(token);
    const isKnown = holds(token) || tokens.some((item) => item.token === token);
    replace(isKnown ? tokens : [...tokens, content]);
  };
  return {
    first: () => queue[0] ?? null,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add,
    type: (text) => {
      if (!desk.get().sending) return desk.type(text);
      const token = tokenIn(text);
      if (token !== '') add({ token });
    },
    next: () => {
      const [first, ...rest] = queue;
      if (first && 'token' in first) {
        desk.type(first.token);
        // While another token is on its way the field takes nothing.
        if (!holds(first.token)) return;
      }
      replace(rest);
    },
  };
};

/** The one queue of the page. */
export const tokenQueue: TokenQueue = createTokenQueue(tokenDesk);
