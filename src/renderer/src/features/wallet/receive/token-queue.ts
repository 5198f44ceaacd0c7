import { createStore } from 'zustand/vanilla';
import { bareToken, bareTokens, isTokenText } from '../../../../../shared/bare-token.ts';
import { type ReceiveStore, receiveStore } from './receive-store.ts';

/** The limit for links: 100 kB, because browsers and systems don't accept longer ones. */
const LONGEST_LINK = 100_000;

/** The parts of the browser that a link passes through. */
interface BrowserParts {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/** A link's content: a token, or why it was refused. */
export type LinkContent = { readonly token: string } | { readonly problem: 'wrongScheme' | 'tooLong' };

/** Parses a link's text, with or without its scheme. */
export const readCashuLink = (text: string): LinkContent => {
  if (text.length > LONGEST_LINK) return { problem: 'tooLong' };
  const token = bareToken(text);
  return isTokenText(token) ? { token } : { problem: 'wrongScheme' };
};

/**
 * Removes a token from the address bar (`/wallet#cashu=<token>`). Null if there is none. A fragment never reaches
 * a server or a log. Once removed, it's not in bookmarks or screenshots. The token only fills in the field. Nothing is
 * redeemed.
 */
export const consumeCashuLink = ({ location, history }: BrowserParts): LinkContent | null => {
  // `URLSearchParams` reads a `+` as a space, and some wallets' tokens contain it.
  const fragment = new URLSearchParams(location.hash.slice(1).replaceAll('+', '%2B'));
  const text = fragment.get('cashu');
  if (text === null) return null;
  fragment.delete('cashu');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${location.search}${rest && `#${rest}`}`);
  return readCashuLink(text);
};

/** Tokens from links, files or the clipboard that wait for the field. Outlives its view but not the page. */
interface TokenQueue {
  /** Returns what to show now: the oldest waiting token, or why a link was refused. */
  readonly first: () => LinkContent | null;
  readonly subscribe: (listener: () => void) => () => void;
  /** Fills the field if it's empty. Otherwise the token waits. A problem is shown until the next link. */
  readonly add: (content: LinkContent) => void;
  /** Puts text into the field, like the store's `type`. While a token is being sent, a new one waits. */
  readonly type: (text: string) => void;
  /** Replaces the field's text with the oldest waiting token, or dismisses a problem. */
  readonly next: () => void;
}

/** Creates an empty queue that feeds a receive store. */
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
