import type { TextStorage } from '../../src/renderer/src/browser-storage.ts';

/** Keeps text as the browser does for a tab. */
export const makeSessionStore = (): TextStorage & { readonly size: number } => {
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
