import { useSyncExternalStore } from 'react';
import { createStore } from 'zustand/vanilla';
import type { TypedTerms } from './sale-terms.ts';

/** The typed terms that aren't saved, by the root and the agent. They wait here while another page is open. */
const typedTerms = createStore<ReadonlyMap<string, TypedTerms>>(() => new Map());

/** Keeps what is typed for an agent. Undefined forgets it. */
export const keepTyped = (key: string, typed: TypedTerms | undefined): void => {
  const next = new Map(typedTerms.getState());
  if (typed === undefined) next.delete(key);
  else next.set(key, typed);
  typedTerms.setState(next, true);
};

/** Forgets what is saved by now. What was typed during the save stays. */
export const forgetSaved = (key: string, saved: TypedTerms): void => {
  if (typedTerms.getState().get(key) === saved) keepTyped(key, undefined);
};

/** What is typed for an agent and not saved. */
export const typedFor = (key: string): TypedTerms | undefined => typedTerms.getState().get(key);

/** Follows {@link typedFor}. */
export const useTypedTerms = (key: string): TypedTerms | undefined =>
  useSyncExternalStore(typedTerms.subscribe, () => typedFor(key));
