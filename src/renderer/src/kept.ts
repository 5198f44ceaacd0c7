import { createStore } from 'zustand/vanilla';
import {
  changePreferences,
  getPreferences,
  PREFERENCES,
  type PreferenceName,
  type Preferences,
} from '../../shared/api/preferences.ts';
import { ApiError, call, isSignedIn } from './api/client.ts';
import { browserStorage, type TextStorage } from './browser-storage.ts';

/** Reads and saves a person's preferences, for this page and later ones. */
export interface Kept {
  readonly get: (name: PreferenceName) => string | null;
  /** Sets a preference. Null removes it. */
  readonly set: (name: PreferenceName, text: string | null) => void;
  /** Loads the server's preferences. Returns false if the page isn't signed in or the server doesn't respond. */
  readonly load: () => Promise<boolean>;
  /** Calls `listener` after each change, including in other tabs. */
  readonly subscribe: (listener: () => void) => () => void;
}

/** Where preferences are stored: the server's routes, and this browser's storage. */
export interface KeptHost {
  /** Rejects if the page isn't signed in. */
  readonly read: () => Promise<Preferences>;
  /**
   * Rejects if the server didn't respond, so that the changes are sent again. Doesn't reject if the page isn't signed
   * in, because such a page only keeps them in the browser.
   */
  readonly write: (changes: Partial<Record<PreferenceName, string | null>>) => Promise<unknown>;
  readonly storage: TextStorage;
}

const keyOf = (name: PreferenceName): string => `dot-mi.${name}`;

/** Stores the names of preferences being sent, in case the page closes before the server responds. */
const UNSENT_KEY = 'dot-mi.unsent';

/**
 * Creates the preferences. The server stores them, because the page's port can change at each start, and browsers share
 * nothing between ports. The browser's copy is for the first paint, for other tabs, and for a page that isn't signed
 * in.
 */
export const createKept = ({ read, write, storage }: KeptHost): Kept => {
  const changes = createStore(() => ({}));
  const announce = (): void => changes.setState({}, true);
  let sending: Promise<unknown> = Promise.resolve();

  const get = (name: PreferenceName): string | null => storage.getItem(keyOf(name));
  const left = storage.getItem(UNSENT_KEY)?.split(',') ?? [];
  /** Preferences that the server doesn't have yet, including any that an earlier page closed without sending. */
  const unsent = new Map<PreferenceName, string | null>(
    PREFERENCES.filter((name) => left.includes(name)).map((name) => [name, get(name)]),
  );
  const noteUnsent = (): void => {
    if (unsent.size === 0) storage.removeItem(UNSENT_KEY);
    else storage.setItem(UNSENT_KEY, [...unsent.keys()].join());
  };
  const copy = (name: PreferenceName, text: string | null): void => {
    if (text === null) storage.removeItem(keyOf(name));
    else storage.setItem(keyOf(name), text);
  };
  const send = async (): Promise<void> => {
    if (unsent.size === 0) return;
    const sent = new Map(unsent);
    try {
      await write(Object.fromEntries(sent));
    } catch {
      // The page is closing, which ends its requests, or dot-mi isn't running. Send them next time.
      return;
    }
    for (const [name, text] of sent) if (unsent.get(name) === text) unsent.delete(name);
    noteUnsent();
  };

  return {
    get,
    set: (name, text) => {
      if (get(name) === text) return;
      copy(name, text);
      unsent.set(name, text);
      noteUnsent();
      sending = sending.then(send);
      announce();
    },
    load: async () => {
      try {
        const texts = await read();
        for (const name of PREFERENCES) if (!unsent.has(name)) copy(name, texts[name] ?? null);
      } catch {
        return false;
      }
      sending = sending.then(send);
      announce();
      return true;
    },
    subscribe: (listener) => {
      const onStorage = ({ key }: StorageEvent): void => {
        if (key === null || PREFERENCES.some((name) => keyOf(name) === key)) listener();
      };
      globalThis.addEventListener?.('storage', onStorage);
      const unsubscribe = changes.subscribe(listener);
      return () => {
        globalThis.removeEventListener?.('storage', onStorage);
        unsubscribe();
      };
    },
  };
};

/** The page's preferences. */
export const kept: Kept = createKept({
  read: async () => {
    if (!(await isSignedIn())) throw new Error('This page isn’t signed in.');
    return (await call(getPreferences, {})).preferences;
  },
  write: async (preferences) => {
    if (!(await isSignedIn())) return;
    try {
      await call(changePreferences, { body: { preferences } });
    } catch (error) {
      // A refusal is final: the server would refuse the same change next time.
      if (!(error instanceof ApiError) || error.code === 'offline') throw error;
    }
  },
  storage: browserStorage,
});

/** Returns the texts of a stored list. Empty if there's none. */
export const storedTexts = (stored: string | null): readonly string[] => {
  try {
    const found: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(found) ? found.filter((text) => typeof text === 'string') : [];
  } catch {
    return [];
  }
};
