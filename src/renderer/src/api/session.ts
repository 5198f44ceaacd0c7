import { createStore } from 'zustand/vanilla';
import { PAGE_TOKEN_PREFIX } from '../../../shared/api/sign-in.ts';
import { storedToken, storeToken, type TokenStorage } from './token.ts';

/**
 * Whether this page is signed in. `unproven`: it has a token, but the server can't prove that it is still the same one.
 * The token isn't sent until the person confirms.
 */
export type SessionState = 'signedOut' | 'signedIn' | 'unproven';

/** What the server's proof of itself says; see `GET /api/health`. */
export type ServerVerdict = 'same' | 'other' | 'unknown';

/** What a session needs of the browser and the server. Requests reject when nothing answers. */
export interface SessionDeps {
  readonly storage: TokenStorage;
  /** Resolves once no service worker of another program can see our requests; never, when the page reloads. */
  readonly clearWorkers: () => Promise<void>;
  /** Whether something else proves who answers: TLS, or the desktop's own window. */
  readonly isServerKnown: () => boolean;
  readonly verify: (token: string) => Promise<ServerVerdict>;
  /** Gets a page token for the one that a person brought; null when it isn't valid. */
  readonly exchange: (token: string) => Promise<string | null>;
  /** Signs in without the person: by the desktop's shell, or with the key that this browser keeps. */
  readonly signInAgain: () => Promise<string | null>;
}

/** The page's sign-in, for every request. */
export interface Session {
  /** The token to send, null when signed out. Waits for the server's proof where one is due. */
  readonly bearer: () => Promise<string | null>;
  /** Takes a token from the address bar; the next request signs in with it. The person vouches for the address. */
  readonly bring: (token: string) => void;
  /** Signs in with a token that a person brought. Resolves to whether it is valid. */
  readonly signIn: (token: string) => Promise<boolean>;
  /** The connection ended: another program may answer next. */
  readonly doubt: () => void;
  /** The person says that it is the same server. */
  readonly vouch: () => void;
  readonly state: () => SessionState;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Makes the session of a page. */
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

  const become = (next: SessionState, token: string | null): string | null => {
    isSettled = true;
    setState(next);
    return next === 'signedIn' ? token : null;
  };

  const keep = (token: string): string | null => {
    storeToken(storage, token);
    return become('signedIn', token);
  };

  const settle = async (): Promise<string | null> => {
    if (waiting !== null) {
      const token = await deps.exchange(waiting);
      waiting = null;
      if (token !== null) return keep(token);
    }
    const kept = storedToken(storage);
    if (kept !== null) {
      const verdict = deps.isServerKnown() ? 'same' : await deps.verify(kept);
      if (verdict === 'same') return become('signedIn', kept);
      if (verdict === 'unknown') return become('unproven', null);
      storeToken(storage, null);
    }
    const fresh = await deps.signInAgain();
    return fresh === null ? become('signedOut', null) : keep(fresh);
  };

  return {
    bearer: async () => {
      await clear();
      if (isSettled && waiting === null) return getState() === 'signedIn' ? storedToken(storage) : null;
      settling ??= settle().finally(() => {
        settling = undefined;
      });
      return settling;
    },
    bring(token) {
      // A permanent token never gets into the storage; one of this run is kept at once, so that it survives a reload.
      if (token.startsWith(PAGE_TOKEN_PREFIX)) keep(token);
      else waiting = token;
      setState('signedIn');
    },
    async signIn(token) {
      await clear();
      const fresh = await deps.exchange(token);
      if (fresh === null) return false;
      keep(fresh);
      return true;
    },
    doubt: () => {
      isSettled = false;
    },
    vouch: () => void become(storedToken(storage) === null ? 'signedOut' : 'signedIn', null),
    state: getState,
    subscribe,
  };
};
