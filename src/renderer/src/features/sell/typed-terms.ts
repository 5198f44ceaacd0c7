import { useSyncExternalStore } from 'react';
import { createStore } from 'zustand/vanilla';
import type { TypedTerms } from './sale-terms.ts';

/** Typed terms that aren't saved, by root and agent. They're kept while another page is open. */
const typedTerms = createStore<ReadonlyMap<string, TypedTerms>>(() => new Map());

/** Stores an agent's typed terms. Undefined removes them. */
export const keepTyped = (key: string, typed: TypedTerms | undefined): void => {
  const next = new Map(typedTerms.getState());
  if (typed === undefined) next.delete(key);
  else next.set(key, typed);
  typedTerms.setState(next, true);
};

/** Removes terms that were saved. Keeps text that was typed during the save. */
export const forgetSaved = (key: string, saved: TypedTerms): void => {
  if (typedTerms.getState().get(key) === saved) keepTyped(key, undefined);
};

/** Returns an agent's typed terms that aren't saved. */
export const typedFor = (key: string): TypedTerms | undefined => typedTerms.getState().get(key);

/** Subscribes to {@link typedFor}. */
export const useTypedTerms = (key: string): TypedTerms | undefined =>
  useSyncExternalStore(typedTerms.subscribe, () => typedFor(key));
