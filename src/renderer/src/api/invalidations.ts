import type { QueryKey } from '@tanstack/react-query';
import type { ServerEvent } from '../../../shared/api/events.ts';
import { EDITABLE_FILES } from '../../../shared/api/names.ts';
import { keys } from './queries.ts';

/** The key that every key begins with. */
export const EVERYTHING: QueryKey = [];

/** What has to be read again after an event. An event that does not say which agents changed means everything. */
export const staleKeys = (event: ServerEvent): QueryKey[] => {
  switch (event.name) {
    case 'agents': {
      if (event.data.ids === null) return [EVERYTHING];
      const files = event.data.files ?? EDITABLE_FILES;
      return [
        keys.agentList,
        // An agent that went may be in the trash now, one that came may be from there.
        keys.trash,
        ...event.data.ids.flatMap((id) => [keys.summary(id), ...files.map((file) => keys.file(id, file))]),
      ];
    }
    case 'links':
      return event.data.ids === null
        ? [EVERYTHING]
        : [...event.data.ids.map(keys.linksOf), keys.linkCounts, keys.allUsage];
    case 'catalog':
      // Whether a link is broken depends on what it leads to.
      return [...event.data.kinds.map(keys.catalog), keys.allLinks, keys.linkCounts, keys.allUsage];
    case 'price':
      return [keys.pricing];
    case 'wallet': {
      const { operation, restore } = event.data;
      // Progress comes many times a second; what else it changed is read when the search ends.
      const isProgress = restore != null && operation === null;
      return [isProgress ? keys.walletBalance : keys.wallet];
    }
  }
};
