import { searchPrompts } from '../../shared/api/search.ts';
import type { Base, Feature } from '../feature.ts';
import { readerOf } from '../platform/caller.ts';

/** Creates the route that searches the text of all agents' files, on the disk thread. */
export const createSearch = ({ disk }: Pick<Base, 'disk'>): Feature => ({
  routes(bind) {
    bind(searchPrompts, ({ query }, caller) =>
      disk.ask({ text: query.q, limit: query.limit, reader: readerOf(caller) }),
    );
  },
});
