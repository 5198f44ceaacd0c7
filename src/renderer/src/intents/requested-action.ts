import { useEffect, useRef } from 'react';
import { createStore } from 'zustand/vanilla';

/** An action that a command requests from a page that may not be open yet. Some are for one agent. */
export type Action =
  | { readonly kind: 'new-agent' | 'receive-token' | 'fix-seed' }
  | { readonly kind: 'duplicate-agent'; readonly id: string };

const requested = createStore<Action | null>(() => null);

/** Requests an action. The page that handles it does so now, or when it opens. */
export const requestAction = (action: Action): void => requested.setState(action, true);

/** Cancels the requested action, because its page won't open. */
export const cancelAction = (): void => requested.setState(null, true);

/**
 * Consumes the requested action of a kind, and returns whether there was one for this agent. A request for
 * another agent is dropped, so that no dialog opens when the person returns to that agent later.
 */
export const consumeAction = (kind: Action['kind'], id?: string): boolean => {
  const action = requested.getState();
  if (action?.kind !== kind) return false;
  const isOurs = action.kind !== 'duplicate-agent' || action.id === id;
  cancelAction();
  return isOurs;
};

/** Runs `run` when an action of this kind is requested, for the agent `id` where it concerns one. */
export const useAction = (kind: Action['kind'], run: () => void, id?: string): void => {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const take = (): void => {
      if (consumeAction(kind, id)) latest.current();
    };
    take();
    return requested.subscribe(take);
  }, [kind, id]);
};
