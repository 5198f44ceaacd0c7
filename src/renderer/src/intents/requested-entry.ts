import { useEffect, useRef } from 'react';
import { createStore } from 'zustand/vanilla';

/** An entry of a page that the search found, by its id there. */
interface RequestedEntry {
  readonly kind: 'setting' | 'model';
  readonly id: string;
}

const requested = createStore<RequestedEntry | null>(() => null);

/** Requests that a page shows one of its entries: now, or when it opens. */
export const requestEntry = (entry: RequestedEntry): void => requested.setState(entry, true);

/** Shows the requested entry of a kind, once the page `isReady` for it. */
export const useRequestedEntry = (
  kind: RequestedEntry['kind'],
  isReady: boolean,
  show: (id: string) => void,
): void => {
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    if (!isReady) return;
    const take = (): void => {
      const entry = requested.getState();
      if (entry?.kind !== kind) return;
      requested.setState(null, true);
      latest.current(entry.id);
    };
    take();
    return requested.subscribe(take);
  }, [kind, isReady]);
};
