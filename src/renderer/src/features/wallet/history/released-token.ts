// Apart from the release itself, because the first view has to know whether a token waits.
import { createStore } from 'zustand/vanilla';
import type { ReleasedOperation } from '../../../../../shared/api/wallet.ts';

/** A released operation whose proofs came from outside. */
export type ReleasedToken = ReleasedOperation & { readonly token: string };

const { getState, setState, subscribe } = createStore<ReleasedToken | null>(() => null);

/**
 * The token of the last release, until the person hides it. It is nowhere else, so it outlives its view.
 * SECURITY: a token is money, so it stays in memory only.
 */
export const releasedToken = {
  get: getState,
  subscribe,
  set: (next: ReleasedToken | null): void => setState(next, true),
};

/** Keeps the token of a released operation. Returns whether there is one: a send's sats stay in the wallet. */
export const keepReleased = (released: ReleasedOperation): boolean => {
  const { token } = released;
  if (token === undefined) return false;
  releasedToken.set({ ...released, token });
  return true;
};
