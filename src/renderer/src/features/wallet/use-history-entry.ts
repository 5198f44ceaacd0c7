import { useInfiniteQuery } from '@tanstack/react-query';
import type { HistoryEntry } from '../../../../shared/api/wallet.ts';
import { historyQuery } from '../../api/queries.ts';

/** An operation as the history tells it, if it is among the pages that are read. */
export const useHistoryEntry = (id: string): HistoryEntry | undefined => {
  const { data } = useInfiniteQuery(historyQuery());
  for (const page of data?.pages ?? []) {
    const entry = page.entries.find((each) => each.id === id);
    if (entry) return entry;
  }
  return undefined;
};
