import type { SessionStore } from '../../src/renderer/src/session-store.ts';

/** Keeps text as the browser does for a tab. */
export const makeSessionStore = (): SessionStore & { readonly size: number } => {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => void kept.set(key, text),
    removeItem: (key) => void kept.delete(key),
    get size() {
      return kept.size;
    },
  };
};
