import { createStore } from 'zustand/vanilla';
import { PAGE_TOKEN_PREFIX } from '../../../shared/api/sign-in.ts';

const STORAGE_KEY = 'dot-mi.token';

/** The browser APIs that the token passes through. They're a parameter, so that tests can replace them. */
interface TokenHome {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/** A tab's storage for its page token. */
type TokenStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Returns this tab's page token. Null when signed out. */
export const storedToken = (storage: TokenStorage): string | null => storage.getItem(STORAGE_KEY);

/** Stores the page token for the tab, or removes it. */
export const storeToken = (storage: TokenStorage, token: string | null): void => {
  if (token === null) storage.removeItem(STORAGE_KEY);
  else storage.setItem(STORAGE_KEY, token);
};

/**
 * Removes the token from the address bar (`#token=…`) and returns it, or null. This keeps it out of the history,
 * bookmarks and screenshots. Other parts of the fragment stay.
 */
export const takeToken = ({ location, history }: TokenHome): string | null => {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const token = fragment.get('token');
  if (token === null) return null;
  fragment.delete('token');
  const rest = fragment.toString();
  history.replaceState(history.state, '', `${location.pathname}${location.search}${rest && `#${rest}`}`);
  return token === '' ? null : token;
};

/** Returns the token in pasted text, which is either the printed link or only the token. */
export const tokenInText = (text: string): string => {
  const trimmed = text.trim();
  const fragment = trimmed.includes('#') ? trimmed.slice(trimmed.indexOf('#') + 1) : undefined;
  return (fragment === undefined ? null : new URLSearchParams(fragment).get('token')) ?? trimmed;
};

/**
 * The sign-in state of this page. `unproven`: the page has a token, but the server can't prove that it's the same
 * server. The token isn't sent until the person confirms.
 */
export type SessionState = 'signedOut' | 'signedIn' | 'unproven';

/** The result of checking the server's identity. See `GET /api/health`. */
export type ServerVerdict = 'same' | 'other' | 'unknown';

/** A session's dependencies on the browser and the server. Requests reject if there is no response. */
export interface SessionDeps {
  readonly storage: TokenStorage;
  /** Resolves once no other program's service worker sees our requests. Never resolves if the page reloads. */
  readonly clearWorkers: () => Promise<void>;
  /** Returns whether TLS already proves the server's identity. */
  readonly isServerKnown: () => boolean;
  readonly verify: (token: string) => Promise<ServerVerdict>;
  /** Exchanges the token that a person entered for a page token. Null if it isn't valid. */
  readonly exchange: (token: string) => Promise<string | null>;
  /** Signs in automatically: through the desktop's shell, or with this browser's stored key. */
  readonly signInAgain: () => Promise<string | null>;
}

/** The page's sign-in, used by every request. */
export interface Session {
  /** Returns the token to send. Null when signed out. Waits for the server's proof if one is needed. */
  readonly bearer: () => Promise<string | null>;
  /** Accepts a token from the address bar, because the person trusts that address. The next request signs in. */
  readonly bring: (token: string) => void;
  /** Signs in with a token that a person entered. Resolves to whether it's valid. */
  readonly signIn: (token: string) => Promise<boolean>;
  /** Removes this tab's token. */
  readonly signOut: () => void;
  /** Call when the connection ends, because another program may respond next. */
  readonly doubt: () => void;
  /** Call when the person confirms that it's the same server. */
  readonly vouch: () => void;
  readonly state: () => SessionState;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Creates the session of a page. */
export const createSession = (deps: SessionDeps): Session => {
  const { storage } = deps;
  let waiting: string | null = null;
  let isSettled = false;
  const { getState, setState, subscribe } = createStore<SessionState>(() =>
    storedToken(storage) === null ? 'signedOut' : 'signedIn',
  );
  let settling: Promise<string | null> | undefined;
  let cleared: Promise<void> | undefined;

  const clear = (): Promise<void> => {
    cleared ??= deps.clearWorkers();
    return cleared;
  };

  /** Counts events that make a server's response outdated: a connection that ended, or a person's action. */
  let changes = 0;

  const become = (next: SessionState): void => {
    changes++;
    isSettled = true;
    setState(next);
  };

  const keep = (token: string): void => {
    storeToken(storage, token);
    become('signedIn');
  };

  /** Queries the server to determine which token to use. Changes no state. Null removes the stored token. */
  const decide = async (): Promise<{ state: SessionState; token: string | null }> => {
    const brought = waiting === null ? null : await deps.exchange(waiting);
    if (brought !== null) return { state: 'signedIn', token: brought };
    const before = storedToken(storage);
    if (before !== null) {
      const verdict = deps.isServerKnown() ? 'same' : await deps.verify(before);
      if (verdict !== 'other') return { state: verdict === 'same' ? 'signedIn' : 'unproven', token: before };
    }
    const fresh = await deps.signInAgain();
    return { state: fresh === null ? 'signedOut' : 'signedIn', token: fresh };
  };

  const settle = async (): Promise<string | null> => {
    while (!isSettled || waiting !== null) {
      const begun = changes;
      const { state, token } = await decide();
      // If the count changed, a person signed in or out meanwhile, or another program may respond now.
      if (changes === begun) {
        waiting = null;
        storeToken(storage, token);
        become(state);
      }
    }
    return getState() === 'signedIn' ? storedToken(storage) : null;
  };

  return {
    bearer: async () => {
      await clear();
      settling ??= settle().finally(() => {
        settling = undefined;
      });
      return settling;
    },
    bring(token) {
      // A permanent token is never stored. A page token is stored at once, so that it survives a reload.
      if (token.startsWith(PAGE_TOKEN_PREFIX)) keep(token);
      else {
        waiting = token;
        changes++;
        setState('signedIn');
      }
    },
    async signIn(token) {
      await clear();
      const fresh = await deps.exchange(token);
      if (fresh === null) return false;
      keep(fresh);
      return true;
    },
    signOut() {
      waiting = null;
      storeToken(storage, null);
      become('signedOut');
    },
    doubt: () => {
      changes++;
      isSettled = false;
    },
    vouch: () => become(storedToken(storage) === null ? 'signedOut' : 'signedIn'),
    state: getState,
    subscribe,
  };
};
