// Separate from the release itself, because the first view must know whether a token is waiting.
import { createStore } from 'zustand/vanilla';
import type { ReleasedOperation } from '../../../../../shared/api/wallet.ts';

/** A released operation whose proofs came from outside the wallet. */
export type ReleasedToken = ReleasedOperation & { readonly token: string };

const { getState, setState, subscribe } = createStore<ReleasedToken | null>(() => null);

/**
 * Holds the last release's token until the person hides it. It exists nowhere else, so it outlives its view.
 * SECURITY: a token is money, so it stays in memory only.
 */
export const releasedToken = {
  get: getState,
  subscribe,
  set: (next: ReleasedToken | null): void => setState(next, true),
};

/** Stores a released operation's token. Returns false if it has none, because a send's sats stay in the wallet. */
export const keepReleased = (released: ReleasedOperation): boolean => {
  const { token } = released;
  if (token === undefined) return false;
  releasedToken.set({ ...released, token });
  return true;
};
