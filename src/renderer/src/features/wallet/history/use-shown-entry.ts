import { type RefObject, useEffect, useSyncExternalStore } from 'react';
import { createStore } from 'zustand/vanilla';
import type { HistoryEntry } from '../../../../../shared/api/wallet.ts';
import type { More } from './use-history.ts';

const requestedId = createStore<string | null>(() => null);

/** Scrolls to an entry of the history and focuses it, however old it is. */
export const showHistoryEntry = (id: string): void => requestedId.setState(id);

/** A sheet over the history, and how to close it. */
export interface Cover {
  readonly isCovered: boolean;
  readonly onUncover: () => void;
}

/**
 * Carries out {@link showHistoryEntry}: closes a sheet that covers the history, loads older pages until the
 * entry is there, and focuses its row.
 */
export const useShownEntry = (
  entries: readonly HistoryEntry[],
  more: More | null,
  list: RefObject<HTMLElement | null>,
  { isCovered, onUncover }: Cover,
): void => {
  const id = useSyncExternalStore(requestedId.subscribe, requestedId.getState);
  useEffect(() => {
    if (id === null) return;
    if (isCovered) return onUncover();
    const index = entries.findIndex((entry) => entry.id === id);
    const row = list.current?.children[index];
    if (row instanceof HTMLElement) {
      // Only a requested row is focusable, so that clicking a row doesn't focus it.
      row.tabIndex = -1;
      row.focus();
      row.scrollIntoView({ block: 'center' });
    } else if (more && !more.error) {
      if (!more.loading) more.load();
      return;
    } else list.current?.focus();
    requestedId.setState(null);
  }, [id, entries, more, list, isCovered, onUncover]);
};
