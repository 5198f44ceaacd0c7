import { type RefObject, useEffect, useSyncExternalStore } from 'react';
import type { HistoryEntry } from '../../../../shared/api/wallet.ts';
import type { More } from './use-history.ts';

let wantedId: string | null = null;
const listeners = new Set<() => void>();

const want = (id: string | null): void => {
  wantedId = id;
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Moves the view and the focus to an entry of the history, however old it is. */
export const showHistoryEntry = (id: string): void => want(id);

/** Does what {@link showHistoryEntry} asks: reads older pages until the entry is there, and gives its row the focus. */
export const useShownEntry = (
  entries: readonly HistoryEntry[],
  more: More | null,
  list: RefObject<HTMLElement | null>,
): void => {
  const id = useSyncExternalStore(subscribe, () => wantedId);
  useEffect(() => {
    if (id === null) return;
    const index = entries.findIndex((entry) => entry.id === id);
    const row = list.current?.children[index];
    if (row instanceof HTMLElement) {
      // Only a row that was asked for takes the focus, not each one that is clicked.
      row.tabIndex = -1;
      row.focus();
      row.scrollIntoView({ block: 'center' });
    } else if (more && !more.error) {
      if (!more.loading) more.load();
      return;
    } else list.current?.focus();
    want(null);
  }, [id, entries, more, list]);
};
