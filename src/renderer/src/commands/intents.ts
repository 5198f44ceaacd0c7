import { useEffect, useRef } from 'react';

/** Things that a command asks of a page that may not be open yet; some of them for one agent. */
export type Intent =
  | { readonly kind: 'new-agent' | 'receive-token' | 'fix-seed' }
  | { readonly kind: 'duplicate-agent'; readonly id: string };

let pending: Intent | null = null;
const listeners = new Set<() => void>();

/** Asks for something; the page that does it takes it up, now or when it opens. */
export const raiseIntent = (intent: Intent): void => {
  pending = intent;
  for (const listener of listeners) listener();
};

/** Forgets what was asked for and not done: the page that does it is not gone to. */
export const dropIntent = (): void => {
  pending = null;
};

/**
 * Takes up an intent of a kind, each once; answers whether there was one to do. One that was for another agent is over
 * then: whoever looks at this one has gone on, and must not find a dialog open when they come back.
 */
export const takeIntent = (kind: Intent['kind'], id?: string): boolean => {
  if (pending?.kind !== kind) return false;
  const isOurs = pending.kind !== 'duplicate-agent' || pending.id === id;
  pending = null;
  return isOurs;
};

/** Does what an intent of a kind asks, of the agent `id` where it is about one. */
export const useIntent = (kind: Intent['kind'], run: () => void, id?: string): void => {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const take = (): void => {
      if (takeIntent(kind, id)) latest.current();
    };
    take();
    listeners.add(take);
    return () => {
      listeners.delete(take);
    };
  }, [kind, id]);
};
